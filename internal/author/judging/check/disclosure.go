package check

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// mostCells is the maximum number of suppressed figures, and of figures that are compared with
// them.
const mostCells = 1 << 17

// cell is a figure that may reveal a suppressed figure, through sums, rates or editions. Names are
// stored as digests. The keys of the same sum in two areas differ only in the area.
type cell struct {
	entry   int32
	whole   uint64 // indicator, period, unit, edition and dimensions, without those with the value total
	area    uint64
	entity  string // ID of the area's record; "" for a code
	country uint64 // the country that the area is a part of; 0 for none
	bases   []base // whole without one dimension each
	unit    uint64 // whole in any unit
	edition uint64 // whole in any edition
	id      string // ID of the indicator's record

	value                  float64 // NaN for none
	below                  float64 // upper limit of a bound; NaN for none
	numerator, denominator float64
	suppressed, counts     bool
	replaced               bool // replaced by another record
}

// base is the whole that a figure is a part of; name is the omitted dimension.
type base struct{ name, whole uint64 }

// sum identifies a total and its parts: name is the dimension of the breakdown.
type sum struct{ name, total uint64 }

// isSuppressed reports whether a figure is secret, or replaced by a bound.
func isSuppressed(s *record.HealthcareStatistic) bool {
	return s.Value == "" && s.Code == "" && (s.ObsStatus == record.StatusSuppressed || s.LessThan != "")
}

// newCell returns the cell of figure s. The cell shares no memory with the text of a file.
func newCell(s *record.HealthcareStatistic) *cell {
	number := func(n record.Number) float64 {
		if n == "" {
			return math.NaN()
		}
		return n.Float()
	}
	key := func(s record.HealthcareStatistic) uint64 { return maphash.String(figureSeed, s.Key()) }
	c := &cell{
		value: number(s.Value), below: number(s.LessThan), numerator: number(s.Numerator),
		denominator: number(s.Denominator), suppressed: isSuppressed(s), counts: isCount(s.Unit),
		area:     areaHash(s.RefAreaScheme, s.RefArea),
		replaced: s.ReplacedBy != "", id: strings.Clone(string(s.IndicatorID)),
	}
	is := record.HealthcareStatistic{
		Indicator: s.Indicator, TimePeriod: s.TimePeriod, Unit: s.Unit, Vintage: s.Vintage,
		RefArea: s.RefArea, RefAreaScheme: s.RefAreaScheme,
		Dimensions: slices.DeleteFunc(slices.Clone(s.Dimensions), func(d record.Term) bool {
			return record.IsTotal(d.Text)
		}),
	}
	other := is
	other.Unit = ""
	c.unit = key(other)
	other = is
	other.Vintage = ""
	c.edition = key(other)
	if s.RefAreaScheme == record.SchemeEntity {
		c.entity = strings.Clone(s.RefArea)
	} else if country, _, ok := strings.Cut(s.RefArea, "-"); ok {
		c.country = areaHash(s.RefAreaScheme, country)
	}
	is.RefArea, is.RefAreaScheme = "", ""
	c.whole = key(is)
	for i, d := range is.Dimensions {
		other = is
		other.Dimensions = slices.Delete(slices.Clone(is.Dimensions), i, i+1)
		c.bases = append(c.bases, base{maphash.String(figureSeed, d.Name), key(other)})
	}
	return c
}

func areaHash(scheme record.AreaScheme, code string) uint64 {
	if scheme == record.SchemeEntity { // an entity may have the ID FRA
		return maphash.String(figureSeed, "entity "+code)
	}
	return maphash.String(figureSeed, scheme.Key(code))
}

// isCount reports whether values in unit add up. Percentages, rates and means do not.
func isCount(unit string) bool {
	return scaleOf(unit) == "" && !slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(unit), func(r rune) bool {
		return r < 'a' || r > 'z'
	}), func(word string) bool {
		return slices.Contains([]string{"per", "percent", "rate", "ratio", "index", "mean", "average", "median", "years"}, word)
	})
}

// cellKey combines a whole with an area.
func cellKey(whole, area uint64) uint64 { return whole ^ (area*0x9e3779b97f4a7c15 | 1) }

// disclosure finds suppressed figures that can be computed from others.
type disclosure struct {
	*index
	parents map[string][]string // IDs of areas, by the ID of a part
	wanted  map[uint64]bool     // keys under which suppressed figures are compared
	cells   []*cell
	sums    []*parts
	said    map[int32]bool
	report  func(...schema.Problem)
}

