package library

import (
	"strings"

	"stele/internal/base/compress"
)

// weights are the client's preferences for the codings, in thousandths.
type weights [compress.Codings]int16

const unsaid = int16(-1)

// choose returns the representation that the client prefers, or the smallest of several equally
// preferred. It returns nil if the client accepts none of them.
func (r *resource) choose(acceptEncoding string) *representation {
	if acceptEncoding == "" {
		return &r.representations[0]
	}
	w := parseAcceptEncoding(acceptEncoding)
	var best *representation
	most := int16(0)
	for i := range r.representations {
		f := &r.representations[i]
		weight := 2 * w[f.coding]
		if f.coding != compress.Identity {
			if weight <= 0 {
				continue
			}
			weight++ // a compressed one before the plain one, if both have the same weight
		}
		if weight > most || weight == most && best != nil && f.Size < best.Size {
			best, most = f, weight
		}
	}
	return best
}

// parseAcceptEncoding parses the header of RFC 9110, section 12.5.3. It ignores malformed elements.
func parseAcceptEncoding(s string) weights {
	var w weights
	for c := range w {
		w[c] = unsaid
	}
	others := unsaid
	for s != "" {
		var item string
		item, s, _ = strings.Cut(s, ",")
		name, weight, ok := parseWeight(item)
		if !ok {
			continue
		}
		if coding, known := compress.ParseCoding(name); known {
			w[coding] = weight
		} else if name == "*" {
			others = weight
		}
	}
	if w[compress.Identity] == unsaid && others == unsaid {
		w[compress.Identity] = 1 // always acceptable, with the lowest weight
	}
	for c := range w {
		if w[c] == unsaid {
			w[c] = max(others, 0)
		}
	}
	return w
}

// parseWeight parses "gzip;q=0.5".
func parseWeight(item string) (name string, weight int16, ok bool) {
	name, rest, weighted := strings.Cut(item, ";")
	name = trim(name)
	if name == "" {
		return "", 0, false
	}
	if !weighted {
		return name, 1000, true
	}
	rest = trim(rest)
	if len(rest) < 3 || rest[0]|0x20 != 'q' || rest[1] != '=' {
		return "", 0, false
	}
	weight, ok = parseQuality(rest[2:])
	return name, weight, ok
}

// parseQuality parses a number from 0 to 1 with at most three decimals, in thousandths.
func parseQuality(s string) (int16, bool) {
	whole, digits, _ := strings.Cut(s, ".")
	if len(digits) > 3 || whole != "0" && whole != "1" {
		return 0, false
	}
	n := int16(0)
	for i := range 3 {
		n *= 10
		if i < len(digits) {
			if digits[i] < '0' || digits[i] > '9' {
				return 0, false
			}
			n += int16(digits[i] - '0')
		}
	}
	if whole == "1" {
		return 1000, n == 0
	}
	return n, true
}

// prefersHTML reports whether a client's Accept header prefers HTML to JSON (RFC 9110, section
// 12.5.1). Clients that do not name HTML get JSON.
func prefersHTML(accept string) bool {
	const none = int16(-1)
	page, data := none, none
	for accept != "" {
		var item string
		item, accept, _ = strings.Cut(accept, ",")
		name, weight, ok := parseMedia(item)
		switch {
		case !ok:
		case SameWord(name, "text/html"):
			page = max(page, weight)
		case SameWord(name, "application/problem+json"), SameWord(name, "application/json"):
			data = max(data, weight)
		}
	}
	return page > 0 && page >= data
}

// parseMedia parses "text/html;charset=utf-8;q=0.5".
func parseMedia(item string) (name string, weight int16, ok bool) {
	name, rest, _ := strings.Cut(item, ";")
	weight, ok = 1000, true
	for rest != "" && ok {
		var parameter string
		parameter, rest, _ = strings.Cut(rest, ";")
		if parameter = trim(parameter); len(parameter) > 1 && parameter[0]|0x20 == 'q' && parameter[1] == '=' {
			weight, ok = parseQuality(parameter[2:])
		}
	}
	return trim(name), weight, ok
}

// trim removes the white space that HTTP allows around a value.
func trim(s string) string { return strings.Trim(s, " \t") }

// SameWord reports whether s equals the ASCII word, ignoring case. Other Unicode letters that fold
// to ASCII letters are longer, so the lengths differ.
func SameWord(s, word string) bool { return len(s) == len(word) && strings.EqualFold(s, word) }
