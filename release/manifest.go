package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
)

// Manifest describes a release: what it is, and every file in it but the single records, which the
// listings of their kinds pin.
type Manifest struct {
	Format      string        `json:"format" doc:"The form of the release."`
	Release     string        `json:"release" doc:"The ID of the release."`
	Date        string        `json:"date" as:"Date" doc:"The date of the release."`
	Previous    *Previous     `json:"previous,omitempty" doc:"The release before it."`
	GaveUp      []string      `json:"gave_up,omitempty" doc:"The IDs of the releases whose place it takes on purpose, although it was not built on them."`
	Earlier     []Previous    `json:"earlier,omitempty" doc:"The releases that deltas begin at, the oldest first."`
	Content     Digest        `json:"content" as:"SHA256" doc:"The digest of the records and of what the publisher says of the service."`
	Settings    Digest        `json:"settings,omitzero" as:"SHA256" doc:"The digest of the other settings, which the listing of releases has."`
	Title       string        `json:"title" doc:"What the service is called."`
	BaseURL     string        `json:"base_url,omitempty" as:"URL" doc:"The address that it is published at; missing if it is not known yet."`
	Publisher   string        `json:"publisher" doc:"Who publishes it."`
	License     string        `json:"license" doc:"The SPDX identifier of the licence of the records."`
	Contact     string        `json:"contact" doc:"Where to write to."`
	Language    string        `json:"language" doc:"The language of the records as a BCP 47 tag."`
	Notice      string        `json:"notice" doc:"What readers must know."`
	NextPlanned string        `json:"next_planned,omitempty" as:"Moment" doc:"When the publisher plans to publish next: a day, or an hour with its zone. Planned, not promised."`
	Built       *layout.Built `json:"built,omitempty" doc:"How the release was made, as far as its bytes depend on that."`
	Kinds       []Kind        `json:"kinds" doc:"Where the records of each kind are."`
	Histories   string        `json:"histories,omitempty" doc:"The path of the listing of what single records said before."`
	Pages       string        `json:"pages,omitempty" doc:"The path of the listing of pages."`
	Files       []File        `json:"files" doc:"Every file but single records, what they said before and pages, by path."`

	onlyHistories bool // whether those are all that a copy has of the listing of pages
}

// Previous names an earlier release.
type Previous struct {
	Release string `json:"release" doc:"The ID of the release."`
	Date    string `json:"date" as:"Date" doc:"The date of the release."`
}

// Kind says where the records of a kind are.
type Kind struct {
	Kind       string           `json:"kind" as:"KindName" doc:"What kind the records are of."`
	Count      int              `json:"count" doc:"How many records the collection has."`
	Derived    int              `json:"derived,omitempty" doc:"How many of them no publisher wrote."`
	Collection string           `json:"collection" doc:"The path of the collection."`
	Listing    string           `json:"index" doc:"The path of the listing."`
	Single     string           `json:"single,omitempty" doc:"The path of a single record, with its ID in braces."`
	History    string           `json:"history,omitempty" doc:"The path of what records said before, with the name of a member in braces. A file for each record that ever changed; or, where it ends in .zst, files of many, compressed, by the value of the member in lower case with a hyphen for each byte that is no letter, digit, hyphen or underscore, cut after 100 bytes. None is there where nothing changed."`
	Pack       string           `json:"pack,omitempty" doc:"Where each record has a history of its own, the path of the file that has all of them, compressed."`
	Since      string           `json:"since,omitempty" doc:"The oldest release since which deltas tell all that changed."`
	Deltas     []layout.Delta   `json:"deltas,omitempty" doc:"What changed in the collection, a step for each release that changed it, the oldest first."`
	Archives   []layout.Archive `json:"archives,omitempty" doc:"Of change events: those that are in the collection no more, a file for each year, the oldest first."`
}

// The kinds that this package knows by name: what it checks of the graph, and the events, which are
// made when all else is there and carry the ID of the release.
const (
	graphNodes   = "graph_node"
	graphEdges   = "graph_edge"
	changeEvents = "change_event"
)

