// Package tables turns a table into files of records, as a map says that a person wrote or
// corrected: which columns have what, and what their words and numbers mean. The same table and map
// always give the same bytes. Every cell is taken, counted or named in an error; no number goes
// through a binary one.
//
// A reading is a small parser with a name that reads all of a text, or does not read it. Each
// column has one reading: the one that reads all its cells, if no other reading gives other
// results. A cell that only one reading reads, a word of the heading, a second column or the type
// of a cell decides between several, and otherwise a question.
//
// Propose returns a map with its questions. Each Question has an ID and mostly choices; a caller
// puts the answers into Answers by ID and calls Propose again, until no question is left. ReadMap
// refuses a map with open questions. Map.Read then makes the records, and Result.Compare compares
// them with the records that are there:
//
//	p, err := tables.Propose(open, "measles.csv", sheet.Options{}, tables.Answers{"numbers": "."})
//	m, err := tables.ReadMap(strings.NewReader(p.Map))
//	result, err := m.Read(ctx, path)
//	plan, err := result.Compare(files, tables.Change{Date: day})
package tables

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"stele/internal/base/sheet"
	"stele/internal/base/suggest"
	"stele/record"
)

// Map says how a table becomes records.
type Map struct {
	From    string            `yaml:"from"`    // a map that comes with Stele, to which this one adds
	Kind    string            `yaml:"kind"`    // healthcare_statistic, unless another is named
	Table   Layout            `yaml:"table"`   // how the file is read
	Columns map[string]string `yaml:"columns"` // the column that a member is taken from; Name? need not be there
	// Readings are how columns are read, by name; time_period is that of periods in headings.
	Readings map[string]string `yaml:"readings"`
	Open     []string          `yaml:"open"`  // questions of the proposal without an answer
	Areas    map[string]Area   `yaml:"areas"` // what the table calls areas; with nothing, its rows are left out
	// Words are what the table's words stand for, by member: dimensions.sex: {MLE: male}.
	Words map[string]map[string]string `yaml:"words"`
	// Ignore are columns that are not taken, and rows: {Country: [Total, "Source…"]}.
	Ignore ignored  `yaml:"ignore"`
	Series []Series `yaml:"series"`
	// Defaults are what all records share, for a _defaults.yaml that is not there yet.
	Defaults yaml.Node `yaml:"defaults"`
}

// ignored names columns, and rows by the words in one of their cells. A word that ends in … stands
// for all that begin so.
type ignored struct {
	columns []string
	rows    map[string][]string
}

// UnmarshalYAML takes a list of columns, and among them objects with the words of a column.
func (g *ignored) UnmarshalYAML(n *yaml.Node) error {
	list := n.Content
	if n.Kind == yaml.MappingNode {
		list = []*yaml.Node{n}
	}
	g.rows = map[string][]string{}
	for _, e := range list {
		if e.Kind == yaml.ScalarNode {
			g.columns = append(g.columns, e.Value)
			continue
		}
		var words map[string]yaml.Node
		if err := e.Decode(&words); err != nil {
			return fmt.Errorf("line %d: ignore: name a column, or rows as {Column: [words]}", e.Line)
		}
		for column, of := range words {
			if of.Kind == yaml.ScalarNode {
				of.Content = []*yaml.Node{{Value: of.Value}}
			}
			for _, w := range of.Content {
				g.rows[column] = append(g.rows[column], w.Value)
			}
		}
	}
	return nil
}

// Layout is how a file is read.
type Layout struct {
	sheet.Options `yaml:",inline"`
	Sheets        []string `yaml:"sheets"`    // several sheets of a workbook with the same heading
	Sections      []string `yaml:"sections"`  // texts that are alone in a row, and say what the rows below are for
	Header        rowList  `yaml:"header"`    // the rows with the names of columns; 1 unless others are named
	End           string   `yaml:"end"`       // how the first cell begins of the row after the last one
	Hidden        bool     `yaml:"hidden"`    // whether hidden rows and columns of a workbook are taken
	Decimal       string   `yaml:"decimal"`   // "." or ","
	Thousands     string   `yaml:"thousands"` // what may stand between groups of three digits
	Year          string   `yaml:"year"`      // on which day years such as 2016/17 begin: 04-01
	Short         bool     `yaml:"short"`     // whether rows of CSV may lack cells at their end
	Fill          []string `yaml:"fill"`      // columns in which an empty cell means the same as the cell above
	Personal      bool     `yaml:"personal"`  // whether texts that seem to be about persons may be published
	Missing       []string `yaml:"missing"`   // what stands where there is no value
	// Marks are signs after a value or in its place, and what a record with one has in its members.
	Marks map[string]map[string]string `yaml:"marks"`

	numbers  *numbering // how figures are read, if a series or the cells say so
	fraction bool       // whether figures are fractions of one, and wanted as per cent
}

