package release

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"stele/internal/base/layout"
)

// Past returns the line that describes the release in the listing of releases.
func (m *Manifest) Past() layout.Past {
	p := layout.Past{
		Release: m.Release, Date: m.Date, GaveUp: m.GaveUp, Content: m.Content,
		Title: m.Title, BaseURL: m.BaseURL, Publisher: m.Publisher, License: m.License,
		Contact: m.Contact, Language: m.Language, Notice: m.Notice, Kinds: []layout.PastKind{},
	}
	if m.Previous != nil {
		p.Previous = m.Previous.Release
	}
	for i := range m.Kinds {
		k := &m.Kinds[i]
		collection, listing := m.File(k.Collection), m.File(k.Listing)
		if k.Kind != changeEvents && collection != nil && listing != nil {
			p.Kinds = append(p.Kinds, layout.PastKind{
				Kind: k.Kind, Count: k.Count, Derived: k.Derived,
				Collection: collection.SHA256, Listing: listing.SHA256,
			})
		}
	}
	return p
}

// maxReleases is the maximum number of releases in the listing: one per hour for a century.
const maxReleases = 1 << 20

// Releases yields the listing of releases, oldest first. A release without that listing yields only
// itself. It checks that each line names the previous one and that dates do not decrease.
func (r *Release) Releases() iter.Seq2[layout.Past, error] {
	return func(yield func(layout.Past, error) bool) {
		if r.Manifest.File(layout.ReleasesPath) == nil {
			yield(r.Manifest.Past(), nil)
			return
		}
		var last layout.Past
		count, ended := 0, false
		decodeLines(r, layout.ReleasesPath, func(line Line) (p layout.Past, err error) {
			if err = json.Unmarshal(line.Text, &p); err == nil {
				err = checkSuccessor(&p, last, count)
			}
			last, count = p, count+1
			return p, err
		})(func(p layout.Past, err error) bool {
			ended = !yield(p, err) || err != nil
			return !ended
		})
		if !ended && last.Release != r.Manifest.Release {
			yield(layout.Past{}, damagedError(layout.ReleasesPath, "%s does not end with release %s", layout.ReleasesPath, r.Manifest.Release))
		}
	}
}

// checkSuccessor returns an error unless p can be the release after last. count is the number of
// releases up to last.
func checkSuccessor(p *layout.Past, last layout.Past, count int) error {
	switch {
	case checkID(p.Release) != nil || !validDate(p.Date) || len(p.Kinds) > maxKinds:
		return damagedError(layout.ReleasesPath, "invalid release ID %.40q or date %.40q", p.Release, p.Date)
	case checkGivenUp(p.GaveUp) != nil:
		return damagedError(layout.ReleasesPath, "%v", checkGivenUp(p.GaveUp))
	case count == maxReleases:
		return damagedError(layout.ReleasesPath, "too many releases: the limit is %d", maxReleases)
	case count > 0 && (p.Previous != last.Release || p.Date < last.Date):
		return damagedError(layout.ReleasesPath, "release %s of %s does not follow release %s of %s", p.Release, p.Date, last.Release, last.Date)
	}
	return nil
}

// checkGivenUp returns an error for an invalid list of releases that were given up.
func checkGivenUp(list []string) error {
	if len(list) > layout.MaxGivenUp {
		return fmt.Errorf("the release gives up %d others; at most %d are allowed", len(list), layout.MaxGivenUp)
	}
	for _, id := range list {
		if err := checkID(id); err != nil {
			return err
		}
	}
	return nil
}

// Follows reports whether r is the release id or was built on it, directly or indirectly. If it was
// not, gaveUp reports whether r or a release before it gave up that release on purpose.
func (r *Release) Follows(id string) (follows, gaveUp bool, err error) {
	m := r.Manifest
	if m.Release == id || m.Previous != nil && m.Previous.Release == id ||
		slices.ContainsFunc(m.Earlier, func(p Previous) bool { return p.Release == id }) {
		return true, false, nil
	}
	gaveUp = slices.Contains(m.GaveUp, id)
	for p, err := range r.Releases() {
		if err != nil {
			return false, false, err
		}
		if p.Release == id {
			return true, false, nil
		}
		gaveUp = gaveUp || slices.Contains(p.GaveUp, id)
	}
	return false, gaveUp, nil
}
