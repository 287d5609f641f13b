package serve

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/deliver/library"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// Requests of the specimen.
var (
	clients, odd, specimenPaths = specimen.Clients, specimen.Odd, specimen.Paths
	get, head, ofClient         = specimen.Get, specimen.Head, specimen.OfClient
)

// openSpecimen opens the specimen. With a memory budget of one byte it is kept on disk.
func openSpecimen(t testing.TB, opt Options) *library.Library {
	t.Helper()
	return openLibrary(t, specimen.Open(t), opt, nil)
}

func openLibrary(t testing.TB, r *release.Release, opt Options, closer func() error) *library.Library {
	t.Helper()
	l := must.Get(library.Open(r, specimen.Modified, opt.Library(), closer))(t)
	library.ForTest(l).SetRemoved(strings.TrimPrefix(specimen.Removed, "/"), []byte(`{"change_type":"removed"}`))
	return l
}

// openSpecimenAt writes the specimen to a folder or zip, and opens that. It is closed with the
// test.
func openSpecimenAt(t *testing.T, path string, opt Options) *library.Library {
	t.Helper()
	specimen.Write(t, path)
	r, closer, err := store.Open(path)
	must.Do(t, err)
	l := openLibrary(t, r, opt, closer)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// openShelved writes the specimen to a folder or zip, and opens it as one whose collections and
// listings are too large for memory, too.
func openShelved(t *testing.T, path string, opt Options) *library.Library {
	t.Helper()
	opt.Memory = 1
	l := openSpecimenAt(t, path, opt)
	must.Do(t, library.ForTest(l).ServeFromDisk())
	return l
}

// answered is what a library answers to a request.
func answered(l *library.Library, path, acceptEncoding string) *library.Answer {
	a := new(library.Answer)
	l.Answer(&library.Request{Method: "GET", Path: path, AcceptEncoding: acceptEncoding}, a, new(library.Scratch))
	if err := a.Release(); err != nil {
		panic(err)
	}
	return a
}

// tagOf is the entity tag of an answer; "" if it has none.
func tagOf(a *library.Answer) string {
	for line := range strings.SplitSeq(string(a.Own), "\r\n") {
		if tag, ok := strings.CutPrefix(line, "ETag: "); ok {
			return tag
		}
	}
	return ""
}

// filledIn puts the tags and the time of what is asked for into a value.
func filledIn(l *library.Library, path, value string) string {
	etag, gzip := `"none"`, `"none"`
	if tag := tagOf(answered(l, path, "")); tag != "" {
		etag, gzip = tag, tagOf(answered(l, path, "gzip"))
	}
	return strings.NewReplacer("{etag}", etag, "{gzip}", gzip, "{modified}", specimen.Modified.Format("Mon, 02 Jan 2006 15:04:05 GMT")).Replace(value)
}

// header is a header line with a value that is filled in.
func header(l *library.Library, path, name, value string) string {
	return fmt.Sprintf("%s: %s", name, filledIn(l, path, value))
}
