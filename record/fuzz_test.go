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
