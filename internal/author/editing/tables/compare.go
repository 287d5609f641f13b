package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/base/schema"
)

// Update is the difference between a table and a file of records.
type Update struct {
	*Values
	Old      bool // whether the file exists
	Added    []map[string]string
	Same     int
	Changed  []Changed
	Differ   int      // number of changed rows
	Vanished []string // areas and periods of rows that only the file has
	set      map[int32][]amend.Setting
	figures  int // number of values in both
	byArea   editions
	byPeriod editions
}

// Changed is a figure that differs between the table and the file.
type Changed struct {
	About            string // area and period of its row
	Member, Old, New string
	Corrected        string // the last sentence of an earlier correction
}

// factor returns the new figure divided by the old one, or nil if that is not possible.
func (c *Changed) factor() *big.Rat {
	if len(c.Old)+len(c.New) > maxFigure {
		return nil
	}
	before, ok1 := new(big.Rat).SetString(c.Old)
	now, ok2 := new(big.Rat).SetString(c.New)
	if !ok1 || !ok2 || before.Sign() == 0 || now.Sign() == 0 {
		return nil
	}
	return new(big.Rat).Quo(now, before)
}

// Note returns a remark about an unusual change, or "".
func (c *Changed) Note() (note string) {
	if c.Corrected != "" {
		note = fmt.Sprintf(" (it was corrected before: %s)", c.Corrected)
	}
	f := c.factor()
	switch {
	case f == nil:
	case f.Sign() < 0:
		note += " (another sign)"
	case f.Cmp(big.NewRat(10, 1)) >= 0 || f.Cmp(big.NewRat(1, 10)) <= 0:
		about, _ := f.Float64()
		note += fmt.Sprintf(" (%s times the old value: is the unit the same?)", strconv.FormatFloat(about, 'f', factorDecimals(about), 64))
	}
	return note
}

// factorDecimals returns the number of decimals with which a factor is shown.
func factorDecimals(f float64) (n int) {
	for ; f < 1 && n < 9; f *= 10 {
		n++
	}
	return n
}

// powerOfTenChange returns the power of ten by which most figures of a file changed. It returns ""
// if they did not, or if their unit changed too.
func (u *Update) powerOfTenChange() string {
	counts := map[int]int{}
	for i := range u.Changed {
		c := &u.Changed[i]
		if c.Member == "unit" {
			return ""
		}
		f := c.factor()
		if f == nil || c.Member != "value" || f.Sign() < 0 {
			continue
		}
		for power := -9; power <= 9; power++ { // within one hundredth, because new editions have other digits
			off, _ := new(big.Rat).Quo(f, powerOfTen(power)).Float64()
			if power != 0 && off > 0.99 && off < 1.01 {
				counts[power]++
			}
		}
	}
	for power, n := range counts {
		if n > 1 && 2*n > u.figures {
			return powerOfTen(power).FloatString(max(-power, 0))
		}
	}
	return ""
}

func powerOfTen(power int) *big.Rat {
	r, _ := new(big.Rat).SetString(fmt.Sprintf("1e%d", power)) // it is a number
	return r
}

// ofRecord lists the members that belong to the record itself. A later table does not change them.
var ofRecord = strings.Fields(`id version corrections source_updates published_date updated_date verification_date
	ref_area_scheme ref_area`)

func (v *Values) compareFile(fsys fs.FS) (*Update, error) {
	u := &Update{Values: v, set: map[int32][]amend.Setting{}}
	columns, rows, err := amend.Rows(fsys, v.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return u, nil
	}
	if err != nil {
		return nil, err
	}
	u.Old = true
	at := map[string]int{}
	for i, row := range v.Rows {
		at[v.rowKey(row)] = i
	}
	found := make([]bool, len(v.Rows))
	for _, row := range rows {
		members := make(map[string]string, len(columns))
		for i, name := range columns {
			if row.Cells[i] != "" {
				members[name] = row.Cells[i]
			}
		}
		i, there := at[v.rowKey(members)]
		about := RowLabel(members)
		if !there {
			u.Vanished = append(u.Vanished, about)
			continue
		}
		found[i] = true
		u.compareRow(row, members, v.Rows[i], about)
	}
	for i, row := range v.Rows {
		if !found[i] {
			u.Added = append(u.Added, row)
		}
	}
	return u, nil
}

// verifiedBy is the member with the name of the person who compared a record with its sources. The
// map's value applies to rows that change now.
const verifiedBy = "verified_by"

// compareRow records the differences between a row of the file and the table. Members that the map
// can fill but the table lacks are emptied.
func (u *Update) compareRow(row amend.Row, was, is map[string]string, about string) {
	if was["value"] != "" && is["value"] != "" {
		u.figures++
	}
	u.byArea.addRow(was, is, "ref_area")
	u.byPeriod.addRow(was, is, "time_period")
	names := maps.Clone(is)
	for name := range was {
		if u.canFill(name) {
			names[name] = ""
		}
	}
	before := len(u.Changed)
	byTable := u.canFill(verifiedBy) && !u.Values.set[verifiedBy]
	for _, name := range slices.Sorted(maps.Keys(names)) {
		kept := slices.Contains(ofRecord, schema.TopMember(name)) || name == verifiedBy && !byTable
		if was[name] != is[name] && !kept {
			u.Changed = append(u.Changed, Changed{about, name, was[name], is[name], row.Corrected[name]})
			u.set[row.Line] = append(u.set[row.Line], amend.Setting{Path: name, Value: is[name]})
		}
	}
	if len(u.Changed) == before {
		u.Same++
		return
	}
	u.Differ++
	if !byTable && was[verifiedBy] != is[verifiedBy] {
		u.set[row.Line] = append(u.set[row.Line], amend.Setting{Path: verifiedBy, Value: is[verifiedBy]})
	}
}

// Line returns the line of the table that row i comes from.
func (v *Values) Line(i int) int { return v.lines[i] }

// RowLabel names a row by its area, its period and its dimensions.
func RowLabel(members map[string]string) string {
	var parts []string
	for _, member := range []string{"id", "x_area_name", "ref_area", "time_period", "vintage"} {
		if text := members[member]; text != "" && !(member == "ref_area" && len(parts) > 0) {
			parts = append(parts, text)
		}
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if strings.HasPrefix(member, "dimensions.") {
			parts = append(parts, members[member])
		}
	}
	return strings.Join(parts, ", ")
}

// FigureText returns the figure of a row: a value, a bound such as <5, a code, or the reason why
// there is none.
func FigureText(members map[string]string) string {
	for _, bound := range [][2]string{{"less_than", "<"}, {"greater_than", ">"}} {
		if text := members[bound[0]]; text != "" {
			return bound[1] + text
		}
	}
	return cmp.Or(members["value"], members["code"], members["obs_status"])
}
