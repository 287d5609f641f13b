package tables

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	"stele/internal/disk/durable"
	"stele/record"
)

// Change says how differing figures of a new table are written into existing records.
type Change struct {
	Date record.Date
	// Correction says that the records were wrong, Update that their source changed. One of them is
	// required if a figure changed.
	Correction *record.Correction
	Update     *record.SourceUpdate
	KeepGone   bool   // keep records that the table lacks
	Factor     string // factor by which the figures of a series may change
	Corrected  bool   // whether figures that were corrected before may change
	Moved      bool   // whether figures may equal former figures of another area or year
}

// Plan contains the files that an import writes.
type Plan struct {
	Updates []*Update
	New     []amend.File // new files
	Changed []amend.File
}

// ErrAsk is wrapped by errors about decisions that a person must make.
var ErrAsk = errors.New("nothing was written")

func ask(name string, fill ...any) error { return fmt.Errorf("%w: %w", ErrAsk, say(name, fill...)) }

// Compare compares the records of a table with the existing ones. It writes nothing. If a person
// must make a decision, the plan shows the differences, and the error is ErrAsk.
func (r *Result) Compare(fsys fs.FS, c Change) (*Plan, error) {
	p := &Plan{}
	for _, v := range r.Files {
		u, err := v.compareFile(fsys)
		if err != nil {
			return nil, err
		}
		p.Updates = append(p.Updates, u)
	}
	if err := p.addQuestions(c); err != nil {
		return p, err
	}
	for _, u := range p.Updates {
		if err := p.addFile(fsys, u, c); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Plan) addQuestions(c Change) error {
	changed, gone, corrected := 0, 0, 0
	for _, u := range p.Updates {
		changed, gone = changed+u.Differ, gone+len(u.Vanished)
		for i := range u.Changed {
			if u.Changed[i].Corrected != "" {
				corrected++
			}
		}
		if text := u.describeMisplaced(); text != "" && !c.Moved {
			return ask("ask moved", text)
		}
		if f := u.powerOfTenChange(); f != "" && f != c.Factor {
			return ask("ask factor", u.Path, f)
		}
	}
	switch {
	case changed > 0 && c.Correction == nil && c.Update == nil:
		return ask("ask changed", changed)
	case corrected > 0 && !c.Corrected:
		return ask("ask corrected", corrected)
	case gone > 0 && !c.KeepGone:
		return ask("ask gone", gone)
	}
	return nil
}

func (p *Plan) addFile(fsys fs.FS, u *Update, c Change) error {
	if !u.Old {
		defaults, err := u.newDefaults(fsys, c.Date)
		if err != nil {
			return err
		}
		if defaults != nil {
			p.New = append(p.New, amend.File{Path: path.Join(path.Dir(u.Path), input.DefaultsFile), New: defaults})
		}
		// last, so that an interrupted import can be repeated as if the file were new
		p.New = append(p.New, amend.File{Path: u.Path, New: u.encode()})
		return nil
	}
	if len(u.set)+len(u.Added) == 0 {
		return nil
	}
	var added []map[string]string
	for _, row := range u.Added {
		row = maps.Clone(row)
		for _, member := range []string{"published_date", "updated_date", "verification_date"} {
			row[member] = cmp.Or(row[member], string(c.Date)) // so that it does not seem as old as the others
		}
		added = append(added, row)
	}
	files, err := amend.PlanRows(fsys, u.Path, u.set, added,
		amend.Change{Date: c.Date, Correction: c.Correction, Update: c.Update, Verified: true})
	p.Changed = append(p.Changed, files...)
	return err
}

func (v *Values) encode() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := v.columnNames()
	cells := slices.Clone(header)
	_ = w.Write(cells) // it goes to memory
	for _, row := range v.Rows {
		for i, member := range header {
			cells[i] = row[member]
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return b.Bytes()
}

// FirstLines returns the first n lines of the file, as if it were new.
func (v *Values) FirstLines(n int) []string {
	some := &Values{Rows: v.Rows[:min(n, len(v.Rows))], set: v.set}
	return strings.Split(strings.TrimSuffix(string(some.encode()), "\n"), "\n")
}

// Write writes the files of the plan to the folder root.
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
