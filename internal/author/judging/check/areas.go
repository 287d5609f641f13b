package check

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/sheet/areas"
	"stele/internal/base/suggest"
	"stele/record"
)

// readAreas reads the schemes that the settings name, and returns the problems of their tables.
func (t *Texts) readAreas(list settings.AreaSchemes) (problems []schema.Problem) {
	if len(list) == 0 {
		return nil
	}
	sum := fnv.New64a()
	t.Areas, problems = input.ReadAreas(t.FS(), list, sum)
	for _, s := range t.Areas {
		problems = append(problems, checkAreas(s)...)
		sum.Write([]byte(s.Name)) // a hash never fails
	}
	t.State += sum.Sum64() // facts cached with other tables are invalid
	return problems
}

// AreaScheme returns the scheme in the settings called name, or nil.
func (t *Texts) AreaScheme(name record.AreaScheme) *areas.Scheme {
	if t == nil {
		return nil
	}
	return areas.Named(t.Areas, string(name))
}

// AreaSchemes returns the schemes of areas that the settings name.
func (c *Checker) AreaSchemes() []*areas.Scheme {
	if c.texts == nil {
		return nil
	}
	return c.texts.Areas
}

// AreaChecks returns the checks of the tables of areas.
func AreaChecks() (list []areas.Check) {
	for _, info := range codes.Table {
		if strings.HasPrefix(string(info.Code), "ARE") && info.Code != codes.AreaOutsidePeriod &&
			info.Code != codes.MixedEditions && info.Code != codes.ZeroAfterEnd {
			list = append(list, areas.Check{Code: string(info.Code), Title: info.Title})
		}
	}
	return list
}

// areaCheck checks the tables of a scheme.
type areaCheck struct {
	*areas.Scheme
	problems []schema.Problem
}

// checkAreas returns the problems of a scheme's tables.
func checkAreas(s *areas.Scheme) []schema.Problem {
	c := &areaCheck{Scheme: s}
	for i := 0; i < len(s.Changes) && len(c.problems) < mostAreaProblems; i++ {
		c.checkChange(&s.Changes[i])
	}
	for i := 0; i < len(s.Codes) && len(c.problems) < mostAreaProblems; i++ {
		c.checkCode(&s.Codes[i])
	}
	if len(c.problems) >= mostAreaProblems {
		c.problems[len(c.problems)-1].Message += "; the rest of the tables was not checked"
	}
	return c.problems
}

// mostAreaProblems is the number of problems of a scheme's tables at which its check ends.
const mostAreaProblems = 1000

func (c *areaCheck) report(code codes.Code, file string, line int, value, message, fix string) {
	c.problems = append(c.problems, schema.Problem{
		Code: code, File: file, Line: line, Value: value, Message: message, Fix: fix,
	})
}

// checkChange checks that both codes of a change exist and are valid, and that they end and begin
// as its kind requires.
func (c *areaCheck) checkChange(x *areas.Change) {
	wrong := func(code codes.Code, value, message, fix string) {
		c.report(code, c.ChangesFile, x.Line, value, message, fix)
	}
	from, to, eve := c.Code(x.From), c.Code(x.To), areas.AddDays(x.Date, -1)
	for _, code := range []string{x.From, x.To} {
		if code != "" && c.Code(code) == nil {
			wrong(codes.UnknownAreaCode, code, "code "+quoteText(code)+" is not in "+c.CodesFile, c.unknownFix(code))
			return
		}
	}
	switch {
	case from != nil && !from.Valid(eve):
		wrong(codes.AreaNotValid, x.From, fmt.Sprintf("%s is not valid on %s, the day before the change", areas.Title(from), eve),
			"correct the date or from_code"+c.validFix(from, eve))
		return
	case to != nil && !to.Valid(x.Date):
		wrong(codes.AreaNotValid, x.To, fmt.Sprintf("%s is not valid on %s, the day of the change", areas.Title(to), x.Date),
			"correct the date or to_code"+c.validFix(to, x.Date))
		return
	}
	ends := x.Kind == areas.Recode || x.Kind == areas.Merge || x.Kind == areas.Split ||
		x.Kind == areas.Gone || x.IsSame()
	begins := x.Kind == areas.Recode || x.Kind == areas.Split || x.Kind == areas.New || x.IsSame()
	switch {
	case from != nil && ends && from.To != eve:
		wrong(codes.AreaContinues, x.From, fmt.Sprintf("%s needs an area that ends on %s, but %s does not", x.Kind, eve, areas.Title(from)),
			"set valid_to of the area to "+eve+", or set kind to part if only part of the area goes")
	case to != nil && begins && to.From != x.Date:
		wrong(codes.AreaContinues, x.To, fmt.Sprintf("%s needs an area that begins on %s, but %s does not", x.Kind, x.Date, areas.Title(to)),
			"set valid_from of the area to "+x.Date+", or set kind to merge or part if the area existed before")
	}
}

