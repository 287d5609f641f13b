package report

import (
	"fmt"
	"regexp"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Text reports print the first of similar problems and then their number. JSON reports contain all.
const (
	mostAlike  = 10 // up to this number, all are printed
	shownAlike = 3  // otherwise, this number is printed
)

// group contains similar problems at different positions.
type group struct {
	count, shown int
	files        int
	file         string // file of the last problem
}

type groupKey struct {
	code             codes.Code
	pointer, message string
}

// differing matches the parts that differ between similar problems: names, values and numbers.
var differing = regexp.MustCompile(`"[^"]*"|[0-9]+`)

func groupOf(p *schema.Problem) groupKey {
	message := p.Message
	if p.Record != "" {
		message = strings.ReplaceAll(message, p.Record, "…")
	}
	return groupKey{p.Code, differing.ReplaceAllString(p.Pointer, "…"), differing.ReplaceAllString(message, "…")}
}

// groupProblems counts similar problems, which are sorted by file.
func groupProblems(problems []schema.Problem) map[groupKey]*group {
	all := map[groupKey]*group{}
	for i := range problems {
		p := &problems[i]
		key := groupOf(p)
		g := all[key]
		if g == nil {
			g = &group{}
			all[key] = g
		}
		if g.count++; g.file != p.File {
			g.file, g.files = p.File, g.files+1
		}
	}
	return all
}

// moreText returns a line with the number of similar problems that were not printed.
func (g *group) moreText() string {
	return fmt.Sprintf("… and %s more like these, %s in %s; --format json lists them", withThousands(g.count-shownAlike), withThousands(g.count), Count(g.files, "file"))
}
