package tables

import (
	"fmt"
	"hash/maphash"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stele/internal/base/fold"
	"stele/internal/base/schema"
	"stele/internal/base/sheet"
	"stele/record"
)

var (
	totals = regexp.MustCompile(`(?i)^(grand |sub-?)?(total|totals|all|sum|gesamt|insgesamt|summe|ensemble|totale|totaal|suma|todos|итого|всего|المجموع|الإجمالي|合计|总计)($|[^\pL])`)

	measures   = regexp.MustCompile(`(?i)(^|[^\pL])(indicators?|indikator|indicateur|indicador|measures?|variables?|metric|series|показатель|المؤشر|指标)`)
	placeHead  = regexp.MustCompile(`(?i)(^|[^\pL])(regions?|districts?|provinces?|provinc\S*|count(y|ies)|states?|departments?|département|municipalit\S*|areas?|bundesland|kreis|landkreis|kantone?|cantons?|governorates?|prefectures?|kommune|fylke|субъект|région|región|provincia|estado|município|область|район|регион|المحافظة|المنطقة|省|市|县)($|[^\pL])`)
	unitHead   = regexp.MustCompile(`(?i)^(units?|units? of measure(ment)?|einheit|unité|unidad|unità|единица измерения|الوحدة|单位)$`)
	codeHead   = regexp.MustCompile(`(?i)(^|[ _-])(m49|iso\d?|fips|codes?|id|rank|no|nr|№|#)\.?([ _-]|$)`)
	timeHead   = regexp.MustCompile(`(?i)(^|[^\pL])(years?|jahr|années?|annees?|an|año|ano|anno|rok|år|vuosi|jaar|годы?|السنة|سنة|العام|年|年份|年度|periods?|période|periodo|período|zeitraum|time|timedim|date|datum|fecha|data|fy|months?|monat|mois|mes|mese|quarters?|weeks?)($|[^\pL])|[_.](year|date|period)$|time_period`)
	monthHead  = regexp.MustCompile(`(?i)(^|[^\pL])(months?|monat|mois|mes|mese|месяц|الشهر|月)($|[^\pL])`)
	fiscal     = regexp.MustCompile(`(?i)fiscal|financial|\bfy\b|school year|academic|haushaltsjahr|schuljahr|exercice|campaña|marketing year|season`)
	dividers   = regexp.MustCompile(`(?i)(^|[^\pL])(section|sex|gender|age|ages|age[ _-]?groups?|residence|education|wealth|quintile|cause|disease|vaccine|antigen|type|category|class|status|species|facility|sector|dim\d|geschlecht|alter|altersgruppe|sexe|âge|sexo|edad|idade|пол|возраст|الجنس|العمر|性别|年龄)($|[^\pL])`)
	partOfDay  = regexp.MustCompile(`(?i)^(ages?([ _-](in[ _-])?(years?|months?|groups?|bands?))?|alter( in jahren)?|âge|edad|idade|возраст|العمر|年龄|months?|monat|mois|mes|month number|quarters?|weeks?|days?|hours?|月|week number)( \((years|months|yrs|mo)\))?$`)
	codedHead  = regexp.MustCompile(`(?i)^(sex|gender|sexe|sexo|sesso|geschlecht|пол|الجنس|性别|class|category|type|status|residence|quintile|dim\d)([ _-]?(code|id))?$`)
	factorHead = regexp.MustCompile(`(?i)^(unit[ _]?mult(iplier)?|power ?code( code)?|multiplier|magnitude|scale)$`)
	flagHead   = regexp.MustCompile(`(?i)^(.* / )?((obs|observation)[ _]?)?(flags?|status|flag codes?)$`)
	isoHead    = regexp.MustCompile(`(?i)iso|alpha|country|land|pays|pa[ií]s|nation|m49|numeric`)
	someone    = regexp.MustCompile(`(?i)(reported|recorded|entered|completed|submitted|approved|collected) by|physician|doctor|nurse|contact|interview|village|hamlet|focal point|respondent|officer|investigator|surveyor|médecin|enquêteur|arzt|médico|entrevistador|врач|الطبيب|医生`)
)

