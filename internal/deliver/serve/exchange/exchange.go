// Package exchange is what HTTP/1.1 and HTTP/2 have in common here: what a request may look like,
// why one is refused, and a reply under way. Neither protocol knows the server or a connection:
// they know a port.
package exchange

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"stele/internal/deliver/library"
)

// Port is what a protocol knows of the server.
type Port interface {
	Ask(*library.Request, *library.Answer, *library.Scratch) // gets an answer
	Refuse(*library.Answer, *Refusal)                        // makes one that does not depend on what is asked for
	Started() time.Time                                      // when a request began, where somebody wants to know
	Date() string                                            // the header line
	Now() time.Time                                          // to the second
	End(*Reply)                                              // counts a reply, and lets go of what it needed
	Panicked(any)                                            // counts a panic, and logs it
	Limits() *Limits
}

// Client is who asks on a connection.
type Client interface {
	IsLast() bool // counts a request, and reports whether it is the last that the client may ask
}

// Limits are those of a server.
type Limits struct {
	HeaderBytes int           // of the head of a request
	IdleTime    time.Duration // in which something must move
	KeepsPaths  bool          // whether somebody wants to know what was asked for
	Held        *atomic.Int64 // bytes that answers hold while they wait, of all connections
	Stalled     *atomic.Int64 // streams that stood still
	Fault       func(error)   // takes note that a file of the release cannot be read
}

// ClockLag is how far Now may be behind.
const ClockLag = time.Second

// Linger is how long a client may go on sending what nobody reads, so that it comes to read the
// answer.
const Linger = 500 * time.Millisecond

// Piece is how much of a large body there is time of its own for.
const Piece = 256 << 10

// Reply is an answer under way, over whichever protocol.
type Reply struct {
	Request library.Request
	Answer  library.Answer // its body is what is left of it
	Sent    int64          // of the body
	Due     int64          // how much must have been sent for more time
	Started time.Time      // when the request was asked, where somebody wants to know
	InFull  bool           // whether the request had to be read in full
}

// HasBody reports whether something follows the head.
func (r *Reply) HasBody() bool { return r.Request.Method != "HEAD" && r.Answer.Size > 0 }

// Keep keeps of the request what it takes to count it. Its texts may lie in a buffer that others
// use.
func (r *Reply) Keep(path bool) {
	kept := library.Request{Method: r.Request.Method} // which lies nowhere else
	if path {
		kept.Path = strings.Clone(r.Request.Path)
	}
	r.Request = kept
}

// Took notes that some more of the body was sent.
func (r *Reply) Took(n int64) {
	r.Sent += n
	r.Answer.Body = r.Answer.Slice(n, r.Answer.Size-n)
}

// Earned reports whether so much was sent that the client is given more time, for as much again.
func (r *Reply) Earned(step int64) bool {
	if r.Sent < r.Due {
		return false
	}
	r.Due = r.Sent + step
	return true
}

// AppendBody appends the next n bytes of the body, which are sent then.
func (r *Reply) AppendBody(out []byte, n int64) ([]byte, error) {
	at := len(out)
	out = slices.Grow(out, int(n))[:at+int(n)]
	if err := r.Answer.ReadAt(out[at:], 0); err != nil {
		return out[:at], err
	}
	r.Took(n)
	return out, nil
}
