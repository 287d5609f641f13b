package signing

import (
	"fmt"
	"strings"
)

// leadsTo reports whether a release was built on this one, or is this one built again.
func (e ReleaseEntry) leadsTo(next ReleaseEntry) bool {
	return next.Previous == e.Release || next.Release == e.Release && next.Previous == e.Previous
}

// shortID is how many digits of a release's ID are shown, and are enough to name it.
const shortID = 12

// named reports whether somebody means this release: by its ID, or by as much of it as is shown.
func (e ReleaseEntry) named(id string) bool {
	return id == e.Release || len(id) >= shortID && strings.HasPrefix(e.Release, id)
}

// Gap is a release of a log that was not built on the one before it.
type Gap struct {
	Index  int64
	Entry  ReleaseEntry
	Before ReleaseEntry // the release before it in the log
}

// Declared reports whether the entry says so itself, and why.
func (g Gap) Declared() bool {
	return g.Entry.Break == Rollback && g.Entry.Skips == g.Before.Release ||
		g.Entry.Break == Unpublished && g.Entry.Skips == g.Before.Release && g.Entry.Previous == g.Before.Previous
}

func (g Gap) String() string {
	what := fmt.Sprintf("entry %d of the log, release %.12s of %s,", g.Index+1, g.Entry.Release, g.Entry.Date)
	switch {
	case !g.Declared():
		return fmt.Sprintf("%s was not built on release %.12s of %s before it, and does not say why", what, g.Before.Release, g.Before.Date)
	case g.Entry.Break == Rollback:
		return fmt.Sprintf("%s goes back from release %.12s of %s, on purpose", what, g.Before.Release, g.Before.Date)
	}
	return fmt.Sprintf("%s takes the place of release %.12s of %s, which was never published", what, g.Before.Release, g.Before.Date)
}

// GaveUp are the releases, by their IDs, that the publisher went back from on purpose.
func (v *Verified) GaveUp() (list []string) {
	for _, g := range v.Gaps {
		if g.Entry.Break == Rollback && g.Declared() {
			list = append(list, g.Before.Release)
		}
	}
	return list
}

// gaps lists the releases that were not built on the one before them.
func (l *Log) gaps() (list []Gap) {
	var before *ReleaseEntry
	for i, entry := range l.entries {
		if e, ok := entry.(ReleaseEntry); ok {
			if before != nil && (e.Break != "" || !before.leadsTo(e)) {
				list = append(list, Gap{int64(i), e, *before})
			}
			before = &e
		}
	}
	return list
}

// lineage refuses a log whose newest part does not follow: for somebody who saw the log before,
// what is new since then, and else the newest release. Older gaps are listed alone: nobody can mend
// them, and who did not see what was skipped loses nothing.
func (l *Log) lineage(v *Verified, seen int64) error {
	v.Gaps = l.gaps()
	from := v.Index
	if seen > 0 {
		from = min(from, seen)
	}
	for _, g := range v.Gaps {
		if g.Index < from {
			continue
		}
		// what was seen here as the newest release was published
		at, last := l.until(min(seen, l.Size())).newest()
		lie := at >= 0 && g.Entry.Break == Unpublished && seen <= g.Index && last.Release == g.Before.Release
		if !g.Declared() || lie {
			return undeclared(v.Origin, g, lie)
		}
	}
	return nil
}
