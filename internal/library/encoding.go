package library

import (
	"strings"

	"stele/internal/compress"
)

// weights are how much a client wants each encoding, in thousandths, by place in
// compress.Encodings; identity is the last.
type weights [4]int16

const (
	identityPlace = 3
	unsaid        = int16(-1)
)

// choose picks the representation that the client wants most; of equal ones, the smallest. nil says
// that none is wanted.
func (r *resource) choose(acceptEncoding string) *representation {
	if acceptEncoding == "" {
		return &r.representations[0]
	}
	w := parseAcceptEncoding(acceptEncoding)
	var best *representation
	most := int16(0)
	for i := range r.representations {
		f := &r.representations[i]
		weight := 2 * w[identityPlace]
		if f.encoding != identity && w[f.encoding] > 0 {
			weight = 2*w[f.encoding] + 1 // before the plain one, if both are wanted as much
		} else if f.encoding != identity {
			continue
		}
		if weight > most || weight == most && best != nil && f.Size < best.Size {
			best, most = f, weight
		}
	}
	return best
}

// parseAcceptEncoding reads the header of RFC 9110, section 12.5.3. What it cannot read it takes as
// not said.
func parseAcceptEncoding(s string) weights {
	w := weights{unsaid, unsaid, unsaid, unsaid}
	any := unsaid
	for s != "" {
		var item string
		item, s, _ = strings.Cut(s, ",")
		name, weight, ok := parseWeight(item)
		if !ok {
			continue
		}
		switch place := encodingPlace(name); {
		case name == "*":
			any = weight
		case place >= 0:
			w[place] = weight
		}
	}
	for i := range w[:identityPlace] {
		if w[i] == unsaid {
			w[i] = max(any, 0)
		}
	}
	switch {
	case w[identityPlace] != unsaid:
	case any != unsaid:
		w[identityPlace] = any
	default:
		w[identityPlace] = 1 // it is always wanted, if least
	}
	return w
}

// encodingPlace is the place of an encoding in the weights, or -1.
func encodingPlace(name string) int {
	for i := range compress.Encodings {
		if sameWord(name, compress.Encodings[i].Name) {
			return i
		}
	}
	switch {
	case sameWord(name, "x-gzip"):
		return encodingPlace("gzip")
	case sameWord(name, "identity"):
		return identityPlace
	}
	return -1
}

// parseWeight reads "gzip;q=0.5".
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

// parseQuality reads a number from 0 to 1 with at most three digits behind the point, in
// thousandths.
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

// prefersHTML reports whether a client wants a page rather than JSON, by its Accept header (RFC
// 9110, section 12.5.1). One that does not name pages wants none.
func prefersHTML(accept string) bool {
	const none = int16(-1)
	page, data := none, none
	for accept != "" {
		var item string
		item, accept, _ = strings.Cut(accept, ",")
		name, weight, ok := parseMedia(item)
		switch {
		case !ok:
		case sameWord(name, "text/html"):
			page = max(page, weight)
		case sameWord(name, "application/problem+json"), sameWord(name, "application/json"):
			data = max(data, weight)
		}
	}
	return page > 0 && page >= data
}

// parseMedia reads "text/html;charset=utf-8;q=0.5".
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

// sameWord compares a word of a client with one of ours, which is ASCII. Upper and lower case are
// the same. Unicode has further letters that fold to those of ASCII, but they are longer.
func sameWord(s, word string) bool { return len(s) == len(word) && strings.EqualFold(s, word) }
