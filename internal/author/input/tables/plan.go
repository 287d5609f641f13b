package tables

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"stele/internal/author/amend"
	"stele/internal/author/input"
	"stele/internal/disk/durable"
	"stele/record"
)

// Change is how figures that a new table has otherwise get into records that are there.
type Change struct {
	Date record.Date
	// Correction says that the records were wrong, Update that their source changed. One of them is
	// needed where a figure changed.
	Correction *record.Correction
	Update     *record.SourceUpdate
	KeepGone   bool // records of which the table has nothing more stay as they are
}

// Plan is what an import writes.
type Plan struct {
	Updates []*Update
	New     []amend.File // that are not there yet
	Changed []amend.File
	IDs     []string // of the records whose figures changed
}

// ErrAsk is in errors about what a person has to decide.
var ErrAsk = errors.New("nothing was written")

// Plan compares what a table gives with the records that are there. Nothing is written. If a
// person has to decide something, the plan shows what, and the error is ErrAsk.
func (r *Result) Plan(fsys fs.FS, c Change) (*Plan, error) {
	p := &Plan{}
	for _, v := range r.Files {
		u, err := v.Compare(fsys)
		if err != nil {
			return nil, err
		}
		u.Stamp(string(c.Date), "published_date", "updated_date", "verification_date")
		p.Updates = append(p.Updates, u)
	}
	if err := p.ask(c); err != nil {
		return p, err
	}
	for _, u := range p.Updates {
		if err := p.add(fsys, u, c); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Plan) ask(c Change) error {
	changed, gone := 0, 0
	for _, u := range p.Updates {
		changed, gone = changed+len(u.Changed), gone+len(u.Vanished)
	}
	switch {
	case changed > 0 && c.Correction == nil && c.Update == nil:
		return fmt.Errorf("%w: %d figures are not those of the records. If the records were wrong, add --correct \"what was wrong\"; if the source has new figures, add --revise \"what changed\"", ErrAsk, changed)
	case gone > 0 && !c.KeepGone:
		return fmt.Errorf("%w: the table no longer has %d of the records. To leave them as they are, add --keep-gone; those that no longer stand are for `stele retract`", ErrAsk, gone)
	}
	return nil
}

// add plans one file.
func (p *Plan) add(fsys fs.FS, u *Update, c Change) error {
	data, err := u.Bytes()
	if err != nil {
		return err
	}
	if u.Old == nil {
		defaults := path.Join(path.Dir(u.Path), input.DefaultsFile)
		if _, err := fs.Stat(fsys, defaults); errors.Is(err, fs.ErrNotExist) {
			p.New = append(p.New, amend.File{Path: defaults, New: u.defaults(c.Date)})
		}
		// last: an import that was cut off before it makes the file is made again as if it were new
		p.New = append(p.New, amend.File{Path: u.Path, New: data})
		return nil
	}
	if bytes.Equal(data, u.Old) {
		return nil
	}
	if len(u.Changed) > 0 {
		return p.explain(fsys, u, data, c)
	}
	p.Changed = append(p.Changed, amend.File{Path: u.Path, Old: u.Old, New: data})
	return nil
}

// explain writes into the records whose figures changed why they did.
func (p *Plan) explain(fsys fs.FS, u *Update, data []byte, c Change) error {
	var rows []int
	var fields []string
	for _, row := range u.Changed {
		if n := row.Line - 2; len(rows) == 0 || rows[len(rows)-1] != n {
			rows = append(rows, n)
		}
		if !slices.Contains(fields, row.Member) {
			fields = append(fields, row.Member)
		}
	}
	change := amend.Change{Date: c.Date, Fields: fields, Correction: c.Correction, Update: c.Update, Verified: true}
	files, ids, err := amend.Rewrite(fsys, u.Path, data, rows, change)
	for _, f := range files {
		if f.Path == u.Path {
			f.Old = u.Old
		}
		p.Changed = append(p.Changed, f)
	}
	p.IDs = append(p.IDs, ids...)
	return err
}

// Write writes what is planned below a publisher's folder.
func (p *Plan) Write(root string) error {
	for _, f := range p.New {
		at := filepath.Join(root, filepath.FromSlash(f.Path))
		if err := durable.MkdirAll(filepath.Dir(at)); err != nil {
			return err
		}
		if err := durable.WriteNew(at, f.New, 0o644); err != nil {
			return err
		}
	}
	return amend.Write(root, p.Changed)
}

// defaults are the beginning of a file with what the records of a folder share.
func (u *Update) defaults(date record.Date) []byte {
	name := path.Base(path.Dir(u.Path))
	id := "sta-" + name
	for _, member := range u.Header {
		if member == "ref_area" || member == "time_period" || member == "vintage" || strings.HasPrefix(member, "dimensions.") {
			id += "-{" + member + "}"
		}
	}
	area := "{ref_area}"
	if slices.Contains(u.Header, "x_area_name") {
		area = "{x_area_name}"
	}
	var b strings.Builder
	b.WriteString("# What the statistics in this folder share. values.csv has the rest; {…} is filled from it.\n# Fill in what is empty; `stele check` lists what is left.\n")
	for _, m := range [][2]string{
		{"id", `"` + id + `"`},
		{"version", "1"},
		{"title", `"` + name + ", " + area + `, {time_period}"`},
		{"summary", `""`},
		{"indicator", name},
		{"unit", `""`},
		{"unit_label", `""`},
		{"obs_status", "A # or E where the values are estimates"},
	} {
		if !slices.Contains(u.Header, m[0]) {
			b.WriteString(m[0] + ": " + m[1] + "\n")
		}
	}
	fmt.Fprintf(&b, `claim_boundary:
  statement: "" # what a value does not reach
source_links:
  - url: "" # where the table comes from
    role: primary
verification_date: %[1]s
published_date: %[1]s
updated_date: %[1]s
source_updates: []
corrections: []
`, date)
	return []byte(b.String())
}
