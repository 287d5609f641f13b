package record

import (
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// fuzzed are the texts that are read by hand: where fuzzing begins, and what must hold for every
// text. A property answers whether the text is valid.
var fuzzed = map[string]struct {
	seeds    []formatCase
	property func(*testing.T, string) bool
}{
	"ID":     {idCases, idProperty},
	"Date":   {dateCases, dateProperty},
	"Period": {periodCases, periodProperty},
	"Number": {numberCases, numberProperty},
	"URL":    {urlCases, urlProperty},
}

func FuzzID(f *testing.F)     { fuzz(f, "ID") }
func FuzzDate(f *testing.F)   { fuzz(f, "Date") }
func FuzzPeriod(f *testing.F) { fuzz(f, "Period") }
func FuzzNumber(f *testing.F) { fuzz(f, "Number") }
func FuzzURL(f *testing.F)    { fuzz(f, "URL") }

func fuzz(f *testing.F, name string) {
	for _, c := range fuzzed[name].seeds {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, s string) { fuzzed[name].property(t, s) })
}

// TestSeeds proves that there are seeds, and that they reach both sides of each property.
func TestSeeds(t *testing.T) {
	for name, fuzz := range fuzzed {
		t.Run(name, func(t *testing.T) {
			valid, invalid := 0, 0
			for _, c := range fuzz.seeds {
				if fuzz.property(t, c.text) {
					valid++
				} else {
					invalid++
				}
			}
			if valid == 0 || invalid == 0 {
				t.Errorf("%d seeds are valid and %d are not; some of each are needed", valid, invalid)
			}
		})
	}
}

// The schemas of the formats, compiled once.
var (
	idSchema     = once(formatSchema[ID])
	dateSchema   = once(formatSchema[Date])
	periodSchema = once(formatSchema[Period])
	urlSchema    = once(formatSchema[URL])
)

func once(compile func(testing.TB) *jsonschema.Schema) func(testing.TB) *jsonschema.Schema {
	var first sync.Once
	var schema *jsonschema.Schema
	return func(tb testing.TB) *jsonschema.Schema {
		first.Do(func() { schema = compile(tb) })
		return schema
	}
}
