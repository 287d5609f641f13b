// Package check finds everything that is wrong with a folder of records.
//
// Records stream through: each is checked by itself where it is read, on several cores, and leaves
// an entry in an index. What concerns several records (references, duplicates, retracted evidence,
// labels, the graph) is checked on the index afterwards, so memory holds what records say of one
// another, and not the records.
package check

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// MaxProblems is how many problems are kept; the rest is counted.
const MaxProblems = 100_000

// Options of Index.
type Options struct {
	Date     record.Date // the release date, which no verification may lie after
	At       time.Time   // the moment at which embargoes are decided; zero for the end of the date
	Workers  int         // goroutines that read; 0 for one per core
	Progress func(doneBytes, total int64)
}

// Result is what was found.
type Result struct {
	Problems         []schema.Problem // in the order of files and lines, those first that hide records
	Errors, Warnings int              // how many there are, also beyond MaxProblems
	Accepted         int              // warnings that the settings accept; they are not among the others
	Waiting          int              // findings that may follow from files that cannot be read; likewise
	Records          int
	Kinds            map[string]int // records by kind
	LeavesOut        string         // what releases leave out because their address is not known; "" for nothing
	Held             Held           // those that are held back, which are not among the others
}

// Index reads the settings and all records of a publisher's folder, for those who follow the links
// between records. compiler.Check finds what is wrong with them. The error is about the folder as a
// whole: that it is none.
func Index(fsys fs.FS, opt Options) (*Checker, error) {
	s, problems, err := input.ReadSettings(fsys)
	if err != nil {
		return nil, err
	}
	c, _ := Begin(fsys, opt.Date, &s, problems)
	c.KeepHeld()
	err = c.Read(context.Background(), fsys, opt)
	c.CheckReferences()
	return c, err
}

// Read takes in all records of a folder.
func (c *Checker) Read(ctx context.Context, fsys fs.FS, opt Options) error {
	due := settings.Due{At: opt.At, Zone: c.review.zone}
	for f := range input.Read(input.Batches(fsys, opt.Progress), opt.Workers, func() func(input.Item) Facts {
		d := &record.Parser{Date: opt.Date}
		look := new(Looker)
		return func(i input.Item) Facts {
			f, _ := Gather(d, &due, look, c.texts, i)
			return f
		}
	}) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		c.Add(&f)
	}
	return nil
}

// Checker checks records as they come, and across them when all have come.
type Checker struct {
	*index
	*collector

	keepHeld bool
	later    []Facts // records that are held back, until all others are there
	counted  Held
}

// New makes a checker of nothing so far.
func New() *Checker {
	return &Checker{index: newIndex(), collector: &collector{seen: map[schema.Problem]bool{}}}
}

// Further returns a checker of the same records that has the findings so far. What it finds is its
// own.
func (c *Checker) Further() *Checker {
	further, found := *c, *c.collector
	found.problems, found.seen = slices.Clone(found.problems), maps.Clone(found.seen)
	found.accept = slices.Clone(found.accept)
	found.hidden.kinds = maps.Clone(found.hidden.kinds)
	further.collector = &found
	return &further
}

// Begin makes a checker of a folder whose settings are read, and reads the texts of sources.
func Begin(fsys fs.FS, date record.Date, s *settings.Settings, problems []schema.Problem) (*Checker, *Texts) {
	c := New()
	c.Accept(s.Accept)
	c.Review(date, s)
	c.folder, c.threshold = fsys, s.Suppression.Below()
	c.leavesOut = settings.LeavesOut(s.BaseURL)
	c.Report(problems...)
	for i, p := range s.Calendar {
		if date != "" && p.Published > date {
			c.Report(schema.Problem{
				Code: codes.AfterRelease, File: input.SettingsFile, Pointer: schema.Pointer("calendar", i, "published"),
				Message: quote(p.What) + " was published on " + string(p.Published) + ", after the release date " + string(date),
				Fix:     "leave published out until the release that has it",
			})
		}
	}
	c.texts, problems = ReadTexts(fsys)
	c.Report(problems...)
	return c, c.texts
}

// Add takes in a record, or the problems in place of one. It answers with the number that the
// record has from now on; -1 for none.
func (c *Checker) Add(f *Facts) int32 {
	c.Report(f.problems...)
	c.named = append(c.named, f.named...)
	if f.kind == nil {
		return -1
	}
	if f.id == "" || slices.ContainsFunc(f.problems, func(p schema.Problem) bool {
		return p.Code == codes.MalformedID || p.Code == codes.UnusableDefault
	}) {
		c.hidden.add(f.file) // it may be any record of its kind
	}
	if f.held {
		if c.hold(f); !c.keepHeld {
			return -1
		}
	}
	return c.add(f)
}

