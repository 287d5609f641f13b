package library

import (
	"bytes"
	"encoding/json"
	"strings"

	"stele/internal/base/compress"
	"stele/release"
)

// removed is the type of the events that tell of records which were removed.
const removed = "removed"

// loadRemoved finds the records that were removed on purpose, so that their addresses can say so.
func (l *Library) loadRemoved() error {
	gone := map[*release.Kind]map[string][]byte{}
	for line, err := range l.release.Events() {
		if err != nil {
			return err
		}
		if !bytes.Contains(line, []byte(`"change_type":"`+removed+`"`)) {
			continue
		}
		var e struct {
			Change string `json:"change_type"`
			ID     string `json:"record_id"`
			Kind   string `json:"record_kind"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		k := l.release.Manifest.Kind(e.Kind)
		if e.Change != removed || k == nil {
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
			delete(events, e.ID) // it came back
		}
		for id, event := range events {
			l.setRemoved(k, id, event)
		}
	}
	return nil
}

// setRemoved notes the event that removed a record, for the addresses that it had. Its page may be
// there all the same: it says what the record was.
func (l *Library) setRemoved(k *release.Kind, id string, event []byte) {
	if k.Single != "" {
		l.removed[k.SinglePath(id)] = event
	}
	page := folder(k) + "/" + id
	for _, at := range []string{page, page + "/", page + ".md"} {
		l.removed[at] = event
	}
	if file := l.files[page+"/"]; file != nil {
		gone := *file // by its path it is a file as any other, for who copies the release
		gone.isGone = true
		l.files[page+"/"] = &gone
	}
}

// isGone reports whether a file is the page of a record that was removed.
func (l *Library) isGone(file *resource, at string) bool {
	return file.isGone || (l.disk != nil || l.draft != nil) && l.removed[at] != nil
}

// gonePage answers a browser with the page of a record that was removed, and all others with the
// event that removed it.
func (l *Library) gonePage(file *resource, r *Request, a *Answer, d *Scratch) {
	f := file.choose(r.AcceptEncoding)
	if f == nil || !prefersHTML(r.Accept) {
		l.gone(r, a)
		a.Extra = append(a.Extra, vary(accept, acceptEncoding)...)
		return
	}
	if r.Method == methodGet {
		if err := l.fill(f, d); err != nil {
			l.unreadable(a, d, err)
			return
		}
	}
	a.Status, a.Shared, a.Own, a.Body, a.Read = statusGone, l.lost, f.encoding(), f.Body, d.brought
}

func (l *Library) gone(r *Request, a *Answer) {
	p := problem{Status: statusGone, Detail: "This record was removed on purpose.", Event: l.removed[strings.TrimPrefix(r.Path, "/")]}
	if k, _, _ := l.recordAt(r.Path); k != nil {
		p.Collection = "/" + k.kind.Collection
	}
	f := encodeProblem(p)
	a.Status, a.Shared, a.Own, a.Body = statusGone, l.plain, f.head, f.Body
}

// encoding is the header line that says which encoding this is, of those of its own.
func (f *representation) encoding() []byte {
	if f.coding == compress.Identity {
		return nil
	}
	return f.head[:bytes.Index(f.head, []byte("\r\n"))+2]
}
