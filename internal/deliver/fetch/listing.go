package fetch

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"stele/internal/disk/lists"
	"stele/record"
	"stele/release"
)

// DerivesListing reports whether readers derive the listing of a kind from its collection, because
// the collection downloads in fewer bytes: digests cannot be compressed.
func DerivesListing(m *release.Manifest, k *release.Kind) bool {
	collection, listing := m.File(k.Collection), m.File(k.Listing)
	return collection != nil && listing != nil && Smallest(collection).Size < Smallest(listing).Size
}

// DerivedListing returns the kind whose listing is the file at path, if that listing should be
// derived: it saves bytes, or has reports that the collection was already downloaded. It returns
// nil for other files.
func DerivedListing(m *release.Manifest, path string, has func(path string) bool) *release.Kind {
	for i := range m.Kinds {
		if k := &m.Kinds[i]; k.Listing == path && (DerivesListing(m, k) || has(k.Collection)) {
			return k
		}
	}
	return nil
}

// DeriveListing writes the listing of a kind of r to to, from the records of its collection. It
// reports whether the result has the digest in the manifest. It writes at most as many bytes as the
// listing has.
func DeriveListing(r *release.Release, k *release.Kind, to io.Writer) (ok bool, err error) {
	listed := r.Manifest.File(k.Listing)
	w := lists.NewWriter(&limitedWriter{to, listed.Size})
	if err = WriteListing(w, k, r.Records(k.Kind)); err == nil {
		err = w.Flush()
	}
	return err == nil && w.Digest() == listed.SHA256, err
}

// limitedWriter passes on the first bytes and discards the others.
type limitedWriter struct {
	to   io.Writer
	left int64
}

func (w *limitedWriter) Write(b []byte) (int, error) {
	passed := b[:min(int64(len(b)), w.left)]
	w.left -= int64(len(passed))
	if n, err := w.to.Write(passed); err != nil {
		return n, err
	}
	return len(b), nil
}

// WriteListing writes the listing of a kind, given the records of its collection.
func WriteListing(w *lists.Writer, k *release.Kind, records iter.Seq2[[]byte, error]) error {
	left, events := k.Count-k.Derived, k.Kind == record.KindChangeEvent
	if events { // all events are listed, without their titles
		left = k.Count
	}
	w.Write(fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, k.Kind, left)) // Flush returns the error
	var entry []byte
	for line, err := range records {
		if err == nil && left > 0 {
			entry, err = appendEntry(entry[:0], line, !events)
		}
		if err != nil {
			return err
		}
		if left--; left >= 0 {
			w.WriteLine(entry)
		}
	}
	w.End()
	return nil
}

func appendEntry(b, line []byte, titled bool) ([]byte, error) {
	var e release.Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return nil, err
	}
	if !titled {
		e = release.Entry{ID: e.ID, Version: e.Version}
	}
	e.SHA256 = sha256.Sum256(line)
	return lists.AppendEntry(b, &e), nil
}