// isUnused reports whether a column may be used without asking a person.
func (c *column) isUnused() bool { return !c.hidden && !IsAboutPersons(c.name) }

// isText reports whether a column contains texts other than figures, periods and areas.
func (c *column) isText() bool { return !c.hasFigures() && !c.isMost(c.areas) && !c.isMost(c.periods) }

// findArea finds the columns that name areas, the most likely first.
func (p *proposal) findArea() {
	var found []*column
	for _, c := range p.columns {
		way := c.area.bestReading()
		sure := way != areaDigits || c.area.codes && len(p.own) > 0 ||
			codeHead.MatchString(c.name) || isoHead.MatchString(c.name)
		na := c.known["NA"] // alone, it means no value
		if c.areas > 0 && (na == nil || c.areas > na.count) && c.areas*2 >= c.filled-c.countTotals() && c.isUnused() &&
			sure && !yearFirst.MatchString(c.name) && !unitHead.MatchString(c.name) {
			found = append(found, c)
		}
	}
	if slices.ContainsFunc(found, func(c *column) bool { return len(c.area.ways) > 0 }) { // others name regions
		found = slices.DeleteFunc(found, func(c *column) bool { return len(c.area.ways) == 0 })
	}
	rank := func(c *column) int {
		if at := slices.Index(p.own, c.area.ownReading()); at >= 0 {
			return at - len(p.own)
		}
		return slices.Index(areaReadings, c.area.bestReading())
	}
	slices.SortStableFunc(found, func(a, b *column) int { return rank(a) - rank(b) })
	if len(found) == 0 {
		if heads := p.findAreaHeadings(); heads != nil {
			p.area = heads
			return
		}
		found = p.askArea()
		p.ownAreas = len(found) > 0
	}
	if len(found) > 0 {
		p.area, p.areasToo = found[0], found[1:]
	}
}

// isTotal reports whether a text is a total, perhaps of the rows with another text: France Total.
func (c *column) isTotal(text string) bool {
	of, found := strings.CutSuffix(text, " Total")
	return totals.MatchString(text) || found && c.known[of] != nil
}

func (c *column) countTotals() (n int) {
	for text, w := range c.known {
		n += w.count * boolToInt(c.isTotal(text))
	}
	return n
}

// askArea finds a column of areas other than countries by its heading, or asks. The answer may be
// one area for all figures, which no column names.
func (p *proposal) askArea() []*column {
	q := Question{ID: "area", Text: say("area"), Free: say("area code")}
	var places []*column
	for _, c := range p.columns {
		if !c.isUnused() || c.filled == 0 || c.many ||
			!c.isText() && !codeHead.MatchString(c.name) || c.isMost(c.periods) {
			continue
		}
		if placeHead.MatchString(c.name) && c.isText() {
			if places = append(places, c); len(places) > 1 && len(c.known) == len(places[0].known) {
				return places // codes and names
			}
			continue
		}
		if len(q.Choices) < 10 {
			choice := Choice{Value: c.name, Label: say("column", c.name)}
			for _, text := range sortedTexts(c.known)[:min(2, len(c.known))] {
				choice.Examples = append(choice.Examples, Example{Line: c.known[text].line, Text: text})
			}
			q.Choices = append(q.Choices, choice)
		}
	}
	if len(places) > 0 {
		return places[:1]
	}
	answer, _ := p.ask(q)
	if c := findColumn(p.columns, answer); c != nil {
		return []*column{c}
	}
	if code, _ := parseArea(answer); code != "" {
		p.set = append(p.set, "ref_area_scheme: iso3166", "ref_area: "+code)
	}
	return nil
}

