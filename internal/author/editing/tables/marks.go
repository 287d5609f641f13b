package tables

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// noValue lists texts that mean no value in tables of any language.
var noValue = strings.Fields(`- – — − -- --- . .. ... … : n/a na n.a. n.a #n/a nan null none missing nd n.d. n/d s.d. s/d k.a. k.a н/д нет`)

// isNoValueSign reports whether a text means no value in any table.
func isNoValueSign(text string) bool {
	return slices.Contains(noValue, strings.ToLower(text)) ||
		slices.Contains([]string{"no data", "not available", "not reported", "keine angabe", "нет данных"}, strings.ToLower(text))
}

// reference matches a number in brackets after a figure or alone, and the number of a note.
var reference = regexp.MustCompile(`^(?:(.*\d%?)\s*)??(\([\d.,\s]+%?\)|\[\d+\]|\s\d{1,2}\))$`)

// Marks for texts with numbers in brackets: 12 (3.4), and (7).
const (
	besideInBrackets = "12 (3)"
	aloneInBrackets  = "(12)"
)

// removeBrackets returns the number of a text with a number in brackets, if the map has its mark.
func (l *Layout) removeBrackets(text string) string {
	m := reference.FindStringSubmatch(text)
	switch {
	case m == nil:
	case m[1] != "" && l.Marks[besideInBrackets] != nil:
		return m[1]
	case m[1] == "" && l.Marks[aloneInBrackets] != nil:
		return "-" + strings.Trim(text, "()")
	}
	return text
}

// splitMark splits a text into a possible number or year and the sign after it.
func splitMark(text string) (front, mark string) {
	end := strings.LastIndexAny(text, "0123456789")
	if end < 0 {
		return "", text
	}
	front, mark = text[:end+1], text[end+1:]
	if rest, percent := strings.CutPrefix(strings.TrimSpace(mark), "%"); percent {
		front, mark = front+"%", rest
	}
	return front, trimSpace(mark)
}

// removeMarks removes the signs that the map explains from the end of a text. If two of them set
// the same member, the first applies.
func (l *Layout) removeMarks(text string) (string, map[string]string) {
	set := map[string]string{}
	for text != "" {
		longest := ""
		for mark := range l.Marks {
			if strings.HasSuffix(text, mark) && len(mark) > len(longest) {
				longest = mark
			}
		}
		if longest == "" {
			break
		}
		text = trimSpace(strings.TrimSuffix(text, longest))
		maps.Copy(set, l.Marks[longest])
	}
	return text, set
}

// omitMember is the member set by a mark whose figures are left out.
const omitMember = "omit"

// meanings maps words that explain a mark to its meaning.
var meanings = []struct {
	words *regexp.Regexp
	says  string
}{
	{regexp.MustCompile(`(?i)^(provisional|preliminary|vorläufig|provisoire|provisorio|preliminar|предвар)`), "obs_status=P"},
	{regexp.MustCompile(`(?i)^(estimat|geschätzt|schätz|estim|stima|оценк)`), "obs_status=E"},
	{regexp.MustCompile(`(?i)^(break in|bruch|rupture)`), "obs_status=B"},
	{regexp.MustCompile(`(?i)^(forecast|projection|projected|prognos)`), "obs_status=F"},
	{regexp.MustCompile(`(?i)^(suppressed|confidential|withheld|kept secret|secret|geheim)`), "obs_status=Q"},
	{regexp.MustCompile(`(?i)^(zero|nil|null|none|nul|cero|ноль|magnitude zero)$`), "value=0"},
	{regexp.MustCompile(`(?i)^(not available|no data|not reported|keine angabe|missing)`), "missing"},
}

// meaningOf returns the meaning of words that explain a mark, or "".
func meaningOf(words string) string {
	for _, m := range meanings {
		if m.words.MatchString(words) {
			return m.says
		}
	}
	return ""
}

// eurostatFlags explains the flags of Eurostat, which names the column of areas geo.
const eurostatFlags = "b = break in time series; c = confidential; e = estimated; f = forecast; p = provisional; " +
	"u = low reliability; d = definition differs; s = estimated by Eurostat; r = revised; n = not significant"

// sayingVerb matches the words between a mark and its meaning.
var sayingVerb = regexp.MustCompile(`(?i)^(means?|is|are|denotes?|indicates?|stands for|bedeutet|signifie|significa)\s+`)

// maybeZero matches notes in which a sign for a missing value may mean something else.
var maybeZero = regexp.MustCompile(`(?i)zero|nil|nul|none|less than|half|cero|ноль|weniger|moins|menos`)

// markMeaning returns the explanation of a mark in the table's notes, as an answer to its question,
// or "".
func markMeaning(mark string, notes []string) string {
	bare := strings.Trim(mark, "()[]")
	for _, note := range notes {
		for part := range strings.FieldsFuncSeq(note, func(r rune) bool { return r == ';' || r == '\n' }) {
			part = trimSpace(part)
			part, _ = cutPrefixFold(part, "note:")
			for _, form := range []string{mark, "(" + bare + ")", bare} {
				rest, found := cutPrefixFold(part, form)
				text := sayingVerb.ReplaceAllString(strings.TrimLeft(rest, " :=–—-"), "")
				wordy := strings.IndexFunc(bare, unicode.IsLetter) >= 0
				if !found || form == "" || text == "" || text == rest && wordy {
					continue
				}
				return cmp.Or(meaningOf(text), "note="+text)
			}
		}
	}
	if len(bare) < 6 { // not a word that explains itself
		return ""
	}
	return meaningOf(bare)
}

