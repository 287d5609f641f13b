package input

import (
	"math"
	"strconv"

	"stele/internal/author/settings"
	"stele/record"
)

// checkAxes makes sure that axes begin at a number.
func checkAxes(s *settings.Settings, t *record.Tree) (problems []record.Problem) {
	for _, term := range s.AxisFrom {
		if n := record.Number(term.Text).Float(); math.IsNaN(n) || math.IsInf(n, 0) {
			at, _ := t.At("/axis_from/" + term.Name)
			problems = append(problems, fault(record.WrongValue, SettingsFile, t.Nodes[at].At,
				strconv.Quote(term.Text)+" is no number", "write the value at which the axis begins, such as 40"))
		}
	}
	return problems
}