// parts are a total and its parts. The total may be missing.
type parts struct {
	of    uint64
	total *cell
	cells []*cell
}

// checkDisclosure reports STA12 and STA13. It reads the folder again if some figure is suppressed,
// so that other folders need no memory for this.
func (x *index) checkDisclosure(report func(...schema.Problem)) {
	if len(x.suppressed) == 0 || x.folder == nil {
		return
	}
	d := &disclosure{
		index: x, parents: map[string][]string{}, wanted: map[uint64]bool{},
		said: map[int32]bool{}, report: report,
	}
	for _, e := range x.edges {
		if e.relation == record.RelationPartOf {
			part := x.idText(e.source)
			d.parents[part] = append(d.parents[part], x.idText(e.target))
		}
	}
	for _, c := range x.suppressed {
		for _, name := range d.comparisonKeys(c) {
			d.wanted[name] = true
		}
	}
	d.addComparedFigures()
	if len(x.suppressed) == mostCells || len(d.cells) == mostCells {
		report(x.newProblem(codes.FigureFollows, x.suppressed[0].entry, "/value", schema.Pos{},
			fmt.Sprintf("more than %d figures are suppressed or related to suppressed figures, and some were not compared", mostCells),
			"compare the remaining figures yourself"))
	}
	d.checkPairs()
	d.addSums()
	d.solveSums()
}

// comparisonKeys returns the keys under which figure c is compared: as a total, as a part, and in
// other units and editions.
func (d *disclosure) comparisonKeys(c *cell) []uint64 {
	list := []uint64{cellKey(c.whole, c.area), c.unit, c.edition}
	for _, s := range d.sumsOf(c) {
		list = append(list, s.total)
	}
	return list
}

// sumsOf returns the sums that figure c is a part of.
func (d *disclosure) sumsOf(c *cell) (list []sum) {
	for _, b := range c.bases {
		list = append(list, sum{b.name, cellKey(b.whole, c.area)})
	}
	if c.country != 0 {
		list = append(list, sum{0, cellKey(c.whole, c.country)})
	}
	for _, parent := range d.parents[c.entity] {
		list = append(list, sum{0, cellKey(c.whole, areaHash(record.SchemeEntity, parent))})
	}
	return list
}

// addComparedFigures adds the figures that are compared with suppressed ones.
func (d *disclosure) addComparedFigures() {
	type found struct {
		id   string
		cell *cell
	}
	parser := func() func(input.Item) found {
		p := new(record.Parser)
		return func(i input.Item) found {
			if i.Tree == nil || i.Kind.Name != record.KindHealthcareStatistic {
				return found{}
			}
			rec, _, _ := p.Decode(i.Kind, i.Tree)
			if s, ok := rec.(*record.HealthcareStatistic); ok && s.Indicator != "" {
				return found{strings.Clone(string(s.ID)), newCell(s)}
			}
			return found{}
		}
	}
	for f := range input.Read(input.Batches(d.folder, nil), 0, parser) {
		if f.cell == nil || len(d.cells) == mostCells ||
			!slices.ContainsFunc(d.comparisonKeys(f.cell), func(name uint64) bool { return d.wanted[name] }) {
			continue
		}
		if _, held := d.held[f.id]; held {
			continue
		}
		if f.cell.entry = d.Number(f.id); f.cell.entry < 0 {
			continue
		}
		if m := d.measures[d.names.numberOf(f.cell.id)]; m != nil && m.aggregation != "" {
			f.cell.counts = m.aggregation == record.AggregateSum
		}
		d.cells = append(d.cells, f.cell)
	}
}

// checkPairs looks for suppressed figures that another record, or the same record, reveals.
func (d *disclosure) checkPairs() {
	units, editions := map[uint64][]*cell{}, map[uint64][]*cell{}
	for _, c := range d.cells {
		units[c.unit], editions[c.edition] = append(units[c.unit], c), append(editions[c.edition], c)
	}
	is := func(value float64) bool { return !math.IsNaN(value) }
	for _, c := range d.cells {
		if !c.suppressed {
			continue
		}
		if is(c.numerator) {
			d.reportComputable(c, c.numerator, "its own numerator", "delete numerator", nil)
		}
		for _, o := range editions[c.edition] {
			if !o.suppressed && is(o.value) {
				d.reportComputable(c, o.value, "the same figure in another edition, or in a record that it replaces", "", []*cell{o})
			}
		}
		for _, o := range units[c.unit] {
			switch {
			case o.edition == c.edition || o.suppressed:
			case is(o.numerator):
				d.reportComputable(c, o.numerator, "the numerator of the same figure, in a different unit", "", []*cell{o})
			case is(o.value) && (is(o.denominator) || is(c.denominator)):
				d.reportComputable(c, math.NaN(), "the same figure in another unit, and its denominator", "", []*cell{o})
			}
		}
	}
}

