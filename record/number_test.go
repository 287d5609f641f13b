package record

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/base/schema"
)

const (
	genericNumber = "write digits"
	otherNumber   = "write digits, with a point for decimals: 1234.5"
)

var numberCases = []formatCase{
	{"0", right},
	{"-0", right},
	{"0.050", right},
	{"136200", right},
	{"1e2", right},
	{"1E+2", right},
	{"-1.5e-3", right},
	{"0e999999999", right},
	{"1.7976931348623157e308", right},
	{"5e-324", right},
	{strings.Repeat("9", 64), right},
	{strings.Repeat("9", 65), silent},
	{"1e309", silent},
	{"-1e309", silent},
	{"1e-400", silent},
	{"", otherNumber},
	{"-", otherNumber},
	{"01", otherNumber},
	{"1e", otherNumber},
	{"1e+", otherNumber},
	{"1.e2", otherNumber},
	{"1,5", otherNumber}, // one and a half, or fifteen?
	{"1,234.5", otherNumber},
	{"NaN", otherNumber},
	{"Infinity", otherNumber},
	{"0x10", otherNumber},
	{"many", otherNumber},
	{"--1", otherNumber},
	{"+5", "write 5"},
	{".5", "write 0.5"},
	{"5.", "write 5"},
	{"1 234", "write 1234"},
	{"1\u202f234", "write 1234"},
	{"1\u00a0234", "write 1234"},
	{"1_234", "write 1234"},
	{"1'234.5", "write 1234.5"},
	{"86 %", "write 86"},
	{" 5", "write 5"},
	// What is proposed can be read.
	{"+1e309", otherNumber},
	{"+" + strings.Repeat("9", 65), otherNumber},
}

func TestNumber(t *testing.T) { checkFormat(t, numberCases, schema.NumberProblem) }

func TestNumberCompareIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})\.[0-9]{1,20}`)
		exponent := rapid.StringMatching(`(e-?[0-9]{1,2})?`).Draw(t, "exponent")
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") { // so that they often tie as floats
			b = a + "1"
		}
		a, b = a+exponent, b+exponent
		x, ok1 := new(big.Rat).SetString(a)
		y, ok2 := new(big.Rat).SetString(b)
		if !ok1 || !ok2 {
			t.Fatalf("%s, %s: the generator is wrong", a, b)
		}
		if got, want := Number(a).Compare(Number(b)), x.Cmp(y); got != want {
			t.Errorf("%s compared with %s is %d, want %d", a, b, got, want)
		}
	})
}

func TestNumberFloat(t *testing.T) {
	if f := Number("0.050").Float(); f != 0.05 {
		t.Errorf("0.050 is %v", f)
	}
	if f := Number("").Float(); !math.IsNaN(f) {
		t.Errorf("no number is %v", f)
	}
	if b, err := json.Marshal([]Number{"0.050", "1e2"}); err != nil || string(b) != "[0.050,1e2]" {
		t.Errorf("marshalled as %s, %v", b, err)
	}
}

// numberProperty: isNumber and encoding/json agree; what is accepted can be read as a float and
// keeps being nought or not; what is proposed is accepted.
func numberProperty(t *testing.T, s string) (valid bool) {
	message, fix := schema.NumberProblem(s)
	valid = message == ""
	isJSON := s != "" && strings.Contains("-0123456789", s[:1]) && strings.Contains("0123456789", s[len(s)-1:]) && json.Valid([]byte(s))
	if schema.IsNumber(s) != isJSON {
		t.Errorf("isNumber(%q) = %v, but encoding/json says %v", s, schema.IsNumber(s), isJSON)
	}
	var f float64
	err := json.Unmarshal([]byte(s), &f)
	digits, _, _ := strings.Cut(strings.ToLower(s), "e")
	readable := isJSON && err == nil && (f != 0 || !strings.ContainsAny(digits, "123456789"))
	if want := readable && len(s) <= 64; valid != want {
		t.Errorf("%q: %q, want it valid: %v", s, message, want)
	}
	if p := proposal(fix, genericNumber); p != "" {
		if again, _ := schema.NumberProblem(p); again != "" {
			t.Errorf("%q: %q is proposed, of which it says: %s", s, p, again)
		}
	}
	return valid
}
