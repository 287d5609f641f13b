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

// previous is the previous release with the ID, version and digest of each record. A nil previous
// is empty.
type previous struct {
	*release.Release
	kinds []listing // in the order of record.Kinds
}

// listing is the previous release's listing of a kind, sorted by ID.
type listing struct {
	ids   chunked.Texts
	items chunked.List[digest]
}

// checkPrevious returns an error unless the previous release is an earlier release of the same
// service.
func checkPrevious(opt *Options, baseURL record.URL) error {
	if opt.Previous == nil {
		return nil
	}
	was, is := trimSlash(opt.Previous.Manifest.BaseURL), trimSlash(string(baseURL))
	if was != "" && is == "" && !opt.AllowMove {
		return fmt.Errorf("base_url is missing in the settings, but the previous release %s has %s: add it again or, if the service no longer has an address, use --allow move", opt.Previous.Manifest.Release, was)
	}
	if was != "" && was != is && !opt.AllowMove {
		return fmt.Errorf("the previous release %s belongs to another service: its base_url is %s, and that in the settings is %s. If the service has moved, use --allow move once to continue its history at the new address", opt.Previous.Manifest.Release, opt.Previous.Manifest.BaseURL, baseURL)
	}
	if opt.Previous.Manifest.Date > string(opt.Date) {
		return fmt.Errorf("the previous release %s is of %s, after the date of this one, %s: correct --date. If that release has a wrong date, build on the one before it with --previous and --fork", opt.Previous.Manifest.Release, opt.Previous.Manifest.Date, opt.Date)
	}
	return nil
}

// trimSlash returns address without a final slash.
func trimSlash(address string) string { return strings.TrimSuffix(address, "/") }

// readPrevious reads the listings of the previous release, or returns nil if there is none.
func readPrevious(ctx context.Context, opt *Options, memory *chunked.Memory) (*previous, error) {
	if opt.Previous == nil {
		return nil, nil
	}
	p := &previous{Release: opt.Previous, kinds: make([]listing, len(record.Kinds))}
	for i, k := range record.Kinds {
		if k.Name == changeEvent { // events are copied, not compared
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
				err = fmt.Errorf("%s: out of order: %q comes after %q", opt.Previous.Manifest.Kind(k.Name).Listing, e.ID, last)
			}
			if err != nil {
				return nil, previousError(err)
			}
			p.kinds[i].ids.Add(e.ID)
			p.kinds[i].items.Add(digest{e.Version, e.SHA256})
			last = e.ID
		}
	}
	return p, nil
}

// find returns the kind and digest of the record id, or nil if it is not listed.
func (p *previous) find(id string) (*record.Kind, *record.RecordDigest) {
	if p == nil {
		return nil, nil
	}
	for i := range p.kinds {
		l := &p.kinds[i]
		if at := sort.Search(l.len(), func(n int) bool { return l.idAt(n) >= id }); at < l.len() && l.idAt(at) == id {
			return record.Kinds[i], l.digestAt(at).recordDigest()
		}
	}
	return nil, nil
}

func (l *listing) has(id string) bool {
	at := sort.Search(l.len(), func(n int) bool { return l.idAt(n) >= id })
	return at < l.len() && l.idAt(at) == id
}

func (l *listing) len() int { return l.items.Len() }

func (l *listing) digestAt(i int) *digest { return l.items.At(i) }

func (l *listing) idAt(i int) string { return l.ids.At(i) }