// findTime finds the column with periods. If several columns contain periods, the heading decides.
func (p *proposal) findTime() error {
	var found, named []*column
	for _, c := range p.columns {
		if p.isTaken(c) || !c.isMost(c.periods) || !c.isUnused() ||
			slices.ContainsFunc(strings.Split(c.name, " / "), isPeriodLike) {
			continue
		}
		found = append(found, c)
		if timeHead.MatchString(c.name) {
			named = append(named, c)
		}
	}
	if len(named) > 0 {
		found, named = named, found
	}
	if err := p.dropCopies(append(found, named...)); err != nil {
		return err
	}
	found = slices.DeleteFunc(found, p.isTaken)
	if len(found) == 1 {
		p.time = found[0]
	}
	if len(found) < 2 {
		return nil
	}
	q := Question{ID: "time", Text: say("time")}
	for _, c := range found {
		seen := c.period.seen[:min(2, len(c.period.seen))]
		q.Choices = append(q.Choices, Choice{Value: c.name, Label: say("column", c.name), Examples: seen})
	}
	answer, _ := p.ask(q)
	p.time = findColumn(found, answer)
	return nil
}

// dropCopies ignores columns whose cells are equal to those of the first of them.
func (p *proposal) dropCopies(list []*column) error {
	if len(list) < 2 {
		return nil
	}
	of, copies := list[0], slices.DeleteFunc(slices.Clone(list[1:]), func(c *column) bool { return c == list[0] })
	err := p.eachRow(func(row sheet.Row) bool {
		copies = slices.DeleteFunc(copies, func(c *column) bool { return row.At(c.at).Text != row.At(of.at).Text })
		return len(copies) > 0
	})
	for _, c := range copies {
		p.left[c] = say("left copy", of.name)
	}
	return err
}

