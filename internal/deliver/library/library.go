// Package library opens a release and answers requests for its files. It handles files, digests and
// header lines, but not connections. The servers of all protocols use it.
//
// A Library prepares everything when it is opened, so that an answer is a look-up. Answer depends
// on the library and the request alone. The caller must release each answer (Answer.Release) after
// sending its body: until then the library's files stay open and mapped.
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

// Library is an open release, ready to be served. It is immutable. Users of its open files must
// retain it.
type Library struct {
	release  *release.Release
	modified time.Time
	options  Options

	headsMu sync.Mutex
	heads   map[layout.Sending][]byte // header lines, by how a file is sent
	plain   []byte                    // header lines of an answer without a file
	// header lines of a 304
	unchanged    [2][]byte
	notFoundHead []byte               // header lines of the page for missing files
	files        map[string]*resource // by path, without the leading slash
	listed       map[string]bool      // paths of the files in the manifest and the listings
	disk         *diskFiles           // index of the other files, if the release is too large for memory; else nil
	arena        arena                // large files, if the release is held in memory
	isHeld       bool                 // whether answers use files that closing the library closes
	draft        Draft                // the source of all files in a preview; else nil
	removed      map[string][]byte    // by path: the event that removed a record

	addresses      []kindAddress       // of all kinds
	notFoundAnswer representation      // the answer for a URL without a file
	names          map[string][]string // of pages, by folder, that wrong URLs are compared with

	lease  *Lease       // checked while answers are being sent
	holds  atomic.Int64 // number of users of the open files, including the server
	openMu sync.Mutex
	open   []*os.File
	closer func() error
}

// Lease returns the lease of the release.
func (l *Library) Lease() *Lease { return l.lease }

func (l *Library) Release() *release.Manifest { return l.release.Manifest }

// find returns the requested resource, or nil if it does not exist. Data read for the resource is
// in d.
func (l *Library) find(r *Request, d *Scratch) (*resource, error) {
	if r.Path == "" || r.Path[0] != '/' {
		return nil, nil
	}
	at := r.Path[1:]
	d.fromDisk = false
	if l.draft != nil {
		return l.draftResource(layout.ResolveIndex(at))
	}
	if file := l.files[at]; file != nil || l.disk == nil {
		return file, nil
	}
	d.fromDisk = true
	return l.disk.find(l, layout.ResolveIndex(at), r.AcceptEncoding != "", d)
}

// Retain keeps the library's files and arena open until Answer.Release or Close is called. It
// returns false if they are already closed, because a newer library is served.
func (l *Library) Retain() bool {
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

// releaseFiles ends one use of the library. The last call closes the files.
func (l *Library) releaseFiles() error {
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

// Close releases the library. Its files are closed after the last answer is sent.
func (l *Library) Close() error { return l.releaseFiles() }

// prepareHeads prepares the header lines that all answers share.
func (l *Library) prepareHeads() {
	l.plain = headerBlock(layout.CommonHeaders)
	l.heads = map[layout.Sending][]byte{}
	// only the headers that RFC 9110, section 15.4.5, requires, because the client has the others;
	// browsers also need the CORS header
	for i := range l.unchanged {
		caching := layout.Sending{Immutable: i == unchangedForEver}.Caching(l.options.Freshness)
		l.unchanged[i] = []byte("Cache-Control: " + caching + "\r\n" + varyLine(acceptEncoding) + "Access-Control-Allow-Origin: *\r\n")
	}
	l.prepareNotFound()
	l.notFoundHead = append(headerBlock(l.notFoundHeaders()), varyLine(accept, acceptEncoding)...)
}

// notFoundHeaders returns the headers of the page for missing files, without caching, because the
// page answers URLs other than its own.
func (l *Library) notFoundHeaders() []layout.Header {
	headers := layout.SendingOf(layout.NotFoundPage).Headers(layout.Freshness{}, l.release.Manifest.Language)
	for i := range headers {
		if headers[i].Name == "Cache-Control" {
			headers[i].Value = "no-cache"
		}
	}
	return headers
}

// Indexes of Library.unchanged.
const (
	unchangedUsual = iota
	unchangedForEver
)

// Request headers that answers depend on.
const (
	accept         = "Accept"
	acceptEncoding = "Accept-Encoding"
)

// varyLine returns the Vary header line for the given request headers.
func varyLine(on ...string) string { return "Vary: " + strings.Join(on, ", ") + "\r\n" }

func headerBlock(headers []layout.Header) (block []byte) {
	for _, h := range headers {
		block = fmt.Appendf(block, "%s: %s\r\n", h.Name, h.Value)
	}
	return block
}

// sharedHead returns the header lines that the file at path shares with similar files.
func (l *Library) sharedHead(path string) []byte {
	s := layout.SendingOf(path)
	l.headsMu.Lock()
	defer l.headsMu.Unlock()
	if l.heads[s] == nil {
		headers := s.Headers(l.options.Freshness, l.release.Manifest.Language)
		if !s.IsJSON() {
			headers = append(headers, layout.Header{Name: "Last-Modified", Value: l.modified.Format(http.TimeFormat)},
				layout.Header{Name: "Accept-Ranges", Value: "bytes"})
		}
		l.heads[s] = append(headerBlock(headers), varyLine(acceptEncoding)...)
	}
	return l.heads[s]
}

// folderOf returns the name of a kind in the URLs of pages, schemas and listings.
func folderOf(k *release.Kind) string { return layout.FolderOfListing(k.Listing) }

// hasFile reports whether the release contains the file at path, even if it is not loaded. It does
// not look for single records.
func (l *Library) hasFile(path []byte) bool {
	return l.listed[string(path)] || l.disk != nil && l.disk.hasPage(path) ||
		l.draft != nil && l.draft.Has(string(path))
}

// ErrDamaged means that a file does not match the release's description.
var ErrDamaged = errors.New("does not match the release's description: the file is damaged")
