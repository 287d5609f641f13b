package publish

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"stele/internal/check"
	"stele/internal/chunked"
	"stele/record"
	"stele/release"
)

// previous is what is kept of the release before: of each record its ID, version and digest. A nil
// previous is an empty one.
type previous struct {
	release *release.Release
	kinds   []listing
	made    time.Time // when its manifest was written, if it lies in a folder
}

// listing is the previous release's listing of a kind, by ID.
type listing struct {
	ids    []byte // one behind the other
	items  chunked.List[known]
	cursor int // where the next one is expected
}

type known struct {
	end     uint32 // of its ID in ids
	version int64
	sum     release.Digest
	now     int32 // the record's number in this release; -1 for gone
}

// readPrevious reads the listings of the release before, which must be an earlier one of the same
// service.
func readPrevious(opt Options, baseURL string) (*previous, error) {
	if opt.Previous == nil {
		return nil, nil
	}
	// without one the settings are wrong, which is said elsewhere
	if was := opt.Previous.BaseURL; baseURL != "" && strings.TrimSuffix(was, "/") != strings.TrimSuffix(baseURL, "/") {
		return nil, fmt.Errorf("the previous release %s is of another service: its base_url is %s, and that in the settings is %s; if the service has moved, build once with --first, and with the earlier events in records/changes", opt.Previous.Release, was, baseURL)
	}
	if opt.Previous.Date > string(opt.Date) {
		return nil, fmt.Errorf("the previous release %s is of %s, which is after the date of this one, %s: correct --date; if the earlier release was dated by mistake, build on the one before it with --previous and --fork", opt.Previous.Release, opt.Previous.Date, opt.Date)
	}
	p := &previous{release: opt.Previous, kinds: make([]listing, len(record.Kinds))}
	for i, k := range record.Kinds {
		if k.Name == changeEvent { // events are carried over, not compared
			continue
		}
		for e, err := range opt.Previous.Entries(k.Name) {
			if err != nil {
				return nil, fmt.Errorf("the previous release cannot be read: %w", err)
			}
			p.kinds[i].add(e)
		}
	}
	if opt.PreviousDir != "" {
		info, err := os.Stat(filepath.Join(opt.PreviousDir, release.ManifestPath))
		if err != nil {
			return nil, err
		}
		p.made = info.ModTime()
	}
	return p, nil
}

func (l *listing) add(e release.Entry) {
	l.ids = append(l.ids, e.ID...)
	l.items.Add(known{end: uint32(len(l.ids)), version: e.Version, sum: e.SHA256, now: -1})
}

func (l *listing) id(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = l.items.At(i - 1).end
	}
	return l.ids[start:l.items.At(i).end]
}

// find is the place of an ID, or -1. Records mostly come in the order that they had.
func (l *listing) find(id string) int {
	if l.cursor >= l.items.Len() || string(l.id(l.cursor)) != id {
		l.cursor = sort.Search(l.items.Len(), func(i int) bool { return string(l.id(i)) >= id })
		if l.cursor == l.items.Len() || string(l.id(l.cursor)) != id {
			return -1
		}
	}
	l.cursor++
	return l.cursor - 1
}

// meet notes that a record is there still, and reports whether it is the same.
func (p *previous) meet(kind int, id string, sum release.Digest, n int32) bool {
	if p == nil {
		return false
	}
	i := p.kinds[kind].find(id)
	if i < 0 {
		return false
	}
	item := p.kinds[kind].items.At(i)
	item.now = n
	return item.sum == sum
}

// has reports whether the previous release has a record with an ID.
func (p *previous) has(id string) bool {
	for i := range p.kinds {
		if p.kinds[i].find(id) >= 0 {
			return true
		}
	}
	return false
}

func (p *previous) count(kind int) int {
	if p == nil {
		return 0
	}
	return p.kinds[kind].items.Len()
}

// compare finds what changed since the previous release: it checks that versions tell of it, and
// makes the new events.
func (b *builder) compare() error {
	b.changes = map[record.ChangeType]int{}
	if b.previous == nil {
		return nil
	}
	var err error
	if b.drafted, err = newLineFile(b.w); err != nil {
		return err
	}
	b.rules = b.checker.Since(b.previous.release.Release, record.Date(b.previous.release.Date), b.opt.AllowRemoved)
	if err := b.readCarried(); err != nil {
		return err
	}
	before := make([]bool, b.spool.stored.Len()) // by number: records that were there before
	for i, k := range record.Kinds {
		if k.Name == changeEvent {
			continue
		}
		if err := b.compareKind(i, k, before); err != nil {
			return err
		}
	}
	for i, k := range record.Kinds {
		if k.Name != changeEvent {
			b.addNew(i, k, before)
		}
	}
	if err := b.drafted.flush(); err != nil {
		return err
	}
	b.rules.CheckAllowed()
	return nil
}

func (b *builder) compareKind(kind int, k *record.Kind, before []bool) error {
	l := &b.previous.kinds[kind]
	var changed []int // places in the listing
	for i := range l.items.Len() {
		item := l.items.At(i)
		switch {
		case item.now < 0:
			if id := string(l.id(i)); b.rules.Gone(k, id) {
				was := &record.RecordDigest{Version: item.version, SHA256: record.SHA256(item.sum.String())}
				b.addEvent("removed", id, k, was, nil, []string{})
				b.history.removed[record.ID(id).Fold()] = &check.Removed{
					ID: id, Kind: k.Name, Version: was.Version, SHA256: string(was.SHA256), Release: "this one",
				}
			}
		case b.spool.digest(item.now).sum != item.sum:
			changed = append(changed, i)
			before[item.now] = true
		default:
			before[item.now] = true
		}
	}
	c := &comparison{b: b, kind: k, listing: l, changed: changed}
	return c.run()
}

// addNew makes the events for the records of a kind that the previous release does not have: new
// ones, and those that were removed once and are back.
func (b *builder) addNew(kind int, k *record.Kind, before []bool) {
	for _, n := range b.order[kind] {
		if before[n] {
			continue
		}
		id, at := b.checker.ID(n), b.spool.digest(n)
		is := &record.RecordDigest{Version: at.version, SHA256: record.SHA256(at.sum.String())}
		if was := b.history.removed[record.ID(id).Fold()]; was == nil {
			b.rules.Created(n)
			b.addEvent("created", id, k, nil, is, []string{})
		} else if b.rules.Restored(n, is.Version, string(is.SHA256), was) {
			b.addEvent("restored", id, k, nil, is, []string{})
		}
	}
}
