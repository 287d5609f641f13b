package areas

import (
	"fmt"
	"slices"
	"strings"
)

// Title returns the text of c with its name, for messages.
func Title(c *Code) string { return c.Code + " (" + c.Name + ")" }

// Describe returns a code with its name, level and days, because names may be duplicate.
func Describe(c *Code) string {
	parts := []string{Title(c), c.Level, Days(c)}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// Days returns the days on which c begins and ends in words, or "".
func Days(c *Code) string {
	switch {
	case c.From != "" && c.To != "":
		return "from " + c.From + " to " + c.To
	case c.To != "":
		return "to " + c.To
	case c.From != "":
		return "from " + c.From
	}
	return ""
}

// OutsideProblem returns a message and a remedy for a code that is not valid in period, whose first
// and last days are first and last.
func (s *Scheme) OutsideProblem(c *Code, period, first, last string) (message, fix string) {
	message = fmt.Sprintf("%s begins on %s, after %s", Title(c), c.From, period)
	fix = "use the code that was valid then"
	if c.To != "" && c.To < first {
		message = fmt.Sprintf("%s ended on %s, before %s", Title(c), c.To, period)
		fix += s.BecameText(c)
	}
	for _, other := range s.CodesNamed(c.Name) {
		if other.Overlaps(first, last) {
			fix = "in " + period + ", " + c.Name + " is " + other.Code + "; compare its boundary"
		}
	}
	return message, fix
}

// ChangesSince describes the changes of s since was, in sentences: the areas that ended, began,
// were added or were removed. It returns "" if the tables are equal.
func (s *Scheme) ChangesSince(was *Scheme) string {
	var ended, began, added, removed []string
	languages := s.Languages()
	same := s.Title == was.Title && slices.Equal(keysOf(s.Changes), keysOf(was.Changes))
	for i := range s.Codes {
		c := &s.Codes[i]
		old := was.Code(c.Code)
		switch {
		case old == nil && c.From != "" && len(s.ChangesTo(c.Code)) > 0:
			began = append(began, Title(c)+" on "+c.From)
		case old == nil:
			added = append(added, Title(c))
		case old.To != c.To && c.To != "":
			ended = append(ended, Title(c)+" on "+c.To)
		default:
			same = same && slices.Equal(c.cells(languages), old.cells(languages))
		}
	}
	for i := range was.Codes {
		if s.Code(was.Codes[i].Code) == nil {
			removed = append(removed, Title(&was.Codes[i]))
		}
	}
	var sentences []string
	for _, x := range []struct {
		verb string
		list []string
	}{{"Ended", ended}, {"Began", began}, {"Added", added}, {"Removed", removed}} {
		const most = 20
		if n := len(x.list); n > most {
			x.list = append(x.list[:most:most], fmt.Sprintf("and %d more", n-most))
		}
		if len(x.list) > 0 {
			sentences = append(sentences, x.verb+": "+strings.Join(x.list, ", ")+".")
		}
	}
	if len(sentences) == 0 && !same {
		return "No area ended or began; names, days, parents or changes were corrected."
	}
	return strings.Join(sentences, " ")
}

// keysOf returns a text for each of changes that contains all its cells.
func keysOf(changes []Change) (list []string) {
	for i := range changes {
		list = append(list, strings.Join(changes[i].cells(), "\x00"))
	}
	return list
}

// BecameText returns text to append to a remedy that names the successors of c, or "".
func (s *Scheme) BecameText(c *Code) string {
	const most = 10
	var list []string
	next := s.Successors(c.Code)
	for _, c := range next[:min(len(next), most)] {
		list = append(list, Title(c))
	}
	if list == nil {
		return ""
	}
	if len(next) > most {
		list = append(list, fmt.Sprintf("%d more", len(next)-most))
	}
	return "; successors: " + strings.Join(list, ", ")
}