// addSums adds figures to the sums that they are a part of, and then the totals.
func (d *disclosure) addSums() {
	sums, whole := map[sum]*parts{}, map[uint64]*cell{}
	for _, c := range d.cells {
		if c.replaced || !c.counts {
			continue
		}
		if name := cellKey(c.whole, c.area); whole[name] == nil {
			whole[name] = c
		}
		for _, s := range d.sumsOf(c) {
			if sums[s] == nil {
				sums[s] = &parts{of: s.total}
				d.sums = append(d.sums, sums[s])
			}
			sums[s].cells = append(sums[s].cells, c)
		}
	}
	for _, p := range d.sums {
		p.total = whole[p.of]
	}
}

// solveSums computes suppressed figures from sums with one unknown, until no more can be computed.
func (d *disclosure) solveSums() {
	for more := true; more; {
		more = false
		for _, p := range d.sums {
			more = p.total != nil && len(p.cells) > 1 && d.solveOne(p) || more
		}
	}
}

// solveOne reports whether a sum yields a suppressed figure. A contradictory sum is ignored: parts
// are missing or overlap.
func (d *disclosure) solveOne(p *parts) bool {
	var unknown, known []*cell
	rest, most := p.total.value, 0.0
	for _, c := range p.cells {
		if !math.IsNaN(c.value) {
			rest -= c.value
			known = append(known, c)
			continue
		}
		unknown = append(unknown, c)
		most += c.below - 1
	}
	if math.IsNaN(p.total.value) {
		if len(unknown) > 0 || !p.total.suppressed {
			return false
		}
		rest = 0
		for _, c := range known {
			rest += c.value
		}
		return d.setFigure(p.total, rest, "the sum of its parts", known)
	}
	rest = math.Round(rest*1e6) / 1e6
	each := math.NaN()
	switch {
	case len(unknown) == 0 || rest < 0:
		return false
	case len(unknown) == 1 || rest == 0:
		each = rest
	}
	found := false
	for _, c := range unknown {
		value := each
		if len(unknown) > 1 && rest == most {
			value = c.below - 1
		}
		if c.suppressed && !math.IsNaN(value) {
			words := "the total less the other parts"
			found = d.setFigure(c, value, words, append([]*cell{p.total}, known...)) || found
		}
	}
	return found
}

// setFigure stores and reports a figure that can be computed.
func (d *disclosure) setFigure(c *cell, value float64, words string, from []*cell) bool {
	if value >= c.below {
		return false
	}
	c.value = value
	d.reportComputable(c, value, words, "", from)
	return true
}

// reportComputable reports once that a figure can be computed. The message does not contain the
// figure, because others may read the report.
func (d *disclosure) reportComputable(c *cell, value float64, words, fix string, from []*cell) {
	if d.said[c.entry] {
		return
	}
	d.said[c.entry] = true
	const most = 5
	var names []string
	for _, o := range from[:min(len(from), most)] {
		names = append(names, d.ID(o.entry))
	}
	if more := len(from) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) > 0 {
		words += ": " + strings.Join(names, ", ")
	}
	code, pointer := codes.FigureFollows, "/value"
	if t := d.threshold; t > 0 && !(c.counts && value >= t) {
		code = codes.SmallFigureFollows
	}
	if fix = cmp.Or(fix, d.secondToSuppress(from)); code == codes.FigureFollows {
		fix += acceptHint(code, d.ID(c.entry))
	}
	d.report(d.newProblem(code, c.entry, pointer, schema.Pos{}, "the figure is suppressed, but can be computed from "+words, fix))
}

// secondToSuppress returns the figure to suppress as well: the smallest published part above zero,
// or the total.
func (d *disclosure) secondToSuppress(from []*cell) string {
	var best *cell
	for _, o := range from { // the total is larger than each part
		if !o.suppressed && o.value > 0 && (best == nil || o.value < best.value) {
			best = o
		}
	}
	if best == nil {
		return "suppress a second figure of the same total"
	}
	return "suppress a second figure, too, such as " + d.ID(best.entry)
}
