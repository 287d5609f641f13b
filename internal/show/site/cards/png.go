package cards

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// appendPNG writes the picture as PNG, in a fraction of the time that image/png takes: each row as
// the difference from the one above, which is nothing for most of them.
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

// appendRows writes the pixels, compressed.
func (p *canvas) appendRows(b []byte) []byte {
	above := make([]byte, Width)
	clear(p.rows)
	for y := range Height {
		row, to := p.pix[y*Width:][:Width], p.rows[y*(Width+1):][:Width+1]
		to[0] = 2 // less the row above
		if !bytes.Equal(row, above) {
			for x, v := range row {
				to[x+1] = v - above[x]
			}
		}
		above = row
	}
	out := bytes.NewBuffer(b)
	p.deflate.Reset(out)
	p.deflate.Write(p.rows) // to memory, which does not fail
	p.deflate.Close()
	return out.Bytes()
}