// Series is what the values of one column, or of several, become: the records of one folder.
type Series struct {
	Folder  string            `yaml:"folder"`  // {Name} is filled from a column
	Value   string            `yaml:"value"`   // the column of the values
	Values  string            `yaml:"values"`  // or a pattern of columns; its groups are members or dimensions
	Title   string            `yaml:"title"`   // what the records are about, for their titles
	Reading string            `yaml:"reading"` // how its figures are read: 1,234.5
	As      string            `yaml:"as"`      // code where the cells are codes and no numbers
	Where   map[string]string `yaml:"where"`   // only rows with these words in these columns
	Columns map[string]string `yaml:"columns"` // as those of the map, for this series alone
	Set     map[string]string `yaml:"set"`     // members that are the same in all its records
	// Defaults are as those of the map, for this series alone.
	Defaults yaml.Node `yaml:"defaults"`

	pattern *regexp.Regexp
	shorter *regexp.Regexp // the pattern without the .* at its end
}

// Area is what the table means by the name of an area. A code alone is a country.
type Area struct {
	Scheme string `yaml:"ref_area_scheme"`
	Code   string `yaml:"ref_area"`
	Name   string `yaml:"name"`
}

// UnmarshalYAML takes a code alone too.
func (a *Area) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		a.Scheme, a.Code = string(record.SchemeISO3166), n.Value
		return nil
	}
	type plain Area
	return n.Decode((*plain)(a))
}

// rowList is the number of a row, or a list of them.
type rowList []int

func (l *rowList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		var one int
		err := n.Decode(&one)
		*l = rowList{one}
		return err
	}
	return n.Decode((*[]int)(l))
}

// maxMap is how large a map may be.
const maxMap = 4 << 20

