// Package tables converts a table into files of records with a map that a person wrote or
// corrected. The map says what is in each column, and what its words and numbers mean. The same
// table and map always give the same bytes. Every cell is used, counted or named in an error.
// Numbers stay decimal.
//
// A reading is a small named parser that reads all of a text, or rejects it. Each column has one
// reading: the one that reads all its cells, if no other reading gives other results. Between
// several readings, a cell that only one of them accepts decides, or a word of the heading, a
// second column or the type of a cell. Otherwise there is a question.
//
// Propose returns a map with its questions. Each Question has an ID and usually choices. A caller
// puts the answers into Answers by ID and calls Propose again, until no question is left. ReadMap
// refuses a map with open questions. Map.Read then makes the records, and Result.Compare compares
// them with the existing records:
//
//	answers := tables.Answers{"numbers": "."}
//	p, err := tables.Propose(open, "measles.csv", sheet.Options{}, nil, answers)
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
	"stele/internal/base/sheet/areas"
	"stele/internal/base/suggest"
	"stele/record"
)

// Map describes how a table becomes records.
type Map struct {
	From    string            `yaml:"from"`    // built-in map that this one extends
	Kind    string            `yaml:"kind"`    // kind of the records; by default healthcare_statistic
	Table   Layout            `yaml:"table"`   // how the file is read
	Columns map[string]string `yaml:"columns"` // column of each member; Name? is optional
	// Readings has the readings of columns by name; time_period and ref_area are the readings of
	// periods and areas in headings.
	Readings map[string]string `yaml:"readings"`
	Open     []string          `yaml:"open"`  // unanswered questions of the proposal
	Areas    map[string]Area   `yaml:"areas"` // meaning of area names; rows of a name without a value are ignored
	// Words has the meaning of the table's words by member: dimensions.sex: {MLE: male}.
	Words map[string]map[string]string `yaml:"words"`
	// Ignore names columns and rows to ignore: {Country: [Total, "Source…"]}.
	Ignore ignored  `yaml:"ignore"`
	Series []Series `yaml:"series"`
	// Defaults has members that all records share, for a new _defaults.yaml.
	Defaults yaml.Node `yaml:"defaults"`
	// Schemes has the publisher's schemes of areas, which are not part of the map.
	Schemes []*areas.Scheme `yaml:"-"`
}

// ignored names columns, and rows by the words in one of their cells. A word that ends with …
// matches all texts that begin with it.
type ignored struct {
	columns []string
	rows    map[string][]string
}

// UnmarshalYAML decodes a list of columns, with objects for rows.
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
			return fmt.Errorf("line %d: ignore: write the name of a column, or rows as {Column: [words]}", e.Line)
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

// Layout describes how a file is read.
type Layout struct {
	sheet.Options `yaml:",inline"`
	Sheets        []string `yaml:"sheets"`    // several sheets of a workbook with the same heading
	Sections      []string `yaml:"sections"`  // texts of rows that title a section
	Header        rowList  `yaml:"header"`    // rows with the names of columns; by default 1
	End           string   `yaml:"end"`       // beginning of the first cell after the data
	Hidden        bool     `yaml:"hidden"`    // whether hidden rows and columns of a workbook are read
	Decimal       string   `yaml:"decimal"`   // "." or ","
	Thousands     string   `yaml:"thousands"` // separator between groups of three digits
	Year          string   `yaml:"year"`      // first day of years such as 2016/17: 04-01
	Short         bool     `yaml:"short"`     // whether CSV rows may lack cells at the end
	Fill          []string `yaml:"fill"`      // columns in which an empty cell repeats the cell above
	Personal      bool     `yaml:"personal"`  // whether texts that seem to be about people may be published
	Missing       []string `yaml:"missing"`   // texts that mean no value
	// Marks has the signs after or instead of a value, and the members that they set.
	Marks map[string]map[string]string `yaml:"marks"`

	numbers  *numbering // how figures are read, if a series or the cells say so
	fraction bool       // whether figures are fractions of one that become per cent
}

// Series describes how the values in one or several columns become the records of one folder.
type Series struct {
	Folder  string            `yaml:"folder"`  // {Name} inserts a column
	Value   string            `yaml:"value"`   // column of the values
	Values  string            `yaml:"values"`  // or a pattern of columns; its groups are members or dimensions
	Title   string            `yaml:"title"`   // what the figures count, for the titles of the records
	Reading string            `yaml:"reading"` // format of its figures: 1,234.5
	As      string            `yaml:"as"`      // "code" if cells are codes, not numbers
	Where   map[string]string `yaml:"where"`   // only rows with these words in these columns
	Columns map[string]string `yaml:"columns"` // like those of the map, for this series only
	Set     map[string]string `yaml:"set"`     // members that are equal in all its records
	// Defaults is like that of the map, for this series only.
	Defaults yaml.Node `yaml:"defaults"`

	pattern *regexp.Regexp
	shorter *regexp.Regexp // the pattern without the .* at its end
}

// Area is the meaning of an area name. A code without a scheme is that of a country.
type Area struct {
	Scheme string `yaml:"ref_area_scheme"`
	Code   string `yaml:"ref_area"`
	Name   string `yaml:"name"`
}

// UnmarshalYAML decodes an object, or a code without a scheme.
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

// rowList is a row number, or a list of them.
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

// maxMap is the maximum size of a map.
const maxMap = 4 << 20

