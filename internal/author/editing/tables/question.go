package tables

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Question asks for information about a table that only a person knows. A form asks each question
// once; the command prints all questions. The answer goes into Answers under the ID.
type Question struct {
	ID      string // always the same for the same table: numbers, mark p, period Year
	Text    Phrase // a sentence
	Choices []Choice
	Free    Phrase // the format of other answers, such as "a day: 04-01"; empty if only choices are allowed
}

// Choice is a possible answer to a question.
type Choice struct {
	Value    string // the value in Answers
	Label    Phrase
	Examples []Example // cells of the table, and their result with this choice
}

// Example is a cell and its result.
type Example struct {
	Line         int
	Text, Result string
}

// decided returns the phrase which says that this cell decided how others are read.
func (e Example) decided() Phrase {
	if e.Text == "" {
		return Phrase{}
	}
	return say("why cell", e.Line, e.Text)
}

// setOnce sets e to a cell unless e is set already.
func (e *Example) setOnce(text string, line int) {
	if e.Text == "" {
		e.Text, e.Line = strings.Clone(text), line
	}
}

// Answers has the answers to questions by ID.
type Answers map[string]string

// ParseAnswers parses answers of the form ID=VALUE.
func ParseAnswers(list []string) (Answers, error) {
	answers := Answers{}
	for _, a := range list {
		id, value, found := strings.Cut(a, "=")
		if !found || id == "" {
			return nil, fmt.Errorf("malformed answer %q: use the form ID=VALUE that the questions show", a)
		}
		answers[id] = value
	}
	return answers, nil
}

// String returns the question with its choices, for a terminal.
func (q *Question) String() string {
	var b strings.Builder
	b.WriteString(q.Text.String())
	for _, c := range q.Choices {
		fmt.Fprintf(&b, "\n      --answer %q: %s", q.ID+"="+c.Value, c.Label)
		var shown []string
		for _, e := range c.Examples {
			if text := fmt.Sprintf("%s → %s", e.Text, e.Result); !slices.Contains(shown, text) {
				shown = append(shown, text)
			}
		}
		if len(shown) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(shown, ", "))
		}
	}
	if !q.Free.isEmpty() {
		fmt.Fprintf(&b, "\n      --answer %q: %s", q.ID+"=…", q.Free)
	}
	return b.String()
}

func quoteNames(names []string) string {
	var list []string
	for _, n := range names {
		list = append(list, strconv.Quote(n))
	}
	return strings.Join(list, ", ")
}

// ask returns the answer to q. If there is none, it adds q to the open questions, and open is true.
func (p *proposal) ask(q Question) (answer string, open bool) {
	for _, asked := range p.Questions {
		if asked.ID == q.ID {
			return "", true
		}
	}
	for i := range q.Choices {
		for j := range q.Choices[i].Examples {
			e := &q.Choices[i].Examples[j]
			e.Text, e.Result = fmt.Sprintf("%.100s", toOneLine(e.Text)), fmt.Sprintf("%.100s", toOneLine(e.Result))
		}
	}
	answer, given := p.answers[q.ID]
	known := slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.Value == answer })
	if !given || !known && (q.Free.isEmpty() || answer == "") {
		p.Questions = append(p.Questions, q)
		return "", true
	}
	if !slices.ContainsFunc(p.Answered, func(a Question) bool { return a.ID == q.ID }) {
		p.Answered = append(p.Answered, q)
	}
	return answer, false
}

// monthDay matches the first day of a year, as a person writes it.
var monthDay = regexp.MustCompile(`^\d\d-\d\d$`)

// FreeAnswer returns the answer for text that a person entered instead of a choice: a footnote for
// a mark, or the first day of a year for periods.
func FreeAnswer(id, text string) string {
	switch {
	case text == "" || strings.Contains(text, "="):
		return text
	case strings.HasPrefix(id, "mark "):
		return "note=" + text
	case strings.HasPrefix(id, "period") && monthDay.MatchString(text):
		return financialYears + text
	}
	return text
}

// newQuestion returns a question with choices. Their labels are named after text and the value.
func newQuestion(id string, text Phrase, choices ...string) Question {
	q := Question{ID: id, Text: text}
	for _, value := range choices {
		q.Choices = append(q.Choices, Choice{Value: value, Label: say(text.name+" "+value, text.fill...)})
	}
	return q
}

// askChoice returns the answer to a question with choices; "" if it is open.
func (p *proposal) askChoice(id string, text Phrase, choices ...string) string {
	answer, _ := p.ask(newQuestion(id, text, choices...))
	return answer
}

// askForCorrection asks for a corrected table or map, because no choice answers the question.
func (p *proposal) askForCorrection(id string, text Phrase) { p.ask(Question{ID: id, Text: text}) }
