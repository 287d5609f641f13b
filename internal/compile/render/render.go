// Package render is what pages, descriptions, feeds and downloads see of a release in the making:
// its records in order, what connects them, and what happened to them. They are made from it when
// all records are written and the release has its ID, and become files of the same release.
//
// Whoever makes files from them reads no clock and no environment, so that the same records
// give the same bytes.
package render

import (
	"io"
	"iter"
	"net/url"
	"os"

	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// Renderer makes files from records.
type Renderer func(Records, Output) error

// Records are the records of a release. All methods may be called from several goroutines at once.
type Records interface {
	// Settings are those of the publisher.
	Settings() settings.Settings
	// Release describes the release: its ID and date, the release before, every kind with its
	// count, the files of the records, and those of the renderers before.
	Release() *release.Manifest
	// Releases are all releases so far, the oldest first, this one the last.
	Releases() []layout.Past
	// Before reads a small file of the release before; nil where there is none, or it has no such.
	Before(path string) ([]byte, error)
	// AsOf is the newest date in the records of a kind; "" if there are none.
	AsOf(k *record.Kind) record.Date

	// Len is how many records of a kind a publisher wrote. Derived nodes and edges, and events, are
	// in the collection only.
	Len(k *record.Kind) int
	// ID is that of record i of a kind, in the order of IDs.
	ID(k *record.Kind, i int) string
	// Reader reads records, for one goroutine.
	Reader() Reader
	// Collection reads all records of a kind as published, derived ones and events too. A line is
	// valid until the next one.
	Collection(k *record.Kind) iter.Seq2[[]byte, error]

	// Find says which record has an ID.
	Find(id string) (k *record.Kind, i int, ok bool)
	// Title is the title of the record that has an ID, or "".
	Title(id string) string
	// Edges are the edges that end or begin at record i of a kind, also those that the published
	// graph leaves out.
	Edges(k *record.Kind, i int) iter.Seq[standing.Neighbor]

	// Standing is the standing of record i of a kind.
	Standing(k *record.Kind, i int) standing.Entry
	// Explain says of a record that does not stand as it is which records lead from it to the one
	// at which something happened, without itself, and the date of the release that noticed it.
	Explain(k *record.Kind, i int) (path []string, noticed record.Date)

	// Events are the change events about the records of a kind, or about all for nil.
	Events(k *record.Kind) Events
	// EventsOf are those about record i of a kind. Most records have none, and that costs nothing
	// to find out.
	EventsOf(k *record.Kind, i int) Events
	// Entries is what happened to the records of a kind, or to all for nil, as people read it:
	// events, and in place of very many of them the groups in which they are told together.
	Entries(k *record.Kind) Entries

	// Superseded are the versions that have pages, of the records of a kind that are not the newest
	// any more, those of removed records too, in the order of IDs and versions. What was only
	// verified again has none, and of a record that changed often only the first have some. What
	// was redacted is among them: its page says why.
	Superseded(k *record.Kind) ([]Superseded, error)
	// Versions reads what a record said before, the oldest version first. Each is valid until the
	// next one.
	Versions(k *record.Kind, id string) iter.Seq2[release.Version, error]
	// History reads what the records of a kind said before that share a file by the value of a
	// member, such as those of an indicator. Others may be among them.
	History(k *record.Kind, member string) iter.Seq2[release.Version, error]
}

// Superseded is a version of a record, and the event that tells of its end: its place in the events
// about the kind, because there may be more of them than memory should hold.
type Superseded struct {
	ID      string
	Version int64
	Event   int32
	// Redacted says that what the version said is nowhere any more. The event tells why.
	Redacted bool
}

// List is a list of what happened, the newest first. Each is read when it is asked for, because
// there is more of it with every release; whoever has one may keep it.
type List[T any] interface {
	// Len is how many there are.
	Len() int
	// From reads them one by one, number n first. An error ends them.
	From(n int) iter.Seq2[T, error]
}

// Events is a list of change events, and Entries one of events and groups of them.
type (
	Events  = List[*record.ChangeEvent]
	Entries = List[Entry]
)

// Entry is an event, or a group of events.
type Entry struct {
	Event *record.ChangeEvent
	Group *Group // nil for an event
}

// Group is what a release did to so many records of a kind that nobody reads of them one by one.
// The events say the same of each.
type Group struct {
	Release string `json:"release"`
	Date    string `json:"date"`
	Kind    string `json:"record_kind"`
	Change  string `json:"change_type"`
	Count   int    `json:"count"` // events
	// Indicator is the code of the one that all records belong to; "" where they are of any.
	Indicator string `json:"indicator,omitempty"`
}

// ID returns what names a group.
func (g *Group) ID() string {
	id := g.Release + "-" + g.Kind + "-" + g.Change
	if g.Indicator != "" {
		id += "-" + url.PathEscape(g.Indicator)
	}
	return id
}

// Reader reads one record after another. What is asked for in the order of IDs is read ahead, so it
// is worth keeping.
type Reader interface {
	// Record is the JSON of record i of a kind, valid until the next one is read.
	Record(k *record.Kind, i int) ([]byte, error)
}

// Output takes the files that are made. Files are counted, digested, listed in the manifest and
// compressed where that pays.
type Output interface {
	// Put writes a file. Paths are relative and have slashes.
	Put(path string, data []byte) error
	// Create begins a large file; closing it ends it. Nothing else may be written in between.
	Create(path string) (io.WriteCloser, error)
	// Make writes a file that is made at once or, in a preview, when somebody asks for it.
	Make(path string, render func() ([]byte, error)) error
	// Each makes many small files on all cores and writes them in their order: path says where file
	// i goes, and render appends it to b. A preview makes each when somebody asks for it. They are
	// listed in a listing of their own and not in the manifest.
	Each(count int, path func(i int) string, render func(i int, b []byte) ([]byte, error)) error
	// Scratch makes a file without a name, for what is needed only in between. It is gone when it
	// is closed.
	Scratch() (*os.File, error)
}

// Page returns the path of the page of a record.
func Page(k *record.Kind, id string) string { return layout.PagePath(k.Folder(), id) }
