package serve

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

// copyTo sends the rest of the body in pieces. It calls renew before each piece, so that slow
// clients get more time, but stuck clients do not.
func copyTo(r *exchange.Reply, w io.Writer, renew func()) error {
	var room []byte
	atOnce := int64(piece)
	if r.Answer.Data == nil && r.Answer.Size > 0 {
		room = getBuffer()
		defer putBuffer(room)
		atOnce = int64(len(room))
	}
	for r.Answer.Size > 0 {
		if r.Answer.LeaseEnded() {
			return library.ErrLeaseEnded
		}
		if r.ReachedGoal(piece) {
			renew()
		}
		part := r.Answer.Slice(0, min(atOnce, r.Answer.Size))
		data := part.Data
		if data == nil {
			data = room[:part.Size]
			if err := part.ReadAt(data, 0); err != nil {
				return err
			}
		}
		n, err := w.Write(data)
		r.AddSent(int64(n))
		if err != nil {
			return err
		}
	}
	return nil
}

// piece is the part of a large body that has its own time limit.
const piece = exchange.Piece

// Buffers for sending files. A client that does not read keeps its buffer until its time is over,
// so only some buffers are large.
const (
	smallPiece = 16 << 10
	maxPieces  = 128 // number of large buffers
)

var (
	pieces      = sync.Pool{New: func() any { return new([piece]byte) }}
	smallPieces = sync.Pool{New: func() any { return new([smallPiece]byte) }}
	lentPieces  atomic.Int64
)

func getBuffer() []byte {
	if lentPieces.Add(1) <= maxPieces {
		return pieces.Get().(*[piece]byte)[:]
	}
	lentPieces.Add(-1)
	return smallPieces.Get().(*[smallPiece]byte)[:]
}

func putBuffer(room []byte) {
	if len(room) == smallPiece {
		smallPieces.Put((*[smallPiece]byte)(room))
		return
	}
	pieces.Put((*[piece]byte)(room))
	lentPieces.Add(-1)
}

// share is the processor time that a connection with its own goroutine has used since it last
// yielded. A client that sends without pause never blocks its goroutine, and the runtime preempts
// it only after ten milliseconds: a few such clients would slow all others down.
type share int

const (
	wholeShare = 8 << 10 // bytes of requests
	ofEachRead = 512     // so that small reads count too
)

// add adds n bytes read, and yields when the share is used up.
func (s *share) add(n int) {
	if *s += share(n + ofEachRead); *s >= wholeShare {
		*s = 0
		runtime.Gosched()
	}
}
