package serve

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

// copyTo sends what is left of the body piece by piece, and calls renew before each: a slow client
// is served, and a stuck one is not waited for.
func copyTo(r *exchange.Reply, w io.Writer, renew func()) error {
	var room []byte
	atOnce := int64(piece)
	if r.Answer.Data == nil && r.Answer.Size > 0 {
		room = lendPiece()
		defer returnPiece(room)
		atOnce = int64(len(room))
	}
	for r.Answer.Size > 0 {
		if r.Answer.LeaseEnded() {
			return library.ErrLeaseEnded
		}
		if r.Earned(piece) {
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
		r.Took(int64(n))
		if err != nil {
			return err
		}
	}
	return nil
}

// piece is how much of a large body there is time of its own for.
const piece = exchange.Piece

// Room for what is read from files on its way to a client. Who does not read keeps it for as long
// as its time lasts, so there are large pieces for some only, and small ones for all others.
const (
	smallPiece = 16 << 10
	maxPieces  = 128 // of the large ones
)

var (
	pieces      = sync.Pool{New: func() any { return new([piece]byte) }}
	smallPieces = sync.Pool{New: func() any { return new([smallPiece]byte) }}
	lentPieces  atomic.Int64
)

func lendPiece() []byte {
	if lentPieces.Add(1) <= maxPieces {
		return pieces.Get().(*[piece]byte)[:]
	}
	lentPieces.Add(-1)
	return smallPieces.Get().(*[smallPiece]byte)[:]
}

func returnPiece(room []byte) {
	if len(room) == smallPiece {
		smallPieces.Put((*[smallPiece]byte)(room))
		return
	}
	pieces.Put((*[piece]byte)(room))
	lentPieces.Add(-1)
}

// share is what a connection with a goroutine of its own has had of the processor since others had
// their turn. A client that never stops sending never lets its goroutine wait: the runtime takes
// the processor from it only after ten milliseconds, and a few such clients make everybody else
// wait for many times that.
type share int

const (
	wholeShare = 8 << 10 // bytes of requests
	ofEachRead = 512     // so that small pieces count, too
)

// took counts what was read, and lets others have their turn when the share is used up.
func (s *share) took(n int) {
	if *s += share(n + ofEachRead); *s >= wholeShare {
		*s = 0
		runtime.Gosched()
	}
}
