package release

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"iter"

	"stele/internal/base/layout"
)

// The ID of a release is derived from its records, so that it can be verified. Change events of the
// release itself contain the ID, so they cannot contribute to it. They follow from the other
// records and from the previous release, which contribute to it. Pages and other derived files are
// listed in the manifest and do not contribute: a newer version of the program may build them
// again.

// ContentDigest returns the digest of the service's description in the manifest, of the records of
// all kinds except change events, and of their standings, some of which depend on the date.
func (m *Manifest) ContentDigest() Digest {
	sum := sha256.New()
	// cannot fail for texts and a hash
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

// ID returns the ID that follows from the content, the date, the previous release, the releases
// that were given up, and the change events of earlier releases in their order: the archives by
// their digests, then those of the collection.
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

// verifyID checks that the release's ID follows from its content.
func (v *verifier) verifyID() {
	if v.Manifest.Content != v.Manifest.ContentDigest() {
		v.addFault(layout.ManifestPath, "%s does not match this content: it was edited", layout.ManifestPath)
		return
	}
	readable := true
	id := v.Manifest.ID(func(yield func([]byte) bool) {
		for line, err := range v.Release.Records(changeEvents) {
			var e struct {
				Release string `json:"release"`
			}
			if err != nil || json.Unmarshal(line, &e) != nil {
				readable = false // reported already
				return
			}
			if e.Release != v.Manifest.Release && !yield(line) {
				return
			}
		}
	})
	if readable && id != v.Manifest.Release {
		v.addFault(layout.ManifestPath, "%s says that this is release %s, but its content gives the ID %s", layout.ManifestPath, v.Manifest.Release, id)
	}
}
