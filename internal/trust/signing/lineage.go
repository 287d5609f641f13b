package signing

import (
	"fmt"
	"strings"
)

// precedes reports whether next follows e, or is e built again.
func (e ReleaseEntry) precedes(next ReleaseEntry) bool {
	return next.Previous == e.Release || next.Release == e.Release && next.Previous == e.Previous
}

// shortID is the number of digits of a release's ID that are shown and accepted.
const shortID = 12

// matches reports whether id is the release's ID or a sufficiently long prefix of it.
func (e ReleaseEntry) matches(id string) bool {
	return id == e.Release || len(id) >= shortID && strings.HasPrefix(e.Release, id)
}

// Gap is a release in the log that does not follow the previous one.
type Gap struct {
	Index  int64
	Entry  ReleaseEntry
	Before ReleaseEntry // the previous release in the log
}

// Declared reports whether the entry itself declares the gap.
func (g Gap) Declared() bool {
	return g.Entry.Break == Rollback && g.Entry.Skips == g.Before.Release ||
		g.Entry.Break == Unpublished && g.Entry.Skips == g.Before.Release && g.Entry.Previous == g.Before.Previous
}

func (g Gap) String() string {
	what := fmt.Sprintf("entry %d of the log, release %.12s of %s,", g.Index+1, g.Entry.Release, g.Entry.Date)
	switch {
	case !g.Declared():
		return fmt.Sprintf("%s does not follow the release before it (%.12s of %s), and gives no reason", what, g.Before.Release, g.Before.Date)
	case g.Entry.Break == Rollback:
		return fmt.Sprintf("%s withdraws release %.12s of %s on purpose", what, g.Before.Release, g.Before.Date)
	}
	return fmt.Sprintf("%s replaces release %.12s of %s, which was never published", what, g.Before.Release, g.Before.Date)
}

// RolledBack returns the IDs of the releases that the publisher withdrew on purpose.
func (v *Verified) RolledBack() (list []string) {
	for _, g := range v.Gaps {
		if g.Entry.Break == Rollback && g.Declared() {
			list = append(list, g.Before.Release)
		}
	}
	return list
}

// gaps returns the releases that do not follow the previous one.
func (l *Log) gaps() (list []Gap) {
	var before *ReleaseEntry
	for i, entry := range l.entries {
		if e, ok := entry.(ReleaseEntry); ok {
			if before != nil && (e.Break != "" || !before.precedes(e)) {
				list = append(list, Gap{int64(i), e, *before})
			}
			before = &e
		}
	}
	return list
}

// checkLineage returns an error if the latest part of the log has an undeclared gap: the part after
// the first seen entries or, if seen is 0, from the latest release. Earlier gaps are only listed,
// because they cannot be fixed and do not affect clients that never saw the skipped releases.
func (l *Log) checkLineage(v *Verified, seen int64) error {
	v.Gaps = l.gaps()
	from := v.Index
	if seen > 0 {
		from = min(from, seen)
	}
	for _, g := range v.Gaps {
		if g.Index < from {
			continue
		}
		// The latest release of the log that was seen here was published.
		at, last := l.prefix(min(seen, l.Size())).latestRelease()
		lie := at >= 0 && g.Entry.Break == Unpublished && seen <= g.Index && last.Release == g.Before.Release
		if !g.Declared() || lie {
			return undeclaredError(v.Origin, g, lie)
		}
	}
	return nil
}