// SinglePath returns where the file of a record lies, or "" if records of the kind have none.
func (k *Kind) SinglePath(id string) string { return layout.FillSingle(k.Single, id) }

// SingleParts returns what stands before and after the ID in the path of a kind's single records.
func (k *Kind) SingleParts() (before, after string, ok bool) {
	before, _, after, ok = layout.CutSingle(k.Single)
	return before, after, ok
}

// checkSingle refuses a pattern that does not become a path.
func (k *Kind) checkSingle() error {
	if k.Single == "" {
		return nil
	}
	_, name, _, ok := layout.CutSingle(k.Single)
	if !ok || !layout.ValidName(name) || !layout.ValidPath(k.SinglePath("x")) {
		return fmt.Errorf("%s: the single records of %s have the path %q, which is none", layout.ManifestPath, k.Kind, k.Single)
	}
	return nil
}

// File is a file of a release.
type File struct {
	Path     string    `json:"path" doc:"The path of the file, without a slash before it."`
	Size     int64     `json:"size" doc:"Its size in bytes."`
	SHA256   Digest    `json:"sha256" as:"SHA256" doc:"The SHA-256 of its bytes."`
	Variants []Variant `json:"variants,omitempty" doc:"The same file in content encodings."`
}

// Variant is a file in a content encoding. Its name is the file's with the encoding's suffix.
type Variant struct {
	Encoding string `json:"encoding" doc:"The content encoding: br, zstd or gzip."`
	Path     string `json:"path" doc:"The path of the variant."`
	Size     int64  `json:"size" doc:"Its size in bytes."`
	SHA256   Digest `json:"sha256" as:"SHA256" doc:"The SHA-256 of its bytes."`
}

// Digest is a SHA-256, which texts have as 64 hexadecimal digits.
type Digest = layout.Digest

// Encode returns the manifest as JSON, always in the same way.
func (m *Manifest) Encode() ([]byte, error) { return jsonline.Marshal(m, " ") }

// What a manifest may have. Those of the largest releases have fourteen kinds and some thousand
// files.
const (
	maxKinds    = 256
	maxVariants = 8
	maxSize     = 1 << 40 // of a file; so no sum of sizes can overflow
)

// Decode reads a manifest and refuses what this package cannot read.
func (m *Manifest) Decode(data []byte) error {
	if len(data) > layout.MaxManifest {
		return fmt.Errorf("%s is larger than %d MiB", layout.ManifestPath, layout.MaxManifest>>20)
	}
	*m = Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return fmt.Errorf("%s: %w", layout.ManifestPath, err)
	}
	switch {
	case m.Format == "":
		return fmt.Errorf("%s does not describe a release of Stele", layout.ManifestPath)
	case layout.CheckFormat(m.Format) != nil:
		return layout.CheckFormat(m.Format)
	case m.Release == "" || m.Date == "":
		return fmt.Errorf("%s has no release ID or no date", layout.ManifestPath)
	}
	return m.check()
}

