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

// Manifest describes a release and lists its files, except single records, whose digests are in the
// listings of their kinds.
type Manifest struct {
	Format      string        `json:"format" doc:"The format of the release."`
	Release     string        `json:"release" doc:"The ID of the release."`
	Date        string        `json:"date" as:"Date" doc:"The date of the release."`
	Previous    *Previous     `json:"previous,omitempty" doc:"The previous release."`
	GaveUp      []string      `json:"gave_up,omitempty" doc:"The IDs of the releases that it replaces on purpose, although it was not built on them."`
	Earlier     []Previous    `json:"earlier,omitempty" doc:"The releases at which deltas start, oldest first."`
	Content     Digest        `json:"content" as:"SHA256" doc:"The digest of the records and of the publisher's description of the service."`
	Settings    Digest        `json:"settings,omitzero" as:"SHA256" doc:"The digest of the other settings, which are in the listing of releases."`
	Title       string        `json:"title" doc:"The name of the service."`
	BaseURL     string        `json:"base_url,omitempty" as:"URL" doc:"The URL of the service; missing if it is not known yet."`
	Publisher   string        `json:"publisher" doc:"The publisher."`
	License     string        `json:"license" doc:"The SPDX identifier of the records' licence."`
	Contact     string        `json:"contact" doc:"A contact address."`
	Language    string        `json:"language" doc:"The language of the records as a BCP 47 tag."`
	Notice      string        `json:"notice" doc:"What readers must know."`
	NextPlanned string        `json:"next_planned,omitempty" as:"Moment" doc:"When the publisher plans the next release: a day, or an hour with its time zone. Planned, not promised."`
	Built       *layout.Built `json:"built,omitempty" doc:"The options of the build that affect its bytes."`
	Kinds       []Kind        `json:"kinds" doc:"The kinds of record and their files."`
	Histories   string        `json:"histories,omitempty" doc:"The path of the listing of the histories of single records."`
	Pages       string        `json:"pages,omitempty" doc:"The path of the listing of pages."`
	Files       []File        `json:"files" doc:"Every file except single records, their histories and pages, sorted by path."`

	onlyHistories bool // whether a copy has only the histories of the listing of pages
}

// Previous names an earlier release.
type Previous struct {
	Release string `json:"release" doc:"The ID of the release."`
	Date    string `json:"date" as:"Date" doc:"The date of the release."`
}

// Kind describes a kind of record and its files.
type Kind struct {
	Kind       string           `json:"kind" as:"KindName" doc:"The kind of the records."`
	Count      int              `json:"count" doc:"The number of records in the collection."`
	Derived    int              `json:"derived,omitempty" doc:"The number of these that are derived, not written by the publisher."`
	Collection string           `json:"collection" doc:"The path of the collection."`
	Listing    string           `json:"index" doc:"The path of the listing."`
	Single     string           `json:"single,omitempty" doc:"The path of a single record, with its ID in braces."`
	History    string           `json:"history,omitempty" doc:"The path of earlier versions of records, with the name of a member in braces. One file for each record that ever changed; or, if it ends in .zst, compressed files of many records, by the value of the member in lower case, with a hyphen for each byte other than a letter, digit, hyphen or underscore, cut after 100 bytes. Missing if nothing changed."`
	Pack       string           `json:"pack,omitempty" doc:"If each record has its own history, the path of the file that contains all of them, compressed."`
	Since      string           `json:"since,omitempty" doc:"The oldest release since which the deltas contain all changes."`
	Deltas     []layout.Delta   `json:"deltas,omitempty" doc:"The changes of the collection, one delta for each release that changed it, oldest first."`
	Archives   []layout.Archive `json:"archives,omitempty" doc:"For change events: earlier events that are no longer in the collection, one file for each year, oldest first."`
}

// The kinds that this package uses by name: those of the graph, which it checks, and change events,
// which contain the ID of the release.
const (
	graphNodes   = "graph_node"
	graphEdges   = "graph_edge"
	changeEvents = "change_event"
)

