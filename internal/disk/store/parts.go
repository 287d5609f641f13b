package store

import (
	"errors"
	"iter"
	"os"
)

// Part is an entry of a zip: its name, its checksum, and where what stands before it begins.
type Part struct {
	Name   []byte // valid until the next one
	Header int64
	CRC    uint32
}

// errForeign says that a zip is not one of those that are written here.
var errForeign = errors.New("the zip was not written by this program")

// TailSize is how much of the end of a zip Directory reads.
const TailSize = 56 + 20 + 22

// Directory tells where the directory of a zip begins that was written here. It reads the end of
// the file only, so the rest need not be there yet. What is after the directory belongs to it.
func Directory(f *os.File) (start int64, err error) {
	z, err := directoryOf(f)
	if err != nil {
		return 0, err
	}
	return z.start, nil
}

func directoryOf(f *os.File) (*zipFS, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z := &zipFS{file: f}
	if info.Size() < TailSize {
		return nil, errForeign
	}
	if _, err := z.findDirectory(info.Size()); err != nil || z.other != nil {
		return nil, errors.Join(errForeign, err)
	}
	return z, nil
}

// Parts reads the directory of a zip that was written here, of which only that need be there.
func Parts(f *os.File) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		z, err := directoryOf(f)
		if err != nil {
			yield(Part{}, err)
			return
		}
		for e, err := range z.directory() {
			if err == nil && !e.isOurs() {
				err = errForeign
			}
			if err == nil {
				err = z.check(&e)
			}
			if !yield(Part{e.name, e.header, e.crc}, err) || err != nil {
				return
			}
		}
	}
}
