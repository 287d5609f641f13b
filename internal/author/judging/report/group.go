package report

import (
	"fmt"
	"regexp"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Problems that repeat are shown a few times and then counted; JSON has them all.
const (
	mostAlike  = 10 // so many are all shown
	shownAlike = 3  // of more, so many
)

// group is problems that say the same of different positions.
type group struct {
	count, shown int
	files        int
	file         string // the last one
}

type groupKey struct {
	code             codes.Code
	pointer, message string
}

// differing is what differs between problems that say the same: names, values and numbers.
var differing = regexp.MustCompile(`"[^"]*"|[0-9]+`)

func groupOf(p *schema.Problem) groupKey {
	message := p.Message
	if p.Record != "" {
		message = strings.ReplaceAll(message, p.Record, "…")
	}
	return groupKey{p.Code, differing.ReplaceAllString(p.Pointer, "…"), differing.ReplaceAllString(message, "…")}
}

// groups counts problems, which stand in the order of their files.
func groups(problems []schema.Problem) map[groupKey]*group {
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

// more says how many there are besides those that were shown.
func (g *group) more() string {
	return fmt.Sprintf("… and %s more like these, %s in %s; --format json lists them", thousands(g.count-shownAlike), thousands(g.count), Count(g.files, "file"))
}
