package input

import (
	"math"
	"strconv"

	"stele/internal/author/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// checkAxes makes sure that axes begin at a number.
func checkAxes(s *settings.Settings, t *schema.Tree) (problems []schema.Problem) {
	places := members(t, "axis_from")
	for _, term := range s.AxisFrom {
		if n := record.Number(term.Text).Float(); math.IsNaN(n) || math.IsInf(n, 0) {
			problems = append(problems, fault(codes.WrongValue, SettingsFile, places[term.Name],
				strconv.Quote(term.Text)+" is no number", "write the value at which the axis begins, such as 40"))
		}
	}
	return problems
}
