package http2

import (
	"bytes"
	"encoding/binary"
	"slices"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

// Handling of the client's frames (RFC 9113).

// TakeAll handles all complete frames that have arrived. more is true if it stopped early because
// enough data waits to be sent.
func (c *Session) TakeAll() (more bool, err error) {
	at := 0
	for {
		if len(c.Out) >= FlushSize {
			c.discard(at)
			return true, nil
		}
		f, size, err := nextFrame(c.in[at:c.have])
		if err != nil || size == 0 {
			c.discard(at)
			return false, err
		}
		if err := c.takeFrame(&f); err != nil {
			return false, err
		}
		at += size
	}
}

func (c *Session) takeFrame(f *frame) error {
	if c.parts > 0 && (f.typ != frameContinuation || f.stream != c.head.stream) {
		return protocolError
	}
	if !c.met && (f.typ != frameSettings || f.has(flagAck)) { // RFC 9113, section 3.4
		return protocolError
	}
	c.met = true
	switch f.typ {
	case frameData:
		return c.takeData(f)
	case frameHeaders:
		return c.takeHeaders(f)
	case frameContinuation:
		return c.takeContinuation(f)
	case framePriority:
		return c.takePriority(f)
	case frameReset:
		return c.takeReset(f)
	case frameSettings:
		return c.takeSettings(f)
	case framePing:
		return c.takePing(f)
	case frameWindowUpdate:
		return c.takeWindow(f)
	case framePushPromise:
		return protocolError
	case frameGoAway:
		switch {
		case f.stream != 0:
			return protocolError
		case len(f.data) < 8:
			return frameSizeError
		}
	}
	return nil // unknown types are ignored
}

func (c *Session) isKnown(id uint32) bool { return id%2 == 1 && id <= c.last }

func (c *Session) reset(id uint32, why ErrorCode) {
	c.Out = appendFrame(c.Out, frameReset, 0, id, uint32(why))
}

func (c *Session) takeData(f *frame) error {
	if !c.isKnown(f.stream) {
		return protocolError
	}
	if c.room -= int64(len(f.data)); c.room < 0 {
		return flowError
	}
	if c.room < firstWindow/2 {
		c.Out = appendFrame(c.Out, frameWindowUpdate, 0, 0, uint32(firstWindow-c.room))
		c.room = firstWindow
	}
	if err := f.removePadding(); err != nil {
		return err
	}
	in := c.findIncoming(f.stream)
	if in == nil {
		c.failStream(f.stream, streamClosed)
		return nil
	}
	in.came += int64(len(f.data))
	c.checkLength(in, f.has(flagEndStream))
	return nil
}

type incoming struct {
	id     uint32
	length int64 // announced; -1 if it is not
	came   int64

	answered bool // whether the whole answer is written
	reset    bool // whether the client was told that the stream has ended
}

// resetUnwanted resets a stream with a long body after its answer is written. It reads a short body
// to its end.
func (c *Session) resetUnwanted(in *incoming) {
	if in.answered && !in.reset && max(in.length, in.came) > firstWindow/2 {
		in.reset = true
		c.reset(in.id, noError)
	}
}

// findIncoming returns the open body of a stream, or nil if the client has ended it.
func (c *Session) findIncoming(id uint32) *incoming {
	if i := slices.IndexFunc(c.open, func(in incoming) bool { return in.id == id }); i >= 0 {
		return &c.open[i]
	}
	return nil
}

// checkLength resets a stream if its body differs from its announced length (RFC 9113, section
// 8.1.1). It also records whether the client has ended the stream.
func (c *Session) checkLength(in *incoming, ends bool) {
	id, wrong := in.id, in.length >= 0 && (in.came > in.length || ends && in.came < in.length)
	switch {
	case wrong:
		c.failStream(id, protocolError)
	case !ends:
		c.resetUnwanted(in)
	}
	if ends {
		c.removeIncoming(id)
	}
}

func (c *Session) removeIncoming(id uint32) {
	c.open = slices.DeleteFunc(c.open, func(in incoming) bool { return in.id == id })
}

func (c *Session) takeHeaders(f *frame) error {
	if f.stream%2 == 0 {
		return protocolError
	}
	if c.isKnown(f.stream) && c.findIncoming(f.stream) == nil {
		return streamClosed
	}
	if err := f.removePadding(); err != nil {
		return err
	}
	c.head = frame{typ: f.typ, flags: f.flags, stream: f.stream}
	if f.has(flagEndHeaders) {
		return c.takeHead(f.data)
	}
	c.block, c.parts = bytes.Clone(f.data), 1
	return nil
}

func (c *Session) takeContinuation(f *frame) error {
	if c.parts == 0 {
		return protocolError
	}
	if c.parts++; c.parts > 1+maxContinued {
		return enhanceYourCalm
	}
	if len(c.block)+len(f.data) > max(c.port.Limits().HeaderBytes, maxFrame) {
		return c.refuseHead()
	}
	c.block = append(c.block, f.data...)
	if !f.has(flagEndHeaders) {
		return nil
	}
	block := c.block
	c.block, c.parts = nil, 0 // large heads are rare, and connections may be long-lived
	return c.takeHead(block)
}

// refuseHead ends a connection with a head that is too large. The rest of it is not decoded, so
// later heads cannot be decoded either.
func (c *Session) refuseHead() error {
	if id := c.head.stream; !c.isKnown(id) && !c.ended {
		c.last = id
		c.request = library.Request{}
		c.refuse(exchange.LargeHead)
		c.reply(id, c.initial, c.port.Started())
	}
	return enhanceYourCalm
}

func (c *Session) takeHead(block []byte) error {
	c.fields.reset()
	if _, err := c.decoder.Write(block); err != nil {
		return compressionError
	}
	if err := c.decoder.Close(); err != nil {
		return compressionError
	}
	id, ends := c.head.stream, c.head.has(flagEndStream)
	if in := c.findIncoming(id); in != nil && c.isKnown(id) { // trailers
		if !ends || !c.fields.areValidTrailers() {
			c.failStream(id, protocolError)
		}
		c.checkLength(in, ends)
		return nil
	}
	c.last = id
	started := c.port.Started()
	length, why, ok := c.fields.toRequest(&c.request, ends)
	if !ends {
		if len(c.open) == MaxWaiting {
			c.open = slices.Delete(c.open, 0, 1)
		}
		c.open = append(c.open, incoming{id: id, length: length})
	}
	if c.ended {
		return nil // the client was told that this would not be answered
	}
	if len(c.waiting) == MaxWaiting {
		c.reset(id, refusedStream)
		return nil
	}
	if c.of.CountRequest() {
		c.GoAway(noError) // after this request
	}
	switch {
	case c.fields.isTooLarge():
		c.refuse(exchange.LargeHead)
	case !ok:
		c.failStream(id, protocolError)
		return nil
	case why == exchange.LongTarget:
		c.refuse(why)
	case why != nil:
		c.refuse(why)
		if in := c.findIncoming(id); in != nil {
			in.reset = true // set below
		}
		c.reply(id, c.initial, started)
		c.reset(id, protocolError)
		c.dropWaiting(id)
		return nil
	default:
		c.port.Ask(&c.request, &c.answer, c.scratch)
	}
	c.reply(id, c.initial, started)
	return nil
}

func (c *Session) takePriority(f *frame) error {
	switch {
	case f.stream == 0:
		return protocolError
	case len(f.data) != 5:
		return frameSizeError
	case binary.BigEndian.Uint32(f.data)&maxWindow == f.stream:
		return protocolError // a stream cannot depend on itself
	}
	return nil
}

func (c *Session) takeReset(f *frame) error {
	switch {
	case len(f.data) != 4:
		return frameSizeError
	case !c.isKnown(f.stream):
		return protocolError
	}
	c.removeIncoming(f.stream)
	c.dropWaiting(f.stream)
	return nil
}

func (c *Session) takePing(f *frame) error {
	switch {
	case len(f.data) != 8:
		return frameSizeError
	case f.stream != 0:
		return protocolError
	case !f.has(flagAck):
		c.Out = append(appendFrameHead(c.Out, len(f.data), framePing, flagAck, 0), f.data...)
	case !c.warned.IsZero() && string(f.data) == farewellPing:
		c.GoAway(noError)
	}
	return nil
}

func (c *Session) takeSettings(f *frame) error {
	switch {
	case f.stream != 0:
		return protocolError
	case f.has(flagAck) && len(f.data) != 0, len(f.data)%6 != 0:
		return frameSizeError
	case f.has(flagAck):
		return nil
	}
	for data := f.data; len(data) > 0; data = data[6:] {
		if err := c.applySetting(binary.BigEndian.Uint16(data), binary.BigEndian.Uint32(data[2:])); err != nil {
			return err
		}
	}
	c.Out = appendFrameHead(c.Out, 0, frameSettings, flagAck, 0)
	return nil
}

func (c *Session) applySetting(setting uint16, value uint32) error {
	switch setting {
	case settingTableSize:
		c.writer.setTableSize(value)
	case settingPush:
		if value > 1 {
			return protocolError
		}
	case settingInitialWindow:
		if value > maxWindow {
			return flowError
		}
		more := int64(value) - c.initial
		c.initial = int64(value)
		for _, st := range c.waiting {
			if st.window += more; st.window > maxWindow {
				return flowError
			}
		}
	case settingFrameSize:
		if value < maxFrame || value > largestFrame {
			return protocolError
		}
	}
	return nil
}

func (c *Session) takeWindow(f *frame) error {
	if len(f.data) != 4 {
		return frameSizeError
	}
	more := int64(binary.BigEndian.Uint32(f.data) & maxWindow)
	switch {
	case f.stream == 0 && more == 0:
		return protocolError
	case f.stream == 0:
		if c.window += more; c.window > maxWindow {
			return flowError
		}
		return nil
	case !c.isKnown(f.stream):
		return protocolError
	}
	i := slices.IndexFunc(c.waiting, func(st *stream) bool { return st.id == f.stream })
	switch {
	case more == 0:
		c.failStream(f.stream, protocolError)
	case i < 0: // already answered
	case c.waiting[i].window+more > maxWindow:
		c.failStream(f.stream, flowError)
	default:
		c.waiting[i].window += more
	}
	return nil
}

// failStream resets a stream after a fault of the client, and ignores its later frames.
func (c *Session) failStream(id uint32, why ErrorCode) {
	if in := c.findIncoming(id); in == nil {
		c.reset(id, why)
	} else if !in.reset {
		in.reset = true
		c.reset(id, why)
	}
	c.dropWaiting(id)
}

// dropWaiting drops the waiting answer of a stream, if any.
func (c *Session) dropWaiting(id uint32) {
	if i := slices.IndexFunc(c.waiting, func(st *stream) bool { return st.id == id }); i >= 0 {
		st := c.waiting[i]
		c.waiting = slices.Delete(c.waiting, i, i+1)
		c.endReply(st)
	}
}
