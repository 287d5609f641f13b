package reuse

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// normalizeText returns the normal form of a text: NFC, with single spaces as white space.
func normalizeText(s string) string {
	if !norm.NFC.IsNormalString(s) {
		s = norm.NFC.String(s)
	}
	if isNormal(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// isNormal reports whether the only white space in s is single spaces inside it.
func isNormal(s string) bool {
	space := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= utf8.RuneSelf || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return !space || s == ""
}

// isEmpty reports whether a cell has no value, in any of the usual notations.
func isEmpty(s string) bool {
	switch s {
	case "", "[]", "{}", "null", "None", "NULL", "NA", "NaN", "nan", "<NA>", `\N`, `""`:
		return true
	}
	return strings.TrimSpace(s) == ""
}

// normalizeURL returns the normal form of a URL (RFC 3986, section 6.2).
func normalizeURL(s string) string {
	s = strings.TrimSpace(s)
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return s
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	escaped := u.EscapedPath()
	if escaped == "" {
		escaped = "/"
	}
	if strings.Contains(escaped, "/.") {
		slash := strings.HasSuffix(escaped, "/") || strings.HasSuffix(escaped, "/.") || strings.HasSuffix(escaped, "/..")
		if escaped = path.Clean(escaped); slash && escaped != "/" {
			escaped += "/"
		}
	}
	b := u.Scheme + "://" + u.Host + normalizeEscapes(escaped)
	if u.RawQuery != "" || u.ForceQuery {
		b += "?" + normalizeEscapes(u.RawQuery)
	}
	if u.Fragment != "" {
		b += "#" + normalizeEscapes(u.EscapedFragment())
	}
	return b
}

// normalizeEscapes normalizes escapes in a URL: letters, digits and -._~ are not escaped, and other
// escapes are in upper case.
func normalizeEscapes(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+2 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		c := byte(n)
		switch {
		case err != nil:
			b.WriteByte('%')
			continue
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString(strings.ToUpper(s[i : i+3]))
		}
		i += 2
	}
	return b.String()
}

// urlBegins matches the beginning of URLs in a text.
var urlBegins = regexp.MustCompile(`(?i)(?:^|[ \t\r\n|;,"'[({])(https?://)`)

func findURLs(s string) (list []string) {
	end := len(s)
	for _, at := range slices.Backward(urlBegins.FindAllStringSubmatchIndex(s, -1)) {
		list = append(list, normalizeURL(strings.TrimRight(s[at[2]:end], " \t\r\n|;,\"'])}")))
		end = at[2]
	}
	slices.Reverse(list)
	return list
}

// dateForm is a date format.
type dateForm int

const (
	isoDate  dateForm = iota // 2026-11-14, possibly with a time
	dayFirst                 // 14.11.2026, 14/11/2026, 14 November 2026
	monthFirst
	serialDate // number of days since 1899-12-30, as in spreadsheets
	compactDate
	dateForms
)

var dateFormNames = [dateForms]string{
	"", "days before months", "months before days", "spreadsheet day numbers", "days without hyphens",
}

var layouts = [dateForms][]string{
	{"2006-01-02", "2006/1/2"},
	{"2.1.2006", "2/1/2006", "2-1-2006", "2 Jan 2006", "2 January 2006", "2. January 2006"},
	{"1/2/2006", "1-2-2006", "Jan 2, 2006", "January 2, 2006"},
	nil,
	{"20060102"},
}

// parse parses a date of this format, and returns it in ISO format, or "" if it is invalid.
func (f dateForm) parse(s string) string {
	s = strings.TrimSpace(s)
	if f == serialDate {
		whole, part, _ := strings.Cut(s, ".")
		n, err := strconv.Atoi(whole)
		if err != nil || strings.Trim(part, "0") != "" || n < 20_000 || n > 80_000 {
			return ""
		}
		return time.Date(1899, 12, 30+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	if f == isoDate && len(s) > len(time.DateOnly) && (s[10] == 'T' || s[10] == ' ') {
		s = s[:10]
	}
	if f == compactDate {
		s = strings.TrimSuffix(s, ".0")
	}
	if f == dayFirst || f == monthFirst {
		s, _, _ = strings.Cut(s, " 00:00")
	}
	for _, layout := range layouts[f] {
		if day, err := time.Parse(layout, s); err == nil {
			return day.Format(time.DateOnly)
		}
	}
	return ""
}

// parseVersion returns the version number in a cell (such as 2, 2.0 or v2), or "".
func parseVersion(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && (s[0] == 'v' || s[0] == 'V') {
		s = s[1:]
	}
	whole, part, _ := strings.Cut(s, ".")
	if strings.Trim(part, "0") != "" || whole == "" || len(whole) > 18 {
		return ""
	}
	n, err := strconv.ParseUint(whole, 10, 63)
	if err != nil {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// leafTexts returns the texts and numbers in nested JSON, or in Python or DuckDB notation. ok is
// false for other texts.
func leafTexts(s string) (list []string, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" || s[0] != '[' && s[0] != '{' {
		return nil, false
	}
	if list, ok = jsonLeaves([]byte(s)); !ok {
		list, ok = jsonLeaves([]byte(jsonFromPrinted(s)))
	}
	return list, ok
}

func jsonLeaves(data []byte) (list []string, ok bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		depth := d.StackDepth()
		if kind, n := d.StackIndex(depth); token.Kind() == '"' && kind == '{' && n%2 == 1 {
			continue // the name of a member
		}
		if token.Kind() == '"' || token.Kind() == '0' {
			if part := normalizeLeaf(token.String()); part != "" {
				list = append(list, part)
			}
		}
		if depth == 0 {
			return list, len(bytes.TrimSpace(data[d.InputOffset():])) == 0
		}
	}
}

// normalizeLeaf returns the normal form of a nested text or number.
func normalizeLeaf(s string) string {
	if whole, found := strings.CutSuffix(s, ".0"); found && parseVersion(whole) != "" {
		return whole
	}
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		return normalizeURL(s)
	}
	return normalizeText(s)
}

// jsonFromPrinted converts lists and dictionaries in Python or DuckDB notation to JSON. Their texts
// have single quotation marks or none.
func jsonFromPrinted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\'' || c == '"':
			end := i + 1
			for end < len(s) && s[end] != c {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			b.WriteString(jsonFromPython(s[i+1 : min(end, len(s))]))
			i = end + 1
		case strings.IndexByte("[]{}:, \t\n", c) >= 0:
			b.WriteByte(c)
			i++
		default:
			end := i + strings.IndexAny(s[i:]+",", ",]}")
			switch word := strings.TrimSpace(s[i:min(end, len(s))]); word {
			case "None", "NULL", "nan":
				b.WriteString("null")
			default:
				b.WriteString(jsonFromPython(word))
			}
			i = end
		}
	}
	return b.String()
}

