package tables

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"slices"
	"strings"
)

// Update is what a table changes in a file of records.
type Update struct {
	*Values
	Old       []byte // nil where there is no such file yet
	Added     int
	Same      int
	Changed   []Changed
	Vanished  []Row // that the file has and the table has not
	oldHeader []string
	oldRows   [][]string
}

// Row names a row for people.
type Row struct {
	Line  int // of the file of records
	About string
}

// Changed is a figure that the table has otherwise than the file.
type Changed struct {
	Row
	Member, Old, New string
}

// Jump is a note on a figure that is ten times as much as before, or more, or a tenth; else empty.
func (c Changed) Jump() string {
	before, ok1 := new(big.Rat).SetString(c.Old)
	now, ok2 := new(big.Rat).SetString(c.New)
	if !ok1 || !ok2 || len(c.Old)+len(c.New) > 100 || before.Sign() == 0 || now.Sign() == 0 {
		return ""
	}
	ratio, _ := new(big.Rat).Quo(now, before).Float64()
	switch {
	case ratio < 0:
		return " (another sign)"
	case ratio >= 10 || ratio <= 0.1:
		return fmt.Sprintf(" (%.3g times as much: is the unit the same?)", ratio)
	}
	return ""
}

// Compare compares what a table gives with the files that are there.
func (v *Values) Compare(fsys fs.FS) (*Update, error) {
	u := &Update{Values: v}
	data, err := fs.ReadFile(fsys, v.Path)
	if errors.Is(err, fs.ErrNotExist) {
		u.Added = len(v.Rows)
		return u, nil
	}
	if err != nil {
		return nil, err
	}
	u.Old = data
	if err := u.readOld(); err != nil {
		return nil, fmt.Errorf("%s: %w", v.Path, err)
	}
	return u, u.compare()
}

func (u *Update) readOld() error {
	rows, err := csv.NewReader(bytes.NewReader(u.Old)).ReadAll()
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return errors.New("it has no header")
	}
	u.oldHeader, u.oldRows = rows[0], rows[1:]
	return nil
}

// compare fills the old rows with what is new, and adds those that are not there.
func (u *Update) compare() error {
	places := map[string]int{}
	for i, row := range u.Rows {
		places[key(u.Header, row)] = i
	}
	for _, member := range u.Header {
		if !slices.Contains(u.oldHeader, member) {
			u.oldHeader = append(u.oldHeader, member)
		}
	}
	found := make([]bool, len(u.Rows))
	for n, row := range u.oldRows {
		for len(row) < len(u.oldHeader) {
			row = append(row, "")
		}
		u.oldRows[n] = row
		i, there := places[key(u.oldHeader, row)]
		about := Row{n + 2, u.about(row)}
		if !there {
			u.Vanished = append(u.Vanished, about)
			continue
		}
		found[i] = true
		u.merge(row, u.Rows[i], about)
	}
	for i, row := range u.Rows {
		if !found[i] {
			u.Added++
			added := make([]string, len(u.oldHeader))
			for j, member := range u.Header {
				added[slices.Index(u.oldHeader, member)] = row[j]
			}
			u.oldRows = append(u.oldRows, added)
		}
	}
	return nil
}

// merge writes what the table has into an old row.
func (u *Update) merge(row, from []string, about Row) {
	same := true
	for j, member := range u.Header {
		at := slices.Index(u.oldHeader, member)
		if row[at] != from[j] && member != "ref_area_scheme" && member != "ref_area" {
			u.Changed = append(u.Changed, Changed{about, member, row[at], from[j]})
			row[at], same = from[j], false
		}
	}
	if same {
		u.Same++
	}
}

// about names a row by what it is about.
func (u *Update) about(row []string) string {
	var parts []string
	for _, member := range []string{"id", "x_area_name", "ref_area", "time_period"} {
		if at := slices.Index(u.oldHeader, member); at >= 0 && row[at] != "" && !(member == "ref_area" && len(parts) > 0) {
			parts = append(parts, row[at])
		}
	}
	for i, member := range u.oldHeader {
		if strings.HasPrefix(member, "dimensions.") && row[i] != "" {
			parts = append(parts, row[i])
		}
	}
	return strings.Join(parts, ", ")
}

// Stamp writes a date into members of the rows that are added to a file that is there, so that they
// do not seem as old as the others.
func (u *Update) Stamp(date string, members ...string) {
	if u.Old == nil || u.Added == 0 {
		return
	}
	for _, member := range members {
		at := slices.Index(u.oldHeader, member)
		if at < 0 {
			at = len(u.oldHeader)
			u.oldHeader = append(u.oldHeader, member)
		}
		for n := range u.oldRows {
			for len(u.oldRows[n]) < len(u.oldHeader) {
				u.oldRows[n] = append(u.oldRows[n], "")
			}
			if n >= len(u.oldRows)-u.Added {
				u.oldRows[n][at] = date
			}
		}
	}
}

// Bytes is the file as it is to be.
func (u *Update) Bytes() ([]byte, error) {
	header, rows := u.Header, u.Rows
	if u.Old != nil {
		if u.Added == 0 && len(u.Changed) == 0 {
			return u.Old, nil
		}
		header, rows = u.oldHeader, u.oldRows
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(header); err != nil {
		return nil, err
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}
