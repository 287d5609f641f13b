package input

import (
	"encoding/binary"
	"hash/maphash"
	"io"
	"io/fs"
)

// seed is that of all digests. They are compared with one another, while the program runs, and are
// never written down.
var seed = maphash.MakeSeed()

// digest tells the contents of a file, beside what it shares with others, from any other. Where it
// cannot be read, whoever reads it next will say why.
func digest(fsys fs.FS, path string, shared uint64) uint64 {
	f, err := fsys.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	var h maphash.Hash
	h.SetSeed(seed)
	h.Write(binary.LittleEndian.AppendUint64(nil, shared)) // which never fails
	if _, err := io.Copy(&h, f); err != nil {
		return 0
	}
	return h.Sum64()
}
