package serve

import (
	"bytes"
	"time"

	"stele/internal/library"
)

// fetched is an answer that had to be waited for.
type fetched struct {
	answer  library.Answer
	started time.Time
}

// ask gets the answer to a request, and reports whether it could be had without waiting for a file.
func (l *loop) ask(c *client) bool {
	if f := c.fetched; f != nil {
		l.answer, l.started, c.fetched = f.answer, f.started, nil
		return true
	}
	l.started = l.server.started()
	l.server.ask(&l.request, &l.answer, &l.scratch)
	return !l.answer.WouldBlock
}

// fetch sends a client away while what it asks for is read from a file, which others must not wait
// for. It comes back with its request and the answer.
func (l *loop) fetch(c *client, begun []byte) {
	l.forget(c)
	c.begun = bytes.Clone(begun)
	f := &fetched{started: l.started}
	d := &library.Scratch{Suggests: l.answer.Suggests}
	go func() {
		defer l.comeBack(c)
		var r library.Request
		recognise(c.begun, &r) // as before
		c.fetched = f
		l.server.ask(&r, &f.answer, d)
	}()
}

// warm sends a client away while the next turn of its answer is brought into the page cache, which
// others must not wait for either.
func (l *loop) warm(c *client) {
	l.forget(c)
	b := c.sending.answer.Body
	c.sending.warm = true
	go func() {
		defer l.comeBack(c)
		room := lendPiece()
		defer returnPiece(room)
		for at := int64(0); at < min(b.Size, turn); at += int64(len(room)) {
			b.ReadAt(room[:min(int64(len(room)), b.Size-at)], at) // if that fails, so does sending, which says why
		}
	}()
}

// comeBack is deferred by whoever has a client that was sent away: it goes back to its loop.
func (l *loop) comeBack(c *client) {
	if p := recover(); p != nil {
		l.server.panicked(p)
		c.broken = true
	}
	l.tell(func() { l.fresh = append(l.fresh, c) })
}
