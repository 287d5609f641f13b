package reuse

import (
	"slices"
	"strings"
)

// match is how cells agree with the parts of a published thing.
type match struct {
	missing  []string // parts that the cells lack
	extra    []string // what they have besides
	cut      bool     // some of that is the beginning of a part
	mojibake bool     // some of that is a part in another encoding
}

// compareParts holds the cells of a thing against the parts that were published.
func compareParts(t Thing, cells []string, published string) (m match) {
	want := normal(t, published)
	have := parts(t, cells, want)
	slices.Sort(have)
	have = slices.Compact(have)
	m.missing, m.extra = without(want, have)
	for _, e := range m.extra {
		if len(m.missing) == 0 {
			break
		}
		m.cut = m.cut || slices.ContainsFunc(m.missing, func(w string) bool { return begins(w, e) })
		good := mended(e)
		m.mojibake = m.mojibake || good != "" && slices.Contains(m.missing, text(good))
	}
	return m
}

// begins reports whether a text is the beginning of another, with or without an ellipsis after it.
func begins(whole, part string) bool {
	part = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(part, "…"), "..."), " ")
	return len(part) >= 8 && len(part) < len(whole) && strings.HasPrefix(whole, part)
}

// parts are those of cells: what is nested is taken apart, and what was joined where the pieces are
// known.
func parts(t Thing, cells, want []string) (have []string) {
	for _, cell := range cells {
		if empty(cell) {
			continue
		}
		if t == Links {
			list := links(cell)
			if len(list) == 0 {
				list = []string{text(cell)}
			}
			have = append(have, list...)
			continue
		}
		if list, ok := leaves(cell); ok {
			have = append(have, list...)
			continue
		}
		have = append(have, pieces(cell, want)...)
	}
	return have
}

// pieces are the parts of a cell in which several may be joined.
func pieces(cell string, want []string) []string {
	whole := leaf(strings.TrimSpace(cell))
	if slices.Contains(want, whole) {
		return []string{whole}
	}
	for form := range dateForms {
		if day := form.date(whole); day != "" && slices.Contains(want, day) {
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

// without compares two sorted lists.
func without(want, have []string) (missing, extra []string) {
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

// judgement is the verdict on a thing, and what it rests on.
type judgement struct {
	verdict         Verdict
	why             string
	published, copy string
}

// judge holds the cells of a thing against a published version.
func judge(t Thing, cells []string, f *fields, dates dateForm) judgement {
	published := f.things[t]
	if len(cells) == 1 && published != "" && cells[0] == published {
		return judgement{verdict: Kept}
	}
	cells = slices.DeleteFunc(slices.Clone(cells), empty)
	switch {
	case published == "" && len(cells) == 0:
		return judgement{verdict: NotApplicable}
	case len(cells) == 0:
		return judgement{verdict: Dropped, published: published}
	}
	shown := strings.Join(cells, " | ")
	switch t {
	case Version:
		return one(cells, published, number)
	case Verified:
		return one(cells, published, dates.date)
	case Labels:
		return one(cells, published, text)
	}
	m := compareParts(t, cells, published)
	j := judgement{verdict: Altered, published: strings.Join(m.missing, " | "), copy: shown}
	switch {
	case len(m.missing) == 0 && len(m.extra) == 0:
		return judgement{verdict: Kept}
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

// one judges what has one value: the first cell has it, and others repeat it.
func one(cells []string, published string, normal func(string) string) judgement {
	for _, cell := range cells {
		if normal(cell) != published {
			j := judgement{verdict: Altered, published: published, copy: cell}
			if good := mended(cell); good != "" && normal(good) == published {
				j.why = "encoding"
			}
			if published == "" {
				j.why = "the record has none"
			}
			return j
		}
	}
	return judgement{verdict: Kept}
}
