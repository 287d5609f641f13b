package asyncwriter

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got, also, want bytes.Buffer
		w := New(rapid.IntRange(1, 40).Draw(t, "size"), &also, &got)
		for range rapid.IntRange(0, 60).Draw(t, "writes") {
			part := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "part")
			want.Write(part)
			switch rapid.IntRange(0, 2).Draw(t, "how") {
			case 0:
				w.Write(part)
				clear(part) // whoever wrote it may use it again
			case 1:
				w.WriteString(string(part))
			default:
				for _, c := range part {
					w.WriteByte(c)
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "flush") == 0 {
				if err := w.Flush(); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Fatalf("after Flush, %q is written and not %q: %v", got.Bytes(), want.Bytes(), err)
				}
			}
		}
		if err := w.Flush(); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) ||
			!bytes.Equal(also.Bytes(), want.Bytes()) {
			t.Fatalf("%q is written and not %q: %v", got.Bytes(), want.Bytes(), err)
		}
	})
}

var errFull = errors.New("no room")

// failing takes so many writes.
type failing struct {
	left  int
	after int // how often it was asked after it failed
}

func (f *failing) Write(b []byte) (int, error) {
	if f.left--; f.left >= 0 {
		return len(b), nil
	}
	if f.left < -1 {
		f.after++
	}
	return 0, errFull
}

func TestErrors(t *testing.T) {
	for left := range 10 {
		to, next := &failing{left: left}, new(bytes.Buffer)
		w := New(4, to, next)
		reported := false
		for range 20 {
			if _, err := w.WriteString(strings.Repeat("a", 4)); err != nil {
				reported = errors.Is(err, errFull)
			}
		}
		if err := w.Flush(); !errors.Is(err, errFull) || !reported {
			t.Errorf("with %d writes: %v, and reported before: %v", left, err, reported)
		}
		if err := w.Flush(); !errors.Is(err, errFull) {
			t.Errorf("with %d writes, a second time: %v", left, err)
		}
		if to.after > 0 || next.Len() > 4*left {
			t.Errorf("with %d writes, %d more after one failed, and %d bytes went on", left, to.after, next.Len())
		}
	}
}
