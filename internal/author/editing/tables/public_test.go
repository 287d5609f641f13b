package tables_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"stele/internal/author/editing/tables"
	"stele/internal/testkit/must"
)

// TestPublic: import takes every figure of ten tables that others published, after the questions
// about each table are answered.
func TestPublic(t *testing.T) {
	const public = "testdata/public/"
	for name, test := range map[string]struct {
		answers tables.Answers
		figures int // columns of figures
	}{
		"../../../../examples/immunization/countries.csv": {tables.Answers{"heading WHO 2017": "name", "unknown areas": "own"}, 12},
		public + "immunization-world.csv":                 {tables.Answers{"heading WHO, 2017": "name", "heading UN Population Division, 2017": "name"}, 11},
		public + "maternal-mortality.csv":                 {tables.Answers{"unknown areas": "own"}, 4},
		public + "norway-cash-for-care.csv":               {tables.Answers{"area": "code", "unknown areas": "own", "column edition": "ignore"}, 1},
		public + "norway-cash-for-care-two-editions.csv":  {tables.Answers{"area": "code", "areas": "own", "area NO": "NOR", "unknown areas": "own", "column edition": "dimension"}, 1},
		public + "norway-population-2018.csv":             {tables.Answers{"area": "code", "unknown areas": "own", "time": "2018", "column name_in_source": "note"}, 2},
		public + "covid-germany.csv":                      {tables.Answers{"area": "DEU"}, 5},
		public + "antibodies-new-york.csv":                {tables.Answers{"area": "demo_variable", "unknown areas": "own", "time": "2021", "per cent": "percent"}, 4},
		public + "health-research.csv":                    {nil, 1},
		public + "co2-emitters.csv":                       {tables.Answers{"unknown areas": "own"}, 1},
	} {
		t.Run(name[strings.LastIndex(name, "/")+1:], func(t *testing.T) {
			data := string(must.Get(os.ReadFile(name))(t))
			answers := tables.Answers{}
			p := propose(t, "t.csv", data)
			for n := 0; len(p.Questions) > 0 && n < 5; n++ {
				for _, q := range p.Questions {
					if answers[q.ID] = test.answers[q.ID]; answers[q.ID] == "" {
						t.Fatalf("asks %v", q)
					}
				}
				p = propose(t, "t.csv", data, answers)
			}
			m, err := tables.ReadMap(strings.NewReader(p.Map))
			if err != nil {
				t.Fatalf("%v\n%s", err, p.Map)
			}
			result, err := m.Convert(open(t, "t.csv", data, m.Table.Options))
			if err != nil {
				t.Fatalf("%v\n%s", err, p.Map)
			}
			rows := must.Get(csv.NewReader(strings.NewReader(data)).ReadAll())(t)
			if len(result.Files) != test.figures {
				t.Errorf("%d series, want %d", len(result.Files), test.figures)
			}
			if want, got := figuresOfTable(rows, p), figuresOfResult(result); !slices.Equal(got, want) {
				t.Errorf("%d figures, want %d\n%s", len(got), len(want), p.Map)
			}
			t.Logf("%d figures, %d questions: %v", result.Figures, len(answers), answers)
		})
	}
}

// figuresOfTable are the figures of a table, sorted.
func figuresOfTable(rows [][]string, p *tables.Proposal) (list []string) {
	for _, s := range p.Series {
		at := slices.Index(rows[0], s.Column)
		for _, row := range rows[1:] {
			if text := row[at]; text != "" {
				if strings.HasPrefix(text, ".") {
					text = "0" + text
				}
				list = append(list, fmt.Sprint(text))
			}
		}
	}
	slices.Sort(list)
	return list
}

func figuresOfResult(r *tables.Result) (list []string) {
	for _, v := range r.Files {
		for _, row := range v.Rows {
			list = append(list, row["value"])
		}
	}
	slices.Sort(list)
	return list
}