// jsonFromPython converts the inside of a Python string to JSON.
func jsonFromPython(s string) string {
	return `"` + strings.NewReplacer(`\'`, `'`, `\\`, `\\`, `\x`, `\u00`, `\"`, `\"`, `"`, `\"`).Replace(s) + `"`
}

// fixEncoding corrects a UTF-8 text that was read as Windows-1252. It returns "" if s is not such a
// text.
func fixEncoding(s string) string {
	b, err := charmap.Windows1252.NewEncoder().String(s)
	if err != nil || b == s || !utf8.ValidString(b) {
		return ""
	}
	return b
}

// normalizeThing returns the normal form of a published thing: its parts, sorted.
func normalizeThing(t Thing, published string) []string {
	if published == "" {
		return nil
	}
	list, ok := leafTexts(published)
	switch {
	case t == Links:
		list = findLinks(published)
	case !ok:
		return []string{normalizeText(published)}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// findLinks returns the URLs in a cell: leaves of nested JSON, or URLs in a text.
func findLinks(s string) (list []string) {
	parts, ok := leafTexts(s)
	if !ok {
		return findURLs(s)
	}
	for _, part := range parts {
		if strings.HasPrefix(part, "http://") || strings.HasPrefix(part, "https://") {
			list = append(list, part)
		}
	}
	return list
}