// check makes sure that every text of the manifest can be part of a path, a header line or a
// message, and that files and kinds are listed once.
func (m *Manifest) check() error {
	if !layout.ValidID(m.Release) || !validDate(m.Date) {
		return fmt.Errorf("%s has the release ID %.40q and the date %.40q, which are none", layout.ManifestPath, m.Release, m.Date)
	}
	if p := m.Previous; p != nil && (!layout.ValidID(p.Release) || !validDate(p.Date)) {
		return fmt.Errorf("%s has a previous release %.40q of %.40q, which are no ID and no date", layout.ManifestPath, p.Release, p.Date)
	}
	if err := checkGivenUp(m.GaveUp); err != nil {
		return fmt.Errorf("%s: %w", layout.ManifestPath, err)
	}
	if len(m.Earlier) > maxDeltas {
		return fmt.Errorf("%s has %d earlier releases; at most %d are allowed", layout.ManifestPath, len(m.Earlier), maxDeltas)
	}
	for _, p := range m.Earlier {
		if !layout.ValidID(p.Release) || !validDate(p.Date) {
			return fmt.Errorf("%s has an earlier release %.40q of %.40q, which are no ID and no date", layout.ManifestPath, p.Release, p.Date)
		}
	}
	if m.Built != nil && strings.ContainsFunc(m.Built.Program+m.Built.Downloads, unicode.IsControl) {
		return fmt.Errorf("%s has control characters in what it says of how it was built", layout.ManifestPath)
	}
	for _, text := range []string{m.Title, m.BaseURL, m.Publisher, m.License, m.Contact, m.Language} {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%s has control characters in %.40q", layout.ManifestPath, text)
		}
	}
	for i := range m.Files {
		f := &m.Files[i]
		if err := f.check(); err != nil {
			return fmt.Errorf("%s: %w", layout.ManifestPath, err)
		}
		if f.Path == layout.ManifestPath || i > 0 && f.Path <= m.Files[i-1].Path {
			return fmt.Errorf("%s lists %s twice or not in order", layout.ManifestPath, f.Path)
		}
	}
	for _, path := range m.FileListings() {
		if m.File(path) == nil {
			return fmt.Errorf("%s does not list the file %.40q, which is to list others", layout.ManifestPath, path)
		}
	}
	return m.checkKinds()
}

func (m *Manifest) checkKinds() error {
	if len(m.Kinds) > maxKinds {
		return fmt.Errorf("%s has %d kinds; at most %d are allowed", layout.ManifestPath, len(m.Kinds), maxKinds)
	}
	for i := range m.Kinds {
		k := &m.Kinds[i]
		switch {
		case !layout.ValidName(k.Kind):
			return fmt.Errorf("%s has a kind %.40q, which is not a name", layout.ManifestPath, k.Kind)
		case m.Kind(k.Kind) != k:
			return fmt.Errorf("%s has the kind %s twice", layout.ManifestPath, k.Kind)
		case k.Count < 0 || k.Derived < 0 || k.Derived > k.Count:
			return fmt.Errorf("%s counts %d records of %s, %d of them derived", layout.ManifestPath, k.Count, k.Kind, k.Derived)
		case m.File(k.Collection) == nil || m.File(k.Listing) == nil:
			return fmt.Errorf("%s does not list the files of %s", layout.ManifestPath, k.Kind)
		case m.partOf(k.Collection)+m.partOf(k.Listing) != "":
			return fmt.Errorf("%s has the records of %s where copies need not have them", layout.ManifestPath, k.Kind)
		}
		if err := errors.Join(k.checkSingle(), k.checkHistory()); err != nil {
			return err
		}
		if err := errors.Join(m.checkDeltas(k), m.checkArchives(k)); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what no file of a release can be.
func (f *File) check() error {
	if !layout.ValidPath(f.Path) {
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
		case !ok || !layout.ValidName(suffix):
			return fmt.Errorf("%.80q is not the name of a variant of %s", v.Path, f.Path)
		case !layout.ValidName(v.Encoding):
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

// File returns the file that has a path, or nil.
func (m *Manifest) File(path string) *File {
	byPath := func(f File, path string) int { return strings.Compare(f.Path, path) }
	i, found := slices.BinarySearchFunc(m.Files, path, byPath)
	if !found {
		return nil
	}
	return &m.Files[i]
}

// Each returns the files and their variants, which are files too.
func (m *Manifest) Each() iter.Seq[File] {
	return func(yield func(File) bool) {
		for _, f := range m.Files {
			if !yield(f) {
				return
			}
			for _, v := range f.Variants {
				if !yield(File{Path: v.Path, Size: v.Size, SHA256: v.SHA256}) {
					return
				}
			}
		}
	}
}

// Kind returns the kind that has a name, or nil.
func (m *Manifest) Kind(name string) *Kind {
	i := slices.IndexFunc(m.Kinds, func(k Kind) bool { return k.Kind == name })
	if i < 0 {
		return nil
	}
	return &m.Kinds[i]
}
