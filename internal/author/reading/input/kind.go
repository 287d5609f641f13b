package input

import (
	"strings"

	"stele/internal/base/suggest"
	"stele/record"
)

// FindKind returns the kind whose name, folder or noun is word. If there is none, near is the name
// of the most similar kind, or "".
func FindKind(word string) (k *record.Kind, near string) {
	flat := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '_' || r == '-' || r == ' ' {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	var names []string
	for _, k := range record.Kinds {
		for _, name := range []string{k.Name, k.Folder(), k.One, k.Many} {
			if flat(name) == flat(word) {
				return k, ""
			}
		}
		names = append(names, k.Name)
	}
	return nil, suggest.Closest(word, names)
}
