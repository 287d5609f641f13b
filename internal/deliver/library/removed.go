package library

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/release"
)

// removed is the type of change events for removed records.
const removed = "removed"

// redactedMember is the member of an event that lists redacted versions.
const redactedMember = `"redacted_versions":[`

// loadRemoved finds the records that were removed on purpose, and the redacted versions, so that
// their URLs answer 410.
func (l *Library) loadRemoved() error {
	gone := map[*release.Kind]map[string][]byte{}
	for line, err := range l.release.Events() {
		if err != nil {
			return err
		}
		if !bytes.Contains(line, []byte(`"change_type":"`+removed+`"`)) && !bytes.Contains(line, []byte(redactedMember)) {
			continue
		}
		var e struct {
			Change   string  `json:"change_type"`
			ID       string  `json:"record_id"`
			Kind     string  `json:"record_kind"`
			Redacted []int64 `json:"redacted_versions"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		k := l.release.Manifest.Kind(e.Kind)
		if k == nil {
			continue
		}
		for _, version := range e.Redacted[:min(len(e.Redacted), layout.MaxSuperseded)] {
			l.setGone(layout.Address(layout.VersionPath(folderOf(k), e.ID, version))[1:], bytes.Clone(line))
		}
		if e.Change != removed {
			continue
		}
		if gone[k] == nil {
			gone[k] = map[string][]byte{}
		}
		gone[k][e.ID] = bytes.Clone(line)
	}
	for k, events := range gone {
		for e, err := range l.release.Entries(k.Kind) {
			if err != nil {
				return err
			}
			delete(events, e.ID) // it was added again
		}
		for id, event := range events {
			l.setRemoved(k, id, event)
		}
	}
	return nil
}

// setRemoved stores the event that removed a record, for all URLs of the record. The record's page
// may still exist; it then describes the removed record.
func (l *Library) setRemoved(k *release.Kind, id string, event []byte) {
	if k.Single != "" {
		l.removed[k.SinglePath(id)] = event
	}
	page := folderOf(k) + "/" + id
	l.removed[page], l.removed[page+".md"] = event, event
	l.setGone(page+"/", event)
}

// setGone stores the event for the URL of a page.
func (l *Library) setGone(at string, event []byte) {
	l.removed[at] = event
	if file := l.files[at]; file != nil {
		gone := *file // mirrors can still get the file at its own path
		gone.isGone = true
		l.files[at] = &gone
	}
}

// isGonePage reports whether a file is the page of a removed record.
func (l *Library) isGonePage(file *resource, at string) bool {
	return file.isGone || (l.disk != nil || l.draft != nil) && l.removed[at] != nil
}

// answerGonePage answers browsers with the page of a removed record, and other clients with the
// event that removed it.
func (l *Library) answerGonePage(file *resource, r *Request, a *Answer, d *Scratch) {
	f := file.choose(r.AcceptEncoding)
	if f == nil || !prefersHTML(r.Accept) {
		l.answerGone(r, a)
		a.Extra = append(a.Extra, varyLine(accept, acceptEncoding)...)
		return
	}
	if a.Body = f.Body; r.Method == http.MethodGet {
		var err error
		if a.Body, err = l.loadBody(f, d); err != nil {
			l.answerReadError(a, d, err)
			return
		}
	}
	a.Status, a.Shared, a.Own, a.Read = http.StatusGone, l.notFoundHead, f.encodingLine(), d.fromDisk
}

func (l *Library) answerGone(r *Request, a *Answer) {
	p := problem{Status: http.StatusGone, Detail: "This record was removed on purpose.", Event: l.removed[strings.TrimPrefix(r.Path, "/")]}
	if strings.Contains(r.Path, "/versions/") {
		p.Detail = "This version was redacted. Its content is no longer published."
	}
	if k := l.kindAt(r.Path); k != nil {
		p.Collection = "/" + k.kind.Collection
	}
	f := encodeProblem(p)
	a.Status, a.Shared, a.Own, a.Body = http.StatusGone, l.plain, f.head, f.Body
}

// encodingLine returns the Content-Encoding line of a representation, or nil if it has none.
func (f *representation) encodingLine() []byte {
	if f.coding == compress.Identity {
		return nil
	}
	return f.head[:bytes.Index(f.head, []byte("\r\n"))+2]
}

// answerNotFoundPage answers a browser with the page for missing files, and reports whether the
// release has that page.
func (l *Library) answerNotFoundPage(r *Request, a *Answer) bool {
	page := l.files[layout.NotFoundPage]
	if page == nil || !prefersHTML(r.Accept) {
		return false
	}
	f := page.choose(r.AcceptEncoding)
	if f == nil {
		return false
	}
	a.Status, a.Shared, a.Own, a.Body = http.StatusNotFound, l.notFoundHead, f.encodingLine(), f.Body
	return true
}
