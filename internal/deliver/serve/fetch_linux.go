package serve

import (
	"bytes"

	"stele/internal/deliver/library"
)

// fetch sends a client away while what it asks for is read from a file, which others must not wait
// for. It comes back with its request and the answer.
func (l *loop) fetch(c *client, begun []byte) {
	l.drop(c)
	c.begun = bytes.Clone(begun)
	f := &reply{started: l.started}
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
	l.drop(c)
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
