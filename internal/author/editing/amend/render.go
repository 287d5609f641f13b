package amend

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
)

func blockMember(m member, indent string) string {
	v, lines := &m.value, indent+yamlText(m.name, true)+":"
	switch {
	case v.typ == schema.String && canBeLiteral(v.text):
		return lines + " " + literalBlock(v.text, indent+"  ") + "\n"
	case v.isScalar():
		return lines + " " + yamlScalar(v, false) + "\n"
	case isFlat(v):
		return lines + " " + yamlFlow(v) + "\n"
	}
	lines += "\n"
	for _, inner := range v.members {
		if v.typ == schema.Array {
			lines += blockElement(&inner.value, indent+"  ")
		} else {
			lines += blockMember(inner, indent+"  ")
		}
	}
	return lines
}

func blockElement(v *value, indent string) string {
	if v.isScalar() || isFlat(v) || v.typ == schema.Array {
		return indent + "- " + yamlFlow(v) + "\n"
	}
	inner := ""
	for _, m := range v.members {
		inner += blockMember(m, indent+"  ")
	}
	return indent + "- " + strings.TrimPrefix(inner, indent+"  ")
}

// isFlat reports whether v is a list of scalars, or an empty object or list.
func isFlat(v *value) bool {
	return !v.isScalar() && (len(v.members) == 0 || v.typ == schema.Array) &&
		!slices.ContainsFunc(v.members, func(m member) bool { return !m.value.isScalar() })
}

// yamlFlow returns v as YAML on one line, in braces and brackets.
func yamlFlow(v *value) string {
	if v.isScalar() {
		return yamlScalar(v, true)
	}
	parts := make([]string, len(v.members))
	for i, m := range v.members {
		if parts[i] = yamlFlow(&m.value); v.typ == schema.Object {
			parts[i] = yamlText(m.name, true) + ": " + parts[i]
		}
	}
	if v.typ == schema.Array {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// canBeLiteral reports whether s, a text of several lines, can be written unchanged after |.
func canBeLiteral(s string) bool {
	body := strings.TrimSuffix(s, "\n")
	if !strings.Contains(body, "\n") || strings.HasPrefix(body, "\n") || strings.HasSuffix(body, "\n") {
		return false
	}
	for line := range strings.SplitSeq(body, "\n") {
		if !isPlainLine(line) || strings.TrimRight(line, " ") != line {
			return false
		}
	}
	return body[0] != ' '
}

// literalBlock returns s, which has several lines, as a block, without its last line break.
func literalBlock(s, indent string) string {
	body, ended := strings.CutSuffix(s, "\n")
	sign := "|-"
	if ended {
		sign = "|"
	}
	for line := range strings.SplitSeq(body, "\n") {
		if sign += "\n"; line != "" {
			sign += indent + line
		}
	}
	return sign
}

func yamlScalar(v *value, flow bool) string {
	switch v.typ {
	case schema.String, schema.Cell:
		return yamlText(v.text, flow)
	case schema.Null:
		return "null"
	}
	return v.text // digits, true and false, and YAML words, unchanged
}

var (
	date = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	// texts that some YAML reader takes for another type
	typed = regexp.MustCompile(`^([-+.]?\d[\d_.,:eExobA-Fa-f+-]*|~|(?i:null|true|false|yes|no|on|off|y|n|[-+]?\.inf|\.nan)|<<|=)$`)
)

func looksTyped(s string) bool { return typed.MatchString(s) && !date.MatchString(s) }

// yamlText returns s as YAML, in quotation marks if s needs them.
func yamlText(s string, flow bool) string {
	if isPlainYAML(s, flow) {
		return s
	}
	return doubleQuoted(s)
}

func isPlainYAML(s string, flow bool) bool {
	switch {
	case s == "" || strings.TrimSpace(s) != s || !isPlainLine(s) || looksTyped(s):
		return false
	case strings.ContainsAny(s[:1], "-?:,[]{}#&*!|>'\"%@`="):
		return false
	case strings.Contains(s, ": ") || strings.HasSuffix(s, ":") || strings.Contains(s, " #"):
		return false
	case flow && strings.ContainsAny(s, ",[]{}"):
		return false
	}
	return true
}

// isPlainLine reports whether s is one line without special characters.
func isPlainLine(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r == unicode.ReplacementChar || r == '\ufeff' || !unicode.IsGraphic(r) || r == '\u2028' || r == '\u2029'
	})
}

// doubleQuoted returns s as a JSON string, which is valid YAML.
func doubleQuoted(s string) string {
	return escaped.Replace(string(jsonline.AppendText(nil, s)))
}

// escaped are characters that JSON allows but some YAML parsers do not.
var escaped = strings.NewReplacer("\u0085", `\u0085`, "\u00a0", `\u00a0`, "\u2028", `\u2028`, "\u2029", `\u2029`,
	"\ufeff", `\ufeff`, "\x7f", `\u007f`)
