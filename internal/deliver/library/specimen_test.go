package library

import (
	"strings"
	"testing"

	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// openSpecimen opens the specimen. With a memory budget of one byte it is kept on disk.
func openSpecimen(t testing.TB, opt Options) *Library {
	t.Helper()
	return openLibrary(t, specimen.Open(t), opt, nil)
}

func openLibrary(t testing.TB, r *release.Release, opt Options, closer func() error) *Library {
	t.Helper()
	l := must.Get(Open(r, specimen.Modified, opt, closer))(t)
	l.removed[strings.TrimPrefix(specimen.Removed, "/")] = []byte(`{"change_type":"removed"}`)
	return l
}

// openShelved writes the specimen to a folder or zip, and opens it as one whose collections and
// listings are too large for memory, too. It is closed with the test.
func openShelved(t *testing.T, path string, opt Options) *Library {
	t.Helper()
	specimen.Write(t, path)
	r, closer, err := store.Open(path)
	must.Do(t, err)
	opt.Memory = 1
	l := openLibrary(t, r, opt, closer)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	must.Do(t, ForTest(l).ServeFromDisk())
	return l
}

// spoilRecord changes a record, which is a part of its collection.
func spoilRecord(t *testing.T, l *Library, dir, path string) {
	t.Helper()
	collection, at := placeOf(l, path[1:])
	specimen.Spoil(t, dir+"/"+collection, at+100)
}

// placeOf is the collection that a record of a large release lies in, and where.
func placeOf(l *Library, path string) (collection string, at int64) {
	for i := range l.disk.kinds {
		k := &l.disk.kinds[i]
		if id, ok := k.idFromPath(path); ok {
			return k.kind.Collection, k.index.filesWithHash(l.disk.hash(id))[0].record
		}
	}
	return "", 0
}
