package record

import "strings"

// ID identifies a record. It is also a path segment and a file name, so it is restricted: ASCII
// letters, digits, '.', '_' and '-', beginning and ending with a letter or digit, without "..", at
// most 128 bytes, and not a device name of Windows.
type ID string

const maxID = 128

// Fold returns the ID in lower case: two IDs with the same fold count as the same.
func (id ID) Fold() string { return strings.ToLower(string(id)) }

// Problem returns the fault of id and the remedy, or two empty texts if id is valid.
func (id ID) Problem() (message, fix string) { return idProblem(string(id)) }

func idProblem(s string) (message, fix string) {
	switch {
	case s == "":
		return "the ID is empty", "write letters, digits, '.', '_' or '-'"
	case len(s) > maxID:
		return "the ID has " + itoa(int64(len(s))) + " bytes; at most 128 are allowed", ""
	}
	for i := 0; i < len(s); i++ {
		if !isAlphanumeric(s[i]) && s[i] != '-' && s[i] != '.' && s[i] != '_' {
			return "the ID contains a character other than letters, digits, '.', '_' and '-'", proposeID(s)
		}
	}
	switch {
	case !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]):
		return "the ID must begin and end with a letter or digit", proposeID(s)
	case strings.Contains(s, ".."):
		return "the ID contains two dots in a row", proposeID(s)
	case isReserved(s):
		return "the ID is a reserved device name on Windows", proposeText("id-" + s)
	}
	return "", ""
}

// proposeID returns a remedy with the valid ID closest to s.
func proposeID(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 128 && isAlphanumeric(byte(r)) || r == '_':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return proposeText(strings.Trim(b.String(), "-_"))
}

// proposeText returns a remedy with a whole ID that can be copied.
func proposeText(id string) string {
	if id == "" || len(id) > maxID || isReserved(id) {
		return ""
	}
	return `write "` + id + `"`
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z'
}

// isReserved reports whether the part before the first dot is a device name on Windows.
func isReserved(s string) bool {
	base, _, _ := strings.Cut(s, ".")
	if len(base) < 3 || len(base) > 4 {
		return false
	}
	switch strings.ToLower(base) {
	case "con", "prn", "aux", "nul":
		return true
	}
	prefix, digit := strings.ToLower(base[:3]), base[3:]
	return (prefix == "com" || prefix == "lpt") && len(digit) == 1 && '0' <= digit[0] && digit[0] <= '9'
}