// CheckReferences runs the rules that concern several records, once all are there.
func (c *Checker) CheckReferences() {
	if len(c.later) > 0 {
		c.checkHeld()
		return
	}
	c.check(c.Report, c.unread, c.waits)
}

// Failed reports whether there are errors so far.
func (c *Checker) Failed() bool { return c.errors > 0 }

// Result returns what was found.
func (c *Checker) Result() *Result {
	c.checkAccepted()
	r := &Result{
		Problems: c.sorted(), Errors: c.errors, Warnings: c.warnings, Accepted: c.accepted,
		Waiting: c.waiting, Kinds: map[string]int{}, Held: c.counted, LeavesOut: c.leavesOut,
	}
	for i, n := range c.counts {
		if n > 0 {
			r.Kinds[record.Kinds[i].Name] = n
			r.Records += n
		}
	}
	return r
}

// collector keeps problems, each once: a fault in a CSV header or in defaults shows in every
// record.
type collector struct {
	problems         []schema.Problem
	seen             map[schema.Problem]bool
	errors, warnings int
	unread           bool // whether some records could not be read
	hidden           hidden
	waiting          int // how many findings wait for them
	accept           []acceptance
	acceptOne        map[acceptKey]int // numbers of those for one record
	acceptMany       []int             // numbers of those for a pattern
	accepted         int               // how many warnings were
	leavesOut        string            // by releases, because their address is not known
}

type acceptKey struct{ code, record string }

// acceptance is one of the settings', and whether there is what it accepts.
type acceptance struct {
	settings.Acceptance
	used bool
}

// Accept says which warnings the publisher accepts: they are counted and not reported.
func (c *collector) Accept(list []settings.Acceptance) {
	c.acceptOne = map[acceptKey]int{}
	for i, a := range list {
		c.accept = append(c.accept, acceptance{Acceptance: a})
		if key := (acceptKey{a.Code, a.Record}); a.IsPattern() {
			c.acceptMany = append(c.acceptMany, i)
		} else if _, ok := c.acceptOne[key]; !ok { // what stands twice is used once
			c.acceptOne[key] = i
		}
	}
}

// isAccepted reports whether a problem is accepted.
func (c *collector) isAccepted(p *schema.Problem) (yes bool) {
	for _, i := range c.acceptMany {
		if c.accept[i].Matches(p) {
			c.accept[i].used, yes = true, true
		}
	}
	if i, ok := c.acceptOne[acceptKey{string(p.Code), p.Record}]; ok && c.accept[i].Matches(p) {
		c.accept[i].used, yes = true, true
	}
	return yes
}

// checkAccepted finds what is accepted and not there (ACC01). If some records could not be read, it
// may be.
func (c *collector) checkAccepted() {
	for _, a := range c.accept {
		if i, ok := c.acceptOne[acceptKey{a.Code, a.Record}]; ok {
			a.used = c.accept[i].used
		}
		if info := codes.Code(a.Code).Info(); a.used || c.unread || info.Severity != codes.Warning {
			continue
		}
		c.Report(schema.Problem{
			Code: codes.UnusedAcceptance, File: input.SettingsFile, Line: int(a.At.Line), Column: int(a.At.Column),
			Message: a.Code + " is accepted for " + quote(a.Record) + ", but is not found there",
			Fix:     "delete it from accept",
		})
	}
}

// Report takes in problems.
func (c *collector) Report(problems ...schema.Problem) {
	for _, p := range problems {
		key := p
		key.Record, key.Value, key.Fix = "", "", "" // the first record that shows it is named, whoever read it
		if c.seen[key] {
			continue
		}
		if c.isAccepted(&p) {
			c.seen[key] = true
			c.accepted++
			continue
		}
		if p.Severity() == codes.Error {
			c.errors++
			if p.Code.HidesRecords() {
				c.unread = true
				c.hidden.add(p.File)
			}
		} else {
			c.warnings++
		}
		if len(c.problems) < MaxProblems {
			c.problems = append(c.problems, p)
		}
		if len(c.problems) < MaxProblems || path.Base(p.File) == input.DefaultsFile { // which come again
			c.seen[key] = true
		}
	}
}

// sorted puts the causes first: what cannot be read, and then the rest, each in the order of files.
func (c *collector) sorted() []schema.Problem {
	rank := func(p *schema.Problem) int {
		if p.Severity() == codes.Error && p.Code.HidesRecords() {
			return 0
		}
		return 1
	}
	slices.SortFunc(c.problems, func(a, b schema.Problem) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), a.Compare(&b))
	})
	return c.problems
}
