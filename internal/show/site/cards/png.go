package cards

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// appendPNG appends the picture as PNG, much faster than image/png: each row as the difference from
// the one above, which is mostly zero.
func (p *canvas) appendPNG(b []byte) []byte {
	b = append(b, "\x89PNG\r\n\x1a\n"...)
	b = appendChunk(b, "IHDR", func(b []byte) []byte {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, Width), Height)
		return append(b, 8, 3, 0, 0, 0) // eight bits with a palette
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

// appendChunk appends a PNG chunk: length, name, content and checksum.
func appendChunk(b []byte, name string, fill func(b []byte) []byte) []byte {
	start := len(b)
	b = fill(append(append(b, 0, 0, 0, 0), name...))
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-8))
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start+4:]))
}

// appendRows appends the pixels, compressed.
func (p *canvas) appendRows(b []byte) []byte {
	above := make([]byte, Width)
	clear(p.rows)
	for y := range Height {
		row, to := p.pix[y*Width:][:Width], p.rows[y*(Width+1):][:Width+1]
		to[0] = 2 // filter: minus the row above
		if !bytes.Equal(row, above) {
			for x, v := range row {
				to[x+1] = v - above[x]
			}
		}
		above = row
	}
	out := bytes.NewBuffer(b)
	p.deflate.Reset(out)
	p.deflate.Write(p.rows) // memory does not fail
	p.deflate.Close()
	return out.Bytes()
}
