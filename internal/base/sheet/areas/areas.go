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
	Name   string `json:"name" doc:"The name while the code is valid."`
	Level  string `json:"level,omitempty" doc:"The level, such as district."`
	Parent string `json:"parent,omitempty" doc:"The code of the larger area, which may be outside the table."`
	From   string `json:"valid_from,omitempty" doc:"The first day, if it is known."`
	To     string `json:"valid_to,omitempty" doc:"The last day. Without it, the code is still valid or the day is unknown."`
	Names  Names  `json:"names,omitempty" doc:"The names in other languages, by language tag."`
	Line   int    `json:"-"` // in its file
}

// NameIn returns the name in the given language, or Name if there is none.
func (c *Code) NameIn(language string) string {
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

// Valid reports whether the code is valid on the given day.
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
	Kind  string `json:"kind" doc:"The kind of change: recode, merge, split, part, boundary, new or gone."`
	Share Share  `json:"share,omitempty" doc:"The share of the predecessor that goes to the successor."`
	Basis string `json:"basis,omitempty" doc:"The data from which the share was computed, such as census tracts 2020."`
	Note  string `json:"note,omitempty" doc:"A note."`
	Line  int    `json:"-"` // in its file
}

// Share is a number from 0 to 1 in its author's digits, or "".
type Share string

// IsWhole reports whether the whole of From goes to To.
func (c *Change) IsWhole() bool { return c.Kind == Recode || c.Kind == Merge || c.IsSame() }

// IsSame reports whether From and To are the same area.
func (c *Change) IsSame() bool { return c.Kind == Recode || c.Kind == Boundary && c.From != c.To }

// Scheme contains the codes and changes of one publisher's scheme.
type Scheme struct {
	Name, Title            string
	CodesFile, ChangesFile string // paths in the records folder
	Codes                  []Code
	Changes                []Change

	codes         map[string]int32
	after, before sortedRows[Change] // by predecessor, and by successor
	called        sortedRows[Code]   // by name
	children      sortedRows[Code]   // by parent
}

// Named returns the scheme called name, or nil.
func Named(list []*Scheme, name string) *Scheme {
	if i := slices.IndexFunc(list, func(s *Scheme) bool { return s.Name == name }); i >= 0 {
		return list[i]
	}
	return nil
}

// BuildIndex sorts the codes and the changes of s, and prepares it for queries. If two codes are
// equal, queries return the first.
func (s *Scheme) BuildIndex() {
	slices.SortStableFunc(s.Codes, func(a, b Code) int { return strings.Compare(a.Code, b.Code) })
	slices.SortStableFunc(s.Changes, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Date, b.Date), strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
	s.codes = make(map[string]int32, len(s.Codes))
	for i := range slices.Backward(s.Codes) {
		s.codes[s.Codes[i].Code] = int32(i)
	}
	s.called = newSortedRows(s.Codes, func(c *Code) string { return c.Name })
	s.children = newSortedRows(s.Codes, func(c *Code) string { return c.Parent })
	s.after = newSortedRows(s.Changes, func(c *Change) string { return c.From })
	s.before = newSortedRows(s.Changes, func(c *Change) string { return c.To })
}

// sortedRows finds the rows of a table by a text of each row. Unlike a map, it contains no pointers
// for the garbage collector to follow.
type sortedRows[T any] struct {
	rows   []T
	key    func(*T) string
	sorted []int32 // indexes of the rows with a key
}

func newSortedRows[T any](rows []T, key func(*T) string) sortedRows[T] {
	o := sortedRows[T]{rows: rows, key: key}
	for i := range rows {
		if key(&rows[i]) != "" {
			o.sorted = append(o.sorted, int32(i))
		}
	}
	slices.SortFunc(o.sorted, func(a, b int32) int {
		return cmp.Or(strings.Compare(key(&rows[a]), key(&rows[b])), cmp.Compare(a, b))
	})
	return o
}

// find returns the rows whose text is key, in the order of the table.
func (o *sortedRows[T]) find(key string) (list []*T) {
	i, _ := slices.BinarySearchFunc(o.sorted, key, func(i int32, key string) int {
		return strings.Compare(o.key(&o.rows[i]), key)
	})
	for ; i < len(o.sorted) && o.key(&o.rows[o.sorted[i]]) == key; i++ {
		list = append(list, &o.rows[o.sorted[i]])
	}
	return list
}

// Code returns the given code, or nil if it is unknown.
func (s *Scheme) Code(code string) *Code {
	if i, ok := s.codes[code]; ok {
		return &s.Codes[i]
	}
	return nil
}

// CodesNamed returns the codes with exactly the given name.
func (s *Scheme) CodesNamed(name string) []*Code { return s.called.find(name) }

// Children returns the codes whose parent is code, sorted.
func (s *Scheme) Children(code string) []*Code { return s.children.find(code) }

// Nearest returns a code that differs from unknown in one character, or in the order of two, or
// nil.
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

// ChangesFrom returns the changes from the given code, sorted by day and successor.
func (s *Scheme) ChangesFrom(code string) []*Change { return s.after.find(code) }

// ChangesTo returns the changes to the given code, sorted by day and predecessor.
func (s *Scheme) ChangesTo(code string) []*Change { return s.before.find(code) }

// Successors returns the codes that received areas of the given code when it ended or changed.
func (s *Scheme) Successors(code string) []*Code {
	return s.otherCodes(code, s.ChangesFrom(code), func(c *Change) string { return c.To })
}

// Predecessors returns the codes whose areas went to the given code.
func (s *Scheme) Predecessors(code string) []*Code {
	return s.otherCodes(code, s.ChangesTo(code), func(c *Change) string { return c.From })
}

// otherCodes returns the codes that of returns for changes, except code itself.
func (s *Scheme) otherCodes(code string, changes []*Change, of func(*Change) string) (list []*Code) {
	seen := map[string]bool{code: true}
	for _, c := range changes {
		if other := s.Code(of(c)); other != nil && !seen[other.Code] {
			seen[other.Code] = true
			list = append(list, other)
		}
	}
	return list
}

// Years returns the years of c to append to a name, such as " to 2019", or "" if they are unknown.
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

// IsDay reports whether s is a valid calendar date.
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
