// Package check finds all problems in a records folder.
//
// Records are read as a stream, on several cores. Each record is checked by itself, and then its
// facts are added to an index. Rules that concern several records (references, duplicates,
// retracted evidence, labels, the graph) run on the index after all records are read. So memory
// contains only the facts that these rules need, not the records.
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

// MaxProblems is the maximum number of problems in a Result. Further problems are only counted.
const MaxProblems = 100_000

// Options of Index.
type Options struct {
	Date     record.Date // the release date; no verification date may be later
	At       time.Time   // the time that decides about embargoes; zero for the end of Date
	Workers  int         // goroutines that read; 0 for one per core
	Progress func(doneBytes, total int64)
}

// Result contains the problems of a folder.
type Result struct {
	Problems         []schema.Problem // sorted by file and line, after those that hide records
	Errors, Warnings int              // numbers of all problems, also beyond MaxProblems
	Accepted         int              // number of warnings that the settings accept; they are not in Warnings
	Waiting          int              // number of findings that may be caused by unreadable files; not in Errors
	Records          int
	Kinds            map[string]int // records by kind
	LeavesOut        string         // names the files that releases omit because base_url is missing; "" for none
	Held             Held           // counts the records that are held back; they are not in Records
}

// Index reads the settings and all records of a folder, for callers that follow links between
// records. It runs no rules; see compiler.Check. It returns an error if the folder is not a records
// folder.
func Index(fsys fs.FS, opt Options) (*Checker, error) {
	s, problems, err := input.ReadSettings(fsys)
	if err != nil {
		return nil, err
	}
	c, _ := NewForFolder(fsys, opt.Date, &s, problems)
	c.KeepHeld()
	err = c.Read(context.Background(), fsys, opt)
	c.CheckReferences()
	return c, err
}

