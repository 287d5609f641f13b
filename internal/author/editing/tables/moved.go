package tables

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// editions has the values of a file before and after, grouped by everything except the area or the
// period.
type editions struct {
	before  map[string]map[string]string // by the rest of the key: area or period, and value
	changed []movedValue
}

// manyMoved is the maximum number of groups that are compared.
const manyMoved = 20_000

type movedValue struct{ rest, at, value string }

// addRow records the values of a row before and after, for the area or period in member.
func (p *editions) addRow(was, is map[string]string, member string) {
	at := was[member]
	if len(p.before) > manyMoved {
		return
	}
	rest := maps.Clone(was)
	delete(rest, member)
	key := rowKey(rest)
	if p.before == nil {
		p.before = map[string]map[string]string{}
	}
	if p.before[key] == nil {
		p.before[key] = map[string]string{}
	}
	p.before[key][at] = was["value"]
	if was["value"] != is["value"] && is["value"] != "" {
		p.changed = append(p.changed, movedValue{key, at, is["value"]})
	}
}

// swappedAreas returns two areas that have each other's former values, or "".
func (p *editions) swappedAreas() (a, b string) {
	from, changes := map[[2]string]int{}, map[string]int{}
	for _, c := range p.changed {
		changes[c.at]++
		for other, value := range p.before[c.rest] {
			if value == c.value && other != c.at {
				from[[2]string{c.at, other}]++
			}
		}
	}
	byName := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, pair := range slices.SortedFunc(maps.Keys(from), byName) {
		back := [2]string{pair[1], pair[0]}
		if n := from[pair]; n > 1 && n == changes[pair[0]] && from[back] == changes[pair[1]] && from[back] > 1 {
			return pair[0], pair[1]
		}
	}
	return "", ""
}

// yearShift returns the number of years by which most changed values moved, or 0.
func (p *editions) yearShift() int {
	for _, years := range []int{-1, 1} {
		n := 0
		for _, c := range p.changed {
			if year, err := strconv.Atoi(c.at[:min(4, len(c.at))]); err == nil {
				n += boolToInt(p.before[c.rest][strconv.Itoa(year+years)+c.at[4:]] == c.value)
			}
		}
		if n > 2 && 2*n > len(p.changed) {
			return -years
		}
	}
	return 0
}

// describeMisplaced describes figures that seem to have changed places, or returns "".
func (u *Update) describeMisplaced() string {
	if a, b := u.byArea.swappedAreas(); a != "" {
		return fmt.Sprintf("the figures of %s and %s in %s seem to be swapped", a, b, u.Path)
	}
	if n := u.byPeriod.yearShift(); n != 0 {
		return fmt.Sprintf("most figures of %s that differ seem to be shifted by %+d year", u.Path, n)
	}
	return ""
}