// checkCode checks the parent of code x, and the changes at its beginning and its end.
func (c *areaCheck) checkCode(x *areas.Code) {
	if parent := c.Code(x.Parent); parent != nil {
		c.checkParent(x, parent)
	}
	changed, days := c.ChangesFrom(x.Code), map[string]int{}
	for _, y := range changed {
		days[y.Date]++
	}
	known := slices.DeleteFunc(changed, func(y *areas.Change) bool {
		return y.To != "" && c.Code(y.To) == nil // already reported
	})
	slices.SortStableFunc(known, func(a, b *areas.Change) int {
		return cmp.Or(strings.Compare(a.Date, b.Date), strings.Compare(c.successorLevel(a), c.successorLevel(b)))
	})
	for len(known) > 0 { // those of each day, to areas of each level
		end := slices.IndexFunc(known, func(y *areas.Change) bool {
			return y.Date != known[0].Date || c.successorLevel(y) != c.successorLevel(known[0])
		})
		if end < 0 {
			end = len(known)
		}
		c.checkSuccessors(x, known[:end], days[known[0].Date])
		known = known[end:]
	}
	c.checkPredecessors(x)
	is := func(day string) func(y *areas.Change) bool {
		return func(y *areas.Change) bool { return y.Date == day }
	}
	if next := areas.AddDays(x.To, 1); x.To != "" && days[next] == 0 {
		c.report(codes.AreaUnexplained, c.CodesFile, x.Line, x.Code, fmt.Sprintf("%s ends on %s, but no change says what became of it", areas.Title(x), x.To),
			"add rows with date "+next+" for its successors to "+c.ChangesFile+", or a row with kind gone")
	}
	if x.From != "" && !slices.ContainsFunc(c.ChangesTo(x.Code), is(x.From)) {
		c.report(codes.AreaUnexplained, c.CodesFile, x.Line, x.Code, fmt.Sprintf("%s begins on %s, but no change says what it was before", areas.Title(x), x.From),
			"add rows with date "+x.From+" for its predecessors to "+c.ChangesFile+", or a row with kind new")
	}
}

// checkParent checks that parent is valid on all days of its child x.
func (c *areaCheck) checkParent(x, parent *areas.Code) {
	message := ""
	switch {
	case parent.To != "" && (x.To == "" || x.To > parent.To):
		message = "ends on " + parent.To + ", before it"
	case parent.From != "" && x.From != "" && x.From < parent.From:
		message = "begins on " + parent.From + ", after it"
	default:
		return
	}
	message = fmt.Sprintf("the parent of %s, %s, %s", areas.Title(x), areas.Title(parent), message)
	c.report(codes.WrongAreaParent, c.CodesFile, x.Line, x.Parent, message,
		"choose a parent that is valid on all days of the area, or correct the days")
}

func compareLines(a, b *areas.Change) int { return cmp.Compare(a.Line, b.Line) }