// cutPrefixFold is like strings.CutPrefix, but ignores case.
func cutPrefixFold(text, prefix string) (after string, found bool) {
	if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		return text[len(prefix):], true
	}
	return text, false
}

// markChoices are the possible meanings of a sign after a figure.
var markChoices = []string{"obs_status=P", "obs_status=E", "obs_status=F", "obs_status=B", "nothing", omitMember}

// aloneChoices are the possible meanings of a sign instead of a figure.
var aloneChoices = []string{"missing", "value=0", "obs_status=Q", "obs_status=L"}

func markQuestion(mark string, e Example) Question {
	text, choices := say("mark", mark, e.Text, e.Line), markChoices
	if mark == e.Text {
		choices = aloneChoices
	}
	q := newQuestion("mark "+mark, text, choices...)
	if q.Free = say("mark other"); mark == e.Text {
		q.Text.name = "mark alone"
	}
	return q
}

// decideMarks finds the meanings of signs in the notes of the table, or asks for them.
func (p *proposal) decideMarks() {
	all := map[string]Example{}
	collect := func(c *column) {
		for mark, e := range c.marks {
			if have, known := all[mark]; !known || e.Line < have.Line || have.Text == mark && e.Text != mark {
				all[mark] = e
			}
		}
	}
	for _, s := range p.measured {
		for _, c := range s.columns {
			if collect(c); c.fault.Text != "" {
				p.askForCleanCells(c)
			}
		}
		for mark, e := range s.headMarks {
			all[mark] = e
		}
	}
	for _, c := range append(slices.Clone(p.bounds), p.time) {
		if c != nil {
			collect(c)
		}
	}
	notes := p.notes
	if slices.ContainsFunc(p.columns, func(c *column) bool { return strings.EqualFold(c.name, "geo") }) {
		notes = append(slices.Clone(notes), eurostatFlags)
	}
	for _, mark := range slices.Sorted(maps.Keys(all)) {
		p.setMark(mark, p.decideMark(mark, all[mark], notes))
	}
	for _, s := range p.measured {
		p.askOddFigures(s)
	}
}

// decideMark returns the meaning of a mark, as an answer to its question.
func (p *proposal) decideMark(mark string, e Example, notes []string) string {
	id := "mark " + mark
	switch {
	case mark == aloneInBrackets:
		return p.askChoice(id, say("brackets", e.Text, e.Line), "negative=yes")
	case mark == besideInBrackets:
		for _, s := range p.measured { // the heading n (%) does not say per cent of the first number
			if _, has := s.columns[0].marks[mark]; has {
				s.unit, s.label = "", ""
			}
		}
		return p.askChoice(id, say("brackets beside", e.Text, e.Line), "nothing")
	case multiplied.MatchString(mark):
		p.askForCorrection(id, say("mark multiplies", mark, e.Text, e.Line))
		return ""
	}
	says := markMeaning(strings.TrimPrefix(mark, ": "), notes)
	if note, is := strings.CutPrefix(says, "note="); is && e.Text == mark {
		if says = "missing"; maybeZero.MatchString(note) || !isNoValueSign(mark) {
			says = ""
		}
	} else if says == "" && e.Text == mark && isNoValueSign(mark) {
		says = "missing"
	}
	if says == "" || p.answers[id] != "" {
		says, _ = p.ask(markQuestion(mark, e))
	}
	return says
}

func (p *proposal) setMark(mark, says string) {
	member, value, set := strings.Cut(says, "=")
	switch {
	case says == "missing":
		p.missing = append(p.missing, mark)
	case says == "nothing":
		p.marks[mark] = "{}"
	case says == "omit":
		p.marks[mark] = "{" + omitMember + ": yes}"
	case set:
		p.marks[mark] = fmt.Sprintf("{%s: %s}", member, quoteText(value))
	}
}

// askOddFigures asks about texts among figures that no reading accepts.
func (p *proposal) askOddFigures(s *measured) {
	var odd []Phrase
	for _, e := range s.figures.unread {
		sign, rest := "", e.Text
		for _, b := range []string{"≤", "≥"} {
			if after, found := strings.CutPrefix(e.Text, b); found {
				sign, rest = b, strings.TrimSpace(after)
			}
		}
		n, err := strconv.Atoi(rest)
		if sign == "" || err != nil {
			odd = append(odd, say("cell", e.Text, e.Line))
			continue
		}
		member := map[string]string{"≤": "less_than", "≥": "greater_than"}[sign]
		n += map[string]int{"≤": 1, "≥": -1}[sign]
		q := markQuestion(e.Text, e)
		q.Choices = []Choice{{Value: fmt.Sprintf("%s=%d", member, n), Label: say("figure "+member, n)}}
		if p.marks[e.Text] == "" {
			says, _ := p.ask(q)
			p.setMark(e.Text, says)
		}
	}
	if len(odd) > 0 {
		p.askForCorrection("cells of "+s.name, say("figure", odd[:min(len(odd), 5)], s.name))
	}
}
