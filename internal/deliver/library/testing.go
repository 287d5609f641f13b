package library

import (
	"fmt"

	"stele/internal/base/compress"
	"stele/release"
)

// Testing gives tests of other packages access to a library, for example to add files that no
// release contains.
type Testing struct{ l *Library }

// ForTest returns the Testing of a library.
func ForTest(l *Library) Testing { return Testing{l} }

// SetRemoved stores the event that removed the file at a path.
func (t Testing) SetRemoved(path string, event []byte) { t.l.removed[path] = event }

// SetFile adds a file at a path. If own is nil, it gets the usual header lines.
func (t Testing) SetFile(path string, own []byte, b Body) {
	f := newRepresentation(compress.Identity, b, release.Digest{})
	if own != nil {
		f.head = own
	}
	t.l.files[path] = newResource(t.l.sharedHead(path), f)
}

// SetEmpty adds a resource without representations at a path.
func (t Testing) SetEmpty(path string) { t.l.files[path] = &resource{head: t.l.plain} }

// Holds returns the number of users of the library.
func (t Testing) Holds() int64 { return t.l.holds.Load() }

// OpenFiles returns the number of open files.
func (t Testing) OpenFiles() int { return len(t.l.open) }

// ServeFromDisk leaves collections and listings on disk, as if they were too large for memory.
func (t Testing) ServeFromDisk() error {
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
