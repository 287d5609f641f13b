package record

import (
	"regexp"
	"strings"
	"testing"
)

const genericID = "write letters"

var idCases = []formatCase{
	{"a", right},
	{"7", right},
	{"sig-measles-2026", right},
	{"A.b_c-9", right},
	{"a--b__c", right},
	{strings.Repeat("a", 128), right},
	{strings.Repeat("a", 129), silent},
	{"", "write letters, digits, '.', '_' or '-'"},
	{"my id", `write "my-id"`},
	{" a ", `write "a"`},
	{"größe", `write "gr-e"`},
	{"日本", silent},
	{"-a", `write "a"`},
	{"a-", `write "a"`},
	{".hidden", `write "hidden"`},
	{"a.", `write "a"`},
	{"_a", `write "a"`},
	{"a..b", `write "a-b"`},
	{"../etc/passwd", `write "etc-passwd"`},
	{"a/b", `write "a-b"`},
	{"a\nb", `write "a-b"`},
	{"a\x00b", `write "a-b"`},
	{"con", `write "id-con"`},
	{"LPT1.txt", `write "id-LPT1.txt"`},
	{"com0.a.b", `write "id-com0.a.b"`},
	{"con ", silent},
	{"com", right},
	{"com10", right},
	{"console", right},
	{"a.con", right},
	{"\xff", silent},
	// Proposals are whole, however long, and never too long themselves.
	{strings.Repeat("a", 100) + " b", `write "` + strings.Repeat("a", 100) + `-b"`},
	{"con." + strings.Repeat("a", 124), silent},
}

func TestID(t *testing.T) { checkFormat(t, idCases, idProblem) }

func TestIDFold(t *testing.T) {
	if ID("Sig-A").Fold() != ID("sIG-a").Fold() || ID("a-b").Fold() == ID("a_b").Fold() {
		t.Error("IDs are the same without regard to case, and to nothing else")
	}
}

var (
	idForm   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$`)
	idDevice = regexp.MustCompile(`^(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)
)

// idProperty: Go, a regular expression and the schema agree, and what is proposed is an ID.
func idProperty(t *testing.T, s string) (valid bool) {
	message, fix := idProblem(s)
	valid = message == ""
	if want := idForm.MatchString(s) && !strings.Contains(s, "..") && !idDevice.MatchString(s); valid != want {
		t.Errorf("idProblem(%q) = %q, want it valid: %v", s, message, want)
	}
	if bySchema := idSchema(t).Validate(s) == nil; valid != bySchema {
		t.Errorf("idProblem(%q) = %q, but the schema says %v", s, message, bySchema)
	}
	if p := proposal(fix, genericID); p != "" {
		if again, _ := idProblem(p); again != "" {
			t.Errorf("%q: %q is proposed, of which it says: %s", s, p, again)
		}
	}
	return valid
}
