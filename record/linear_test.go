package record

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/base/schema"
	"stele/internal/testkit/must"
)

// TestLinear: a record that is made to be slow takes steps in proportion to its size. Twice the
// members take at most twice the steps, and some.
func TestLinear(t *testing.T) {
	repeat := func(n int, element func(i int) string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = element(i)
		}
		return strings.Join(list, ",")
	}
	object := func(n int, element func(i int) string) string { return "{" + repeat(n, element) + "}" }
	unknown := func(i int) string { return fmt.Sprintf(`"a%d":"x"`, i) }
	list := func(member string, element func(i int) string) func(int) string {
		return func(n int) string { return `{"` + member + `":[` + repeat(n, element) + "]}" }
	}
	correction := func(kind string) func(int) string {
		return func(i int) string {
			return fmt.Sprintf(`{"date":"2026-01-01","type":%q,"in_version":2,"fields":["a%d"],"summary":"s"}`, kind, i)
		}
	}
	for name, hostile := range map[string]func(n int) string{
		"unknown":        func(n int) string { return object(n, unknown) },
		"unknown inside": func(n int) string { return `{"claim_boundary":` + object(n, unknown) + "}" },
		"same":           func(n int) string { return object(n, func(int) string { return `"title":"x"` }) },
		"own":            func(n int) string { return object(n, func(i int) string { return fmt.Sprintf(`"x_%d":1`, i) }) },
		"corrections":    list("corrections", correction("correction")),
		"reinstatements": list("corrections", correction("reinstatement")),
		"concerns":       list("corrections", correction("expression_of_concern")),
		"links":          list("source_links", func(int) string { return `{"url":"http://example.org/","role":"primery"}` }),
		"updates":        list("source_updates", func(int) string { return `{"date":"x","type":"x","in_version":9}` }),
		"aliases":        list("aliases", func(int) string { return `1` }),
		"options":        list("options", func(int) string { return `{"option_id":"a"}` }),
	} {
		t.Run(name, func(t *testing.T) {
			steps := func(n int) int {
				text := hostile(n)
				var p Parser
				k := KindNamed(KindSignal)
				if name == "options" {
					k = KindNamed(KindDecisionView)
				}
				tree := must.Get(p.Tree(k, []byte(text)))(t)
				var looked int
				tree.Visited = &looked
				new(Parser).Decode(k, tree)
				return looked
			}
			// more than the problems that are kept, each of which takes steps to find its place
			const some = 2 * schema.MaxProblems
			if once, twice := steps(some), steps(2*some); twice > 2*once+100 {
				t.Errorf("%d take %d steps, and %d take %d", some, once, 2*some, twice)
			}
		})
	}
}
