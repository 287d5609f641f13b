package serve

import (
	"net/http"
	"slices"
	"time"
)

// stream is an answer that is not sent yet.
type stream struct {
	id      uint32
	window  int64
	request request
	answer  answer // its body is what is left of it
	sent    int64
	started time.Time
}

// refuse makes an answer that does not depend on what is asked for.
func (c *h2) refuse(why *refusal) {
	c.answer = answer{}
	c.server.library.Load().problem(&c.answer, why.status, why.detail)
}

// reply writes an answer, or its head, if its body has to wait.
func (c *h2) reply(id uint32, started time.Time) {
	a, r := &c.answer, &c.request
	hasBody := r.method != http.MethodHead && a.size > 0
	c.writeHead(id, a, !hasBody)
	c.moved = true
	st := stream{id: id, window: c.initial, request: *r, answer: *a, started: started}
	*a, *r = answer{}, request{} // so that an idle connection does not keep a release
	switch {
	case !hasBody:
		c.done(&st)
	case st.answer.data != nil && st.answer.size <= min(smallBody, st.window, c.window):
		c.writeData(&st, st.answer.size) // from memory, which does not fail
		c.done(&st)
	default:
		waits := st
		c.waiting = append(c.waiting, &waits)
		c.desk = new(desk) // the body may lie on this one
		return
	}
	c.desk.clear()
}

// writeHead writes the head of an answer.
func (c *h2) writeHead(id uint32, a *answer, ends bool) {
	flags := uint8(flagEndHeaders)
	if ends {
		flags |= flagEndStream
	}
	at := len(c.out)
	b := appendFrameHead(c.out, 0, frameHeaders, flags, id)
	b = c.writer.appendStatus(b, a.status)
	b = c.writer.appendShared(b, a.head)
	b = appendDate(b, c.server.clock.date())
	b = appendLines(b, a.own)
	b = appendLines(b, a.extra)
	if a.status != http.StatusNotModified && a.status != http.StatusNoContent {
		b = appendContentLength(b, a.size)
	}
	setFrameLength(b[at:])
	c.out = b
}

// writeData writes the next part of a body.
func (c *h2) writeData(st *stream, n int64) error {
	b := &st.answer.body
	out := appendFrameHead(c.out, int(n), frameData, endsAfter(b, n), st.id)
	at := len(out)
	out = slices.Grow(out, int(n))[:at+int(n)]
	if err := b.readAt(out[at:], 0); err != nil {
		return err
	}
	c.out = out
	st.answer.body = st.answer.slice(n, st.answer.size-n)
	st.sent += n
	st.window -= n
	c.window -= n
	if c.counted += n; c.counted >= piece {
		c.counted, c.moved = 0, true
	}
	return nil
}

func endsAfter(b *body, n int64) uint8 {
	if n == b.size {
		return flagEndStream
	}
	return 0
}

// sendBodies writes parts of the bodies that wait, in turn and as far as there is room. It reports
// whether there is room for more.
func (c *h2) sendBodies() (more bool) {
	for tried := 0; tried < len(c.waiting) && c.window > 0; {
		if len(c.out) >= flushSize {
			return true
		}
		st := c.waiting[0]
		c.waiting = append(c.waiting[:0], c.waiting[1:]...)
		n := min(st.answer.size, st.window, c.window, maxFrame)
		if n <= 0 {
			c.waiting = append(c.waiting, st)
			tried++
			continue
		}
		tried = 0
		if err := c.writeData(st, n); err != nil {
			c.server.options.fault(err)
			c.reset(st.id, internalError)
			c.finish(st)
			continue
		}
		if st.answer.size > 0 {
			c.waiting = append(c.waiting, st)
			continue
		}
		c.moved = true
		c.done(st)
	}
	return false
}

// done ends a stream whose answer is written.
func (c *h2) done(st *stream) {
	if in := c.incoming(st.id); in != nil {
		in.answered = true
		c.unwanted(in)
	}
	c.finish(st)
}

// finish counts an answer, and lets go of what it needed.
func (c *h2) finish(st *stream) {
	c.server.count(&st.request, &st.answer, st.sent, st.started, laneFast)
	if err := st.answer.letGo(); err != nil {
		c.server.options.Log.Warn("a release could not be closed", "error", err)
	}
}
