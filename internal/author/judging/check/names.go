package check

import (
	"encoding/binary"
	"hash/maphash"
	"strings"

	"stele/internal/base/parallel/chunked"
)

// names numbers IDs. Beside its text it takes about 13 bytes for each, where a map of strings takes
// a hundred, and leaves the garbage collector next to nothing to do: the texts lie one behind the
// other in large pieces.
type names struct {
	seed   maphash.Seed
	tables [nameTables][]nameSlot // by the first bits of the hash: to grow one takes little memory
	used   [nameTables]int
	starts chunked.List[nameStart]
	pieces []string // of texts, each behind its length
	arena  *strings.Builder
}

const nameTables = 64

// nameSlot is the slot of an ID in a table that is a quarter empty at least: its number plus one,
// and above it bits of the hash, so that few texts of others are looked at. 0 is free.
type nameSlot uint32

const (
	numberBits = 28
	numberMask = 1<<numberBits - 1
)

// nameStart is where a text lies: the number of its piece, and 16 bits of where it begins there.
type nameStart [5]byte

const namePiece = 1 << 16

func newNames() *names {
	n := &names{seed: maphash.MakeSeed(), arena: new(strings.Builder)}
	for i := range n.tables {
		n.tables[i] = make([]nameSlot, 1<<4)
	}
	return n
}

// text returns the ID with a number.
func (n *names) text(number int32) string {
	b := n.starts.At(int(number))
	piece := n.pieces[int(b[0])<<16|int(b[1])<<8|int(b[2])][int(b[3])<<8|int(b[4]):]
	length, shift, i := 0, 0, 0
	for ; piece[i] >= 0x80; i++ {
		length, shift = length|int(piece[i]&0x7f)<<shift, shift+7
	}
	length |= int(piece[i]) << shift
	return piece[i+1:][:length]
}

func (n *names) hash(id string) uint64 { return maphash.String(n.seed, id) }

// mark is what a slot has of a hash.
func mark(hash uint64) nameSlot { return nameSlot(hash>>32) &^ numberMask }

// find returns the slot that an ID has, or would have.
func (n *names) find(id string, hash uint64) *nameSlot {
	table := n.tables[hash%nameTables]
	mask := uint64(len(table) - 1)
	for i := hash >> 6 & mask; ; i = (i + 1) & mask {
		slot := &table[i]
		if *slot == 0 || *slot&^numberMask == mark(hash) && n.text(int32(*slot&numberMask)-1) == id {
			return slot
		}
	}
}

// number returns the number of an ID that is known, or -1.
func (n *names) number(id string) int32 { return int32(*n.find(id, n.hash(id))&numberMask) - 1 }

// add returns the number of an ID, which is made known if it was not.
func (n *names) add(id string) (number int32, isNew bool) {
	hash := n.hash(id)
	slot := n.find(id, hash)
	if *slot != 0 {
		return int32(*slot&numberMask) - 1, false
	}
	n.keep(id)
	if n.starts.Len() > numberMask {
		panic("check: more than 268 million IDs")
	}
	*slot = mark(hash) | nameSlot(n.starts.Len())
	t := hash % nameTables
	if n.used[t]++; n.used[t]*4 > len(n.tables[t])*3 {
		n.grow(t)
	}
	return int32(n.starts.Len() - 1), true
}

// keep copies an ID, because it was cut out of a file's text, which must not be kept.
func (n *names) keep(id string) {
	room := len(id) + binary.MaxVarintLen64
	if n.arena.Cap()-n.arena.Len() < room || n.arena.Len() >= namePiece {
		n.arena = new(strings.Builder)
		n.arena.Grow(max(namePiece, room))
		n.pieces = append(n.pieces, "")
	}
	piece, start := len(n.pieces)-1, n.arena.Len()
	n.arena.Write(binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64), uint64(len(id))))
	n.arena.WriteString(id)
	n.pieces[piece] = n.arena.String()
	n.starts.Add(nameStart{byte(piece >> 16), byte(piece >> 8), byte(piece), byte(start >> 8), byte(start)})
}

func (n *names) grow(t uint64) {
	old := n.tables[t]
	n.tables[t] = make([]nameSlot, 2*len(old))
	mask := uint64(len(n.tables[t]) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := n.hash(n.text(int32(slot&numberMask)-1)) >> 6 & mask
		for n.tables[t][i] != 0 {
			i = (i + 1) & mask
		}
		n.tables[t][i] = slot
	}
}