// checkSuccessors checks that the changes of an area on one day to areas of one level agree. onDay
// is the number of its changes on that day to areas of any level.
func (c *areaCheck) checkSuccessors(x *areas.Code, list []*areas.Change, onDay int) {
	count, last := map[string]int{}, slices.MaxFunc(list, compareLines)
	whole := slices.DeleteFunc(slices.Clone(list), func(y *areas.Change) bool { return !y.IsWhole() })
	for _, y := range list {
		count[y.Kind]++
	}
	wrong := func(code codes.Code, y *areas.Change, message, fix string) {
		c.report(code, c.ChangesFile, y.Line, x.Code, message, fix)
	}
	slices.SortFunc(whole, compareLines)
	switch {
	case len(whole) > 1:
		wrong(codes.AreaGoesTwice, whole[1], fmt.Sprintf("the whole of %s goes to %s here, and to %s in line %d", areas.Title(x), whole[1].To, whole[0].To, whole[0].Line),
			"delete one of the two rows, or set kind to part or split in both")
	case len(whole) == 1 && count[areas.Split] > 0 || count[areas.Gone] > 0 && onDay > 1:
		wrong(codes.AreaGoesTwice, last, areas.Title(x)+" has changes on "+last.Date+" that exclude each other",
			"set kind to split in the rows of all its successors, or to part in all rows except that of the whole area; gone excludes all other changes")
	case count[areas.Recode] > 0 && count[areas.Part] > 0:
		wrong(codes.AreaGoesTwice, last, areas.Title(x)+" is the same area under a new code, but a part of it also goes elsewhere",
			"set kind to merge instead of recode, or to boundary if the difference is trivial")
	case count[areas.Split] == 1:
		wrong(codes.AreaGoesTwice, last, areas.Title(x)+" is split, but has only one successor", "add its other successors, or set kind to recode or merge")
	case count[areas.Part] == 1 && len(list) == 1 && x.To == areas.AddDays(last.Date, -1) && shareOf(last) != 1:
		wrong(codes.AreaUnexplained, last, areas.Title(x)+" ends, but only a part of it has a successor", "add the other parts, or set kind to merge")
	}
	c.checkShares(x, list)
}

// successorLevel returns the level of the successor in y. An area may go to one area of each level.
func (c *areaCheck) successorLevel(y *areas.Change) string {
	if to := c.Code(y.To); to != nil {
		return to.Level
	}
	return ""
}

// shareOf returns the share of a change, or NaN.
func shareOf(y *areas.Change) float64 {
	share, err := strconv.ParseFloat(string(y.Share), 64)
	if err != nil {
		return math.NaN()
	}
	return share
}

// checkShares checks that the shares of an area on one day add up to 1, apart from rounding.
func (c *areaCheck) checkShares(x *areas.Code, list []*areas.Change) {
	sum, rounding, count, whole := 0.0, 1e-9, 0, true
	for _, y := range list {
		whole = whole && y.From != y.To
		if y.Share == "" {
			continue
		}
		count++
		if y.IsWhole() && shareOf(y) != 1 {
			c.report(codes.WrongShares, c.ChangesFile, y.Line, x.Code,
				fmt.Sprintf("%s of %s has the share %s, but the kind says that the whole area goes there", y.Kind, areas.Title(x), y.Share),
				"set kind to part, or delete the share")
			return
		}
		sum += shareOf(y)
		_, decimals, _ := strings.Cut(string(y.Share), ".")
		rounding += 0.5 * math.Pow(10, -float64(len(decimals)))
	}
	first := slices.MinFunc(list, compareLines)
	switch {
	case count == 0:
	case count < len(list):
		c.report(codes.WrongShares, c.ChangesFile, first.Line, x.Code,
			fmt.Sprintf("%d of %d changes of %s on %s have a share", count, len(list), areas.Title(x), first.Date),
			"give the share and basis of each change, or of none")
	case math.Abs(sum-1) > rounding:
		c.report(codes.WrongShares, c.ChangesFile, first.Line, x.Code, fmt.Sprintf("the shares of %s on %s add up to %.4g, not 1", areas.Title(x), first.Date, sum),
			"correct the shares, or add the missing successor")
	case whole && x.To != areas.AddDays(first.Date, -1):
		c.report(codes.AreaContinues, c.ChangesFile, first.Line, x.Code, fmt.Sprintf("the shares of %s on %s add up to 1, but the area still exists", areas.Title(x), first.Date),
			"set valid_to of the area to "+areas.AddDays(first.Date, -1)+", or add the share that it keeps")
	}
}

