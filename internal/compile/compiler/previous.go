package compiler

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"stele/internal/base/parallel/chunked"
	"stele/record"
	"stele/release"
)

// previous is what is kept of the release before: of each record its ID, version and digest. A nil
// previous is an empty one.
type previous struct {
	*release.Release
	kinds []listing // in the order of the table
}

// listing is the previous release's listing of a kind, in the order of IDs.
type listing struct {
	ids   chunked.Texts
	items chunked.List[digest]
}

// checkPrevious makes sure that the release before is an earlier one of the same service.
func checkPrevious(opt *Options, baseURL record.URL) error {
	if opt.Previous == nil {
		return nil
	}
	was, is := bareAddress(opt.Previous.Manifest.BaseURL), bareAddress(string(baseURL))
	if was != "" && is == "" && !opt.AllowMove {
		return fmt.Errorf("the previous release %s has the base_url %s, and the settings have none: put it back; if the service is to have no address, add --allow move", opt.Previous.Manifest.Release, was)
	}
	if was != "" && was != is && !opt.AllowMove {
		return fmt.Errorf("the previous release %s is of another service: its base_url is %s, and that in the settings is %s; if the service has moved, add --allow move once, and its history goes on at the new address", opt.Previous.Manifest.Release, opt.Previous.Manifest.BaseURL, baseURL)
	}
	if opt.Previous.Manifest.Date > string(opt.Date) {
		return fmt.Errorf("the previous release %s is of %s, which is after the date of this one, %s: correct --date; if the earlier release was dated by mistake, build on the one before it with --previous and --fork", opt.Previous.Manifest.Release, opt.Previous.Manifest.Date, opt.Date)
	}
	return nil
}

// bareAddress returns an address without the slash at its end.
func bareAddress(address string) string { return strings.TrimSuffix(address, "/") }

// readPrevious reads the listings of the release before, or returns nil if there is none.
func readPrevious(ctx context.Context, opt *Options, memory *chunked.Memory) (*previous, error) {
	if opt.Previous == nil {
		return nil, nil
	}
	p := &previous{Release: opt.Previous, kinds: make([]listing, len(record.Kinds))}
	for i, k := range record.Kinds {
		if k.Name == changeEvent { // events are carried over, not compared
			continue
		}
		p.kinds[i].ids.UseMemory(memory)
		p.kinds[i].items.UseMemory(memory)
		last := ""
		for e, err := range opt.Previous.Entries(k.Name) {
			switch {
			case context.Cause(ctx) != nil:
				return nil, context.Cause(ctx)
			case err == nil && e.ID <= last:
				err = fmt.Errorf("%s: %q stands after %q", opt.Previous.Manifest.Kind(k.Name).Listing, e.ID, last)
			}
			if err != nil {
				return nil, unreadable(err)
			}
			p.kinds[i].ids.Add(e.ID)
			p.kinds[i].items.Add(digest{e.Version, e.SHA256})
			last = e.ID
		}
	}
	return p, nil
}

// find returns the kind of the record with an ID, and what is listed of it; nil if it is not there.
func (p *previous) find(id string) (*record.Kind, *record.RecordDigest) {
	if p == nil {
		return nil, nil
	}
	for i := range p.kinds {
		l := &p.kinds[i]
		if at := sort.Search(l.len(), func(n int) bool { return l.id(n) >= id }); at < l.len() && l.id(at) == id {
			return record.Kinds[i], l.at(at).of()
		}
	}
	return nil, nil
}

// has reports whether a record is listed.
func (l *listing) has(id string) bool {
	at := sort.Search(l.len(), func(n int) bool { return l.id(n) >= id })
	return at < l.len() && l.id(at) == id
}

func (l *listing) len() int { return l.items.Len() }

func (l *listing) at(i int) *digest { return l.items.At(i) }

func (l *listing) id(i int) string { return l.ids.At(i) }
