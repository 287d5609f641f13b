package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Format is the form of release that this package writes and reads.
const Format = "stele-release/1"

// ManifestPath is the address of the manifest in a release.
const ManifestPath = "manifest.json"

// Manifest describes a release: what it is, and every file in it but the single records, which the
// listings of their kinds pin.
type Manifest struct {
	Format   string    `json:"format"`
	Release  string    `json:"release"`            // the release's ID
	Date     string    `json:"date"`               // YYYY-MM-DD
	Previous *Previous `json:"previous,omitempty"` // the release before it
	// digest of the records and of what the publisher says of the service
	Content   Digest `json:"content"`
	Title     string `json:"title"`
	BaseURL   string `json:"base_url"`
	Publisher string `json:"publisher"`
	License   string `json:"license"`
	Contact   string `json:"contact"`
	Language  string `json:"language"`
	Notice    string `json:"notice"`
	Kinds     []Kind `json:"kinds"`
	// path of the listing of pages, which are too many for this file
	Pages string `json:"pages,omitempty"`
	Files []File `json:"files"` // by path
}

// Previous names an earlier release.
type Previous struct {
	Release string `json:"release"`
	Date    string `json:"date"`
}

// Kind says where the records of a kind are.
type Kind struct {
	Kind       string `json:"kind"`
	Count      int    `json:"count"`             // records in the collection
	Derived    int    `json:"derived,omitempty"` // how many of them no publisher wrote
	Collection string `json:"collection"`        // paths
	Index      string `json:"index"`
	Single     string `json:"single,omitempty"` // with the record's ID in braces
}

// File is a file of a release.
type File struct {
	Path     string    `json:"path"` // without a slash before it
	Size     int64     `json:"size"`
	SHA256   Digest    `json:"sha256"`
	Variants []Variant `json:"variants,omitempty"`
}

// Variant is a file in a content encoding. Its name is the file's with the encoding's suffix.
type Variant struct {
	Encoding string `json:"encoding"`
	Path     string `json:"path"`
	Size     int64  `json:"size"`
	SHA256   Digest `json:"sha256"`
}

// Digest is a SHA-256.
type Digest [sha256.Size]byte

// Sum is the digest of data.
func Sum(data []byte) Digest { return sha256.Sum256(data) }

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest as 64 hexadecimal digits.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText reads 64 hexadecimal digits.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return fmt.Errorf("digest of %d characters, not 64", len(text))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// Encode writes the manifest as JSON, always in the same way.
func (m *Manifest) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(m)
	return b.Bytes(), err
}

// ParseManifest reads a manifest and refuses what this package cannot read.
func ParseManifest(data []byte) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestPath, err)
	}
	switch {
	case m.Format == "":
		return nil, fmt.Errorf("%s does not describe a release of Stele", ManifestPath)
	case m.Format != Format:
		return nil, fmt.Errorf("the release has the format %s, and this program reads %s: build it anew from its records, or use the program that made it", m.Format, Format)
	case m.Release == "" || m.Date == "":
		return nil, fmt.Errorf("%s has no release ID or no date", ManifestPath)
	}
	for _, k := range m.Kinds {
		if m.File(k.Collection) == nil || m.File(k.Index) == nil {
			return nil, fmt.Errorf("%s does not list the files of %s", ManifestPath, k.Kind)
		}
	}
	return &m, nil
}

// File finds a file by its path, or nil.
func (m *Manifest) File(path string) *File {
	for i := range m.Files {
		if m.Files[i].Path == path {
			return &m.Files[i]
		}
	}
	return nil
}

// KindNamed finds a kind by its name, or nil.
func (m *Manifest) KindNamed(name string) *Kind {
	for i := range m.Kinds {
		if m.Kinds[i].Kind == name {
			return &m.Kinds[i]
		}
	}
	return nil
}
