package release

import (
	"fmt"
	"strings"
)

// The grammar of paths. A path becomes a file name, an address and a part of header lines, so its
// form is as narrow as that of IDs: what is safe in all of them needs no quoting in any.
//
//	path    = segment *( "/" segment )
//	segment = 1*( letter / digit / "." / "_" / "-" / "~" ), without ".." and not "."
const (
	maxPath     = 1024
	maxSegment  = 255 // what file systems allow
	maxSegments = 32
)

// inPath says which bytes a segment may have.
var inPath = func() (table [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-~") {
		table[c] = true
	}
	return table
}()

// ValidPath reports whether a path can be one of a release: relative, with slashes, of ASCII
// letters, digits, '.', '_', '-' and '~', and without empty, "." or ".." segments.
func ValidPath[T ~string | ~[]byte](path T) bool {
	if len(path) > maxPath {
		return false
	}
	segments, start := 1, 0
	for i := range len(path) {
		switch c := path[i]; {
		case c == '/':
			if !validSegment(path[start:i]) {
				return false
			}
			segments, start = segments+1, i+1
		case !inPath[c]:
			return false
		}
	}
	return segments <= maxSegments && validSegment(path[start:])
}

// validSegment judges a part whose bytes may stand in a path.
func validSegment[T ~string | ~[]byte](s T) bool {
	if len(s) == 0 || len(s) > maxSegment || len(s) == 1 && s[0] == '.' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] == '.' && s[i-1] == '.' {
			return false
		}
	}
	return true
}

// validID reports whether an ID can be a part of a path.
func validID[T ~string | ~[]byte](id T) bool {
	if len(id) == 0 {
		return false
	}
	for i := range len(id) {
		if id[i] == '/' {
			return false
		}
	}
	return ValidPath(id)
}

// SinglePath is where the file of a record lies, or "" if records of the kind have none.
func (k *Kind) SinglePath(id string) string {
	before, after, ok := k.SingleParts()
	if !ok {
		return ""
	}
	return before + id + after
}

// SingleParts divides the path of a kind's single records into what stands before and after the ID.
func (k *Kind) SingleParts() (before, after string, ok bool) {
	before, rest, ok := strings.Cut(k.Single, "{")
	_, after, closed := strings.Cut(rest, "}")
	return before, after, ok && closed
}

// checkSingle refuses a pattern that does not become a path.
func (k *Kind) checkSingle() error {
	if k.Single == "" {
		return nil
	}
	_, name, _ := strings.Cut(k.Single, "{")
	name, _, closed := strings.Cut(name, "}")
	if !closed || !validName(name) || !ValidPath(k.SinglePath("x")) {
		return fmt.Errorf("%s: the single records of %s have the path %q, which is none", ManifestPath, k.Kind, k.Single)
	}
	return nil
}

// validName reports whether a name is one of a kind or of a member.
func validName(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return 0 < len(name) && len(name) <= 64
}