// checkPredecessors checks that an area is the same as only one predecessor.
func (c *areaCheck) checkPredecessors(x *areas.Code) {
	var same *areas.Change
	for _, y := range c.ChangesTo(x.Code) {
		if y.IsSame() && same != nil && same.Date == y.Date {
			later, first := y, same
			if later.Line < first.Line {
				later, first = first, later
			}
			c.report(codes.AreaGoesTwice, c.ChangesFile, later.Line, x.Code,
				fmt.Sprintf("%s is the same area as %s here, and as %s in line %d", areas.Title(x), later.From, first.From, first.Line),
				"set kind to merge for the areas that were merged into it")
		}
		if y.IsSame() {
			same = y
		}
	}
	if same == nil || same.Kind != areas.Recode {
		return
	}
	for _, y := range c.ChangesTo(x.Code) {
		from := c.Code(y.From)
		if y.Kind == areas.Merge && y.Date == same.Date && from != nil && from.Parent != "" && from.Parent != same.From {
			c.report(codes.AreaGoesTwice, c.ChangesFile, y.Line, y.From,
				fmt.Sprintf("%s is %s with a new code, so %s cannot be added to it", areas.Title(x), same.From, areas.Title(from)),
				"set kind to merge instead of recode in line "+strconv.Itoa(same.Line)+", or set its parent to "+same.From+" if the area was inside that area")
		}
	}
}

func (c *areaCheck) unknownFix(code string) string {
	if near := c.Nearest(code); near != nil {
		return "did you mean " + areas.Title(near) + "? Otherwise add a row for " + code
	}
	return "correct the code, or add a row for it"
}

// validFix returns the end of a remedy: another code with the name of x that is valid on day.
func (c *areaCheck) validFix(x *areas.Code, day string) string {
	for _, other := range c.CodesNamed(x.Name) {
		if other.Valid(day) {
			return "; on that day, " + x.Name + " is " + other.Code
		}
	}
	return ""
}

// areaUse is the area of a statistic in a publisher's scheme, with the days of the period on which
// the code is valid.
type areaUse struct {
	scheme, indicator, period, vintage string
	first, last                        string
}

