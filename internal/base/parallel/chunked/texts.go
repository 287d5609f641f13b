package chunked

import (
	"encoding/binary"
	"strings"
	"unsafe"
)

// Texts is a list of short texts. Each takes at most 12 bytes in addition to its characters, and
// the garbage collector has almost nothing to scan. The zero Texts is empty and ready for use.
type Texts struct {
	starts List[uint32]         // index in units of each text's beginning
	units  List[[textUnit]byte] // texts, each after its length
	long   map[int]string       // texts longer than longest, by index
}

const (
	textUnit = 8
	longest  = textUnit * size / 2
)

// UseMemory stores the texts of t, which must be empty, in m.
func (t *Texts) UseMemory(m *Memory) {
	t.starts.UseMemory(m)
	t.units.UseMemory(m)
}

func (t *Texts) Len() int { return t.starts.Len() }

// Add appends a copy of text.
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
	units := t.units.Extend(count)
	t.starts.Add(uint32(t.units.Len() - count))
	b := unsafe.Slice(&units[0][0], textUnit*count)
	copy(b[copy(b, head):], text)
}

func (t *Texts) At(i int) string {
	units := t.units.Tail(int(*t.starts.At(i)))
	b := unsafe.Slice(&units[0][0], textUnit*len(units)) // which are never written again
	length, read := binary.Uvarint(b)
	if length > longest {
		return t.long[i]
	}
	return unsafe.String(unsafe.SliceData(b[read:]), length)
}
