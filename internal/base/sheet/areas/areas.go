// Package areas contains schemes of areas below countries: codes with the days on which they are
// valid, and the changes from codes to their successors. Days are written YYYY-MM-DD and compare as
// text.
package areas

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The kinds of changes.
const (
	Recode   = "recode"   // the same area has a new code
	Merge    = "merge"    // the whole area goes into one area
	Split    = "split"    // the area goes into several areas that begin
	Part     = "part"     // some of the area goes; either area may continue
	Boundary = "boundary" // the same area except for a trivial difference
	New      = "new"      // the area has no predecessor
	Gone     = "gone"     // the area has no successor
)

// Kinds are all kinds of changes.
var Kinds = []string{Recode, Merge, Split, Part, Boundary, New, Gone}

// Name is a name of an area in a language.
type Name struct{ Language, Text string }

// Names are the names of an area in several languages.
type Names []Name

// CodeLetters are the characters of codes.
const CodeLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-"

// MaxCode is the maximum length of a code, which is part of paths.
const MaxCode = 60

// Code is the code of an area.
type Code struct {
	Code   string `json:"code" doc:"The code."`
	Name   string `json:"name" doc:"The name at the time."`
	Level  string `json:"level,omitempty" doc:"The level, such as district."`
	Parent string `json:"parent,omitempty" doc:"The code of the larger area, which may be outside the table."`
	From   string `json:"valid_from,omitempty" doc:"The first day, if it is known."`
	To     string `json:"valid_to,omitempty" doc:"The last day. Without it, the code is still valid or the day is unknown."`
	Names  Names  `json:"names,omitempty" doc:"The names in other languages, by language tag."`
	Line   int    `json:"-"` // in its file
}

// In returns the name in a language, or else Name.
func (c *Code) In(language string) string {
	primary, _, _ := strings.Cut(language, "-")
	for _, tag := range [...]string{language, primary} {
		for _, n := range c.Names {
			if n.Language == tag {
				return n.Text
			}
		}
	}
	return c.Name
}

// Valid reports whether the code is valid on a day.
func (c *Code) Valid(day string) bool { return c.Overlaps(day, day) }

// Overlaps reports whether the code is valid on some day from first to last.
func (c *Code) Overlaps(first, last string) bool {
	return c.From <= last && (c.To == "" || c.To >= first)
}

// Change is a change on a day from one code to another. From is "" if Kind is New, and To is "" if
// Kind is Gone.
type Change struct {
	Date  string `json:"date" doc:"The day of the change: the first day of the successor."`
	From  string `json:"from_code,omitempty" doc:"The predecessor. A new area has none."`
	To    string `json:"to_code,omitempty" doc:"The successor. An area that is gone has none."`
	Kind  string `json:"kind" doc:"recode, merge, split, part, boundary, new or gone."`
	Share Share  `json:"share,omitempty" doc:"The share of the predecessor that goes to the successor."`
	Basis string `json:"basis,omitempty" doc:"How the share was counted."`
	Note  string `json:"note,omitempty" doc:"A note."`
	Line  int    `json:"-"` // in its file
}

// Share is a number from 0 to 1 in its author's digits, or "".
type Share string

// Whole reports whether the whole of From goes to To.
func (c *Change) Whole() bool { return c.Kind == Recode || c.Kind == Merge || c.Same() }

// Same reports whether From and To are the same area.
func (c *Change) Same() bool { return c.Kind == Recode || c.Kind == Boundary && c.From != c.To }

// Scheme is the codes and changes of one publisher's scheme.
type Scheme struct {
	Name, Title            string
	CodesFile, ChangesFile string // paths in the records folder
	Codes                  []Code
	Changes                []Change

	codes         map[string]int
	after, before map[string][]int   // by code: indexes of the changes from it, and to it
	called        map[string][]*Code // by name
	children      map[string][]*Code // by parent
}

