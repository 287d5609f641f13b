package series_test

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// The rules below are those of the SDMX-CSV 2.1 field guide, and of the schema of SDMX-JSON 2.1
// structure messages as far as these messages use it.
var (
	sdmxID     = regexp.MustCompile(`^[A-Za-z0-9_@$-]+$`)
	sdmxNCName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	sdmxAgency = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)*$`)
)

// structures is a structure message, with its artefacts by their URNs.
type structures struct {
	t     *testing.T
	path  string
	codes map[string][]string // of code lists
	items map[string]bool     // artefacts and concepts
}

// readStructure reads a structure message and checks what can be told of its parts alone.
func readStructure(t *testing.T, path string) (*structures, object) {
	t.Helper()
	m := parse(t, read(t, path))
	s := &structures{t, path, map[string][]string{}, map[string]bool{}}
	if meta := m["meta"].(object); !sdmxID.MatchString(meta["id"].(string)) || len(meta["prepared"].(string)) != 10 ||
		!sdmxID.MatchString(meta["sender"].(object)["id"].(string)) {
		t.Errorf("%s: meta is %v", path, meta)
	}
	data := m["data"].(object)
	for class, list := range map[string]string{
		"datastructure.Dataflow": "dataflows", "datastructure.DataStructure": "dataStructures",
		"conceptscheme.ConceptScheme": "conceptSchemes", "codelist.Codelist": "codelists",
	} {
		for _, a := range data[list].([]any) {
			s.artefact(class, a.(object))
		}
	}
	return s, data
}

func (s *structures) artefact(class string, a object) {
	id, agency := a["id"].(string), a["agencyID"].(string)
	if !sdmxNCName.MatchString(id) || !sdmxAgency.MatchString(agency) || a["name"] == "" || a["version"] != "1.0" {
		s.t.Errorf("%s: %s %s:%s is called %q", s.path, class, agency, id, a["name"])
	}
	urn := "urn:sdmx:org.sdmx.infomodel." + class + "=" + agency + ":" + id + "(1.0)"
	if s.items[urn] {
		s.t.Errorf("%s: %s is there twice", s.path, urn)
	}
	s.items[urn] = true
	concepts, _ := a["concepts"].([]any)
	codes, _ := a["codes"].([]any)
	for _, item := range append(concepts, codes...) {
		o := item.(object)
		code := o["id"].(string)
		if !sdmxID.MatchString(code) || o["name"] == "" || slices.Contains(s.codes[urn], code) {
			s.t.Errorf("%s: %s has the item %q, called %q", s.path, urn, code, o["name"])
		}
		s.codes[urn] = append(s.codes[urn], code)
		s.items[strings.Replace(urn, "ConceptScheme=", "Concept=", 1)+"."+code] = true
	}
}

// component checks a component, and returns its ID and code list.
func (s *structures) component(c object) (id string, codes []string) {
	id = c["id"].(string)
	if !sdmxNCName.MatchString(id) || !s.items[c["conceptIdentity"].(string)] {
		s.t.Errorf("%s: the component %s has no concept: %v", s.path, id, c)
	}
	r := c["localRepresentation"].(object)
	if list, ok := r["enumeration"].(string); ok {
		if codes = s.codes[list]; codes == nil {
			s.t.Errorf("%s: there is no code list %s", s.path, list)
		}
	} else if r["format"].(object)["dataType"] == "" {
		s.t.Errorf("%s: %s has no type", s.path, id)
	}
	return id, codes
}

// TestSDMX: the structure message of each indicator is whole, and every cell of its CSV is one that
// the structure allows; no two rows have the same key, and what was retracted is left out.
func TestSDMX(t *testing.T) {
	count := 0
	for path := range release(t) {
		name, ok := strings.CutSuffix(path, ".sdmx.csv")
		if !ok {
			continue
		}
		count++
		s, data := readStructure(t, name+".sdmx.json")
		flow := data["dataflows"].([]any)[0].(object)
		if !s.items[flow["structure"].(string)] {
			t.Errorf("%s: the dataflow has no structure", name)
		}
		parts := data["dataStructures"].([]any)[0].(object)["dataStructureComponents"].(object)
		columns := map[string][]string{}
		var keys []string
		for _, c := range append(parts["dimensionList"].(object)["dimensions"].([]any), parts["dimensionList"].(object)["timeDimension"]) {
			id, codes := s.component(c.(object))
			columns[id], keys = codes, append(keys, id)
		}
		for _, c := range append(parts["measureList"].(object)["measures"].([]any), parts["attributeList"].(object)["attributes"].([]any)...) {
			id, codes := s.component(c.(object))
			columns[id] = codes
		}
		checkRows(t, path, flow["agencyID"].(string)+":"+flow["id"].(string)+"(1.0)", columns, keys)
	}
	if count < 5 {
		t.Errorf("%d files", count)
	}
}

func checkRows(t *testing.T, path, flow string, columns map[string][]string, keys []string) {
	t.Helper()
	lines := must.Get(csv.NewReader(strings.NewReader(read(t, path))).ReadAll())(t)
	head := lines[0]
	if want := []string{"STRUCTURE[;]", "STRUCTURE_ID", "ACTION"}; !slices.Equal(head[:3], want) || len(head)-3 != len(columns) {
		t.Errorf("%s begins with %q, and there are %d components", path, head, len(columns))
	}
	seen := map[string]bool{}
	for _, line := range lines[1:] {
		if line[0] != "dataflow" || line[1] != flow || line[2] != "M" {
			t.Errorf("%s: %q is not of %s", path, line[:3], flow)
		}
		key := ""
		for i, cell := range line[3:] {
			name, multiple := strings.CutSuffix(head[i+3], "[]")
			codes, known := columns[name]
			if !known {
				t.Fatalf("%s: no component %s", path, name)
			}
			if slices.Contains(keys, name) {
				if key += "." + cell; cell == "" {
					t.Errorf("%s: no %s in %q", path, name, line)
				}
			}
			values := []string{cell}
			if multiple {
				values = strings.Split(cell, ";")
			}
			for _, value := range values {
				if codes != nil && value != "" && !slices.Contains(codes, value) {
					t.Errorf("%s: %s has no code %q", path, name, value)
				}
			}
		}
		if seen[key] {
			t.Errorf("%s: %s is there twice", path, key)
		}
		seen[key] = true
	}
}

// TestSDMXValues: bounds, editions, breakdowns and spans are written as SDMX has them.
func TestSDMXValues(t *testing.T) {
	rows := table(t, "healthcare-statistics/x-notified.sdmx.csv")
	if rows["sta-x-retracted"] != nil {
		t.Error("what was retracted is there")
	}
	for id, want := range map[string]map[string]string{
		"sta-x-bound":   {"OBS_VALUE": "", "LESS_THAN": "5", "OBS_STATUS": "A", "SEX": "_Z", "VINTAGE": "_Z", "COMMENT_OBS": "Suppressed, because it is small"},
		"sta-x-range":   {"OBS_VALUE": "12.50", "LOWER": "10", "UPPER": "14.0", "LEVEL": "95", "SEX": "f", "FREQ": "A", "TIME_PERIOD": "2020"},
		"sta-x-edition": {"VINTAGE": "2025", "REF_AREA": "FRA", "SOURCE[]": "S1", "CLAIM_BOUNDARY": "B1"},
		"sta-x-spans":   {"TIME_PERIOD": "2015-01-01/P3Y", "FREQ": "_O"},
		"sta-x-missing": {"OBS_STATUS": "O", "OBS_VALUE": ""},
	} {
		for name, text := range want {
			if got := rows[id][name]; got != text {
				t.Errorf("%s has %s %q, not %q", id, name, got, text)
			}
		}
	}
	if r := table(t, "healthcare-statistics/x-policy.sdmx.csv")["sta-x-policy"]; r["OBS_VALUE"] != "60" {
		t.Errorf("an answer is %v", r)
	}
	if text := read(t, "healthcare-statistics/x-notified.sdmx.json"); !strings.Contains(text, "Left out: 1 values") {
		t.Error("nothing says what is left out")
	}
	if text := read(t, "healthcare-statistics/x-policy.sdmx.json"); !strings.Contains(text, "Required for entry") {
		t.Error("the answer has no words")
	}
}
