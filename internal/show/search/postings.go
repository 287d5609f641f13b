package search

import (
	"encoding/binary"
	"slices"
)

// postings are the documents that have a word, each as its number times weights, plus what the word
// weighs in it. A common word has millions of them, so they are kept as distances, which mostly
// take a byte or two.
type postings struct {
	count  int
	tail   []uint32 // in the order in which they came
	packed [][]byte // those before, sorted, in runs

	// Once all are there:
	best   []uint32 // those in which the word weighs the most, sorted by document
	blocks []int    // of a common word: where the documents of each block begin in packed[0], and the end
}

func (p *postings) add(posting uint32) {
	p.count++
	if p.tail = append(p.tail, posting); len(p.tail) == 2*mostPostings {
		slices.Sort(p.tail)
		p.packed = append(p.packed, pack(nil, p.tail, 0))
		p.tail = p.tail[:0]
	}
}

// isCommon reports whether more documents have the word than its file says.
func (p *postings) isCommon() bool { return p.count > mostPostings }

// finish sorts the documents, whichever order they came in, and divides those of a common word
// among blocks.
func (p *postings) finish(blocks int) {
	all := p.tail
	for _, run := range p.packed {
		all = unpack(all, run)
	}
	slices.Sort(all)
	p.tail, p.packed = nil, nil
	if !p.isCommon() {
		p.best = slices.Clip(all)
		return
	}
	p.best = best(all)
	var packed []byte
	for block := range blocks {
		first := uint32(block * PerBlock * weights)
		end, _ := slices.BinarySearch(all, first+PerBlock*weights)
		p.blocks = append(p.blocks, len(packed))
		packed = pack(packed, all[:end], first)
		all = all[end:]
	}
	p.blocks = append(p.blocks, len(packed))
	p.packed = [][]byte{slices.Clip(packed)}
}

// block is what a common word has in a block: distances, the first one from the block's beginning.
func (p *postings) block(n int) []byte { return p.packed[0][p.blocks[n]:p.blocks[n+1]] }

// best are the documents in which a word weighs the most, of equals the first.
func best(all []uint32) []uint32 {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b uint32) int { return int(b%weights) - int(a%weights) })
	all = slices.Clone(all[:mostPostings])
	slices.Sort(all)
	return all
}

func pack(b []byte, list []uint32, last uint32) []byte {
	for _, posting := range list {
		b = binary.AppendUvarint(b, uint64(posting-last))
		last = posting
	}
	return b
}

func unpack(list []uint32, b []byte) []uint32 {
	for last := uint32(0); len(b) > 0; {
		step, size := binary.Uvarint(b)
		last += uint32(step)
		list, b = append(list, last), b[size:]
	}
	return list
}
