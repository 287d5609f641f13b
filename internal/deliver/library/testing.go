package library

import (
	"fmt"

	"stele/internal/base/compress"
	"stele/release"
)

// Testing does with a library what only tests of the rooms around it may: it makes libraries that
// no release can make, so that they see what comes of them.
type Testing struct{ l *Library }

// ForTest gives a library to a test.
func ForTest(l *Library) Testing { return Testing{l} }

// SetRemoved says that what was at a path was removed on purpose.
func (t Testing) SetRemoved(path string, event []byte) { t.l.removed[path] = event }

// SetFile puts a file at a path. Where it has no header lines of its own it gets those that it
// should have.
func (t Testing) SetFile(path string, own []byte, b Body) {
	f := newRepresentation(compress.Identity, b, release.Digest{})
	if own != nil {
		f.head = own
	}
	t.l.files[path] = newResource(t.l.head(path), f)
}

// SetEmpty puts something at a path that has no representation at all.
func (t Testing) SetEmpty(path string) { t.l.files[path] = &resource{head: t.l.plain} }

// Holds returns how many hold the library.
func (t Testing) Holds() int64 { return t.l.holds.Load() }

// OpenFiles returns how many files are kept open.
func (t Testing) OpenFiles() int { return len(t.l.open) }

// LayOnDisk leaves collections and listings where they lie, as if they were too large for memory.
func (t Testing) LayOnDisk() error {
	l := t.l
	lay := func(b *Body, path string) error {
		f, err := l.release.Files.Open(path)
		if err != nil {
			return err
		}
		onDisk, ok := l.onDisk(f, b.Size)
		if !ok {
			return fmt.Errorf("%s is not on disk", path)
		}
		*b = onDisk
		return nil
	}
	for i := range l.disk.pages {
		if err := lay(&l.disk.pages[i].lines, l.disk.pages[i].path); err != nil {
			return err
		}
	}
	for i := range l.disk.kinds {
		k := &l.disk.kinds[i]
		if err := lay(&k.lines, k.path); err != nil {
			return err
		}
		if err := lay(&k.records, k.kind.Collection); err != nil {
			return err
		}
	}
	return nil
}
