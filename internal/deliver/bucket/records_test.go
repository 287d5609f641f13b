package bucket

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
	"stele/release"
)

// TestHostileIndex: no place in an index lies outside of its object, whatever variants hide.
func TestHostileIndex(t *testing.T) {
	b := open(t, buckettest.Folder(t), quick)
	manifest := must.Get(os.ReadFile("../../../release/testdata/first/manifest.json"))(t)
	small := []release.Variant{{Encoding: "br", Size: 1}}
	for name, p := range map[string]Placed{
		"size": {File: release.File{Path: "a", Size: 1 << 40}}, "place": {At: 1 << 40}, "below": {At: -1},
		"variant": {File: release.File{Path: "a", Size: 1 << 40, Variants: small}},
	} {
		data := must.Get((&Index{Manifest: manifest, Here: []Placed{p}}).Encode())(t)
		size := int64(len(data))
		must.Do(t, b.Put(t.Context(), name, bytes.NewReader(data), size, Head{Type: "text/plain"}))
		at := &Records{Piece: Piece{Path: name, Size: size}, Index: size}
		if _, _, err := b.openIndexed(t.Context(), at, &Piece{Size: 1}, nil); !errors.Is(err, errOther) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
