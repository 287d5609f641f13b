package input

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
)

// checkHome makes sure that the first page has parts that there are, each once.
func checkHome(s *settings.Settings, t *schema.Tree) (problems []schema.Problem) {
	places := elements(t, "home")
	for i, name := range s.Home {
		wrong := func(message, fix string) {
			problems = append(problems, fault(codes.WrongValue, SettingsFile, t.Nodes[places[i]].At, message, fix))
		}
		switch {
		case !slices.Contains(settings.HomeParts, name):
			fix := "write some of " + strings.Join(settings.HomeParts, ", ")
			if near := suggest.To(name, settings.HomeParts); near != "" {
				fix = "did you mean " + near + "?"
			}
			wrong("the first page has no part "+strconv.Quote(name), fix)
		case slices.Contains(s.Home[:i], name):
			wrong("the first page has the part "+strconv.Quote(name)+" already", "delete it")
		}
	}
	return problems
}
