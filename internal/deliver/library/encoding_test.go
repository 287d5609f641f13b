package library

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stele/internal/base/compress"
	"stele/internal/testkit/specimen"
)

// resourceOf has a form of each size: as it is, then in the encodings of compress.Encodings; 0 for
// one that it does not have.
func resourceOf(plain int64, compressed ...int64) *resource {
	forms := []representation{{coding: compress.Identity, Body: Body{Size: plain}}}
	for i, size := range compressed {
		if size > 0 {
			forms = append(forms, representation{coding: compress.Encodings[i].Coding, Body: Body{Size: size}})
		}
	}
	return newResource(nil, forms...)
}

// nameOf is the encoding of a form.
func nameOf(f *representation) string {
	switch {
	case f == nil:
		return "none"
	case f.coding == compress.Identity:
		return "identity"
	}
	return f.coding.String()
}

// codings is the grammar of RFC 9110, sections 12.4.2 and 12.5.3, for one member of the list.
var codings = regexp.MustCompile("^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*(?:;[ \t]*[qQ]=(0(?:\\.[0-9]{0,3})?|1(?:\\.0{0,3})?))?[ \t]*$")

// slowChoose is RFC 9110, section 12.5.3, word for word.
func slowChoose(r *resource, header string) *representation {
	said := map[string]float64{}
	for _, member := range strings.Split(header, ",") {
		parts := codings.FindStringSubmatch(member)
		if parts == nil {
			continue
		}
		weight := 1.0
		if parts[2] != "" {
			weight, _ = strconv.ParseFloat(parts[2], 64)
		}
		name := strings.ToLower(parts[1])
		if name == "x-gzip" { // section 8.4.1.3
			name = "gzip"
		}
		said[name] = weight
	}
	quality := func(coding string) float64 {
		if q, ok := said[coding]; ok {
			return q
		}
		// "matches any available content coding not explicitly listed in the field"
		if q, ok := said["*"]; ok {
			return q
		}
		if coding == "identity" { // "acceptable by default unless specifically excluded"
			return 0.0005
		}
		return 0
	}
	var best *representation
	for i := range r.representations {
		f := &r.representations[i]
		q := quality(nameOf(f))
		if q == 0 {
			continue
		}
		better := best == nil || q > quality(nameOf(best))
		if !better && q == quality(nameOf(best)) {
			better = best.coding == compress.Identity || f.Size < best.Size
		}
		if better {
			best = f
		}
	}
	return best
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, header := range specimen.FieldValues["Accept-Encoding"] {
		f.Add(header, uint16(20), uint16(22), uint16(25))
		f.Add(header+", "+header, uint16(0), uint16(30), uint16(20))
	}
	f.Fuzz(func(t *testing.T, header string, br, zstd, gzip uint16) {
		if header == "" {
			return
		}
		r := resourceOf(1000, int64(br), int64(zstd), int64(gzip))
		if got, want := nameOf(r.choose(header)), nameOf(slowChoose(r, header)); got != want {
			t.Errorf("%q of %d, %d, %d: %s, want %s", header, br, zstd, gzip, got, want)
		}
	})
}
