package release

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"iter"

	"stele/internal/base/layout"
)

// A release is named after the records that it holds, so that what it says of itself can be
// checked. The events that a release brings carry its name, and so cannot be part of it; but they
// follow from the rest and from the release before, which are. Pages and other files that are made
// from the records are pinned by the manifest and are not part of the name: a newer program may
// make them anew.

// ContentDigest returns the digest of what the manifest says of the service, of the records of
// every kind but the change events, and of their standings, some of which come with the date.
func (m *Manifest) ContentDigest() Digest {
	sum := sha256.New()
	// texts and a hash do not fail
	json.NewEncoder(sum).Encode([]string{m.Title, m.BaseURL, m.Publisher, m.License, m.Contact, m.Language, m.Notice})
	if m.Settings != (Digest{}) {
		fmt.Fprintf(sum, "%s settings\n", m.Settings)
	}
	for _, k := range m.Kinds {
		if k.Kind == changeEvents {
			continue
		}
		for _, path := range []string{k.Collection, k.Listing} {
			if f := m.File(path); f != nil {
				fmt.Fprintf(sum, "%s %s\n", f.SHA256, f.Path)
			}
		}
	}
	if f := m.File(layout.StandingPath); f != nil {
		fmt.Fprintf(sum, "%s %s\n", f.SHA256, f.Path)
	}
	return Digest(sum.Sum(nil))
}

// ID returns the name that the release has by its content, its date, the release before it, those
// that it gave up, and the events that it did not bring itself, in their order: the archives, which
// it never brings, by their digests, and then those of the collection.
func (m *Manifest) ID(events iter.Seq[[]byte]) string {
	sum := sha256.New()
	writeLine(sum, []byte(m.Content.String()))
	writeLine(sum, []byte(m.Date))
	if m.Previous != nil {
		writeLine(sum, []byte(m.Previous.Release))
	}
	for _, id := range m.GaveUp {
		writeLine(sum, []byte("gave up "+id))
	}
	for _, a := range m.Archives() {
		writeLine(sum, []byte(a.SHA256.String()))
	}
	for e := range events {
		writeLine(sum, e)
	}
	return Digest(sum.Sum(nil)).String()[:12]
}

func writeLine(sum hash.Hash, line []byte) {
	sum.Write(line)
	sum.Write([]byte{'\n'})
}

// identity checks that the release has the name that its content gives it.
func (v *verifier) identity() {
	if v.Manifest.Content != v.Manifest.ContentDigest() {
		v.fault(layout.ManifestPath, "%s does not describe this content: it was edited", layout.ManifestPath)
		return
	}
	readable := true
	id := v.Manifest.ID(func(yield func([]byte) bool) {
		for line, err := range v.Release.Records(changeEvents) {
			var e struct {
				Release string `json:"release"`
			}
			if err != nil || json.Unmarshal(line, &e) != nil {
				readable = false // said already
				return
			}
			if e.Release != v.Manifest.Release && !yield(line) {
				return
			}
		}
	})
	if readable && id != v.Manifest.Release {
		v.fault(layout.ManifestPath, "%s says that this is release %s, and by its content it is %s", layout.ManifestPath, v.Manifest.Release, id)
	}
}
