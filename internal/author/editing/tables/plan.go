package tables

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
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
	KeepGone   bool   // records of which the table has nothing more stay as they are
	Factor     string // by which the figures of a series may move
	Corrected  bool   // whether figures may change that were corrected before
	Moved      bool   // whether figures may be those that another area or year had before
}

// Plan is what an import writes.
type Plan struct {
	Updates []*Update
	New     []amend.File // that are not there yet
	Changed []amend.File
}

// Update is what a table changes in a file of records.
type Update struct {
	*Values
	Old      bool // whether there is such a file
	Added    []map[string]string
	Same     int
	Changed  []Changed
	Differ   int      // rows that do
	Vanished []string // what rows are about that the file has and the table has not
	set      map[int32][]amend.Setting
	figures  int // values that can be compared with what they were
	byArea   editions
	byPeriod editions
}

// Changed is a figure that the table has otherwise than the file.
type Changed struct {
	About            string // what its row is about
	Member, Old, New string
	Corrected        string // what a correction of it said before
}

// factor is how many times as much a figure is; nil where that cannot be said.
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

// Note says what is odd about a change; empty if nothing is.
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
		note += fmt.Sprintf(" (%s times as much: is the unit the same?)", strconv.FormatFloat(about, 'f', digitsFor(about), 64))
	}
	return note
}

// digitsFor is how many digits after the point show a factor.
func digitsFor(f float64) (n int) {
	for ; f < 1 && n < 9; f *= 10 {
		n++
	}
	return n
}

// moved is the power of ten by which most figures of a file moved; empty if they did not, or if
// their unit did too.
func (u *Update) moved() string {
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
		for power := -9; power <= 9; power++ { // within a hundredth, as new editions have other digits
			off, _ := new(big.Rat).Quo(f, ten(power)).Float64()
			if power != 0 && off > 0.99 && off < 1.01 {
				counts[power]++
			}
		}
	}
	for power, n := range counts {
		if n > 1 && 2*n > u.figures {
			return ten(power).FloatString(max(-power, 0))
		}
	}
	return ""
}

func ten(power int) *big.Rat {
	r, _ := new(big.Rat).SetString(fmt.Sprintf("1e%d", power)) // it is a number
	return r
}

// ErrAsk is in errors about what a person has to decide.
var ErrAsk = errors.New("nothing was written")