// SinglePath returns the path of a record's file, or "" if records of the kind have none.
func (k *Kind) SinglePath(id string) string { return layout.FillSingle(k.Single, id) }

// SingleParts returns the parts before and after the ID in the path of the kind's single records.
func (k *Kind) SingleParts() (before, after string, ok bool) {
	before, _, after, ok = layout.CutSingle(k.Single)
	return before, after, ok
}

// checkSingle returns an error if the pattern does not yield a valid path.
func (k *Kind) checkSingle() error {
	if k.Single == "" {
		return nil
	}
	_, name, _, ok := layout.CutSingle(k.Single)
	if !ok || !layout.ValidName(name) || !layout.ValidPath(k.SinglePath("x")) {
		return fmt.Errorf("%s: invalid path of the single records of %s: %q", layout.ManifestPath, k.Kind, k.Single)
	}
	return nil
}

// File is a file of a release.
type File struct {
	Path     string    `json:"path" doc:"The path of the file, without a leading slash."`
	Size     int64     `json:"size" doc:"Its size in bytes."`
	SHA256   Digest    `json:"sha256" as:"SHA256" doc:"The SHA-256 of its bytes."`
	Variants []Variant `json:"variants,omitempty" doc:"The same file in compressed encodings."`
}

// Variant is a file in a content encoding. Its name is that of the file with the encoding's suffix.
type Variant struct {
	Encoding string `json:"encoding" doc:"The content encoding: br, zstd or gzip."`
	Path     string `json:"path" doc:"The path of the variant."`
	Size     int64  `json:"size" doc:"Its size in bytes."`
	SHA256   Digest `json:"sha256" as:"SHA256" doc:"The SHA-256 of its bytes."`
}

// Digest is a SHA-256 digest, written as 64 hexadecimal digits.
type Digest = layout.Digest

// Encode returns the manifest as JSON, always in the same form.
func (m *Manifest) Encode() ([]byte, error) { return jsonline.Marshal(m, " ") }

// Limits on a manifest. The largest releases have fourteen kinds and some thousand files.
const (
	maxKinds    = 256
	maxVariants = 8
	maxSize     = 1 << 40 // of a file, so that no sum of sizes can overflow
)

// Decode parses a manifest into m. It fails on formats that this package does not support.
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
		return fmt.Errorf("%s is not the manifest of a Stele release", layout.ManifestPath)
	case layout.CheckFormat(m.Format) != nil:
		return layout.CheckFormat(m.Format)
	case m.Release == "" || m.Date == "":
		return fmt.Errorf("%s: missing release ID or date", layout.ManifestPath)
	}
	return m.check()
}

// check checks that the texts of the manifest can be used in paths, header lines and messages, and
// that files and kinds have no duplicates.
func (m *Manifest) check() error {
	if !layout.ValidID(m.Release) || !validDate(m.Date) {
		return fmt.Errorf("%s: invalid release ID %.40q or date %.40q", layout.ManifestPath, m.Release, m.Date)
	}
	if p := m.Previous; p != nil && (!layout.ValidID(p.Release) || !validDate(p.Date)) {
		return fmt.Errorf("%s: invalid previous release ID %.40q or date %.40q", layout.ManifestPath, p.Release, p.Date)
	}
	if err := checkGivenUp(m.GaveUp); err != nil {
		return fmt.Errorf("%s: %w", layout.ManifestPath, err)
	}
	if len(m.Earlier) > maxDeltas {
		return fmt.Errorf("%s: %d earlier releases; at most %d are allowed", layout.ManifestPath, len(m.Earlier), maxDeltas)
	}
	for _, p := range m.Earlier {
		if !layout.ValidID(p.Release) || !validDate(p.Date) {
			return fmt.Errorf("%s: invalid earlier release ID %.40q or date %.40q", layout.ManifestPath, p.Release, p.Date)
		}
	}
	if m.Built != nil && strings.ContainsFunc(m.Built.Program+m.Built.Downloads, unicode.IsControl) {
		return fmt.Errorf("%s: control characters in the options of the build", layout.ManifestPath)
	}
	for _, text := range []string{m.Title, m.BaseURL, m.Publisher, m.License, m.Contact, m.Language} {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%s: control characters in %.40q", layout.ManifestPath, text)
		}
	}
	for i := range m.Files {
		f := &m.Files[i]
		if err := f.check(); err != nil {
			return fmt.Errorf("%s: %w", layout.ManifestPath, err)
		}
		if f.Path == layout.ManifestPath || i > 0 && f.Path <= m.Files[i-1].Path {
			return fmt.Errorf("%s: file %s is a duplicate or out of order", layout.ManifestPath, f.Path)
		}
	}
	for _, path := range m.FileListings() {
		if m.File(path) == nil {
			return fmt.Errorf("%s: the listing %.40q is not in the list of files", layout.ManifestPath, path)
		}
	}
	return m.checkKinds()
}