// ReadMap reads a map.
func ReadMap(r io.Reader) (*Map, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxMap+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxMap {
		return nil, fmt.Errorf("it is longer than %d bytes", maxMap)
	}
	m := &Map{}
	var begin struct {
		From string `yaml:"from"`
	}
	if err := yaml.Unmarshal(data, &begin); err == nil && begin.From != "" {
		if !slices.Contains(Ready(), begin.From) {
			return nil, fmt.Errorf("from: %q is unknown; %s come with Stele", begin.From, strings.Join(Ready(), ", "))
		}
		if m, err = OpenMap(begin.From); err != nil {
			return nil, err
		}
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(m); err != nil && !errors.Is(err, io.EOF) {
		return nil, mapError(err)
	}
	return m, m.finish()
}

var unknownField = regexp.MustCompile(`^line (\d+): field (\S+) not found in type .*$`)

// mapNames are the names that a map may have, to suggest them.
var mapNames = strings.Fields(`from kind table columns areas words ignore series defaults sheet path encoding delimiter header end
	hidden decimal thousands year missing marks folder value values as where set ref_area_scheme ref_area name readings reading title open short
	fill personal sheets sections`)

// mapError says what the library says in its own words.
func mapError(err error) error {
	var several *yaml.TypeError
	if !errors.As(err, &several) {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	text := several.Errors[0]
	if m := unknownField.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("line %s: %s is unknown%s", m[1], m[2], suggest.DidYouMean(m[2], mapNames))
	}
	return errors.New(text)
}

// finish checks a map and fills in what may be left out.
func (m *Map) finish() error {
	if m.Kind == "" {
		m.Kind = record.KindHealthcareStatistic
	}
	if record.KindNamed(m.Kind) == nil {
		return fmt.Errorf("kind: there is no kind %q", m.Kind)
	}
	if len(m.Table.Header) == 0 {
		m.Table.Header = rowList{1}
	}
	if m.Table.Year != "" && !record.Period("2000-"+m.Table.Year).Valid() {
		return fmt.Errorf("table: year is %q: write the month and day on which years such as 2016/17 begin, 04-01 for April", m.Table.Year)
	}
	if t := m.Table; t.Decimal != "" && t.Decimal != "." && t.Decimal != "," || t.Decimal != "" && t.Decimal == t.Thousands {
		return fmt.Errorf("table: decimal is %q and thousands %q: write . or , for the one, and another sign for the other", m.Table.Decimal, m.Table.Thousands)
	}
	if len(m.Series) == 0 {
		return errors.New("it has no series: name at least one, with its folder and the column of its values")
	}
	if err := m.checkReadings(); err != nil {
		return err
	}
	for i := range m.Series {
		if err := m.Series[i].finish(m.Kind == record.KindHealthcareStatistic); err != nil {
			return fmt.Errorf("series %d: %w", i+1, err)
		}
	}
	return nil
}

// checkReadings makes sure that all readings are known, and that no question is open.
func (m *Map) checkReadings() error {
	if len(m.Open) > 0 {
		return fmt.Errorf("open questions: %s. Answer them with --answer when import proposes the map, or write the answers in the map and delete them below open", strings.Join(m.Open, ", "))
	}
	for _, column := range slices.Sorted(maps.Keys(m.Readings)) {
		if r := m.Readings[column]; !knownPeriods(r) && !slices.Contains(areaReadings, r) {
			return fmt.Errorf("readings: %q is unknown for %q; write country names, years, months, days day-month-year, financial years from 04-01 …", r, column)
		}
	}
	for _, s := range m.Series {
		if _, _, ok := numberingNamed(s.Reading); !ok && s.Reading != "" {
			return fmt.Errorf("series %s: the reading %q is unknown; write one of %s", s.Folder, s.Reading, strings.Join(numberingNames(), ", "))
		}
	}
	return nil
}

// inBraces is the name of a column in the name of a folder.
var inBraces = regexp.MustCompile(`\{[^{}]+\}`)

var folderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

func (s *Series) finish(statistics bool) (err error) {
	switch {
	case !folderName.MatchString(inBraces.ReplaceAllString(s.Folder, "x")) || strings.Contains(s.Folder, ".."):
		return fmt.Errorf("folder: %q cannot be the name of a folder", s.Folder)
	case s.Value != "" && s.Values != "":
		return errors.New("it has value and values: keep one")
	case s.Value == "" && s.Values == "" && statistics:
		return errors.New("it does not name the column of its values: add value, or values with a pattern of columns")
	case s.As != "" && s.As != "code":
		return fmt.Errorf("as: %q is unknown; write code where the cells are codes, or nothing", s.As)
	case s.Values != "":
		if s.pattern, err = regexp.Compile("^(?:" + s.Values + ")$"); err != nil {
			return fmt.Errorf("values: %w", err)
		}
		if rest, open := strings.CutSuffix(s.Values, ".*"); open {
			s.shorter, _ = regexp.Compile("^(?:" + rest + ")") // it may be nothing without what follows
		}
	}
	return nil
}

//go:embed ready
var ready embed.FS

// Ready are the names of the maps that come with Stele.
func Ready() (names []string) {
	entries, err := ready.ReadDir("ready")
	if err != nil {
		panic(err) // it is part of the program
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// OpenMap opens a map: one that comes with Stele, by its name, or a file.
func OpenMap(name string) (*Map, error) {
	var f fs.File
	var err error
	if slices.Contains(Ready(), name) {
		f, err = ready.Open("ready/" + name + ".yaml")
	} else {
		f, err = os.Open(name)
	}
	if err != nil {
		return nil, err
	}
	m, err := ReadMap(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// present leaves out the columns that need not be there, and are not.
func present(columns map[string]string, names []string) map[string]string {
	found := map[string]string{}
	for member, column := range columns {
		name, optional := strings.CutSuffix(column, "?")
		switch {
		case !optional || slices.Contains(names, column):
			found[member] = column
		case slices.Contains(names, name):
			found[member] = name
		}
	}
	return found
}
