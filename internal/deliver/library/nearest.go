package library

import (
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/suggest"
)

// Limits on the search for similar paths, so that answers for wrong paths stay cheap.
const (
	maxNearestFor = 96  // bytes of an address
	maxNearest    = 512 // names in a folder; no name of a larger folder is suggested
	maxSlips      = 3   // letters that may differ
)

// addName adds a path to the names with which wrong paths are compared. Pages are added to the
// names of their folder. Folders, and files that readers may request, are added to the names of the
// folder "".
func (l *Library) addName(path string) {
	parts := strings.Split(strings.TrimSuffix(path, layout.Index), "/")
	folder, name := "", strings.Join(parts, "/")
	switch n := len(parts); {
	case n == 3 && parts[2] == "":
		folder, name = parts[0], parts[1]
	case name == "" || n == 2 && parts[1] != "" || n > 2 && (n != 3 || parts[0] != "api"):
		return
	}
	if l.names == nil {
		l.names = map[string][]string{}
	}
	if len(l.names[folder]) <= maxNearest && !slices.Contains(l.names[folder], name) {
		l.names[folder] = append(l.names[folder], name)
	}
}

// setNames adds the names of all files, and drops folders with too many names.
func (l *Library) setNames() {
	for at := range l.files {
		l.addName(at)
	}
	for folder, names := range l.names {
		if slices.Sort(names); len(names) > maxNearest {
			delete(l.names, folder)
		}
	}
}

// nearestPath returns the existing path that is most similar to path, which does not exist, or ""
// if no path is similar.
func (l *Library) nearestPath(path string) string {
	at := strings.TrimPrefix(strings.TrimSuffix(path, layout.Index), "/")
	if len(path) > maxNearestFor {
		return ""
	}
	folder, name, _ := strings.Cut(strings.TrimSuffix(at, "/"), "/")
	k := l.kindAt(path)
	if k != nil && strings.HasPrefix(at, k.before) && k.before != "" {
		if near := closestName(at[len(k.before):len(at)-len(k.after)], l.names[k.folder]); near != "" {
			return "/" + k.before + near + k.after
		}
		return ""
	}
	if near := closestName(name, l.names[folder]); name != "" && near != "" {
		return "/" + folder + "/" + near + "/"
	}
	if near := closestName(at, l.names[""]); k == nil && near != "" {
		return "/" + near
	}
	return ""
}

// closestName returns the element of names that differs from name in the fewest letters. It returns
// "" if all differ in many letters.
func closestName(name string, names []string) (best string) {
	least := min(maxSlips, max(1, len(name)/3)) + 1
	for _, other := range names {
		if d := suggest.Distance([]byte(name), []byte(other), least); d < least {
			best, least = other, d
		}
	}
	return best
}