func findColumn(columns []*column, name string) *column {
	i := slices.IndexFunc(columns, func(c *column) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return columns[i]
}

// findValues finds the columns of figures. A column of years next to the column of periods contains
// figures only if a person says so.
func (p *proposal) findValues() {
	for _, c := range p.columns {
		named := p.time != nil && timeHead.MatchString(p.time.name) && !timeHead.MatchString(c.name)
		switch {
		case p.isTaken(c) || !c.hasFigures() || !c.isUnused():
		case p.isWanted(c):
			p.values = append(p.values, c)
		case codeHead.MatchString(c.name), factorHead.MatchString(c.name):
		case partOfDay.MatchString(c.name), codedHead.MatchString(c.name):
		case !c.broken && strings.HasPrefix(c.name, "column ") && c.filled > 1:
			p.left[c] = say("left numbers")
		case c.name == unnamedColumn(c.at) || strings.HasSuffix(c.name, " ("+unnamedColumn(c.at)+")"):
			p.askFigures(c, say("figures unnamed", c.name))
		case p.time != nil && c.isMost(c.periods) && !named && !yearFirst.MatchString(c.name):
			switch p.askChoice("column "+c.name, say("years", c.name), "figures", "vintage", "ignore") {
			case "figures":
				p.values = append(p.values, c)
			case "vintage":
				p.takeColumn("vintage", c)
			case "ignore":
				p.left[c] = say("left answered")
			}
		default:
			p.values = append(p.values, c)
		}
	}
}

// isWanted reports whether a person wants the figures of a column.
func (p *proposal) isWanted(c *column) bool { return p.answers["column "+c.name] == "figures" }

// askFigures asks whether to use the figures of a column, and under which name.
func (p *proposal) askFigures(c *column, text Phrase) {
	answer, _ := p.ask(Question{
		ID: "column " + c.name, Text: text,
		Choices: []Choice{
			{Value: "ignore", Label: say("figures ignore")},
			{Value: "figures", Label: say("figures figures"), Examples: c.figures.first},
		},
	})
	if answer == "figures" {
		p.values = append(p.values, c)
	} else {
		p.left[c] = say("left unanswered")
	}
}

// findIndicators finds the column whose texts are indicators.
func (p *proposal) findIndicators() {
	for _, c := range p.columns {
		few := len(c.known) > 0 && len(c.known) <= 30 && !c.many
		if few && measures.MatchString(c.name) && c.isUnused() && c.isText() && !p.isTaken(c) {
			p.indicators = c
			return
		}
	}
}

// distinguishingColumns returns the columns that distinguish rows with the same area, period and
// indicator. These are dimensions, not remarks.
func (p *proposal) distinguishingColumns(candidates []*column) (needed map[*column]bool, err error) {
	needed = map[*column]bool{}
	seed := maphash.MakeSeed()
	first := map[uint64][]uint64{}
	base := slices.DeleteFunc([]*column{p.area, p.time, p.indicators}, func(c *column) bool { return c == nil })
	n := 0
	err = p.eachRow(func(row sheet.Row) bool {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, c := range base {
			h.WriteString(trimSpace(row.At(c.at).Text) + "\x00")
		}
		texts := make([]uint64, len(candidates))
		for i, c := range candidates {
			texts[i] = maphash.String(seed, trimSpace(row.At(c.at).Text))
		}
		if before, known := first[h.Sum64()]; known {
			for i, c := range candidates {
				needed[c] = needed[c] || before[i] != texts[i]
			}
		} else {
			first[h.Sum64()] = texts
		}
		n++
		return n < someRows
	})
	return needed, err
}

// someRows is the number of rows that are read a second time.
const someRows = 200_000

// findDimensions handles the remaining columns: dimensions, constant texts, and those that a person
// must decide about.
func (p *proposal) findDimensions() error {
	var few []*column
	for _, c := range p.columns {
		if p.isTaken(c) || !c.isUnused() {
			continue
		}
		if len(c.known) <= 60 && !c.many && c.faults == 0 && c.filled > 0 {
			few = append(few, c)
		}
	}
	needed, err := p.distinguishingColumns(few)
	if err != nil {
		return err
	}
	for _, c := range p.columns {
		if p.isTaken(c) {
			continue
		}
		unit := unitHead.MatchString(c.name)
		named := dividers.MatchString(c.name) || partOfDay.MatchString(c.name) || unit
		divides := len(c.known) > 1 && (named || len(c.known)*2 <= c.filled || needed[c])
		dimension := slices.Contains(few, c) && (unit || divides)
		switch {
		case c.hidden:
			p.left[c] = say("left hidden")
		case c.filled == 0:
			p.left[c] = say("left empty")
		case IsAboutPersons(c.name):
			p.left[c] = say("left persons")
		case c.fault.Text != "":
			p.leaveFaulty(c)
		case factorHead.MatchString(c.name) && (len(c.known) > 1 || c.known["0"] == nil && c.known["Units"] == nil):
			p.left[c] = say("left answered")
			p.askChoice("column "+c.name, say("factor", c.name, c.firstText(func(*word) bool { return true }).Text), "ignore")
		case flagHead.MatchString(c.name):
			p.takeFlags(c)
		case someone.MatchString(c.name), c.isText() && c.isNearlyUnique() && !named && !codeHead.MatchString(c.name):
			p.askColumn(c, someone.MatchString(c.name) || slices.ContainsFunc(sortedTexts(c.known), hasWord))
		case codeHead.MatchString(c.name):
			p.left[c] = say("left codes")
		case dimension:
			p.takeDimension(c)
		case len(c.known) == 1 && c.filled == p.rows:
			p.left[c] = say("left same")
		default:
			p.askColumn(c, false)
		}
	}
	return nil
}

// takeFlags uses a column of codes for the status of figures, or asks about it.
func (p *proposal) takeFlags(c *column) {
	list := record.KindNamed(record.KindHealthcareStatistic).Shape().Member("obs_status").Shape.List
	known := func(text string) bool {
		return slices.ContainsFunc(list, func(v schema.Value) bool { return v.Word == text })
	}
	if slices.ContainsFunc(sortedTexts(c.known), func(text string) bool { return !known(text) }) {
		p.askColumn(c, false)
	} else {
		p.takeColumn("obs_status", c)
	}
}

func hasWord(text string) bool {
	return strings.ContainsFunc(text, unicode.IsLetter) && !isNoValueSign(text)
}

// leaveFaulty leaves out a column with a cell that a workbook does not show. If it may contain
// figures or periods, leaveFaulty asks for a corrected table.
func (p *proposal) leaveFaulty(c *column) {
	p.left[c] = say("left fault", c.fault.Line, c.fault.Text)
	if c.numbers > 0 || len(p.values) == 0 || c.periods > 0 && p.time == nil {
		p.askForCleanCells(c)
	}
}

// askForCleanCells asks to correct a cell with a fault of the workbook.
func (p *proposal) askForCleanCells(c *column) {
	p.askForCorrection("cells of "+c.name, say("fault cells", c.name, c.fault.Line, c.fault.Text))
}

// askColumn asks for the use of a column of texts, which may be about people if personal is true.
func (p *proposal) askColumn(c *column, personal bool) {
	var text Phrase
	e := c.firstText(func(*word) bool { return true })
	switch {
	case personal:
		text = say("column person", c.name, cutText(e.Text), e.Line)
	case c.numbers > 0 && c.numbers < c.filled && !c.hasFigures():
		odd := c.firstText(func(w *word) bool { return !w.number && !w.missing })
		text = say("column odd", c.filled-c.numbers, c.filled, c.name, cutText(odd.Text))
	default:
		text = say("column texts", c.name, len(c.known), cutText(e.Text), e.Line)
	}
	q := newQuestion("column "+c.name, say("column"), "ignore", "dimension", "note")
	isAfter := func(v *column) bool { return strings.HasPrefix(c.name, v.name+" / ") }
	if q.Text = text; slices.ContainsFunc(p.values, isAfter) { // it is for these figures only
		q.Choices = q.Choices[:1]
	}
	switch answer, _ := p.ask(q); answer {
	case "ignore":
		p.left[c] = say("left answered")
	case "dimension":
		p.takeDimension(c)
	case "note":
		p.takeColumn("note", c)
	}
}

// firstText returns the first text of a column for which matches is true.
func (c *column) firstText(matches func(*word) bool) (e Example) {
	for text, w := range c.known {
		if matches(w) && (e.Line == 0 || w.line < e.Line) {
			e = Example{Line: w.line, Text: text}
		}
	}
	return e
}

func (p *proposal) takeDimension(c *column) {
	name := slug(c.name)
	if unitHead.MatchString(c.name) && p.members["unit"] == nil {
		p.takeColumn("unit", c)
		return
	}
	all := func(is func(string) bool) bool {
		other := func(text string) bool { return !is(text) && !totals.MatchString(text) }
		return !slices.ContainsFunc(sortedTexts(c.known), other)
	}
	switch unnamed := c.name == unnamedColumn(c.at); {
	case unnamed && all(isSex):
		name = "sex"
	case unnamed && all(ages.MatchString):
		name = "age"
	case name == "":
		name = fmt.Sprintf("column-%d", c.at+1)
	}
	member := "dimensions." + name
	for n := 2; p.members[member] != nil; n++ {
		member = fmt.Sprintf("dimensions.%s-%d", name, n)
	}
	p.takeColumn(member, c)
	c.divides = true
	for _, text := range sortedTexts(c.known) {
		if wasAge.MatchString(text) {
			p.askForCorrection("dates in "+c.name, say("dates", text, c.name, c.known[text].line))
			return
		}
	}
}

// wasAge matches what spreadsheets make of 5-9 and 10-14.
var wasAge = regexp.MustCompile(`(?i)^(\d{1,2}[-. ]+(jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)\pL*\.?|(jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)\pL*\.?[-. ]+\d{1,2})$`)

func sortedTexts(known map[string]*word) []string { return slices.Sorted(maps.Keys(known)) }

// slug returns a name in lower case without accents, with hyphens for all but ASCII letters and
// digits; "" if nothing is left.
func slug(name string) string {
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	s := strings.Join(strings.FieldsFunc(fold.Accents(name), other), "-")
	if len(s) > 40 {
		s = strings.TrimRight(s[:40], "-")
	}
	return s
}
