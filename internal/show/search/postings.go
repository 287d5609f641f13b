package search

import (
	"encoding/binary"
	"slices"
)

// postings contains the documents with a word. Each posting is encoded as document number × weights
// + the word's weight. A common word has millions of postings, so they are stored as distances,
// most of which need one or two bytes.
type postings struct {
	count  int
	tail   []uint32 // in the order of Add
	packed [][]byte // earlier ones, as sorted runs

	// Set by finish:
	top    []uint32 // the postings with the highest weights, sorted by document
	blocks []int    // of a common word: offsets of the blocks in packed[0], and the end
}

func (p *postings) add(posting uint32) {
	p.count++
	if p.tail = append(p.tail, posting); len(p.tail) == 2*maxPostings {
		slices.Sort(p.tail)
		p.packed = append(p.packed, pack(nil, p.tail, 0))
		p.tail = p.tail[:0]
	}
}

// isCommon reports whether the word has more documents than its word file lists.
func (p *postings) isCommon() bool { return p.count > maxPostings }

// finish sorts the postings, and divides those of a common word into the given number of blocks.
func (p *postings) finish(blocks int) {
	all := p.tail
	for _, run := range p.packed {
		all = unpack(all, run)
	}
	slices.Sort(all)
	p.tail, p.packed = nil, nil
	if !p.isCommon() {
		p.top = slices.Clip(all)
		return
	}
	p.top = highestWeights(all)
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

// block returns the postings of a common word in block n, as distances from the block's beginning.
func (p *postings) block(n int) []byte { return p.packed[0][p.blocks[n]:p.blocks[n+1]] }

// highestWeights returns the postings with the highest weights, and the first ones of equal weight.
func highestWeights(all []uint32) []uint32 {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b uint32) int { return int(b%weights) - int(a%weights) })
	all = slices.Clone(all[:maxPostings])
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
