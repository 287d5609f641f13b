package cards

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"
)

// appendPNG writes the picture as PNG, in a tenth of the time that image/png takes: each row as the
// difference from the one above, which is nothing for most of them, and what repeats as a run. That
// is as small as what a search for repetitions makes of such pictures.
func (p *canvas) appendPNG(b []byte) []byte {
	b = append(b, "\x89PNG\r\n\x1a\n"...)
	b = appendChunk(b, "IHDR", func(b []byte) []byte {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, Width), Height)
		return append(b, 8, 3, 0, 0, 0) // eight bits of a palette
	})
	b = appendChunk(b, "PLTE", func(b []byte) []byte {
		for _, c := range p.palette {
			b = append(b, c.R, c.G, c.B)
		}
		return b
	})
	b = appendChunk(b, "IDAT", p.appendRows)
	return appendChunk(b, "IEND", func(b []byte) []byte { return b })
}

// appendChunk writes a part of a PNG: its length, its name, what it holds and a checksum.
func appendChunk(b []byte, name string, fill func(b []byte) []byte) []byte {
	start := len(b)
	b = fill(append(append(b, 0, 0, 0, 0), name...))
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-8))
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start+4:]))
}

// appendRows writes the pixels, compressed: one block of RFC 1951, of bytes and of runs of them.
func (p *canvas) appendRows(b []byte) []byte {
	t := tokens{list: p.tokens[:0], a: 1}
	above := make([]byte, Width)
	for y := range Height {
		row := p.pix[y*Width:][:Width]
		t.settle()
		t.repeat(2, 1) // less the row above
		if bytes.Equal(row, above) {
			t.repeat(0, Width)
			continue
		}
		for x := 0; x < Width; {
			v, n := row[x]-above[x], 1
			for v == 0 && x+n+8 <= Width && word(row[x+n:]) == word(above[x+n:]) {
				n += 8
			}
			for x+n < Width && row[x+n]-above[x+n] == v {
				n++
			}
			t.repeat(v, n)
			x += n
		}
		above = row
	}
	t.settle()
	p.tokens = append(t.list, token{symbol: endOfBlock})
	return binary.BigEndian.AppendUint32(appendBlock(append(b, 0x78, 0x01), p.tokens), uint32(t.b<<16|t.a))
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// token is a byte, or how often it comes again, or the end.
type token struct {
	symbol uint16
	extra  uint8 // bits that follow the symbol's
	value  uint8 // of them
}

// Symbols beside the bytes, and how many there are.
const (
	endOfBlock = 256
	longest    = 285
	symbols    = 286
)

// How often a byte can come again at once.
const (
	minRun = 3
	maxRun = 258
)

// runs are the tokens of runs by their length.
var runs = func() (t [maxRun + 1]token) {
	symbol, extra, length := uint16(endOfBlock+1), 0, minRun
	for length < maxRun {
		for i := range 1 << extra {
			t[length] = token{symbol, uint8(extra), uint8(i)}
			length++
		}
		if symbol++; symbol >= 265 && (symbol-265)%4 == 0 {
			extra++
		}
	}
	t[maxRun] = token{symbol: longest}
	return t
}()

// tokens are what was written, with its checksum.
type tokens struct {
	list []token
	a, b uint64
}

// settle keeps the checksum small; it is done after every row.
func (t *tokens) settle() {
	const mod = 65521
	t.a, t.b = t.a%mod, t.b%mod
}

// repeat writes a byte several times.
func (t *tokens) repeat(v byte, n int) {
	w, times := uint64(v), uint64(n)
	t.b += times*t.a + w*(times*(times+1)/2)
	t.a += times * w
	t.list = append(t.list, token{symbol: uint16(v)})
	for n--; n >= minRun; n -= min(n, maxRun) {
		t.list = append(t.list, runs[min(n, maxRun)])
	}
	for range n {
		t.list = append(t.list, token{symbol: uint16(v)})
	}
}

// appendBlock writes the last block of a stream, with codes that fit what is in it.
func appendBlock(b []byte, list []token) []byte {
	var count [symbols]int
	for _, t := range list {
		count[t.symbol]++
	}
	lengths := codeLengths(count)
	codes := canonical(lengths)
	w := bitWriter{out: b}
	w.bits(0b101, 3)       // the last one, with codes of its own
	w.bits(symbols-257, 5) // all of them
	w.bits(0, 5)           // one distance: 1
	w.bits(19-4, 4)        // the lengths of the codes stand there
	for _, n := range lengthOrder {
		if n < 16 { // as four bits each
			w.bits(4, 3)
		} else { // and not by how often they come again
			w.bits(0, 3)
		}
	}
	for _, n := range append(lengths[:], 1) {
		w.bits(reverse(uint32(n), 4), 4)
	}
	for _, t := range list {
		w.bits(codes[t.symbol], int(lengths[t.symbol]))
		if t.symbol > endOfBlock {
			w.bits(uint32(t.value), int(t.extra)+1) // and the distance, which is 0
		}
	}
	return w.end()
}

// lengthOrder is the order in which a block has the lengths of the codes for lengths.
var lengthOrder = [...]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// codeLengths are how many bits the code of each symbol has, after Huffman: none where it is not
// used, and at most 15.
func codeLengths(count [symbols]int) (lengths [symbols]byte) {
	// leaves and what was joined of them, each list in the order of weights
	type node struct {
		weight int
		parent int
	}
	var leaves []int
	for symbol, n := range count {
		if n > 0 {
			leaves = append(leaves, symbol)
		}
	}
	slices.SortStableFunc(leaves, func(x, y int) int { return count[x] - count[y] })
	nodes := make([]node, len(leaves), 2*len(leaves))
	for i, symbol := range leaves {
		nodes[i].weight = count[symbol]
	}
	leaf, joined := 0, len(leaves)
	lightest := func() int {
		if leaf < len(leaves) && (joined == len(nodes) || nodes[leaf].weight <= nodes[joined].weight) {
			leaf++
			return leaf - 1
		}
		joined++
		return joined - 1
	}
	for range len(leaves) - 1 {
		x, y := lightest(), lightest()
		nodes[x].parent, nodes[y].parent = len(nodes), len(nodes)
		nodes = append(nodes, node{weight: nodes[x].weight + nodes[y].weight})
	}
	depth := make([]byte, len(nodes))
	for i := len(nodes) - 2; i >= 0; i-- {
		depth[i] = depth[nodes[i].parent] + 1
		if i < len(leaves) {
			lengths[leaves[i]] = depth[i]
		}
	}
	for _, n := range lengths {
		if n > 15 { // rare symbols count more
			for symbol := range count {
				count[symbol] = (count[symbol] + 1) / 2
			}
			return codeLengths(count)
		}
	}
	return lengths
}

// canonical are the codes of symbols by their lengths, the first bit last.
func canonical(lengths [symbols]byte) (codes [symbols]uint32) {
	next := uint32(0)
	for n := byte(1); n <= 15; n++ {
		for symbol, length := range lengths {
			if length == n {
				codes[symbol] = reverse(next, int(n))
				next++
			}
		}
		next <<= 1
	}
	return codes
}

func reverse(v uint32, n int) uint32 { return bits.Reverse32(v) >> (32 - n) }

// bitWriter writes bits, the lowest first.
type bitWriter struct {
	out   []byte
	held  uint64
	count int // of the bits that are held
}

func (w *bitWriter) bits(v uint32, n int) {
	w.held |= uint64(v) << w.count
	if w.count += n; w.count >= 32 {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.held))
		w.held >>= 32
		w.count -= 32
	}
}

// end writes the bits that are held, and makes up the last byte.
func (w *bitWriter) end() []byte {
	for ; w.count > 0; w.count -= 8 {
		w.out = append(w.out, byte(w.held))
		w.held >>= 8
	}
	return w.out
}
