package reuse

import (
	"slices"
	"strings"
)

// match is the result of comparing cells with the parts of a published thing.
type match struct {
	missing  []string // parts that the cells lack
	extra    []string // additional parts in the cells
	cut      bool     // whether an additional part is a truncated one
	mojibake bool     // whether an additional part is one in a wrong encoding
}

func compareParts(t Thing, cells []string, published string) (m match) {
	want := normalizeThing(t, published)
	have := splitCells(t, cells, want)
	slices.Sort(have)
	have = slices.Compact(have)
	m.missing, m.extra = compareSorted(want, have)
	for _, e := range m.extra {
		if len(m.missing) == 0 {
			break
		}
		m.cut = m.cut || slices.ContainsFunc(m.missing, func(w string) bool { return isTruncated(w, e) })
		good := fixEncoding(e)
		m.mojibake = m.mojibake || good != "" && slices.Contains(m.missing, normalizeText(good))
	}
	return m
}

// isTruncated reports whether part is the beginning of whole, optionally followed by an ellipsis.
func isTruncated(whole, part string) bool {
	part = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(part, "…"), "..."), " ")
	return len(part) >= 8 && len(part) < len(whole) && strings.HasPrefix(whole, part)
}

// splitCells splits cells into parts: nested values, and joined values if they are in want.
func splitCells(t Thing, cells, want []string) (have []string) {
	for _, cell := range cells {
		if isEmpty(cell) {
			continue
		}
		if t == Links {
			list := findLinks(cell)
			if len(list) == 0 {
				list = []string{normalizeText(cell)}
			}
			have = append(have, list...)
			continue
		}
		if list, ok := leafTexts(cell); ok {
			have = append(have, list...)
			continue
		}
		have = append(have, splitCell(cell, want)...)
	}
	return have
}

// splitCell splits a cell that may contain several joined parts.
func splitCell(cell string, want []string) []string {
	whole := normalizeLeaf(strings.TrimSpace(cell))
	if slices.Contains(want, whole) {
		return []string{whole}
	}
	for form := range dateForms {
		if day := form.parse(whole); day != "" && slices.Contains(want, day) {
			return []string{day}
		}
	}
	longest := slices.SortedFunc(slices.Values(want), func(a, b string) int { return len(b) - len(a) })
	rest, have := whole, []string(nil)
	for _, w := range longest {
		if before, after, found := strings.Cut(rest, w); found && len(w) > 2 {
			rest = before + "\x00" + after
			have = append(have, w)
		}
	}
	if len(have) == 0 {
		return []string{whole}
	}
	for _, left := range strings.Split(rest, "\x00") {
		if left = strings.Trim(left, " \t|;,/·•-–()[]{}\"':"); left != "" {
			have = append(have, left)
		}
	}
	return have
}

// compareSorted compares two sorted lists.
func compareSorted(want, have []string) (missing, extra []string) {
	for len(want) > 0 && len(have) > 0 {
		switch c := strings.Compare(want[0], have[0]); {
		case c == 0:
			want, have = want[1:], have[1:]
		case c < 0:
			missing, want = append(missing, want[0]), want[1:]
		default:
			extra, have = append(extra, have[0]), have[1:]
		}
	}
	return append(missing, want...), append(extra, have...)
}

// result is the verdict on a thing, with its reason.
type result struct {
	verdict         Verdict
	why             string
	published, copy string
}

// checkThing compares the cells of a thing with a published version.
func checkThing(t Thing, cells []string, f *fields, dates dateForm) result {
	published := f.things[t]
	if t.isGroup() {
		return checkGroup(cells, published)
	}
	if len(cells) == 1 && published != "" && cells[0] == published {
		return result{verdict: Kept}
	}
	cells = slices.DeleteFunc(slices.Clone(cells), isEmpty)
	switch {
	case published == "" && len(cells) == 0:
		return result{verdict: NotApplicable}
	case len(cells) == 0:
		return result{verdict: Dropped, published: published}
	}
	shown := strings.Join(cells, " | ")
	switch t {
	case Version:
		return compareValue(cells, published, parseVersion)
	case Verified:
		return compareValue(cells, published, dates.parse)
	case Labels:
		return compareValue(cells, published, normalizeText)
	}
	m := compareParts(t, cells, published)
	j := result{verdict: Altered, published: strings.Join(m.missing, " | "), copy: shown}
	switch {
	case len(m.missing) == 0 && len(m.extra) == 0:
		return result{verdict: Kept}
	case published == "":
		j.why = "the record has none"
	case len(m.missing) == 0:
		j.why, j.copy = "something was added", strings.Join(m.extra, " | ")
	case m.mojibake:
		j.why = "encoding"
	case len(m.extra) == 0:
		j.verdict, j.why = Truncated, "parts are missing"
	case m.cut:
		j.verdict = Truncated
	}
	return j
}

// compareValue compares a thing with a single value. The first cell contains the value, other cells
// may repeat it.
func compareValue(cells []string, published string, normalize func(string) string) result {
	for _, cell := range cells {
		if normalize(cell) != published {
			j := result{verdict: Altered, published: published, copy: cell}
			if good := fixEncoding(cell); good != "" && normalize(good) == published {
				j.why = "encoding"
			}
			if published == "" {
				j.why = "the record has none"
			}
			return j
		}
	}
	return result{verdict: Kept}
}