// Index prepares s for queries, after its codes and changes are set. The first of two equal codes
// is found.
func (s *Scheme) Index() {
	s.codes, s.called = make(map[string]int, len(s.Codes)), make(map[string][]*Code, len(s.Codes))
	s.children = map[string][]*Code{}
	s.after, s.before = map[string][]int{}, map[string][]int{}
	for i := range s.Codes {
		c := &s.Codes[i]
		if _, ok := s.codes[c.Code]; !ok {
			s.codes[c.Code] = i
		}
		s.called[c.Name] = append(s.called[c.Name], c)
		if c.Parent != "" {
			s.children[c.Parent] = append(s.children[c.Parent], c)
		}
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		if c.From != "" {
			s.after[c.From] = append(s.after[c.From], i)
		}
		if c.To != "" {
			s.before[c.To] = append(s.before[c.To], i)
		}
	}
}

// Code returns a code, or nil.
func (s *Scheme) Code(code string) *Code {
	if i, ok := s.codes[code]; ok {
		return &s.Codes[i]
	}
	return nil
}

// Called returns the codes with exactly this name.
func (s *Scheme) Called(name string) []*Code { return s.called[name] }

// Children returns the codes whose parent is code, in the order of Codes.
func (s *Scheme) Children(code string) []*Code { return s.children[code] }

// Nearest returns a code that differs from an unknown one in one character, or in the order of two,
// or nil.
func (s *Scheme) Nearest(unknown string) *Code {
	if len(unknown) > MaxCode {
		return nil
	}
	var found []string
	try := func(parts ...string) {
		if code := strings.Join(parts, ""); s.Code(code) != nil {
			found = append(found, code)
		}
	}
	for i := range len(unknown) + 1 {
		before, after := unknown[:i], unknown[i:]
		for _, c := range CodeLetters {
			try(before, string(c), after)
			if after != "" {
				try(before, string(c), after[1:])
			}
		}
		if after != "" {
			try(before, after[1:])
		}
		if len(after) > 1 {
			try(before, after[1:2], after[:1], after[2:])
		}
	}
	if found == nil {
		return nil
	}
	return s.Code(slices.Min(found))
}

// Changed returns the changes from a code, sorted by day and successor.
func (s *Scheme) Changed(code string) []*Change { return s.changes(s.after[code]) }

// Formed returns the changes to a code, sorted by day and predecessor.
func (s *Scheme) Formed(code string) []*Change { return s.changes(s.before[code]) }

func (s *Scheme) changes(indexes []int) []*Change {
	list := make([]*Change, len(indexes))
	for n, i := range indexes {
		list[n] = &s.Changes[i]
	}
	slices.SortStableFunc(list, func(a, b *Change) int {
		return cmp.Or(strings.Compare(a.Date, b.Date), strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
	return list
}

// Successors returns the codes that the areas of a code went to when it ended or changed.
func (s *Scheme) Successors(code string) []*Code {
	return s.others(code, s.Changed(code), func(c *Change) string { return c.To })
}

// Predecessors returns the codes from which areas came to a code.
func (s *Scheme) Predecessors(code string) []*Code {
	return s.others(code, s.Formed(code), func(c *Change) string { return c.From })
}

// others returns the codes in changes, as of returns them, except code.
func (s *Scheme) others(code string, changes []*Change, of func(*Change) string) (list []*Code) {
	seen := map[string]bool{code: true}
	for _, c := range changes {
		if other := s.Code(of(c)); other != nil && !seen[other.Code] {
			seen[other.Code] = true
			list = append(list, other)
		}
	}
	return list
}

// Years returns the years of a code after a name, such as " to 2019", or "".
func Years(c *Code) string {
	switch {
	case c.From != "" && c.To != "":
		return " " + c.From[:4] + "–" + c.To[:4]
	case c.To != "":
		return " to " + c.To[:4]
	case c.From != "":
		return " from " + c.From[:4]
	}
	return ""
}

var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[0-9A-Za-z]{2,8})*$`)

// IsLanguage reports whether tag has the form of a language tag, such as cy or zh-Hant.
func IsLanguage(tag string) bool { return languageTag.MatchString(tag) }

// IsDay reports whether s is a day of the calendar.
func IsDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// AddDays returns the day n days after day.
func AddDays(day string, n int) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 0, n).Format(time.DateOnly)
}
