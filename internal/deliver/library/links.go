package library

import (
	"bytes"
	"strings"

	"stele/internal/base/layout"
	"stele/release"
)

const (
	describedBy   = `rel="describedby"`
	alternateJSON = `rel="alternate"; type="` + layout.TypeJSON + `"`
	// The page of a record is about its JSON, which its Markdown describes, as programs look for it
	// that follow signposts (https://signposting.org/FAIR/). Pages say the rest themselves.
	itemJSON  = `rel="alternate item"; type="` + layout.TypeJSON + `"`
	aboutText = `rel="alternate describedby"; type="` + layout.TypeMarkdown + `"`
	landing   = `rel="collection"; type="` + layout.TypeHTML + `"`
)

// link is the Link header line of a file: of JSON its schema, of a page the same in other forms. It
// is empty where there is neither.
func (l *Library) link(at string) []byte {
	var w linkWriter
	w.begin(l, strings.Count(at, "/"))
	w.of(at)
	return w.end()
}

// linkWriter writes a Link header line. It can be used again. Links are relative, because a proxy
// may have taken away what comes before an address.
type linkWriter struct {
	library *Library
	depth   int // of the file that has the links: how many folders it lies in
	line    []byte
	to      []byte // the path that is linked to
}

func (w *linkWriter) begin(l *Library, depth int) { w.library, w.line, w.depth = l, w.line[:0], depth }

func (w *linkWriter) end() []byte {
	if len(w.line) == 0 {
		return nil
	}
	if !bytes.HasSuffix(w.line, []byte("\r\n")) {
		w.line = append(w.line, "\r\n"...)
	}
	return w.line
}

// add links to a file, if there is one. Its path comes in parts.
func (w *linkWriter) add(attributes string, path ...string) {
	if w.join(path...); w.library.has(w.to) {
		w.put(attributes)
	}
}

func (w *linkWriter) join(path ...string) {
	w.to = w.to[:0]
	for _, part := range path {
		w.to = append(w.to, part...)
	}
}

func (w *linkWriter) put(attributes string) {
	if len(w.line) == 0 {
		w.line = append(w.line, "Link: <"...)
	} else {
		w.line = append(w.line, ", <"...)
	}
	for range w.depth {
		w.line = append(w.line, "../"...)
	}
	w.line = append(w.line, bytes.TrimSuffix(w.to, []byte(layout.Index))...)
	w.line = append(append(w.line, ">; "...), attributes...)
}

func (w *linkWriter) of(at string) {
	r := w.library.release
	if k, id, ok := w.library.pageIn(at); ok {
		if before, after, ok := k.SingleParts(); ok {
			w.join(before, id, after)
			w.put(itemJSON) // a record that has a page is there
		} else {
			w.add(alternateJSON, k.Collection)
		}
		w.add(aboutText, folder(k), "/", id, ".md")
	}
	switch at {
	case layout.ManifestPath:
		w.add(describedBy, layout.ManifestSchema)
	case layout.SchemasPath:
		w.add(describedBy, layout.SchemasSchema)
	case layout.StandingPath:
		w.add(describedBy, layout.StandingSchema)
	case layout.ReleasesPath:
		w.add(describedBy, layout.ReleasesSchema)
	case r.Manifest.Pages, r.Manifest.Histories:
		w.add(describedBy, layout.PagesSchema)
	}
	for i := range r.Manifest.Kinds {
		w.ofKind(&r.Manifest.Kinds[i], at)
	}
}

// ofKind adds the links of a file that has to do with a kind.
func (w *linkWriter) ofKind(k *release.Kind, at string) {
	if id, ok := idIn(k, at); ok {
		w.ofSingle(k, id)
		return
	}
	switch at {
	case k.Collection:
		w.add(describedBy, layout.SchemaFolder, folder(k), ".json")
	case k.Listing:
		w.add(describedBy, layout.ListingSchema)
	case folder(k) + "/" + layout.Index:
		w.add(alternateJSON, k.Collection)
	}
}

func (w *linkWriter) ofSingle(k *release.Kind, id string) {
	w.add(describedBy, layout.SchemaFolder, folder(k), "/record.json")
	w.add(landing, folder(k), "/", id, "/"+layout.Index)
}

// has reports whether there is a file in the release, loaded or not. Single records it does not
// know.
func (l *Library) has(at []byte) bool {
	return l.listed[string(at)] || l.disk != nil && l.disk.hasPage(at) || l.draft != nil && l.draft.Has(string(at))
}
