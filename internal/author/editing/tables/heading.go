package tables

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stele/internal/base/fold"
)

// token is a part of a heading: words, or a period, sex or age.
type token struct{ group, text string }

var (
	yearFirst  = regexp.MustCompile(`^((1[5-9]|20|21)\d\d)\b`)
	yearInside = regexp.MustCompile(`^(.*?)((?:1[5-9]|20|21)\d\d(?:[-/–]\d\d(?:\d\d)?)?)(\D*)$`)
	ages       = regexp.MustCompile(`(?i)^(age[sd]? |alter |âge |edad )?(\d{1,3}\s*[-–]\s*\d{1,3}|\d{1,3}\s*\+|<\s*\d{1,2}|≥\s*\d{1,2}|under \d{1,2}|\d{1,2} and over|\d{1,2} or older|all ages)( years| yrs| jahre| ans| años)?$`)
	sexes      = strings.Fields(fold.Accents(`male males men man boys m female females women woman girls f both
		mann manner mannlich frau frauen weiblich homme hommes masculin femme femmes feminin hombre hombres masculino mujer mujeres femenino
		homem homens mulher mulheres feminino maschi femmine мужчины женщины мужской женскии ذكور إناث ذكر أنثى 男 女 男性 女性`))
)

func isSex(text string) bool { return slices.Contains(sexes, fold.Accents(text)) }

// quarter matches headings of quarters whose year is elsewhere.
var quarter = regexp.MustCompile(`^[QqTt] ?[1-4]$`)

// findParts sets p.part if headings of figures name months or quarters, and something else their
// year.
func (p *proposal) findParts() {
	months, quarters := map[int]bool{}, map[string]bool{}
	for _, c := range p.values {
		for part := range strings.SplitSeq(c.name, " / ") {
			months[parseMonthName(part)] = true
			quarters[quarter.FindString(part)] = true
		}
	}
	switch years := p.time == nil || slices.Equal(p.time.period.acceptedReadings(), []string{"years"}); {
	case years && len(months) > 2: // besides 0
		p.part = "time_month"
	case years && len(quarters) > 2:
		p.part = "time_quarter"
	}
}

// isPart reports whether part of a heading is a month or quarter whose year is elsewhere.
func (p *proposal) isPart(part string) bool {
	return p.part == "time_month" && parseMonthName(part) > 0 ||
		p.part == "time_quarter" && quarter.MatchString(part)
}

// splitHeading splits the heading of a column of figures. It looks for periods only if no column
// contains them.
func (p *proposal) splitHeading(name string) (list []token) {
	words := func(text string) {
		if n := len(list); n > 0 && list[n-1].group == "" {
			list[n-1].text += text
		} else if text != "" {
			list = append(list, token{"", text})
		}
	}
	for i, part := range strings.Split(name, " / ") {
		if i > 0 {
			words(" / ")
		}
		before, period, after := p.findPeriod(part)
		switch {
		case p.hasAreaHeadings() && p.area.known[part] != nil:
			list = append(list, token{"ref_area", part})
		case p.isPart(part):
			list = append(list, token{p.part, part})
		case isSex(part):
			list = append(list, token{"sex", part})
		case ages.MatchString(part):
			list = append(list, token{"age", part})
		case period != "":
			words(before)
			list = append(list, token{"time_period", period})
			words(after)
		default:
			words(part)
		}
	}
	return list
}

// partOfYear matches words that change the meaning of a year next to them.
var partOfYear = regexp.MustCompile(`(?i)\b(half|semester|semestre|semestr\w*|halbjahr|quarters?|trimest\w*|quartal|weeks?|ended|ending|since|until|before|after|from|to|months?)\b`)

// findPeriod finds the period in part of a heading, if no column contains periods: the longest
// words that are one. It finds none if the other words may be part of it.
func (p *proposal) findPeriod(part string) (before, period, after string) {
	inside := yearInside.FindStringSubmatch(part)
	switch {
	case p.time != nil:
		return part, "", ""
	case isPeriodLike(part):
		return "", part, ""
	case inside == nil || endsInLetter(inside[1]):
		return part, "", ""
	}
	before, period, after = inside[1], inside[2], inside[3]
	words := strings.Fields(before)
	for i := range words { // the year may end a month or a day
		text := strings.Join(append(slices.Clone(words[i:]), period), " ")
		if rest, found := strings.CutSuffix(before+period, text); found && isPeriodLike(text) {
			before, period = rest, text
			break
		}
	}
	isPart := func(word string) bool { return parseMonthName(word) > 0 }
	rest := before + after
	if strings.ContainsAny(rest, "0123456789") || partOfYear.MatchString(rest) ||
		slices.ContainsFunc(strings.FieldsFunc(rest, isNoLetter), isPart) {
		return part, "", ""
	}
	return before, period, after
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) }

