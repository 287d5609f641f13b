package chunked

import (
	"encoding/binary"
	"strings"
	"unsafe"
)

// Texts is a list of short texts. Each takes four bytes and at most eight besides its own, and all
// of them leave the garbage collector next to nothing to do. The zero Texts is empty and ready for
// use.
type Texts struct {
	starts List[uint32]         // in units
	units  List[[textUnit]byte] // texts, each behind its length
	long   map[int]string       // those that are longer than a part
}

const (
	textUnit = 8
	longest  = textUnit * size / 2
)

// In lets the texts, of which there are none yet, share a memory.
func (t *Texts) In(m *Memory) {
	t.starts.In(m)
	t.units.In(m)
}

// Len returns how many texts there are.
func (t *Texts) Len() int { return t.starts.Len() }

// Add puts a copy of a text at the end.
func (t *Texts) Add(text string) {
	var length [binary.MaxVarintLen64]byte
	head := length[:binary.PutUvarint(length[:], uint64(len(text)))]
	if len(text) > longest {
		if t.long == nil {
			t.long = map[int]string{}
		}
		t.long[t.Len()], text = strings.Clone(text), ""
	}
	count := (len(head) + len(text) + textUnit - 1) / textUnit
	units := t.units.Block(count)
	t.starts.Add(uint32(t.units.Len() - count))
	b := unsafe.Slice(&units[0][0], textUnit*count)
	copy(b[copy(b, head):], text)
}

// At returns the text at an index.
func (t *Texts) At(i int) string {
	units := t.units.From(int(*t.starts.At(i)))
	b := unsafe.Slice(&units[0][0], textUnit*len(units)) // which nothing writes to any more
	length, read := binary.Uvarint(b)
	if length > longest {
		return t.long[i]
	}
	return unsafe.String(unsafe.SliceData(b[read:]), length)
}
