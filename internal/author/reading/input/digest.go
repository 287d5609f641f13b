package input

import (
	"encoding/binary"
	"hash/maphash"
	"io"
	"io/fs"
)

// seed is the seed of all digests. They are only compared within a run, and never stored.
var seed = maphash.MakeSeed()

// digestFile returns a digest of shared and of the file at path. Unreadable files are reported by
// the next reader.
func digestFile(fsys fs.FS, path string, shared uint64) uint64 {
	f, err := fsys.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	var h maphash.Hash
	h.SetSeed(seed)
	h.Write(binary.LittleEndian.AppendUint64(nil, shared)) // never fails
	if _, err := io.Copy(&h, f); err != nil {
		return 0
	}
	return h.Sum64()
}
