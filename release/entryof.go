package release

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// EntryOf returns the listing's entry for record, the JSON of a record exactly as published. It
// skips missing listings, so the listing of the record's kind is enough to prove the record.
func (r *Release) EntryOf(record []byte) (*Entry, error) {
	var head struct{ ID string }
	if err := json.Unmarshal(record, &head); err != nil || head.ID == "" {
		return nil, errors.New("not the JSON of one record")
	}
	var read []string
	for _, k := range r.Manifest.Kinds {
		var found *Entry
		for e, err := range r.Entries(k.Kind) {
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return nil, err
			}
			if e.ID == head.ID {
				found = &e
			}
			if len(read) == 0 || read[len(read)-1] != k.Listing {
				read = append(read, k.Listing)
			}
		}
		switch {
		case found == nil:
		case found.SHA256 != sha256.Sum256(record):
			return nil, fmt.Errorf("%s is not in release %s, whose version %d has the SHA-256 %s",
				head.ID, r.Manifest.Release, found.Version, found.SHA256)
		default:
			return found, nil
		}
	}
	return nil, fmt.Errorf("release %s does not list %.80q in %s", r.Manifest.Release, head.ID, cmp.Or(strings.Join(read, ", "), "any available index"))
}
