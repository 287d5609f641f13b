package http2

import (
	"encoding/binary"
	"fmt"
)

// HTTP/2 frames (RFC 9113, sections 4 and 6).

type frameType uint8

const (
	frameData frameType = iota
	frameHeaders
	framePriority
	frameReset
	frameSettings
	framePushPromise
	framePing
	frameGoAway
	frameWindowUpdate
	frameContinuation
)

// Flags. Their meaning depends on the type of the frame.
const (
	flagEndStream  = 0x01
	flagAck        = 0x01 // of settings and pings
	flagEndHeaders = 0x04
	flagPadded     = 0x08
	flagPriority   = 0x20
)

// Settings.
const (
	settingTableSize     = 1
	settingPush          = 2
	settingStreams       = 3
	settingInitialWindow = 4
	settingFrameSize     = 5
	settingHeaderList    = 6
)

const (
	frameHead    = 9       // size of a frame header
	maxFrame     = 1 << 14 // maximum payload of a frame by default
	maxWindow    = 1<<31 - 1
	firstWindow  = 1<<16 - 1
	firstTable   = 4096
	largestFrame = 1<<24 - 1
)

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// ErrorCode is the reason for ending a stream or a connection.
type ErrorCode uint32

const (
	noError          ErrorCode = 0x0
	protocolError    ErrorCode = 0x1
	InternalError    ErrorCode = 0x2
	flowError        ErrorCode = 0x3
	streamClosed     ErrorCode = 0x5
	frameSizeError   ErrorCode = 0x6
	refusedStream    ErrorCode = 0x7
	cancelled        ErrorCode = 0x8
	compressionError ErrorCode = 0x9
	enhanceYourCalm  ErrorCode = 0xb
)

// Error returns the code as text, for logs.
func (e ErrorCode) Error() string { return fmt.Sprintf("HTTP/2 error %d", uint32(e)) }

// frame is a frame from the client. Its data is in the connection's buffer.
type frame struct {
	typ    frameType
	flags  uint8
	stream uint32
	data   []byte
}

func (f *frame) has(flag uint8) bool { return f.flags&flag != 0 }

// nextFrame parses the frame at the beginning of in. size is the frame's length, or 0 if the frame
// is incomplete.
func nextFrame(in []byte) (f frame, size int, err error) {
	if len(in) < frameHead {
		return f, 0, nil
	}
	length := int(in[0])<<16 | int(in[1])<<8 | int(in[2])
	if length > maxFrame {
		return f, 0, frameSizeError
	}
	if size = frameHead + length; len(in) < size {
		return f, 0, nil
	}
	return frame{frameType(in[3]), in[4], binary.BigEndian.Uint32(in[5:]) & maxWindow, in[frameHead:size]}, size, nil
}

// removePadding removes the padding, and a priority, which is obsolete.
func (f *frame) removePadding() error {
	pad := 0
	if f.has(flagPadded) {
		if len(f.data) == 0 {
			return frameSizeError
		}
		pad, f.data = int(f.data[0]), f.data[1:]
	}
	if f.typ == frameHeaders && f.has(flagPriority) {
		if len(f.data) < 5 {
			return frameSizeError
		}
		if binary.BigEndian.Uint32(f.data)&maxWindow == f.stream {
			return protocolError // a stream cannot depend on itself
		}
		f.data = f.data[5:]
	}
	if pad > len(f.data) {
		return protocolError
	}
	f.data = f.data[:len(f.data)-pad]
	return nil
}

func appendFrameHead(b []byte, length int, typ frameType, flags uint8, stream uint32) []byte {
	b = append(b, byte(length>>16), byte(length>>8), byte(length), byte(typ), flags)
	return binary.BigEndian.AppendUint32(b, stream)
}

// setFrameLength sets the length of the frame in b, which is complete.
func setFrameLength(b []byte) {
	length := len(b) - frameHead
	b[0], b[1], b[2] = byte(length>>16), byte(length>>8), byte(length)
}

func appendFrame(b []byte, typ frameType, flags uint8, stream uint32, numbers ...uint32) []byte {
	b = appendFrameHead(b, 4*len(numbers), typ, flags, stream)
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// appendSettings writes settings, given as alternating numbers and values.
func appendSettings(b []byte, settings ...uint32) []byte {
	b = appendFrameHead(b, len(settings)/2*6, frameSettings, 0, 0)
	for i := 0; i < len(settings); i += 2 {
		b = binary.BigEndian.AppendUint16(b, uint16(settings[i]))
		b = binary.BigEndian.AppendUint32(b, settings[i+1])
	}
	return b
}
