package areas

import (
	"fmt"
	"strings"
)

// Title returns a code with its name, for messages.
func Title(c *Code) string { return c.Code + " (" + c.Name + ")" }

// Days returns the days of a code in words, or "".
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

// Outside returns a message and a remedy for a code that is not valid in a period, of which first
// and last are the days.
func (s *Scheme) Outside(c *Code, period, first, last string) (message, fix string) {
	message = fmt.Sprintf("%s begins on %s, after %s", Title(c), c.From, period)
	fix = "write the code of that time"
	if c.To != "" && c.To < first {
		message = fmt.Sprintf("%s ended on %s, before %s", Title(c), c.To, period)
		fix += s.Became(c)
	}
	for _, other := range s.Called(c.Name) {
		if other.Overlaps(first, last) {
			fix = "in " + period + ", " + c.Name + " is " + other.Code + "; compare its boundary"
		}
	}
	return message, fix
}

// Became returns the end of a remedy: the successors of a code, or "".
func (s *Scheme) Became(c *Code) string {
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
