package serve

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/layout"
	"stele/release"
)

// Library is an open release, ready to be served. It never changes. Whoever needs its open files
// holds it meanwhile.
type Library struct {
	release  *release.Release
	modified time.Time
	options  Options

	headsMu sync.Mutex
	heads   map[string][]byte // header lines by media type
	plain   []byte            // header lines of an answer that is no file
	// of one that says that a file did not change; the second for files that never do
	unchanged [2][]byte
	lost      []byte               // of a page that says that there is nothing
	files     map[string]*resource // by path, without the slash before it
	listed    map[string]bool      // paths of the files that the manifest or a listing names
	shelf     *shelf               // where the rest is, if the release is too large for memory; else nil
	arena     arena                // where large files are, if it is not
	isHeld    bool                 // whether answers need what is let go with the library
	draft     Draft                // what makes all files, in a preview; else nil
	removed   map[string][]byte    // by path: the event that removed a record

	addresses   []kindAddress // of the kinds
	nothing     form          // the answer to an address that leads nowhere
	known       []string      // addresses that a wrong one is compared with
	suggestions suggestions

	lease  *lease       // which answers that are being sent look at
	holds  atomic.Int64 // those who use open files, and one for the server
	openMu sync.Mutex
	open   []*os.File
	closer func() error
}

// Release describes the release.
func (l *Library) Release() *release.Manifest { return l.release.Manifest }

// find is the resource that a request asks for, or nil if there is none. What has to be read for it
// lies on the desk.
func (l *Library) find(r *request, d *desk) (*resource, error) {
	if r.path == "" || r.path[0] != '/' {
		return nil, nil
	}
	at := r.path[1:]
	d.brought = false
	if l.draft != nil {
		return l.fromDraft(layout.Indexed(at))
	}
	if file := l.files[at]; file != nil || l.shelf == nil {
		return file, nil
	}
	d.brought = true
	return l.shelf.find(l, layout.Indexed(at), r.acceptEncoding != "", d)
}

// hold keeps the library's files open, and its arena, until letGo is called. It fails if they are
// closed already; then there is a newer library.
func (l *Library) hold() bool {
	for {
		n := l.holds.Load()
		if n == 0 {
			return false
		}
		if l.holds.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// letGo undoes hold. The last one closes the files.
func (l *Library) letGo() error {
	if l.holds.Add(-1) > 0 {
		return nil
	}
	return l.closeFiles()
}

func (l *Library) closeFiles() (err error) {
	for _, f := range l.open {
		err = errors.Join(err, f.Close())
	}
	err = errors.Join(err, l.arena.close())
	if l.closer != nil {
		err = errors.Join(err, l.closer())
	}
	return err
}

// Close lets the library go. Answers that are being sent are finished first.
func (l *Library) Close() error { return l.letGo() }

// setHeads prepares the header lines that all answers of the release share.
func (l *Library) setHeads() {
	// Scripts of other sites may read all headers. The star stands for them because no credentials
	// are involved.
	l.plain = []byte("Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: *\r\nX-Content-Type-Options: nosniff\r\n")
	l.heads = map[string][]byte{}
	// no more than RFC 9110, section 15.4.5, asks for: the client has the rest, and browsers want
	// to know whether the answer is for them
	for i := range l.unchanged {
		l.unchanged[i] = []byte("Cache-Control: " + l.caching(i == 1) + "\r\nVary: Accept-Encoding\r\nAccess-Control-Allow-Origin: *\r\n")
	}
	l.suggestions.share = suggestingShare
	l.setNothing()
	l.lost = []byte("Content-Type: " + htmlType + "\r\nContent-Security-Policy: " + pagePolicy + "\r\nCache-Control: no-cache\r\nVary: Accept, Accept-Encoding\r\n" + string(l.plain))
}

// caching says how long caches may use an answer without asking.
func (l *Library) caching(forever bool) string {
	if forever {
		return "public, max-age=31536000, immutable"
	}
	return fmt.Sprintf("public, max-age=%d", int(max(l.options.MaxAge, 0).Seconds()))
}

// isForever reports whether a file never changes: because there is a digest in its name, or because
// a log only grows.
func isForever(at string) bool {
	return strings.HasPrefix(at, layout.AssetFolder) || strings.HasPrefix(at, layout.TileFolder)
}

// head is the header lines of a file, but for those of its own.
func (l *Library) head(at string) []byte {
	kind, forever := mediaType(at), isForever(at)
	key := fmt.Sprint(kind, forever)
	l.headsMu.Lock()
	defer l.headsMu.Unlock()
	if h := l.heads[key]; h != nil {
		return h
	}
	h := "Content-Type: " + kind + "\r\n"
	switch kind {
	case htmlType:
		h += "Content-Security-Policy: " + pagePolicy + "\r\nReferrer-Policy: no-referrer\r\n"
	case scriptType: // which is a page of its own as a worker
		h += "Content-Security-Policy: " + pagePolicy + "\r\n"
	default:
		h += "Content-Security-Policy: " + filePolicy + "\r\n"
	}
	h += "Cache-Control: " + l.caching(forever) + "\r\n"
	h += "Last-Modified: " + l.modified.Format(http.TimeFormat) + "\r\n"
	h += "Vary: Accept-Encoding\r\nAccept-Ranges: bytes\r\n" + string(l.plain)
	l.heads[key] = []byte(h)
	return l.heads[key]
}

// folder is the name that a kind has in addresses of pages, schemas and listings.
func folder(k *release.Kind) string { return layout.FolderOf(k.Listing) }

// idIn is the ID in the address of a single record of a kind.
func idIn(k *release.Kind, at string) (id string, ok bool) {
	before, after, ok := k.SingleParts()
	if !ok || len(at) <= len(before)+len(after) || !strings.HasPrefix(at, before) || !strings.HasSuffix(at, after) {
		return "", false
	}
	id = at[len(before) : len(at)-len(after)]
	return id, !strings.Contains(id, "/")
}

// pageIn is the kind and the ID in the address of a record's page.
func (l *Library) pageIn(at string) (k *release.Kind, id string, ok bool) {
	dir, rest, _ := strings.Cut(at, "/")
	id, ok = strings.CutSuffix(rest, "/"+layout.Index)
	if !ok {
		return nil, "", false
	}
	for i := range l.release.Manifest.Kinds {
		if k := &l.release.Manifest.Kinds[i]; folder(k) == dir {
			return k, id, !strings.Contains(id, "/")
		}
	}
	return nil, "", false
}

// errDamaged says that a file is not what the release says of it.
var errDamaged = errors.New("is not what the release says of it: it is damaged")