func (m *Manifest) checkKinds() error {
	if len(m.Kinds) > maxKinds {
		return fmt.Errorf("%s: %d kinds; at most %d are allowed", layout.ManifestPath, len(m.Kinds), maxKinds)
	}
	for i := range m.Kinds {
		k := &m.Kinds[i]
		switch {
		case !layout.ValidName(k.Kind):
			return fmt.Errorf("%s: invalid name of a kind: %.40q", layout.ManifestPath, k.Kind)
		case m.Kind(k.Kind) != k:
			return fmt.Errorf("%s: duplicate kind %s", layout.ManifestPath, k.Kind)
		case k.Count < 0 || k.Derived < 0 || k.Derived > k.Count:
			return fmt.Errorf("%s: invalid counts: %d records of %s, %d of them derived", layout.ManifestPath, k.Count, k.Kind, k.Derived)
		case m.File(k.Collection) == nil || m.File(k.Listing) == nil:
			return fmt.Errorf("%s: the files of %s are not in the list of files", layout.ManifestPath, k.Kind)
		case m.partOf(k.Collection)+m.partOf(k.Listing) != "":
			return fmt.Errorf("%s: the records of %s are in a part that copies may omit", layout.ManifestPath, k.Kind)
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

// check returns an error if f cannot be a file of a release.
func (f *File) check() error {
	if !layout.ValidPath(f.Path) {
		return fmt.Errorf("invalid path %.80q", f.Path)
	}
	if f.Size < 0 || f.Size > maxSize {
		return fmt.Errorf("%s: invalid size %d", f.Path, f.Size)
	}
	if len(f.Variants) > maxVariants {
		return fmt.Errorf("%s: %d variants; at most %d are allowed", f.Path, len(f.Variants), maxVariants)
	}
	for i := range f.Variants {
		v := &f.Variants[i]
		suffix, ok := strings.CutPrefix(v.Path, f.Path+".")
		switch {
		case !ok || !layout.ValidName(suffix):
			return fmt.Errorf("%.80q is not a valid variant name for %s", v.Path, f.Path)
		case !layout.ValidName(v.Encoding):
			return fmt.Errorf("%s: unknown encoding %.40q", v.Path, v.Encoding)
		case v.Size < 0 || v.Size > maxSize:
			return fmt.Errorf("%s: invalid size %d", v.Path, v.Size)
		}
		for _, other := range f.Variants[:i] {
			if other.Path == v.Path || other.Encoding == v.Encoding {
				return fmt.Errorf("duplicate %s", v.Path)
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

// File returns the file with a path, or nil.
func (m *Manifest) File(path string) *File {
	byPath := func(f File, path string) int { return strings.Compare(f.Path, path) }
	i, found := slices.BinarySearchFunc(m.Files, path, byPath)
	if !found {
		return nil
	}
	return &m.Files[i]
}

// Each yields the files and their variants, which are files too.
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

// Kind returns the kind with a name, or nil.
func (m *Manifest) Kind(name string) *Kind {
	i := slices.IndexFunc(m.Kinds, func(k Kind) bool { return k.Kind == name })
	if i < 0 {
		return nil
	}
	return &m.Kinds[i]
}
