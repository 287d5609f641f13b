package check

import (
	"hash/maphash"
	"strings"

	"stele/internal/list"
)

// names numbers IDs. It takes about 45 bytes for each, a third of what a map of strings takes, and leaves the garbage collector next to nothing to do:
// the texts lie one behind the other in large pieces.
type names struct {
	seed  maphash.Seed
	slots []int32 // numbers plus one, by hash; 0 is free
	texts list.List[string]
	arena *strings.Builder
}

func newNames() *names {
	return &names{seed: maphash.MakeSeed(), slots: make([]int32, 1<<10), arena: new(strings.Builder)}
}

// text is the ID with a number.
func (n *names) text(number int32) string { return *n.texts.At(int(number)) }

// find is the slot that an ID has, or would have.
func (n *names) find(id string) *int32 {
	mask := uint64(len(n.slots) - 1)
	for i := maphash.String(n.seed, id); ; i++ {
		slot := &n.slots[i&mask]
		if *slot == 0 || n.text(*slot-1) == id {
			return slot
		}
	}
}

// number is the number of an ID that is known, or -1.
func (n *names) number(id string) int32 { return *n.find(id) - 1 }

// add is the number of an ID, which is made known if it was not.
func (n *names) add(id string) (number int32, isNew bool) {
	slot := n.find(id)
	if *slot != 0 {
		return *slot - 1, false
	}
	n.texts.Add(n.keep(id))
	*slot = int32(n.texts.Len())
	number = *slot - 1
	if n.texts.Len()*2 > len(n.slots) {
		n.grow()
	}
	return number, true
}

// keep copies an ID, because it was cut out of a file's text, which must not be kept.
func (n *names) keep(id string) string {
	const piece = 64 << 10
	if n.arena.Cap()-n.arena.Len() < len(id) {
		n.arena = new(strings.Builder)
		n.arena.Grow(max(piece, len(id)))
	}
	start := n.arena.Len()
	n.arena.WriteString(id)
	return n.arena.String()[start:]
}

func (n *names) grow() {
	n.slots = make([]int32, 2*len(n.slots))
	number := int32(0)
	for text := range n.texts.All {
		number++
		*n.find(*text) = number
	}
}