// Plan compares what a table gives with the records that are there. Nothing is written. If a
// person has to decide something, the plan shows what, and the error is ErrAsk.
func (r *Result) Plan(fsys fs.FS, c Change) (*Plan, error) {
	p := &Plan{}
	for _, v := range r.Files {
		u, err := v.compare(fsys)
		if err != nil {
			return nil, err
		}
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

// kept are members that a later table does not change: they tell of the records themselves.
func kept(member string) bool {
	return slices.Contains(strings.Fields(`id version corrections source_updates published_date updated_date verification_date
		ref_area_scheme ref_area`), schema.TopMember(member))
}

// compare compares what a table gives with the file that is there.
func (v *Values) compare(fsys fs.FS) (*Update, error) {
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
		at[v.key(row)] = i
	}
	found := make([]bool, len(v.Rows))
	for _, row := range rows {
		members := make(map[string]string, len(columns))
		for i, name := range columns {
			if row.Cells[i] != "" {
				members[name] = row.Cells[i]
			}
		}
		i, there := at[v.key(members)]
		about := About(members)
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

// verifiedBy is the member that names who compared a record with its sources. What the map sets
// for it holds for the rows that change now.
const verifiedBy = "verified_by"

// compareRow notes what a row says otherwise now. What the map can fill and the table does not say
// any more is emptied.
func (u *Update) compareRow(row amend.Row, was, is map[string]string, about string) {
	if was["value"] != "" && is["value"] != "" {
		u.figures++
	}
	u.byArea.note(was, is, "ref_area")
	u.byPeriod.note(was, is, "time_period")
	names := maps.Clone(is)
	for name := range was {
		if u.owns(name) {
			names[name] = ""
		}
	}
	before := len(u.Changed)
	byTable := u.owns(verifiedBy) && !u.Values.set[verifiedBy]
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was[name] != is[name] && !kept(name) && (name != verifiedBy || byTable) {
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

// Line returns the line of the table that a row comes from.
func (v *Values) Line(i int) int { return v.lines[i] }

// About names a row of a file by what it is about: its area, its period and its dimensions.
func About(members map[string]string) string {
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

// Figure is what a row says: a value, a bound such as <5, a code, or why there is none.
func Figure(members map[string]string) string {
	for _, bound := range [][2]string{{"less_than", "<"}, {"greater_than", ">"}} {
		if text := members[bound[0]]; text != "" {
			return bound[1] + text
		}
	}
	return cmp.Or(members["value"], members["code"], members["obs_status"])
}

func (p *Plan) ask(c Change) error {
	changed, gone, corrected := 0, 0, 0
	for _, u := range p.Updates {
		changed, gone = changed+u.Differ, gone+len(u.Vanished)
		for i := range u.Changed {
			if u.Changed[i].Corrected != "" {
				corrected++
			}
		}
		if text := u.misplaced(); text != "" && !c.Moved {
			return fmt.Errorf("%w: %s. Compare the table with its last edition; if all is right as it is, add --answer moved=yes", ErrAsk, text)
		}
		if f := u.moved(); f != "" && f != c.Factor {
			return fmt.Errorf("%w: most figures of %s are %s times what they were, and the unit is the same. Bring them to that unit in the table, or give the series another folder and unit in the map; if all is right as it is, add --factor %[3]s",
				ErrAsk, u.Path, f)
		}
	}
	switch {
	case changed > 0 && c.Correction == nil && c.Update == nil:
		return fmt.Errorf("%w: %s not what the table says. If the records were wrong, add --correct \"what was wrong\"; if the source has new figures, add --revise \"what changed\"", ErrAsk, records(changed))
	case corrected > 0 && !c.Corrected:
		return fmt.Errorf("%w: %d of the figures that differ were corrected before, so this may be an old table that has them wrong again. If it is right, add --over-corrections", ErrAsk, corrected)
	case gone > 0 && !c.KeepGone:
		return fmt.Errorf("%w: the table no longer has %d of the records. To leave them as they are, add --keep-gone; those that no longer stand are for `stele retract`", ErrAsk, gone)
	}
	return nil
}

func records(n int) string {
	if n == 1 {
		return "1 record is"
	}
	return fmt.Sprintf("%d records are", n)
}

// add plans one file.
func (p *Plan) add(fsys fs.FS, u *Update, c Change) error {
	if !u.Old {
		defaults, err := u.defaults(fsys, c.Date)
		if err != nil {
			return err
		}
		if defaults != nil {
			p.New = append(p.New, amend.File{Path: path.Join(path.Dir(u.Path), input.DefaultsFile), New: defaults})
		}
		// last: an import that was cut off before it makes the file is made again as if it were new
		p.New = append(p.New, amend.File{Path: u.Path, New: u.bytes()})
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

// bytes is a file that is not there yet.
func (v *Values) bytes() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := v.header()
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

// First are the first lines of a file, were it new.
func (v *Values) First(n int) []string {
	some := &Values{Rows: v.Rows[:min(n, len(v.Rows))], set: v.set}
	return strings.Split(strings.TrimSuffix(string(some.bytes()), "\n"), "\n")
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

// defaults are the beginning of a file with what the records of a folder share: what the map says,
// and the names of what is left to fill in, without what folders above have already. There are none
// where the folder has such a file.
func (u *Update) defaults(fsys fs.FS, date record.Date) ([]byte, error) {
	has := u.members()
	above, there, err := defaultsAbove(fsys, path.Dir(u.Path))
	if err != nil || there {
		return nil, cmp.Or(err, u.complete(has, above))
	}
	var b strings.Builder
	b.WriteString("# What the statistics in this folder share. values.csv has the rest; {…} is filled from it.\n# Fill in what is empty; `stele check` lists what is left.\n")
	said := map[string]string{} // by the map
	for _, d := range u.Values.defaults {
		for i := 0; i+1 < len(d.Content); i += 2 {
			if isEmpty(d.Content[i+1]) {
				continue
			}
			text, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: d.Content[i : i+2]})
			if err != nil {
				return nil, err
			}
			said[d.Content[i].Value] = string(text)
		}
	}
	for _, m := range u.template(has, date) {
		name, _, _ := strings.Cut(m, ":")
		switch {
		case said[name] != "":
			b.WriteString(said[name])
		case !above[name] && (!has[name] || name == "obs_status"):
			b.WriteString(m + "\n")
		}
		delete(said, name)
		above[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		b.WriteString(said[name])
		above[name] = true
	}
	return []byte(b.String()), u.complete(has, above)
}

// defaultsAbove are the members that files of defaults give to a folder, and whether it has one.
func defaultsAbove(fsys fs.FS, dir string) (above map[string]bool, there bool, err error) {
	above = map[string]bool{}
	for at := dir; at != "."; at = path.Dir(at) {
		data, err := fs.ReadFile(fsys, path.Join(at, input.DefaultsFile))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var members map[string]yaml.Node
		if err == nil {
			err = yaml.Unmarshal(data, &members)
		}
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", path.Join(at, input.DefaultsFile), err)
		}
		for name := range members {
			above[name] = true
		}
		there = there || at == dir
	}
	return above, there, nil
}

// isEmpty reports whether a value of a map is still to be filled in.
func isEmpty(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode {
		return n.Value == "" || n.Tag == "!!null"
	}
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	for i := step - 1; i < len(n.Content); i += step {
		if !isEmpty(n.Content[i]) && (step == 1 || n.Content[i-1].Value != "role") {
			return false
		}
	}
	return len(n.Content) > 0
}

// complete makes sure that a statistic has what makes it one.
func (u *Update) complete(has, above map[string]bool) error {
	statistics := "records/" + record.KindNamed(record.KindHealthcareStatistic).Folder() + "/"
	for _, member := range []string{"ref_area", "time_period"} {
		if strings.HasPrefix(u.Path, statistics) && !has[member] && !above[member] {
			return fmt.Errorf("%s: no column gives %s: name it in columns of the map, or write it in set", u.Path, member)
		}
	}
	return nil
}

// template are the members of a new file of defaults.
func (u *Update) template(has map[string]bool, date record.Date) []string {
	name := path.Base(path.Dir(u.Path))
	if u.id != "" { // another kind
		return []string{"version: 1", "verification_date: " + string(date), "published_date: " + string(date), "updated_date: " + string(date), "source_updates: []", "corrections: []"}
	}
	id := "sta-" + name
	for _, member := range slices.Sorted(maps.Keys(u.owned)) {
		if strings.HasPrefix(member, "dimensions.") && len(member) > len("dimensions.") {
			has[member] = true
		}
	}
	members := []string{"ref_area", "time_period"}
	if u.owned["vintage"] {
		members = append(members, "vintage")
	}
	for _, member := range slices.Sorted(maps.Keys(has)) {
		if strings.HasPrefix(member, "dimensions.") {
			members = append(members, member)
		}
	}
	for _, member := range members {
		id += "-{" + member + "}"
	}
	title := cmp.Or(u.title, name) + ", {ref_area}"
	if has["x_area_name"] {
		title = cmp.Or(u.title, name) + ", {x_area_name}"
	}
	for _, member := range members[1:] {
		if !slices.ContainsFunc(u.Rows, func(row map[string]string) bool { return row[member] == "" }) {
			title += ", {" + member + "}"
		}
	}
	return []string{
		`id: "` + id + `"`,
		"version: 1",
		"title: " + strconv.Quote(title),
		`summary: ""`,
		"indicator: " + name,
		`unit: ""`,
		`unit_label: ""`,
		"obs_status: A # or E where the values are estimates",
		"claim_boundary:\n  statement: \"\" # what a value does not reach",
		"source_links:\n  - url: \"\" # where the table comes from\n    role: primary",
		"verification_date: " + string(date),
		"published_date: " + string(date),
		"updated_date: " + string(date),
		"source_updates: []",
		"corrections: []",
	}
}
