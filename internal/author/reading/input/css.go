package input

import (
	"bytes"
	"errors"
)

// stripCSS returns a style sheet in lower case without comments and quoted strings. It fails if a
// bracket, quotation mark or comment has no counterpart.
func stripCSS(css []byte) (bare []byte, line int, err error) {
	type opening struct {
		by   byte
		line int
	}
	var open []opening
	line = 1
	for i := 0; i < len(css); i++ {
		c := css[i]
		switch {
		case c == '\n':
			line++
		case bytes.HasPrefix(css[i:], []byte("/*")):
			comment, _, ends := bytes.Cut(css[i+2:], []byte("*/"))
			if !ends {
				return nil, line, errors.New("a comment is not closed")
			}
			breaks := bytes.Count(comment, []byte{'\n'})
			line += breaks
			bare = append(bare, bytes.Repeat([]byte{'\n'}, breaks)...)
			i += len("/*") + len(comment) + len("*/") - 1
			continue
		case c == '"' || c == '\'':
			size := bytes.IndexAny(css[i+1:], string(c)+"\n")
			if size < 0 || css[i+1+size] == '\n' {
				return nil, line, errors.New("a quoted string is not closed on its line")
			}
			if bytes.IndexByte(css[i+1:i+1+size], '\\') >= 0 { // which could hide the end of the string
				bare = append(bare, '\\')
			}
			bare = append(bare, c)
			i += 1 + size
		case c == '{' || c == '(' || c == '[':
			open = append(open, opening{c, line})
		case c == '}' || c == ')' || c == ']':
			if len(open) == 0 || closing[open[len(open)-1].by] != c {
				return nil, line, errors.New("superfluous " + string(c))
			}
			open = open[:len(open)-1]
		}
		bare = append(bare, c)
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		return nil, last.line, errors.New(string(last.by) + " is not closed")
	}
	return bytes.ToLower(bare), 0, nil
}

var closing = map[byte]byte{'{': '}', '(': ')', '[': ']'}

// findLoading returns the first construct in a style sheet that loads a resource or could hide one,
// or "", and its line.
func findLoading(bare []byte) (line int, what string) {
	for _, wrong := range []string{`\`, "@import", "url(", "image(", "image-set(", "src(", "cross-fade("} {
		if i := bytes.Index(bare, []byte(wrong)); i >= 0 {
			return 1 + bytes.Count(bare[:i], []byte{'\n'}), wrong
		}
	}
	return 0, ""
}
