package compress

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
)

// AppendPNG appends a picture of at most 256 colours as PNG. palette contains three bytes for each
// colour. rows contains a filter byte and the pixels of each row, each pixel as an index into the
// palette. w is a flate.Writer, and zlibLevel the byte of the zlib header that describes its level.
func AppendPNG(b []byte, width, height int, palette, rows []byte, w writer, zlibLevel byte) []byte {
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	data := bytes.NewBuffer([]byte{0x78, zlibLevel})
	w.Reset(data)
	w.Write(rows) // memory does not fail
	w.Close()
	b = append(b, "\x89PNG\r\n\x1a\n"...)
	b = appendChunk(b, "IHDR", append(size, 8, 3, 0, 0, 0)) // eight bits with a palette
	b = appendChunk(b, "PLTE", palette)
	b = appendChunk(b, "IDAT", binary.BigEndian.AppendUint32(data.Bytes(), adler32.Checksum(rows)))
	return appendChunk(b, "IEND", nil)
}

// appendChunk appends a PNG chunk: length, name, content and checksum.
func appendChunk(b []byte, name string, content []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(content)))
	start := len(b)
	b = append(append(b, name...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}