// checkArea adds the problem of a statistic's area in a publisher's scheme. If there is none, it
// returns the use of the area.
func (t *Texts) checkArea(s *record.HealthcareStatistic, tree *schema.Tree, to *[]schema.Problem) *areaUse {
	if t == nil || !s.RefAreaScheme.Own() || s.RefArea == "" || s.TimePeriod == "" {
		return nil
	}
	wrong := func(code codes.Code, pointer, message, fix string) {
		p := problemAt(tree, code, pointer, message, fix)
		if i, ok := tree.At(pointer); ok {
			p.Value = strings.Clone(schema.Shorten(tree.Nodes[i].Text))
			p.Width = len(p.Value)
		}
		*to = append(*to, p)
	}
	scheme := t.AreaScheme(s.RefAreaScheme)
	if scheme == nil {
		wrong(codes.NotInList, "/ref_area_scheme", "ref_area_scheme: unknown value "+quoteText(string(s.RefAreaScheme)),
			t.schemeFix(string(s.RefAreaScheme)))
		return nil
	}
	code := scheme.Code(s.RefArea)
	first, last := string(s.TimePeriod.Start()), string(s.TimePeriod.End())
	switch {
	case code == nil:
		fix := "write a code of " + scheme.CodesFile
		if near := scheme.Nearest(s.RefArea); near != nil {
			fix = "did you mean " + areas.Title(near) + areas.Years(near) + "?"
		}
		wrong(codes.AreaOutsidePeriod, "/ref_area", quoteText(s.RefArea)+" is not a code of "+scheme.Name, fix)
		return nil
	case code.To != "" && code.To < first && s.Value != "" && s.Value.Float() == 0:
		wrong(codes.ZeroAfterEnd, "/value",
			fmt.Sprintf("the value is 0, but %s ended on %s, before %s", areas.Title(code), code.To, s.TimePeriod),
			"delete the statistic"+scheme.BecameText(code))
		return nil
	case !code.Overlaps(first, last):
		message, fix := scheme.OutsideProblem(code, string(s.TimePeriod), first, last)
		wrong(codes.AreaOutsidePeriod, "/ref_area", message, fix)
		return nil
	}
	if code.To != "" {
		last = min(last, code.To)
	}
	return &areaUse{
		scheme: scheme.Name, indicator: s.Indicator, period: s.TimePeriod.Key(), vintage: s.Vintage.Key(),
		first: max(first, code.From), last: last,
	}
}

func (t *Texts) schemeFix(name string) string {
	known := slices.Clone(areaSchemeWords)
	for _, s := range t.Areas {
		known = append(known, s.Name)
	}
	return cmp.Or(schema.DidYouMean(suggest.Closest(name, known)), "write one of "+strings.Join(known, ", "))
}

var areaSchemeWords = schema.ShapeOf[record.AreaScheme]().Words()

// cloneStrings clones the strings, so that they share no memory with a file's text.
func (u *areaUse) cloneStrings() {
	for _, s := range []*string{&u.scheme, &u.indicator, &u.period, &u.vintage, &u.first, &u.last} {
		*s = strings.Clone(*s)
	}
}

// edition contains the days on which all areas of an indicator in one period are valid. It ends
// before it begins if the areas are of several editions.
type edition struct {
	first, last           string
	begins, ends, against int32 // the records whose areas have these days; the first that disagrees, or -1
}

// editionKey identifies the figures of an indicator for one period.
type editionKey struct{ scheme, indicator, period, vintage string }

// addEdition adds the area of record n to the edition of its indicator and period.
func (x *index) addEdition(n int32, u *areaUse) {
	key := editionKey{u.scheme, u.indicator, u.period, u.vintage}
	e := x.editions[key]
	if e == nil {
		u.cloneStrings()
		key = editionKey{u.scheme, u.indicator, u.period, u.vintage}
		x.editions[key] = &edition{first: u.first, last: u.last, begins: n, ends: n, against: -1}
		return
	}
	if e.against >= 0 {
		return
	}
	switch {
	case u.first > e.last:
		e.against, e.begins = n, e.ends
	case u.last < e.first:
		e.against = n
	}
	if u.first > e.first {
		e.first = strings.Clone(u.first)
		if e.against < 0 {
			e.begins = n
		}
	}
	if u.last < e.last {
		e.last = strings.Clone(u.last)
		if e.against < 0 {
			e.ends = n
		}
	}
}

// checkEditions reports indicators with areas of several editions in one period.
func (x *index) checkEditions(report func(...schema.Problem)) {
	for key, e := range x.editions { // any order: reports are sorted later
		if e.against >= 0 {
			report(x.newProblem(codes.MixedEditions, e.against, "/ref_area", schema.Pos{},
				fmt.Sprintf("this area and that of %s are never valid on the same day of %s, but both have figures of %s", x.locationOf(e.begins), key.period, quoteText(key.indicator)),
				"use areas of one edition for all figures of a period"+acceptHint(codes.MixedEditions, x.ID(e.against))))
		}
	}
}
