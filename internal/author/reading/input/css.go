package input

import (
	"bytes"
	"errors"
)

// bareCSS is a style sheet in lower case, without what stands in comments and in quotation marks.
// It fails where something is not closed, or closed that was not opened.
func bareCSS(css []byte) (bare []byte, line int, err error) {
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
				return nil, line, errors.New("a comment does not end")
			}
			breaks := bytes.Count(comment, []byte{'\n'})
			line += breaks
			bare = append(bare, bytes.Repeat([]byte{'\n'}, breaks)...)
			i += len("/*") + len(comment) + len("*/") - 1
			continue
		case c == '"' || c == '\'':
			size := bytes.IndexAny(css[i+1:], string(c)+"\n")
			if size < 0 || css[i+1+size] == '\n' {
				return nil, line, errors.New("a text in quotation marks does not end in its line")
			}
			if bytes.IndexByte(css[i+1:i+1+size], '\\') >= 0 { // which could hide where it ends
				bare = append(bare, '\\')
			}
			bare = append(bare, c)
			i += 1 + size
		case c == '{' || c == '(' || c == '[':
			open = append(open, opening{c, line})
		case c == '}' || c == ')' || c == ']':
			if len(open) == 0 || closing[open[len(open)-1].by] != c {
				return nil, line, errors.New("there is a " + string(c) + " too many")
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

// loads is what in a style sheet loads something, or could hide that it does, and in which line; ""
// for nothing.
func loads(bare []byte) (line int, what string) {
	for _, wrong := range []string{`\`, "@import", "url(", "image(", "image-set(", "src(", "cross-fade("} {
		if i := bytes.Index(bare, []byte(wrong)); i >= 0 {
			return 1 + bytes.Count(bare[:i], []byte{'\n'}), wrong
		}
	}
	return 0, ""
}
