package check

import (
	"hash/maphash"

	"stele/internal/base/parallel/chunked"
)

// names assigns numbers to IDs. It needs about 16 bytes for each ID besides its text, instead of
// the hundred of a map.
type names struct {
	seed  maphash.Seed
	slots []nameSlot
	marks []uint8 // by slot: further bits of the hash, because comparing texts may read from disk
	texts chunked.Texts
}

// nameSlot is a slot of the hash table: the number of an ID plus one, and above it bits of the
// hash. 0 means empty. At least a quarter of the slots are empty.
type nameSlot uint32

const (
	numberBits = 28
	numberMask = 1<<numberBits - 1
)

func newNames() *names {
	n := &names{seed: maphash.MakeSeed()}
	n.grow()
	return n
}

// idOf returns the ID with the given number.
func (n *names) idOf(number int32) string { return n.texts.At(int(number)) }

func (n *names) hash(id string) uint64 { return maphash.String(n.seed, id) }

// hashSlot returns the bits of hash that a slot contains.
func hashSlot(hash uint64) nameSlot { return nameSlot(hash>>32) &^ numberMask }

// numberPlusOne returns the number plus one that s contains, or 0 if s is empty.
func (s nameSlot) numberPlusOne() int32 { return int32(s & numberMask) }

// find returns the index of the slot of id, or of the empty slot for it.
func (n *names) find(id string, hash uint64) uint64 {
	mask := uint64(len(n.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := n.slots[i]
		if slot == 0 || n.marks[i] == uint8(hash>>52) && slot&^numberMask == hashSlot(hash) &&
			n.idOf(slot.numberPlusOne()-1) == id {
			return i
		}
	}
}

func (n *names) set(i, hash uint64, number int) {
	n.slots[i], n.marks[i] = hashSlot(hash)|nameSlot(number+1), uint8(hash>>52)
}

// numberOf returns the number of id, or -1.
func (n *names) numberOf(id string) int32 { return n.slots[n.find(id, n.hash(id))].numberPlusOne() - 1 }

// add returns the number of id, and adds id if it is new.
func (n *names) add(id string) (number int32, isNew bool) {
	hash := n.hash(id)
	slot := n.find(id, hash)
	if is := n.slots[slot]; is != 0 {
		return is.numberPlusOne() - 1, false
	}
	if n.texts.Add(id); n.texts.Len() > numberMask {
		panic("check: more than 268 million IDs")
	}
	n.set(slot, hash, n.texts.Len()-1)
	if n.texts.Len()*4 > len(n.slots)*3 {
		n.grow()
	}
	return int32(n.texts.Len() - 1), true
}

// grow doubles the table. It reads the texts in the order in which they were added.
func (n *names) grow() {
	size := max(2*len(n.slots), 1<<8)
	n.slots, n.marks = make([]nameSlot, size), make([]uint8, size)
	mask := uint64(len(n.slots) - 1)
	for number := range n.texts.Len() {
		hash := n.hash(n.idOf(int32(number)))
		i := hash & mask
		for n.slots[i] != 0 {
			i = (i + 1) & mask
		}
		n.set(i, hash, number)
	}
}
