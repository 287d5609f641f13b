package serve

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/deliver/library"
)

// piece is how much of a large body there is time of its own for.
const piece = 256 << 10

// reply is an answer under way, over whichever protocol.
type reply struct {
	request library.Request
	answer  library.Answer // its body is what is left of it
	sent    int64          // of the body
	due     int64          // how much must have been sent for more time
	started time.Time      // when the request was asked, where somebody wants to know
}

// hasBody reports whether something follows the head.
func (r *reply) hasBody() bool { return r.request.Method != http.MethodHead && r.answer.Size > 0 }

// keep keeps of the request what it takes to count it. Its texts may lie in a buffer that others
// use.
func (r *reply) keep(path bool) {
	kept := library.Request{Method: r.request.Method} // which is a constant
	if path {
		kept.Path = strings.Clone(r.request.Path)
	}
	r.request = kept
}

// took notes that some more of the body was sent.
func (r *reply) took(n int64) {
	r.sent += n
	r.answer.Body = r.answer.Slice(n, r.answer.Size-n)
}

// earned reports whether so much was sent that the client is given more time, for as much again.
func (r *reply) earned(step int64) bool {
	if r.sent < r.due {
		return false
	}
	r.due = r.sent + step
	return true
}

// appendBody appends the next n bytes of the body, which are sent then.
func (r *reply) appendBody(out []byte, n int64) ([]byte, error) {
	at := len(out)
	out = slices.Grow(out, int(n))[:at+int(n)]
	if err := r.answer.ReadAt(out[at:], 0); err != nil {
		return out[:at], err
	}
	r.took(n)
	return out, nil
}

// copyTo sends what is left of the body piece by piece, and calls renew before each: a slow client
// is served, and a stuck one is not waited for.
func (r *reply) copyTo(w io.Writer, renew func()) error {
	var room []byte
	atOnce := int64(piece)
	if r.answer.Data == nil && r.answer.Size > 0 {
		room = lendPiece()
		defer returnPiece(room)
		atOnce = int64(len(room))
	}
	for r.answer.Size > 0 {
		if r.answer.Over() {
			return library.ErrLeaseEnded
		}
		if r.earned(piece) {
			renew()
		}
		part := r.answer.Slice(0, min(atOnce, r.answer.Size))
		data := part.Data
		if data == nil {
			data = room[:part.Size]
			if err := part.ReadAt(data, 0); err != nil {
				return err
			}
		}
		n, err := w.Write(data)
		r.took(int64(n))
		if err != nil {
			return err
		}
	}
	return nil
}

// end counts an answer that is sent, or that nobody takes any more, and lets go of what it needed.
func (s *Server) end(r *reply, lane int) error {
	s.count(&r.request, &r.answer, r.sent, r.started, lane)
	return r.answer.LetGo()
}

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
