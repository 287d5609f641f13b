package layout

import "strings"

// The grammar of paths. A path is also a file name, a URL path and a part of header lines. It
// contains only characters that are safe in all of these without quoting.
//
//	path    = segment *( "/" segment )
//	segment = 1*( letter / digit / "." / "_" / "-" / "~" ), without ".." and not "."
const (
	maxPath     = 1024
	maxSegment  = 255 // what file systems allow
	maxSegments = 32
)

// inPath says which bytes may appear in a path segment.
var inPath = func() (table [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-~") {
		table[c] = true
	}
	return table
}()

// ValidPath reports whether path is a valid path of a release: relative, with slashes, of ASCII
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

// validSegment reports whether s, whose bytes are all allowed in paths, is a valid segment.
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

// ValidID reports whether id is valid as one segment of a path.
func ValidID[T ~string | ~[]byte](id T) bool {
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

// ValidName reports whether name is valid as the name of a kind or member.
func ValidName(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return 0 < len(name) && len(name) <= 64
}

// CutSingle splits the path pattern of single records, such as signals/{signal_id}.json, into the
// parts before and after the braces and the name of the member that contains the ID.
func CutSingle(path string) (before, name, after string, ok bool) {
	before, rest, ok := strings.Cut(path, "{")
	name, after, closed := strings.Cut(rest, "}")
	return before, name, after, ok && closed
}

// FillSingle returns path with id in place of the braces, or "" if path has no braces.
func FillSingle(path, id string) string {
	before, _, after, ok := CutSingle(path)
	if !ok {
		return ""
	}
	return before + id + after
}
