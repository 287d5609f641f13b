package serve

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"stele/internal/deliver/library"
)

// stream is an answer that is not sent yet.
type stream struct {
	id     uint32
	window int64
	reply
	unread bool // whether its body has to be read again
	until  time.Time
	held   int64 // bytes of its body that nobody else has
	kept   int64 // bytes of its request
}

// refuse makes an answer that does not depend on what is asked for.
func (c *h2) refuse(why *refusal) {
	c.answer = library.Answer{}
	c.server.library.Load().Problem(&c.answer, why.status, why.detail)
}

// reply writes an answer, or its head, if its body has to wait.
func (c *h2) reply(id uint32, window int64, started time.Time) {
	a, r := &c.answer, &c.request
	st := stream{id: id, window: window, reply: reply{request: *r, answer: *a, started: started}}
	hasBody := st.hasBody()
	atOnce := a.Data != nil && a.Size <= min(library.SmallBody, window, c.window)
	if hasBody && !atOnce && !c.hold(&st) {
		c.reset(id, refusedStream)
		*a, *r = library.Answer{}, library.Request{}
		c.scratch.Clear()
		if err := st.answer.LetGo(); err != nil {
			c.server.options.Log.Warn("a release could not be closed", "error", err)
		}
		return
	}
	*a, *r = library.Answer{}, library.Request{} // so that an idle connection does not keep a release
	c.writeHead(id, &st.answer, !hasBody)
	c.moved = true
	switch {
	case !hasBody:
		c.done(&st)
	case atOnce:
		if c.writeData(&st, st.answer.Size) != nil { // it panicked
			c.reset(id, internalError)
		}
		c.done(&st)
	default:
		c.wait(&st)
		if !st.unread {
			c.scratch = new(library.Scratch) // the body may lie on this one
			return
		}
	}
	c.scratch.Clear()
}

// wait lets a stream wait for its turn and for room.
func (c *h2) wait(st *stream) {
	waits := *st
	waits.due = waits.sent + maxFrame
	waits.until = c.server.clock.now().Add(c.server.options.IdleTime + clockLag)
	c.waiting = append(c.waiting, &waits)
}

// hold counts what an answer holds that cannot be sent at once, and reports whether that may be. A
// body that was read for it is not held as long as none of it can be sent, or others hold much: it
// is read again when its turn comes.
func (c *h2) hold(st *stream) bool {
	whole := st.request
	st.kept = streamSize + int64(len(st.request.Method))
	if c.server.options.AccessLog {
		st.kept += int64(len(st.request.Path))
	} else {
		st.request = library.Request{Method: st.request.Method}
	}
	switch {
	case st.answer.Read && c.mayHold(st):
		st.held = st.answer.Size
	case st.answer.Read:
		st.unread, st.request, st.kept = true, whole, streamSize+whole.Size()
		st.answer.Body = library.Body{Size: st.answer.Size}
		st.answer.Own = bytes.Clone(st.answer.Own) // which lies on a scratch that others use
	}
	if c.kept > 0 && (c.kept+st.kept > maxKept || c.server.held.Load()+st.kept > maxWaitsAll) {
		return false
	}
	c.count(st, 1)
	return true
}

// mayHold reports whether a body may be held: not without room for some of it. If there is room for
// all, the client need not wait for others.
func (c *h2) mayHold(st *stream) bool {
	size, room := st.answer.Size, min(st.window, c.window)
	return room > 0 && (c.held == 0 || c.held+size <= maxWaits) &&
		(c.held == 0 && size <= room || c.server.held.Load()+size <= maxWaitsAll)
}

// count counts what a stream holds: with -1, that it does not any more.
func (c *h2) count(st *stream, sign int64) {
	c.held += sign * st.held
	c.kept += sign * st.kept
	c.server.held.Add(sign * (st.held + st.kept))
}

// errChanged says that a file that is read again is another.
var errChanged = errors.New("is not what it was a moment ago")

// readAgain reads a body again, of the release that it had to wait for.
func (c *h2) readAgain(st *stream) (err error) {
	defer c.server.survive(func() { err = internalError })
	var a library.Answer
	defer func() { err = errors.Join(err, a.LetGo()) }()
	st.answer.Again(&st.request, &a, c.scratch)
	if a.Status != st.answer.Status || a.Size != st.answer.Size || !bytes.Equal(a.Own, st.answer.Own) {
		return fmt.Errorf("%s %w", st.request.Path, errChanged)
	}
	c.scratch = new(library.Scratch) // the body may lie on this one
	st.unread, st.answer.Body, st.held = false, a.Body, a.Size
	c.held += st.held
	c.server.held.Add(st.held)
	return nil
}

// dropStalled ends streams that stand still, and those whose release is too old.
func (c *h2) dropStalled() {
	now := c.server.clock.now()
	if len(c.waiting) == 0 || c.looked.Equal(now) {
		return
	}
	c.looked = now
	c.waiting = slices.DeleteFunc(c.waiting, func(st *stream) bool {
		if !now.After(st.until) && !st.answer.Over() {
			return false
		}
		c.server.metrics.stalled.Add(1)
		c.reset(st.id, cancelled)
		c.closed(st.id)
		c.finish(st)
		return true
	})
}

// writeHead writes the head of an answer.
func (c *h2) writeHead(id uint32, a *library.Answer, ends bool) {
	flags := uint8(flagEndHeaders)
	if ends {
		flags |= flagEndStream
	}
	at := len(c.out)
	b := appendFrameHead(c.out, 0, frameHeaders, flags, id)
	b = c.writer.appendStatus(b, a.Status)
	b = c.writer.appendShared(b, a.Shared)
	b = appendDate(b, c.server.clock.date())
	b = appendLines(b, a.Own)
	b = appendLines(b, a.Extra)
	if a.HasLength() {
		b = appendContentLength(b, a.Size)
	}
	setFrameLength(b[at:])
	c.out = b
}

// writeData writes the next part of a body.
func (c *h2) writeData(st *stream, n int64) (err error) {
	was := len(c.out)
	defer c.server.survive(func() { c.out, err = c.out[:was], internalError })
	if st.answer.Over() {
		return library.ErrLeaseEnded
	}
	out := appendFrameHead(c.out, int(n), frameData, endsAfter(&st.answer.Body, n), st.id)
	if out, err = st.appendBody(out, n); err != nil {
		return err
	}
	c.out = out
	st.window -= n
	c.window -= n
	if st.earned(maxFrame) {
		st.until = c.server.clock.now().Add(c.server.options.IdleTime + clockLag)
	}
	if c.counted += n; c.counted >= piece {
		c.counted, c.moved = 0, true
	}
	return nil
}

func endsAfter(b *library.Body, n int64) uint8 {
	if n == b.Size {
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
		n := min(st.answer.Size, st.window, c.window, maxFrame)
		if n <= 0 {
			c.waiting = append(c.waiting, st)
			tried++
			continue
		}
		if st.unread && !c.mayHold(st) {
			c.waiting = append(c.waiting, st)
			tried++
			continue
		}
		tried = 0
		err := error(nil)
		if st.unread {
			err = c.readAgain(st)
		}
		if err == nil {
			err = c.writeData(st, n)
		}
		if err != nil {
			if err != library.ErrLeaseEnded && err != internalError {
				c.server.options.Log.Error("a file of the release cannot be read", "error", err)
			}
			c.reset(st.id, internalError)
			c.finish(st)
			continue
		}
		if st.answer.Size > 0 {
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
	c.count(st, -1)
	if err := c.server.end(&st.reply, laneFast); err != nil {
		c.server.options.Log.Warn("a release could not be closed", "error", err)
	}
}