func endsInLetter(text string) bool {
	return text != "" && strings.ContainsAny(text[len(text)-1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,")
}

// isPeriodLike reports whether text, part of a heading, is a period, perhaps with a mark.
func isPeriodLike(text string) bool {
	var s spans
	if s.addText(text, 0) {
		return true
	}
	front, mark := splitMark(text)
	bracketed := strings.HasPrefix(mark, "(") || strings.HasPrefix(mark, "[")
	return front != "" && (len([]rune(mark)) <= 3 || bracketed) && s.addText(front, 0)
}

// headingTemplate returns a heading with its groups in braces. A map uses it to name the columns of
// bounds.
func headingTemplate(list []token) string {
	var b strings.Builder
	for _, t := range list {
		if t.group == "" {
			b.WriteString(t.text)
		} else {
			b.WriteString("{" + t.group + "}")
		}
	}
	return b.String()
}

// headingPattern returns a regular expression that matches the headings of columns with the same
// frame, and those of later years.
func headingPattern(of [][]token) string {
	var b strings.Builder
	for i, t := range of[0] {
		if t.group == "" {
			b.WriteString(regexp.QuoteMeta(t.text))
			continue
		}
		var texts []string
		for _, list := range of {
			text := regexp.QuoteMeta(list[i].text)
			switch {
			case t.group != "time_period":
			case len(list[i].text) == 4 && isDigits(list[i].text):
				text = `\d{4}`
			case split.MatchString(list[i].text) && list[i].text[0] != 'F':
				text = `\d{4}[-–—/]\d{2,4}`
			}
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		b.WriteString("(?P<" + t.group + ">" + strings.Join(texts, "|") + ")")
	}
	return b.String()
}

// headingWords returns the words of a heading without areas, periods, sexes and ages.
func headingWords(list []token) string {
	whole := ""
	for _, t := range list {
		if t.group == "" {
			whole += t.text
		}
	}
	var words []string
	for part := range strings.SplitSeq(strings.NewReplacer("()", "", "[]", "").Replace(whole), " / ") {
		if part = strings.Trim(part, " -–—_/,:"); part != "" {
			words = append(words, part)
		}
	}
	return strings.Join(slices.Compact(words), ", ")
}

var (
	unitAtEnd  = regexp.MustCompile(`^(.*?)[\s,]*[(\[]([^()\[\]]+)[)\]]\s*$`)
	ratePer    = regexp.MustCompile(`(?i)^(.*?)[\s,]*\b((?:rate )?per (1?[0-9][0-9 ,.\x{00a0}\x{202f}]*|1|hundred|thousand|million)\b.*)$`)
	percentOf  = regexp.MustCompile(`(?i)^(.*?)[\s,]*([%٪]|\b(?:percent|per cent|pct|prozent|pour ?cent|pourcentage|porcentaje|por ciento|percentual|процент\S*)\b|نسبة|百分比)\s*(.*)$`)
	thousands  = regexp.MustCompile(`^(t|'?000|milliers|miles|тыс)`)
	multiplied = regexp.MustCompile(`(?i)^(?:in )?(thousands?|'?000s?|millions?|billions?|tausend|millionen|milliers|millones|miles|тыс\.?|тысяч|млн\.?)$`)
)

// splitUnit splits the words of a heading into the name of a measure and its unit. The unit is
// empty if no word names it.
func splitUnit(words string) (title, unit, label string) {
	inside := words
	if m := unitAtEnd.FindStringSubmatch(words); m != nil {
		title, inside = m[1], m[2]
	}
	if m := multiplied.FindStringSubmatch(inside); m != nil && title != "" {
		word := strings.ToLower(m[1])
		switch {
		case thousands.MatchString(word):
			word = "thousand"
		case strings.HasPrefix(word, "b"):
			word = "billion"
		default:
			word = "million"
		}
		return title, strings.TrimSuffix(word+"_"+strings.ReplaceAll(slug(title), "-", "_"), "_"), word + " " + strings.ToLower(title)
	}
	if m := ratePer.FindStringSubmatch(inside); m != nil {
		label = strings.TrimPrefix(strings.ToLower(m[2]), "rate ")
		digits := strings.NewReplacer(" ", "", ",", "", ".", "", "\u00a0", "", "\u202f", "").Replace(m[3])
		rest := strings.TrimPrefix(label, "per "+strings.ToLower(m[3]))
		unit = "per_" + digits
		if rest = slug(rest); rest != "" {
			unit += "_" + strings.ReplaceAll(rest, "-", "_")
		}
		return firstNonEmpty(title, m[1], words), unit, label
	}
	if m := percentOf.FindStringSubmatch(inside); m != nil {
		if title == "" {
			title = strings.Trim(strings.NewReplacer("( )", "", "()", "").Replace(m[1]+" "+m[3]), " ,")
		}
		return firstNonEmpty(title, words), "percent", "%"
	}
	return words, "", ""
}

func firstNonEmpty(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}
