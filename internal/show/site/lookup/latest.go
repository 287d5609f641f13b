package lookup

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/trust/standing"
	"stele/record"
)

// mostLooked is how many of the newest statistics are read for one that is broken down by nothing.
const mostLooked = 8

// Latest writes the newest of some statistics in words: the figure, its unit, and when. It is ""
// where there is none for the whole or that stands alone, or where the newest was retracted: an
// older one is not the newest, and neither is what a later edition says otherwise.
func (l *Reader) Latest(x *Indicator, numbers []int32) string {
	k := record.KindNamed(record.KindHealthcareStatistic)
	times := make(map[int32]string, len(numbers)) // the period, and then the edition
	for _, i := range numbers {
		raw := l.Raw(k, int(i))
		times[i] = TextOf(raw, `"time_period":"`) + "\x00" + TextOf(raw, `"vintage":"`)
	}
	newest := slices.SortedStableFunc(slices.Values(numbers),
		func(a, b int32) int { return strings.Compare(times[b], times[a]) })
	alone := len(newest) == 1 || len(newest) > 1 && times[newest[0]] != times[newest[1]]
	period, edition := record.Period(""), record.Period("") // of the first that is for the whole
	for n, i := range newest[:min(len(newest), mostLooked)] {
		st := l.Statistic(int(i))
		whole := wholeOf(st.Dimensions)
		if whole && st.TimePeriod != period {
			period, edition = st.TimePeriod, st.Vintage
		}
		switch {
		case whole && st.Vintage != edition:
			continue
		case st.Figure() == "" || !(whole || n == 0 && alone):
			continue
		case l.Records.Standing(k, int(i)).Standing >= standing.PartlyRetracted:
			return ""
		}
		return l.inWords(x, st)
	}
	return ""
}

// inWords writes a statistic: "86 per cent of one-year-olds, 2015". A bound is written as one, and
// a code as what it means.
func (l *Reader) inWords(x *Indicator, st *record.HealthcareStatistic) (text string) {
	text = cmp.Or(l.words.Instead(st, x.Measure.Codes), l.words.Figure(st.Value, st.Decimals))
	if st.Code == "" {
		text += " " + st.UnitLabel
	}
	for _, d := range st.Dimensions {
		if !wholeOf(record.Terms{d}) {
			text += l.words.Comma + d.Name + " " + d.Text
		}
	}
	return text + l.words.Comma + l.words.When(st.TimePeriod)
}

// wholeOf reports whether dimensions leave nothing out.
func wholeOf(dimensions record.Terms) bool {
	return !slices.ContainsFunc(dimensions, func(d record.Term) bool {
		return !strings.EqualFold(d.Text, "all") && !strings.EqualFold(d.Text, "total")
	})
}
