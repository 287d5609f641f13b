// Package exchange contains the code that HTTP/1.1 and HTTP/2 share: the syntax of requests,
// refusals, and replies that are being sent. The protocols use only a Port, and neither the server
// nor its connections.
package exchange

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"stele/internal/deliver/library"
)

// Port is the part of the server that a protocol uses.
type Port interface {
	Ask(*library.Request, *library.Answer, *library.Scratch) // computes an answer
	Refuse(*library.Answer, *Refusal)                        // sets an error answer
	Started() time.Time                                      // the time if it is measured or logged, else zero
	Date() string                                            // the Date header line
	Now() time.Time                                          // to the second
	End(*Reply)                                              // counts a reply and releases it
	Panicked(any)                                            // counts and logs a panic
	Limits() *Limits
}

// Client is the client of a connection.
type Client interface {
	CountRequest() (isLast bool) // counts a request, and reports whether it is the client's last
}

// Limits are the limits of a server.
type Limits struct {
	HeaderBytes int           // of the head of a request
	IdleTime    time.Duration // maximum time without progress
	KeepsPaths  bool          // whether paths are logged
	Held        *atomic.Int64 // bytes retained by waiting answers, of all connections
	Stalled     *atomic.Int64 // number of streams reset without progress
	Fault       func(error)   // logs that a file of the release cannot be read
}

// ClockLag is the maximum time by which Now may be behind.
const ClockLag = time.Second

// Linger is the time for which unread data of a client is discarded, so that the client reads the
// answer.
const Linger = 500 * time.Millisecond

// Piece is the part of a large body that has its own time limit.
const Piece = 256 << 10

// Reply is an answer that is being sent, over either protocol.
type Reply struct {
	Request library.Request
	Answer  library.Answer // its body is the unsent part
	Sent    int64          // bytes of the body
	Due     int64          // how many bytes must be sent to get more time
	Started time.Time      // when the request began, if it is timed or logged
	InFull  bool           // whether the request was parsed in full
}

// HasBody reports whether a body follows the head.
func (r *Reply) HasBody() bool { return r.Request.Method != "HEAD" && r.Answer.Size > 0 }

// DetachRequest removes references to the request, which may be in a shared buffer, so that r can
// be counted later. It copies the path if keepPath is true.
func (r *Reply) DetachRequest(keepPath bool) {
	kept := library.Request{Method: r.Request.Method} // a constant text
	if keepPath {
		kept.Path = strings.Clone(r.Request.Path)
	}
	r.Request = kept
}

// AddSent records that n more bytes of the body were sent.
func (r *Reply) AddSent(n int64) {
	r.Sent += n
	r.Answer.Body = r.Answer.Slice(n, r.Answer.Size-n)
}

// ReachedGoal reports whether enough was sent to give the client more time, and sets the next goal.
func (r *Reply) ReachedGoal(step int64) bool {
	if r.Sent < r.Due {
		return false
	}
	r.Due = r.Sent + step
	return true
}

// AppendBody appends the next n bytes of the body to out.
func (r *Reply) AppendBody(out []byte, n int64) ([]byte, error) {
	at := len(out)
	out = slices.Grow(out, int(n))[:at+int(n)]
	if err := r.Answer.ReadAt(out[at:], 0); err != nil {
		return out[:at], err
	}
	r.AddSent(n)
	return out, nil
}
