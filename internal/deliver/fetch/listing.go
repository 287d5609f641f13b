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
// downloading the collection takes fewer bytes: the listing's digests cannot be compressed.
func DerivesListing(m *release.Manifest, k *release.Kind) bool {
	return SmallestVariant(m.File(k.Collection)).Size < SmallestVariant(m.File(k.Listing)).Size
}

// DeriveListing writes the file at path to to, if it is a listing that should be derived from its
// collection, because that saves bytes or because has reports that the collection was already
// downloaded. It reports whether the result has the digest in the manifest.
func DeriveListing(r *release.Release, path string, has func(path string) bool, to io.Writer) bool {
	for i := range r.Manifest.Kinds {
		k := &r.Manifest.Kinds[i]
		if k.Listing == path && (has(k.Collection) || DerivesListing(r.Manifest, k)) {
			w := lists.NewWriter(to)
			return WriteListing(w, k, r.Records(k.Kind)) == nil && w.Flush() == nil &&
				w.Digest() == r.Manifest.File(path).SHA256
		}
	}
	return false
}

// WriteListing writes the listing of a kind, given the records of its collection.
func WriteListing(w *lists.Writer, k *release.Kind, records iter.Seq2[[]byte, error]) error {
	left, events := k.Count-k.Derived, k.Kind == record.KindChangeEvent
	if events {
		left = k.Count // all events are listed, without their titles
	}
	w.Write(fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, k.Kind, left)) // Flush returns the error
	for line, err := range records {
		var e release.Entry
		if err == nil && left > 0 {
			err = json.Unmarshal(line, &e)
		}
		if err != nil {
			return err
		}
		if events {
			e = release.Entry{ID: e.ID, Version: e.Version}
		}
		e.SHA256 = sha256.Sum256(line)
		if left--; left >= 0 {
			w.WriteLine(lists.AppendEntry(nil, &e))
		}
	}
	w.WriteEnd()
	return nil
}
