package http2

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

// stream is an answer that has not been sent completely.
type stream struct {
	id     uint32
	window int64
	exchange.Reply
	unread bool // whether its body must be read again
	until  time.Time
	held   int64 // bytes of its body that only this stream retains
	kept   int64 // bytes of its request
}

// refuse writes an error answer that does not depend on the request.
func (c *Session) refuse(why *exchange.Refusal) { c.port.Refuse(&c.answer, why) }

// reply writes an answer. If the body must wait, it writes only the head.
func (c *Session) reply(id uint32, window int64, started time.Time) {
	a, r := &c.answer, &c.request
	st := &c.replying
	*st = stream{id: id, window: window, Reply: exchange.Reply{Request: *r, Answer: *a, Started: started}}
	c.startReply(st)
	*st = stream{} // so that an idle connection does not retain a release
}

// startReply writes the head of an answer, and its body if possible.
func (c *Session) startReply(st *stream) {
	a, r := &c.answer, &c.request
	hasBody := st.HasBody()
	atOnce := a.Data != nil && a.Size <= min(library.SmallBody, st.window, c.window)
	if hasBody && !atOnce && !c.retain(st) {
		c.reset(st.id, refusedStream)
		*a, *r = library.Answer{}, library.Request{}
		c.scratch.Clear()
		st.Answer.Release() // no one receives the error
		return
	}
	*a, *r = library.Answer{}, library.Request{}
	c.writeHead(st.id, &st.Answer, !hasBody)
	c.Moved = true
	switch {
	case !hasBody:
		c.endStream(st)
	case atOnce:
		if c.writeData(st, st.Answer.Size) != nil { // after a panic
			c.reset(st.id, InternalError)
		}
		c.endStream(st)
	default:
		c.addWaiting(st)
		if !st.unread {
			c.scratch = new(library.Scratch) // the body may be in the old scratch
			return
		}
	}
	c.scratch.Clear()
}

// deadline returns the time at which a stream is reset if it makes no progress from now on.
func (c *Session) deadline() time.Time {
	return c.port.Now().Add(c.port.Limits().IdleTime + exchange.ClockLag)
}

func (c *Session) addWaiting(st *stream) {
	waits := *st
	waits.Due = waits.Sent + maxFrame
	waits.until = c.deadline()
	c.waiting = append(c.waiting, &waits)
}

// retain counts the memory that a waiting answer retains, and reports whether that is allowed. A
// body that was read for this answer is dropped while none of it can be sent or other answers
// retain much memory. It is read again later.
func (c *Session) retain(st *stream) bool {
	whole := st.Request
	st.kept = streamSize + int64(len(st.Request.Method))
	if c.port.Limits().KeepsPaths {
		st.kept += int64(len(st.Request.Path))
	} else {
		st.Request = library.Request{Method: st.Request.Method}
	}
	switch {
	case st.Answer.Read && c.mayRetain(st):
		st.held = st.Answer.Size
	case st.Answer.Read:
		st.unread, st.Request, st.kept = true, whole, streamSize+whole.Size()
		st.Answer.Body = library.Body{Size: st.Answer.Size}
		st.Answer.Own = bytes.Clone(st.Answer.Own) // it is in a shared scratch
	}
	if c.kept > 0 && (c.kept+st.kept > MaxKept || c.port.Limits().Held.Load()+st.kept > MaxWaitsAll) {
		return false
	}
	c.countRetained(st, 1)
	return true
}

// mayRetain reports whether a body may be retained. Some of it must fit into the windows. If all of
// it fits, the client need not wait for others.
func (c *Session) mayRetain(st *stream) bool {
	size, room := st.Answer.Size, min(st.window, c.window)
	return room > 0 && (c.held == 0 || c.held+size <= MaxWaits) &&
		(c.held == 0 && size <= room || c.port.Limits().Held.Load()+size <= MaxWaitsAll)
}

// countRetained adds the memory that a stream retains to the totals, or subtracts it if sign is -1.
func (c *Session) countRetained(st *stream, sign int64) {
	c.held += sign * st.held
	c.kept += sign * st.kept
	c.port.Limits().Held.Add(sign * (st.held + st.kept))
}

// errChanged means that a file has changed since it was last read.
var errChanged = errors.New("has changed since it was last read")

