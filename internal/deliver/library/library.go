// Package library opens a release and answers requests from it: it decides what a request gets, and
// knows files, digests and header lines, but no connections. Whoever sends the answers, over
// whichever protocol, asks here.
//
// A Library has everything prepared, so that an answer is a look-up. Answer looks at the library
// and the request alone. Whoever has an answer lets it go (Answer.LetGo) when its body is sent:
// until then the library's files stay open, and what is mapped of them stays mapped.
package library

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/base/layout"
	"stele/release"
)

// Library is an open release, ready to be served. It never changes. Whoever needs its open files
// holds it meanwhile.
type Library struct {
	release  *release.Release
	modified time.Time
	options  Options

	headsMu sync.Mutex
	heads   map[layout.Sending][]byte // header lines by how a file is sent
	plain   []byte                    // header lines of an answer that is no file
	// of one that says that a file did not change
	unchanged [2][]byte
	lost      []byte               // of a page that says that there is nothing
	files     map[string]*resource // by path, without the slash before it
	listed    map[string]bool      // paths of the files that the manifest or a listing names
	disk      *diskFiles           // where the rest is, if the release is too large for memory; else nil
	arena     arena                // where large files are, if it is not
	isHeld    bool                 // whether answers need what is let go with the library
	draft     Draft                // what makes all files, in a preview; else nil
	removed   map[string][]byte    // by path: the event that removed a record

	addresses []kindAddress  // of the kinds
	nothing   representation // the answer to an address that leads nowhere

	lease  *Lease       // which answers that are being sent look at
	holds  atomic.Int64 // those who use open files, and one for the server
	openMu sync.Mutex
	open   []*os.File
	closer func() error
}

// Lease says whether the release may still be sent from.
func (l *Library) Lease() *Lease { return l.lease }

// Release describes the release.
func (l *Library) Release() *release.Manifest { return l.release.Manifest }

// find is the resource that a request asks for, or nil if there is none. What has to be read for it
// lies on the scratch.
func (l *Library) find(r *Request, d *Scratch) (*resource, error) {
	if r.Path == "" || r.Path[0] != '/' {
		return nil, nil
	}
	at := r.Path[1:]
	d.brought = false
	if l.draft != nil {
		return l.fromDraft(layout.ResolveIndex(at))
	}
	if file := l.files[at]; file != nil || l.disk == nil {
		return file, nil
	}
	d.brought = true
	return l.disk.find(l, layout.ResolveIndex(at), r.AcceptEncoding != "", d)
}

// Hold keeps the library's files open, and its arena, until letGo is called. It fails if they are
// closed already; then there is a newer library.
func (l *Library) Hold() bool {
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
	l.plain = headerBlock(layout.CommonHeaders)
	l.heads = map[layout.Sending][]byte{}
	// no more than RFC 9110, section 15.4.5, asks for: the client has the rest, and browsers want
	// to know whether the answer is for them
	for i := range l.unchanged {
		caching := layout.Sending{Immutable: i == unchangedForEver}.Caching(l.options.Freshness)
		l.unchanged[i] = []byte("Cache-Control: " + caching + "\r\n" + vary(acceptEncoding) + "Access-Control-Allow-Origin: *\r\n")
	}
	l.setNothing()
	l.lost = append(headerBlock(l.headersOfLost()), vary(accept, acceptEncoding)...)
}

// headersOfLost are those of the page, but for what only its own address has: it stands for others.
func (l *Library) headersOfLost() []layout.Header {
	headers := layout.SendingOf(layout.NotFoundPage).Headers(layout.Freshness{}, l.release.Manifest.Language)
	for i := range headers {
		if headers[i].Name == "Cache-Control" {
			headers[i].Value = "no-cache"
		}
	}
	return headers
}

// Places in Library.unchanged.
const (
	unchangedUsual = iota
	unchangedForEver
)

// Headers of requests that answers differ by.
const (
	accept         = "Accept"
	acceptEncoding = "Accept-Encoding"
)

// vary is the header line that tells caches which headers of a request an answer depends on.
func vary(on ...string) string { return "Vary: " + strings.Join(on, ", ") + "\r\n" }

func headerBlock(headers []layout.Header) (block []byte) {
	for _, h := range headers {
		block = fmt.Appendf(block, "%s: %s\r\n", h.Name, h.Value)
	}
	return block
}

// head is the header lines of a file, but for those of its own. Files that are sent alike share
// them.
func (l *Library) head(at string) []byte {
	s := layout.SendingOf(at)
	l.headsMu.Lock()
	defer l.headsMu.Unlock()
	if l.heads[s] == nil {
		headers := s.Headers(l.options.Freshness, l.release.Manifest.Language)
		if !s.IsJSON() {
			headers = append(headers, layout.Header{Name: "Last-Modified", Value: l.modified.Format(http.TimeFormat)},
				layout.Header{Name: "Accept-Ranges", Value: "bytes"})
		}
		l.heads[s] = append(headerBlock(headers), vary(acceptEncoding)...)
	}
	return l.heads[s]
}

// folder is the name that a kind has in addresses of pages, schemas and listings.
func folder(k *release.Kind) string { return layout.FolderOfListing(k.Listing) }

// has reports whether there is a file in the release, loaded or not. Single records it does not
// know.
func (l *Library) has(at []byte) bool {
	return l.listed[string(at)] || l.disk != nil && l.disk.hasPage(at) || l.draft != nil && l.draft.Has(string(at))
}

// ErrDamaged says that a file is not what the release says of it.
var ErrDamaged = errors.New("is not what the release says of it: it is damaged")
