// Package render defines the view of a release that the code for pages, descriptions, feeds and
// downloads has: its records in order, their relations and their changes. Renderers run when all
// records are written and the release has its ID, and their files become part of the release.
//
// Renderers read no clock and no environment, so that the same records give the same bytes.
package render

import (
	"io"
	"iter"
	"net/url"
	"os"

	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/base/sheet/areas"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// Renderer writes files that it derives from records.
type Renderer func(Records, Output) error

// Records are the records of a release. All methods are safe for concurrent use.
type Records interface {
	// Settings returns the publisher's settings.
	Settings() settings.Settings
	// Release describes the release: its ID and date, the previous release, the kinds with their
	// counts, and the files of the records and of the renderers that ran before.
	Release() *release.Manifest
	// Areas returns the schemes of areas that the settings name.
	Areas() []*areas.Scheme
	// Releases returns all releases, the oldest first, including this one.
	Releases() []layout.Past
	// Before returns a small file of the previous release, or nil if there is none.
	Before(path string) ([]byte, error)
	// AsOf returns the latest date in the records of k, or "" if there are none.
	AsOf(k *record.Kind) record.Date

	// Len returns the number of records of k that a publisher wrote. Derived nodes and edges, and
	// events, are only in the collection.
	Len(k *record.Kind) int
	// ID returns the ID of record i of k, in the order of IDs.
	ID(k *record.Kind, i int) string
	// Reader returns a reader of records, for one goroutine.
	Reader() Reader
	// Collection yields all published records of k, including derived ones and events. A line is
	// valid until the next.
	Collection(k *record.Kind) iter.Seq2[[]byte, error]

	// Find returns the kind and index of the record with an ID.
	Find(id string) (k *record.Kind, i int, ok bool)
	// Title returns the title of the record with an ID, or "".
	Title(id string) string
	// Edges yields the edges that begin or end at record i of k, even those that are not in the
	// published graph.
	Edges(k *record.Kind, i int) iter.Seq[standing.Neighbor]

	// Standing returns the standing of record i of k.
	Standing(k *record.Kind, i int) standing.Entry
	// Explain returns, for a record whose standing is not Stands, the records on the path to the
	// cause, without the record itself, and the date of the first release with this standing.
	Explain(k *record.Kind, i int) (path []string, noticed record.Date)

	// Events returns the change events about the records of k, or all if k is nil.
	Events(k *record.Kind) Events
	// EventsOf returns the events about record i of k. It is cheap for the many records without
	// events.
	EventsOf(k *record.Kind, i int) Events
	// Entries returns the changes to the records of k, or to all if k is nil, as people read them:
	// events, and groups in place of very many events.
	Entries(k *record.Kind) Entries

	// Superseded returns the earlier versions of the records of k that have pages, including those
	// of removed records, sorted by ID and version. Versions that were only verified again have no
	// page. If a record changed often, only its first versions have pages. Redacted versions are
	// included: their pages give the reason.
	Superseded(k *record.Kind) ([]Superseded, error)
	// Versions yields the earlier versions of a record, the oldest first. Each is valid until the
	// next.
	Versions(k *record.Kind, id string) iter.Seq2[release.Version, error]
	// History yields the earlier versions in the history file for one value of a member, such as an
	// indicator. It may contain versions of other records.
	History(k *record.Kind, member string) iter.Seq2[release.Version, error]
}

// Superseded is an earlier version of a record. Event is the index, in the events about the kind,
// of the event that ended it.
type Superseded struct {
	ID      string
	Version int64
	Event   int32
	// Redacted means that the content of the version was redacted. The event gives the reason.
	Redacted bool
}

// List is a list of changes, the latest first. Items are read on demand, because the list grows
// with every release. It remains valid.
type List[T any] interface {
	// Len returns the number of items.
	Len() int
	// From yields the items from n on. An error is the last.
	From(n int) iter.Seq2[T, error]
}

// Events is a list of change events, and Entries a list of events and groups of events.
type (
	Events  = List[*record.ChangeEvent]
	Entries = List[Entry]
)

// Entry is an event, or a group of events.
type Entry struct {
	Event *record.ChangeEvent
	Group *Group // nil for an event
}

// Group represents equal events of a release about records of a kind. They are grouped if there are
// too many to read one by one.
type Group struct {
	Release string `json:"release"`
	Date    string `json:"date"`
	Kind    string `json:"record_kind"`
	Change  string `json:"change_type"`
	Count   int    `json:"count"` // events
	// Indicator is the code of the indicator that all records belong to, or "" if they have none in
	// common.
	Indicator string `json:"indicator,omitempty"`
}

// ID returns an identifier of the group.
func (g *Group) ID() string {
	id := g.Release + "-" + g.Kind + "-" + g.Change
	if g.Indicator != "" {
		id += "-" + url.PathEscape(g.Indicator)
	}
	return id
}

// Reader reads records. It reads ahead in the order of IDs, so reuse it.
type Reader interface {
	// Record returns the JSON of record i of k, valid until the next call.
	Record(k *record.Kind, i int) ([]byte, error)
}

// Output writes the files of renderers. It counts, hashes, lists and compresses them.
type Output interface {
	// Put writes a file. Paths are relative and use slashes.
	Put(path string, data []byte) error
	// Create returns a writer for a large file. No other file may be written until it is closed.
	Create(path string) (io.WriteCloser, error)
	// Make writes the file that render returns: at once or, in a preview, on demand.
	Make(path string, render func() ([]byte, error)) error
	// Each writes many small files, rendered on all cores, in order: path returns the path of file
	// i, and render appends its content to b. A preview renders each on demand. The files are
	// listed in their own listing instead of the manifest.
	Each(count int, path func(i int) string, render func(i int, b []byte) ([]byte, error)) error
	// Scratch creates a temporary file that is deleted on closing.
	Scratch() (*os.File, error)
}

// PagePath returns the path of a record's page.
func PagePath(k *record.Kind, id string) string { return layout.PagePath(k.Folder(), id) }
