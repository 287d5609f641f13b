package tables

import (
	"regexp"
	"slices"
	"strings"

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

// findMonths sets p.months if headings of figures name months and a column contains years.
func (p *proposal) findMonths() {
	seen := map[int]bool{}
	for _, c := range p.values {
		for part := range strings.SplitSeq(c.name, " / ") {
			seen[parseMonthName(part)] = true
		}
	}
	delete(seen, 0)
	p.months = len(seen) > 2 && p.time != nil && slices.Equal(p.time.period.acceptedReadings(), []string{"years"})
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
		inside := yearInside.FindStringSubmatch(part)
		switch {
		case p.hasAreaHeadings() && p.area.known[part] != nil:
			list = append(list, token{"ref_area", part})
		case p.time == nil && isPeriodLike(part):
			list = append(list, token{"time_period", part})
		case p.months && parseMonthName(part) > 0:
			list = append(list, token{"time_month", part})
		case isSex(part):
			list = append(list, token{"sex", part})
		case ages.MatchString(part):
			list = append(list, token{"age", part})
		case p.time == nil && inside != nil && !strings.ContainsAny(inside[1]+inside[3], "0123456789") && !endsInLetter(inside[1]):
			words(inside[1])
			list = append(list, token{"time_period", inside[2]})
			words(inside[3])
		default:
			words(part)
		}
	}
	return list
}

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
	percentOf  = regexp.MustCompile(`(?i)^(.*?)[\s,]*(%|\b(?:percent|per cent|pct|prozent|pour ?cent|pourcentage|porcentaje|por ciento|percentual|процент\S*)\b|نسبة|百分比)\s*(.*)$`)
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
