package tables

import (
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
				for _, m := range meanings {
					if m.words.MatchString(text) {
						return m.says
					}
				}
				return "note=" + text
			}
		}
	}
	return ""
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
			collect(c)
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
	for _, mark := range slices.Sorted(maps.Keys(all)) {
		e := all[mark]
		says := markMeaning(mark, p.notes)
		if note, is := strings.CutPrefix(says, "note="); is && e.Text == mark {
			if says = "missing"; maybeZero.MatchString(note) || !isNoValueSign(mark) {
				says = ""
			}
		} else if says == "" && e.Text == mark && isNoValueSign(mark) {
			says = "missing"
		}
		if says == "" || p.answers["mark "+mark] != "" {
			says, _ = p.ask(markQuestion(mark, e))
		}
		p.setMark(mark, says)
	}
	for _, s := range p.measured {
		p.askOddFigures(s)
	}
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
	for _, e := range s.figures.unread {
		sign, rest := "", e.Text
		for _, b := range []string{"≤", "≥"} {
			if after, found := strings.CutPrefix(e.Text, b); found {
				sign, rest = b, strings.TrimSpace(after)
			}
		}
		n, err := strconv.Atoi(rest)
		q := Question{ID: "figure " + e.Text, Text: say("figure", e.Text, s.name, e.Line)}
		if sign != "" && err == nil {
			member := map[string]string{"≤": "less_than", "≥": "greater_than"}[sign]
			n += map[string]int{"≤": 1, "≥": -1}[sign]
			q = markQuestion(e.Text, e)
			q.Choices = []Choice{{Value: fmt.Sprintf("%s=%d", member, n), Label: say("figure "+member, n)}}
		}
		if p.marks[e.Text] == "" {
			says, _ := p.ask(q)
			p.setMark(e.Text, says)
		}
	}
}