// rereadBody reads a dropped body again, from the release of its answer.
func (c *Session) rereadBody(st *stream) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.port.Panicked(p)
			err = InternalError
		}
	}()
	var a library.Answer
	defer func() { err = errors.Join(err, a.Release()) }()
	st.Answer.AnswerAgain(&st.Request, &a, c.scratch)
	if a.Status != st.Answer.Status || a.Size != st.Answer.Size || !bytes.Equal(a.Own, st.Answer.Own) {
		return fmt.Errorf("%s %w", st.Request.Path, errChanged)
	}
	c.scratch = new(library.Scratch) // the body may be in the old scratch
	st.unread, st.Answer.Body, st.held = false, a.Body, a.Size
	c.held += st.held
	c.port.Limits().Held.Add(st.held)
	return nil
}

// DropStalled resets streams without progress, and those whose release is too old.
func (c *Session) DropStalled() {
	now := c.port.Now()
	if len(c.waiting) == 0 || c.looked.Equal(now) {
		return
	}
	c.looked = now
	c.waiting = slices.DeleteFunc(c.waiting, func(st *stream) bool {
		if !now.After(st.until) && !st.Answer.LeaseEnded() {
			return false
		}
		c.port.Limits().Stalled.Add(1)
		c.reset(st.id, cancelled)
		c.removeIncoming(st.id)
		c.endReply(st)
		return true
	})
}

func (c *Session) writeHead(id uint32, a *library.Answer, ends bool) {
	flags := uint8(flagEndHeaders)
	if ends {
		flags |= flagEndStream
	}
	at := len(c.Out)
	b := appendFrameHead(c.Out, 0, frameHeaders, flags, id)
	b = c.writer.appendStatus(b, a.Status)
	b = c.writer.appendShared(b, a.Shared)
	b = appendDate(b, c.port.Date())
	b = appendLines(b, a.Own)
	b = appendLines(b, a.Extra)
	if a.HasLength() {
		b = appendContentLength(b, a.Size)
	}
	setFrameLength(b[at:])
	c.Out = b
}

func (c *Session) writeData(st *stream, n int64) (err error) {
	was := len(c.Out)
	defer func() {
		if p := recover(); p != nil {
			c.port.Panicked(p)
			c.Out, err = c.Out[:was], InternalError
		}
	}()
	if st.Answer.LeaseEnded() {
		return library.ErrLeaseEnded
	}
	flags := uint8(0)
	if n == st.Answer.Size {
		flags = flagEndStream
	}
	out := appendFrameHead(c.Out, int(n), frameData, flags, st.id)
	if out, err = st.AppendBody(out, n); err != nil {
		return err
	}
	c.Out = out
	st.window -= n
	c.window -= n
	if st.ReachedGoal(maxFrame) {
		st.until = c.deadline()
	}
	if c.counted += n; c.counted >= exchange.Piece {
		c.counted, c.Moved = 0, true
	}
	return nil
}

// SendBodies writes parts of the waiting bodies, in turn, as far as the windows allow. It reports
// whether more can be sent.
func (c *Session) SendBodies() (more bool) {
	for tried := 0; tried < len(c.waiting) && c.window > 0; {
		if len(c.Out) >= FlushSize {
			return true
		}
		st := c.waiting[0]
		c.waiting = append(c.waiting[:0], c.waiting[1:]...)
		n := min(st.Answer.Size, st.window, c.window, maxFrame)
		if n <= 0 || st.unread && !c.mayRetain(st) {
			c.waiting = append(c.waiting, st)
			tried++
			continue
		}
		tried = 0
		err := error(nil)
		if st.unread {
			err = c.rereadBody(st)
		}
		if err == nil {
			err = c.writeData(st, n)
		}
		if err != nil {
			if err != library.ErrLeaseEnded && err != InternalError {
				c.port.Limits().Fault(err)
			}
			c.reset(st.id, InternalError)
			c.endReply(st)
			continue
		}
		if st.Answer.Size > 0 {
			c.waiting = append(c.waiting, st)
			continue
		}
		c.Moved = true
		c.endStream(st)
	}
	return false
}

func (c *Session) endStream(st *stream) {
	if in := c.findIncoming(st.id); in != nil {
		in.answered = true
		c.resetUnwanted(in)
	}
	c.endReply(st)
}

func (c *Session) endReply(st *stream) {
	c.countRetained(st, -1)
	c.port.End(&st.Reply)
}