// ReadMap reads a map.
func ReadMap(r io.Reader) (*Map, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxMap+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxMap {
		return nil, fmt.Errorf("the map has more than %d bytes", maxMap)
	}
	m := &Map{}
	var begin struct {
		From string `yaml:"from"`
	}
	if err := yaml.Unmarshal(data, &begin); err == nil && begin.From != "" {
		if !slices.Contains(BuiltInMaps(), begin.From) {
			return nil, fmt.Errorf("from: unknown map %q; the built-in maps are %s", begin.From, strings.Join(BuiltInMaps(), ", "))
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
	return m, m.checkAndComplete()
}

var unknownField = regexp.MustCompile(`^line (\d+): field (\S+) not found in type .*$`)

// mapNames are the names allowed in a map, for suggestions.
var mapNames = strings.Fields(`from kind table columns areas words ignore series defaults sheet path encoding delimiter header end
	hidden decimal thousands year missing marks folder value values as where set ref_area_scheme ref_area name readings reading title open short
	fill personal sheets sections`)

// mapError translates an error of the YAML library.
func mapError(err error) error {
	var several *yaml.TypeError
	if !errors.As(err, &several) {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	text := several.Errors[0]
	if m := unknownField.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("line %s: unknown key %s%s", m[1], m[2], suggest.DidYouMean(m[2], mapNames))
	}
	return errors.New(text)
}

// checkAndComplete checks a map and fills in defaults.
func (m *Map) checkAndComplete() error {
	if m.Kind == "" {
		m.Kind = record.KindHealthcareStatistic
	}
	if record.KindNamed(m.Kind) == nil {
		return fmt.Errorf("kind: unknown kind %q", m.Kind)
	}
	if len(m.Table.Header) == 0 {
		m.Table.Header = rowList{1}
	}
	if m.Table.Year != "" && !record.Period("2000-"+m.Table.Year).Valid() {
		return fmt.Errorf("table: malformed year %q: write the month and day on which years such as 2016/17 begin, such as 04-01", m.Table.Year)
	}
	if t := m.Table; t.Decimal != "" && t.Decimal != "." && t.Decimal != "," || t.Decimal != "" && t.Decimal == t.Thousands {
		return fmt.Errorf("table: decimal is %q and thousands is %q: use . or , for decimal, and a different sign for thousands", m.Table.Decimal, m.Table.Thousands)
	}
	if len(m.Series) == 0 {
		return errors.New("missing series: add at least one, with its folder and the column of its values")
	}
	if err := m.checkReadings(); err != nil {
		return err
	}
	for i := range m.Series {
		if err := m.Series[i].checkAndComplete(m.Kind == record.KindHealthcareStatistic); err != nil {
			return fmt.Errorf("series %d: %w", i+1, err)
		}
	}
	return nil
}

// checkReadings returns an error if a reading is unknown or a question is open.
func (m *Map) checkReadings() error {
	if len(m.Open) > 0 {
		return fmt.Errorf("open questions: %s. Answer them with --answer when import proposes the map, or write the answers in the map and delete the questions below open", strings.Join(m.Open, ", "))
	}
	for _, column := range slices.Sorted(maps.Keys(m.Readings)) {
		if r := m.Readings[column]; !isPeriodReading(r) && !slices.Contains(areaReadings, r) && !isOwnReading(r) {
			return fmt.Errorf("readings: unknown reading %q for %q; choose country names, codes of SCHEME, names of SCHEME, years, months, days day-month-year, financial years from 04-01 …", r, column)
		}
	}
	for _, s := range m.Series {
		if _, _, ok := findNumbering(s.Reading); !ok && s.Reading != "" {
			return fmt.Errorf("series %s: unknown reading %q; choose one of %s", s.Folder, s.Reading, strings.Join(numberingNames(), ", "))
		}
	}
	return nil
}

// inBraces matches a column name in the name of a folder.
var inBraces = regexp.MustCompile(`\{[^{}]+\}`)

var folderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

func (s *Series) checkAndComplete(statistics bool) (err error) {
	switch {
	case !folderName.MatchString(inBraces.ReplaceAllString(s.Folder, "x")) || strings.Contains(s.Folder, ".."):
		return fmt.Errorf("folder: %q is not a valid folder name", s.Folder)
	case s.Value != "" && s.Values != "":
		return errors.New("both value and values are set: keep one")
	case s.Value == "" && s.Values == "" && statistics:
		return errors.New("missing column of values: set value to its name, or values to a pattern for several columns")
	case s.As != "" && s.As != "code":
		return fmt.Errorf("as: unknown value %q; set as to code if the cells are codes, otherwise delete as", s.As)
	case s.Values != "":
		if s.pattern, err = regexp.Compile("^(?:" + s.Values + ")$"); err != nil {
			return fmt.Errorf("values: %w", err)
		}
		if rest, open := strings.CutSuffix(s.Values, ".*"); open {
			s.shorter, _ = regexp.Compile("^(?:" + rest + ")") // empty if the text after it is missing
		}
	}
	return nil
}

//go:embed ready
var ready embed.FS

// BuiltInMaps returns the names of the built-in maps.
func BuiltInMaps() (names []string) {
	entries, err := ready.ReadDir("ready")
	if err != nil {
		panic(err) // it is part of the program
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// OpenMap opens the built-in map called name, or the file name.
func OpenMap(name string) (*Map, error) {
	var f fs.File
	var err error
	if slices.Contains(BuiltInMaps(), name) {
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

// presentColumns returns columns without the optional ones that the table lacks.
func presentColumns(columns map[string]string, names []string) map[string]string {
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
