package input

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// checkLanguage makes sure that the pages speak the language that the publisher wants.
func checkLanguage(s *settings.Settings, t *schema.Tree) []schema.Problem {
	var tags []string
	for _, l := range settings.Languages {
		tags = append(tags, l.Tag)
	}
	there := strings.Join(tags, ", ")
	switch {
	case s.Words != "" && !slices.Contains(tags, s.Words):
		return []schema.Problem{fault(codes.WrongValue, SettingsFile, memberAt(t, "words"),
			"pages have no words in "+strconv.Quote(s.Words), "write one of "+there)}
	case s.Words == "" && s.Language != "" && s.Foreign():
		return []schema.Problem{fault(codes.NoWords, SettingsFile, memberAt(t, "language"),
			"pages have no words of their own in "+strconv.Quote(s.Language)+", so these are in English",
			"to want that, write words: en; there are words in "+there)}
	}
	return nil
}
