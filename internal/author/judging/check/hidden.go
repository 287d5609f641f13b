package check

import (
	"slices"
	"strings"

	"stele/record"
)

// hidden is which records may stand in files that cannot be read.
type hidden struct {
	any   bool // of any kind
	kinds map[string]bool
}

// add takes in a file, or folder, below records/.
func (h *hidden) add(file string) {
	inside, below := strings.CutPrefix(file, "records/")
	folder, _, _ := strings.Cut(inside, "/")
	switch kind := record.KindInFolder(folder); {
	case below && kind != nil:
		if h.kinds == nil {
			h.kinds = map[string]bool{}
		}
		h.kinds[kind.Name] = true
	case below || file == "records":
		h.any = true
	}
}

// may reports whether a record may be hidden that has one of the kinds; without any, every kind
// will do.
func (h *hidden) may(kinds []string) bool {
	if h.any || len(kinds) == 0 {
		return h.any || len(h.kinds) > 0
	}
	return slices.ContainsFunc(kinds, func(k string) bool { return h.kinds[k] })
}

// waits reports whether a finding has to wait that a record is not there, because it may stand in a
// file that cannot be read. It counts those.
func (c *collector) waits(kinds ...string) bool {
	if !c.hidden.may(kinds) {
		return false
	}
	c.waiting++
	return true
}

// Hides reports whether records of a kind may stand in files that cannot be read.
func (c *collector) Hides(kind string) bool { return c.hidden.may([]string{kind}) }
