package input

import (
	"strconv"

	"stele/internal/author/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// checkReview makes sure that each span is one, for a kind that is verified.
func checkReview(s *settings.Settings, t *schema.Tree) (problems []schema.Problem) {
	places := members(t, "review_after")
	for _, term := range s.ReviewAfter {
		wrong := func(message, fix string) {
			problems = append(problems, fault(codes.WrongValue, SettingsFile, places[term.Name], message, fix))
		}
		k, near := FindKind(term.Name)
		switch {
		case k == nil || k.Name != term.Name:
			fix := "write the name of a kind, such as evidence"
			if k != nil {
				near = k.Name
			}
			if near != "" {
				fix = "did you mean " + near + "?"
			}
			wrong("there is no kind "+strconv.Quote(term.Name), fix)
		case !k.HasNode():
			wrong(k.Many+" are not verified, and never due for review", "delete it")
		default:
			if _, ok := settings.ParseSpan(term.Text); !ok {
				wrong(strconv.Quote(term.Text)+" is no length of time", "write a number up to 1000 and days, weeks, months or years, such as 18 months")
			}
		}
	}
	return problems
}
