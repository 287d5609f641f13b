package check

import (
	"slices"
	"strings"

	"stele/record"
)

// hidden records which kinds may have records in unreadable files.
type hidden struct {
	any   bool // of any kind
	kinds map[string]bool
}

// add adds an unreadable file or folder below records/.
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

// mayContain reports whether a record of one of kinds, or of any kind if kinds is empty, may be in
// an unreadable file.
func (h *hidden) mayContain(kinds []string) bool {
	if h.any || len(kinds) == 0 {
		return h.any || len(h.kinds) > 0
	}
	return slices.ContainsFunc(kinds, func(k string) bool { return h.kinds[k] })
}

// mustWait reports whether the finding that a record is missing must wait, because the record may
// be in an unreadable file. It counts such findings.
func (c *collector) mustWait(kinds ...string) bool {
	if !c.hidden.mayContain(kinds) {
		return false
	}
	c.waiting++
	return true
}

// MayHide reports whether unreadable files may contain records of kind.
func (c *collector) MayHide(kind string) bool { return c.hidden.mayContain([]string{kind}) }
