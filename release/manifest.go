package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
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
	Listing    string `json:"index"`
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

// What a manifest may have. Those of the largest releases have a few hundred kilobytes, fourteen
// kinds and some thousand files.
const (
	MaxManifest = 16 << 20 // bytes
	maxKinds    = 256
	maxVariants = 8
	maxSize     = 1 << 40 // of a file; so no sum of sizes can overflow
)

// ParseManifest reads a manifest and refuses what this package cannot read.
func ParseManifest(data []byte) (*Manifest, error) {
	if len(data) > MaxManifest {
		return nil, fmt.Errorf("%s is larger than %d MiB", ManifestPath, MaxManifest>>20)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestPath, err)
	}
	switch {
	case m.Format == "":
		return nil, fmt.Errorf("%s does not describe a release of Stele", ManifestPath)
	case m.Format != Format:
		return nil, fmt.Errorf("the release has the format %.40s, and this program reads %s: build it anew from its records, or use the program that made it", m.Format, Format)
	case m.Release == "" || m.Date == "":
		return nil, fmt.Errorf("%s has no release ID or no date", ManifestPath)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return &m, nil
}

// check makes sure that every text of the manifest can be part of a path, a header line or a
// message, and that files and kinds are listed once.
func (m *Manifest) check() error {
	if !validID(m.Release) || !validDate(m.Date) {
		return fmt.Errorf("%s has the release ID %.40q and the date %.40q, which are none", ManifestPath, m.Release, m.Date)
	}
	if p := m.Previous; p != nil && (!validID(p.Release) || !validDate(p.Date)) {
		return fmt.Errorf("%s has a previous release %.40q of %.40q, which are no ID and no date", ManifestPath, p.Release, p.Date)
	}
	for _, text := range []string{m.Title, m.BaseURL, m.Publisher, m.License, m.Contact, m.Language} {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%s has control characters in %.40q", ManifestPath, text)
		}
	}
	for i := range m.Files {
		f := &m.Files[i]
		if err := f.check(); err != nil {
			return fmt.Errorf("%s: %w", ManifestPath, err)
		}
		if f.Path == ManifestPath || i > 0 && f.Path <= m.Files[i-1].Path {
			return fmt.Errorf("%s lists %s twice or not in order", ManifestPath, f.Path)
		}
	}
	if m.Pages != "" && m.File(m.Pages) == nil {
		return fmt.Errorf("%s does not list the file %.40q of its pages", ManifestPath, m.Pages)
	}
	return m.checkKinds()
}

func (m *Manifest) checkKinds() error {
	if len(m.Kinds) > maxKinds {
		return fmt.Errorf("%s has %d kinds; at most %d are allowed", ManifestPath, len(m.Kinds), maxKinds)
	}
	for i := range m.Kinds {
		k := &m.Kinds[i]
		switch {
		case !validName(k.Kind):
			return fmt.Errorf("%s has a kind %.40q, which is no name", ManifestPath, k.Kind)
		case m.Kind(k.Kind) != k:
			return fmt.Errorf("%s has the kind %s twice", ManifestPath, k.Kind)
		case k.Count < 0 || k.Derived < 0 || k.Derived > k.Count:
			return fmt.Errorf("%s counts %d records of %s, %d of them derived", ManifestPath, k.Count, k.Kind, k.Derived)
		case m.File(k.Collection) == nil || m.File(k.Listing) == nil:
			return fmt.Errorf("%s does not list the files of %s", ManifestPath, k.Kind)
		}
		if err := k.checkSingle(); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what no file of a release can be.
func (f *File) check() error {
	if !ValidPath(f.Path) {
		return fmt.Errorf("%.80q is not a path within a release", f.Path)
	}
	if f.Size < 0 || f.Size > maxSize {
		return fmt.Errorf("%s cannot have %d bytes", f.Path, f.Size)
	}
	if len(f.Variants) > maxVariants {
		return fmt.Errorf("%s has %d variants; at most %d are allowed", f.Path, len(f.Variants), maxVariants)
	}
	for i := range f.Variants {
		v := &f.Variants[i]
		suffix, ok := strings.CutPrefix(v.Path, f.Path+".")
		switch {
		case !ok || !validName(suffix):
			return fmt.Errorf("%.80q is not the name of a variant of %s", v.Path, f.Path)
		case !validName(v.Encoding):
			return fmt.Errorf("%s has the encoding %.40q, which is not known", v.Path, v.Encoding)
		case v.Size < 0 || v.Size > maxSize:
			return fmt.Errorf("%s cannot have %d bytes", v.Path, v.Size)
		}
		for _, other := range f.Variants[:i] {
			if other.Path == v.Path || other.Encoding == v.Encoding {
				return fmt.Errorf("%s is listed twice", v.Path)
			}
		}
	}
	return nil
}

// validDate reports whether a text has the form of a date.
func validDate(text string) bool {
	for i := range len(text) {
		dash := i == len("2006") || i == len("2006-01")
		if dash != (text[i] == '-') || !dash && (text[i] < '0' || text[i] > '9') {
			return false
		}
	}
	return len(text) == len("2006-01-02")
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

// Kind finds a kind by its name, or nil.
func (m *Manifest) Kind(name string) *Kind {
	for i := range m.Kinds {
		if m.Kinds[i].Kind == name {
			return &m.Kinds[i]
		}
	}
	return nil
}
