package serve

import (
	"bytes"

	"stele/internal/deliver/library"
)

// fetch sends a client away while what it asks for is read from a file, which others must not wait
// for. It comes back with the answer, and with what it has said after that.
func (l *loop) fetch(c *client, more []byte) {
	l.drop(c)
	c.begun, c.fetched = bytes.Clone(more), l.Leave()
	d := &library.Scratch{Suggests: l.Answer.Suggests}
	go func() {
		defer l.comeBack(c)
		l.house.Ask(&c.fetched.Request, &c.fetched.Answer, d)
	}()
}

// warm sends a client away while the next turn of its answer is brought into the page cache, which
// others must not wait for either.
func (l *loop) warm(c *client) {
	l.drop(c)
	b := c.sending.Answer.Body
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
		l.house.Panicked(p)
		c.broken = true
	}
	l.tell(func() { l.fresh = append(l.fresh, c) })
}