// Read adds all records of a folder.
func (c *Checker) Read(ctx context.Context, fsys fs.FS, opt Options) error {
	due := settings.Due{At: opt.At, Zone: c.review.zone}
	for f := range input.Read(input.Batches(fsys, opt.Progress), opt.Workers, func() func(input.Item) Facts {
		d := &record.Parser{Date: opt.Date}
		look := new(Looker)
		return func(i input.Item) Facts {
			f, _ := CheckItem(d, &due, look, c.texts, i)
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

// Checker checks each record as it is added, and then the relations between records.
type Checker struct {
	*index
	*collector

	keepHeld bool
	later    []Facts // records that are held back, added after all others
	counted  Held
}

// New returns an empty Checker.
func New() *Checker {
	return &Checker{index: newIndex(), collector: &collector{seen: map[schema.Problem]bool{}}}
}

// Clone returns a copy of c that shares its records and has its problems so far. Later problems
// are separate.
func (c *Checker) Clone() *Checker {
	further, found := *c, *c.collector
	found.problems, found.seen = slices.Clone(found.problems), maps.Clone(found.seen)
	found.accept = slices.Clone(found.accept)
	found.hidden.kinds = maps.Clone(found.hidden.kinds)
	further.collector = &found
	return &further
}

// NewForFolder returns a Checker for a folder with the settings s and their problems. It also reads
// the texts of sources.
func NewForFolder(fsys fs.FS, date record.Date, s *settings.Settings, problems []schema.Problem) (*Checker, *Texts) {
	c := New()
	c.Accept(s.Accept)
	c.Review(date, s)
	c.folder, c.threshold = fsys, s.Suppression.ThresholdValue()
	c.leavesOut = settings.OmittedParts(s.BaseURL)
	c.Report(problems...)
	for i, p := range s.Calendar {
		if date != "" && p.Published > date {
			c.reportIn(input.SettingsFile, codes.AfterRelease, "", schema.Pointer("calendar", i, "published"),
				quoteText(p.What)+" was published on "+string(p.Published)+", after the release date "+string(date),
				"remove published until there is a release of that day")
		}
	}
	c.texts, problems = ReadTexts(fsys)
	c.Report(problems...)
	c.Report(c.texts.readAreas(s.Areas)...)
	return c, c.texts
}

// Add adds a record, or the problems of one that could not be decoded. It returns the record's
// number, or -1.
func (c *Checker) Add(f *Facts) int32 {
	c.Report(f.problems...)
	c.named = append(c.named, f.named...)
	if f.kind == nil {
		return -1
	}
	if f.id == "" || slices.ContainsFunc(f.problems, func(p schema.Problem) bool {
		return p.Code == codes.MalformedID || p.Code == codes.UnusableDefault
	}) {
		c.hidden.add(f.file) // the unreadable record can be any record of its kind
	}
	if f.held {
		if c.addHeld(f); !c.keepHeld {
			return -1
		}
	}
	return c.add(f)
}

// CheckReferences runs the rules that concern several records, after all records are added.
func (c *Checker) CheckReferences() {
	if len(c.later) > 0 {
		c.checkHeld()
		return
	}
	c.checkAll(c.Report, c.unread, c.mustWait)
}

// Failed reports whether there have been errors so far.
func (c *Checker) Failed() bool { return c.errors > 0 }

// Result returns the problems and counts so far.
func (c *Checker) Result() *Result {
	c.checkAccepted()
	r := &Result{
		Problems: c.sortedProblems(), Errors: c.errors, Warnings: c.warnings, Accepted: c.accepted,
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

// collector stores each problem once, because an error in a CSV header or in defaults would appear
// for every record.
type collector struct {
	problems         []schema.Problem
	seen             map[schema.Problem]bool
	errors, warnings int
	unread           bool // whether some records could not be read
	hidden           hidden
	waiting          int // number of findings that wait for unreadable records
	accept           []acceptance
	acceptOne        map[acceptKey]int // indexes of acceptances of one record
	acceptMany       []int             // indexes of acceptances with a pattern
	accepted         int               // number of accepted warnings
	leavesOut        string            // the files that releases omit because base_url is missing
}

type acceptKey struct{ code, record string }

// acceptance is an accepted warning of the settings, and whether the warning occurs.
type acceptance struct {
	settings.Acceptance
	used bool
}

// Accept sets the warnings that the publisher accepts. They are counted but not reported.
func (c *collector) Accept(list []settings.Acceptance) {
	c.acceptOne = map[acceptKey]int{}
	for i, a := range list {
		c.accept = append(c.accept, acceptance{Acceptance: a})
		if key := (acceptKey{a.Code, a.Record}); a.IsPattern() {
			c.acceptMany = append(c.acceptMany, i)
		} else if _, ok := c.acceptOne[key]; !ok { // the first of two equal acceptances is used
			c.acceptOne[key] = i
		}
	}
}

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

// checkAccepted reports accepted warnings that do not occur (ACC01), unless unreadable records may
// have them.
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
			Message: a.Code + " is accepted for " + quoteText(a.Record) + ", but does not occur there",
			Fix:     "delete it from accept",
		})
	}
}

// reportIn adds a problem of a file other than those of records.
func (c *collector) reportIn(file string, code codes.Code, id, pointer, message, fix string) {
	c.Report(schema.Problem{Code: code, File: file, Record: id, Pointer: pointer, Message: message, Fix: fix})
}

// Report adds problems.
func (c *collector) Report(problems ...schema.Problem) {
	for _, p := range problems {
		key := p
		// the problem names the first record with it, regardless of the order of reading
		key.Record, key.Value, key.Fix = "", "", ""
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
		// problems in defaults occur again for other records
		if len(c.problems) < MaxProblems || path.Base(p.File) == input.DefaultsFile {
			c.seen[key] = true
		}
	}
}

// sortedProblems returns the problems sorted by file and line, after those of unreadable files,
// which cause others.
func (c *collector) sortedProblems() []schema.Problem {
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
