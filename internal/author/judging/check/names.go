package check

import (
	"hash/maphash"
	"strings"

	"stele/internal/base/parallel/chunked"
)

// names numbers IDs. It takes about 60 bytes for each, half of what a map of strings takes, and
// leaves the garbage collector next to nothing to do: the texts lie one behind the other in large
// pieces.
type names struct {
	seed  maphash.Seed
	slots []nameSlot
	texts chunked.List[string]
	arena *strings.Builder
}

// nameSlot is the slot of an ID in a table that is half empty at least. The hash is there so that
// other IDs' texts need not be looked at.
type nameSlot struct {
	hash   uint32
	number int32 // plus one; 0 is free
}

func newNames() *names {
	return &names{seed: maphash.MakeSeed(), slots: make([]nameSlot, 1<<10), arena: new(strings.Builder)}
}

// text returns the ID with a number.
func (n *names) text(number int32) string { return *n.texts.At(int(number)) }

func (n *names) hash(id string) uint32 { return uint32(maphash.String(n.seed, id)) }

// find returns the slot that an ID has, or would have.
func (n *names) find(id string, hash uint32) *nameSlot {
	mask := uint32(len(n.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := &n.slots[i]
		if slot.number == 0 || slot.hash == hash && n.text(slot.number-1) == id {
			return slot
		}
	}
}

// number returns the number of an ID that is known, or -1.
func (n *names) number(id string) int32 { return n.find(id, n.hash(id)).number - 1 }

// add returns the number of an ID, which is made known if it was not.
func (n *names) add(id string) (number int32, isNew bool) {
	hash := n.hash(id)
	slot := n.find(id, hash)
	if slot.number != 0 {
		return slot.number - 1, false
	}
	n.texts.Add(n.keep(id))
	number = int32(n.texts.Len() - 1)
	*slot = nameSlot{hash, number + 1}
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
	old := n.slots
	n.slots = make([]nameSlot, 2*len(old))
	mask := uint32(len(n.slots) - 1)
	for _, slot := range old {
		if slot.number == 0 {
			continue
		}
		i := slot.hash & mask
		for n.slots[i].number != 0 {
			i = (i + 1) & mask
		}
		n.slots[i] = slot
	}
}
