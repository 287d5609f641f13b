// Package scrutiny checks texts before they are published, for damage that cannot be undone
// afterwards: wrongly decoded text, invisible characters, secrets, and personal data.
//
// Nearly all texts are harmless. So each text is scanned once by the classes of its bytes, and only
// texts with suspicious bytes are examined.
package scrutiny

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Looker checks the trees of records, one after another. Each goroutine needs its own.
type Looker struct {
	defaults []string  // the files of defaults of the previous tree
	scanned  [][]int32 // by file of defaults and line: the number of the tree in which it was checked
	number   int32     // number of the current tree
	found    []finding
	problems []schema.Problem
}

func (l *Looker) report(code codes.Code, message, fix string) {
	l.found = append(l.found, finding{code, message, fix})
}

// CheckTree returns the problems of the texts in a tree, for the record with id. They are valid
// until the next call. own is the tree without its defaults. The members in but are skipped.
func (l *Looker) CheckTree(t, own *schema.Tree, id string, but ...string) []schema.Problem {
	l.problems = l.problems[:0]
	for i := range own.Nodes {
		l.checkNode(own, i, id, but)
	}
	if own == t {
		return l.problems
	}
	if l.number++; !slices.Equal(l.defaults, t.Files[1:]) || l.number < 0 {
		l.defaults, l.scanned, l.number = slices.Clone(t.Files[1:]), make([][]int32, len(t.Files)), 1
	}
	start := t.Nodes[0].At
	for i := range t.Nodes {
		n := &t.Nodes[i]
		filled := n.File == 0 && n.Type == schema.Cell && n.At == start
		if n.File > 0 && !l.isCheckedLine(n.File, n.At.Line) || filled && !l.isCheckedLine(0, n.NameAt.Line) {
			l.checkNode(t, i, id, but)
		}
	}
	return l.problems
}

// CheckRow returns the problems of the cells in a row of a table that is published whole. names are
// the names of the columns. They are valid until the next call.
func (l *Looker) CheckRow(file string, line int, names, cells []string) []schema.Problem {
	l.problems = l.problems[:0]
	for i, text := range cells {
		classes := classify(text)
		if len(text) < 3 || classes&^digit == 0 && len(text) < shortest {
			continue
		}
		l.findProblems(&schema.Node{Name: names[i], Text: text, Type: schema.String}, classes)
		for _, f := range l.found {
			l.problems = append(l.problems, schema.Problem{
				Code: f.code, File: file, Line: line, Record: file, Pointer: schema.Pointer(names[i]),
				Message: strings.Clone(f.message), Fix: f.fix + AcceptHint(f.code, file),
			})
		}
	}
	return l.problems
}

func (l *Looker) checkNode(t *schema.Tree, i int, id string, but []string) {
	n := &t.Nodes[i]
	if isPersonDimension(n.Name) && n.Type != schema.Object {
		if pointer := pointerOf(t, int32(i)); schema.TopMember(pointer) == "dimensions" {
			l.problems = append(l.problems, schema.Problem{
				Code: codes.PersonalText, File: t.Files[n.File], Line: int(n.NameAt.Line), Column: int(n.NameAt.Column),
				Record: strings.Clone(id), Pointer: pointer, Message: "the dimension " + strings.Clone(n.Name) + " distinguishes individual people",
				Fix: "remove it, and publish figures about groups of people" + AcceptHint(codes.PersonalText, id),
			})
		}
	}
	text := n.Text
	if len(text) < 3 {
		return
	}
	if classes := classify(text); classes&^digit != 0 || len(text) >= shortest {
		l.checkText(t, i, id, classes, but)
	}
}

// isCheckedLine reports whether a line of defaults was checked in an earlier tree. Values filled
// into it are checked in the record.
func (l *Looker) isCheckedLine(file uint8, line int32) bool {
	lines := &l.scanned[file]
	for int(line) >= len(*lines) {
		*lines = append(*lines, 0)
	}
	first := &(*lines)[line]
	if *first == 0 {
		*first = l.number
	}
	return *first != l.number
}

// Classes of bytes that make a text suspicious.
const (
	odd   = 1 << iota // first byte of a character that may be invisible or damaged
	at                // in email addresses
	sharp             // in spreadsheet errors
	plus              // in telephone numbers and rounded figures
	colon             // in URLs
	digit
)

var classOf = [256]uint8{
	'@': at, '#': sharp, '+': plus, ':': colon,
	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit,
	'5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
	0xc2: odd, 0xc3: odd, 0xc4: odd, 0xc5: odd, 0xce: odd, 0xcf: odd, 0xd0: odd, 0xd1: odd, // of Â, Ã and others
	0xe1: odd, 0xe2: odd, 0xef: odd, 0xf3: odd,
}

func classify(s string) (classes uint8) {
	for len(s) >= 8 {
		classes |= classOf[s[0]] | classOf[s[1]] | classOf[s[2]] | classOf[s[3]] |
			classOf[s[4]] | classOf[s[5]] | classOf[s[6]] | classOf[s[7]]
		s = s[8:]
	}
	for i := range len(s) {
		classes |= classOf[s[i]]
	}
	return classes
}

// finding is a problem of a text.
type finding struct {
	code         codes.Code
	message, fix string
}

// checkPersonal checks a text with digits for personal data.
func (l *Looker) checkPersonal(n *schema.Node, classes uint8) {
	words := strings.IndexByte(n.Text, ' ') >= 0
	if len(n.Text) >= shortest && !strings.HasPrefix(n.Text, "http") {
		if classes&colon != 0 || strings.IndexByte(n.Text, '=') >= 0 {
			reportPassword(n.Text, l)
		}
		if words && countDigits(n.Text) >= 5 {
			reportPersonalNumber(n.Text, l)
		}
	}
	reportTelephone(n, classes, l)
	if words || strings.HasPrefix(n.Name, "x_") {
		reportBirthDate(n, l)
	}
}

// CheckPrivate returns the reason why a text must not be published in a member: a secret or
// personal data. code is "" if there is none.
func (l *Looker) CheckPrivate(member, text string) (code codes.Code, message string) {
	if len(text) < 3 {
		return "", ""
	}
	l.findProblems(&schema.Node{Name: member, Text: text, Type: schema.Cell}, classify(text))
	for _, f := range l.found {
		if f.code == codes.SecretText || f.code == codes.PersonalText {
			return f.code, f.message
		}
	}
	return "", ""
}

func (l *Looker) checkText(t *schema.Tree, i int, id string, classes uint8, but []string) {
	n := &t.Nodes[i]
	l.findProblems(n, classes)
	if len(l.found) == 0 {
		return
	}
	pointer := pointerOf(t, int32(i))
	if slices.Contains(but, schema.TopMember(pointer)) {
		return
	}
	for _, f := range l.found {
		l.problems = append(l.problems, schema.Problem{
			Code: f.code, File: t.Files[n.File], Line: int(n.At.Line), Column: int(n.At.Column),
			Record: strings.Clone(id), Pointer: pointer, Message: strings.Clone(f.message),
			Fix: f.fix + AcceptHint(f.code, id),
		})
	}
}

// findProblems sets l.found to the problems of a node's text.
func (l *Looker) findProblems(n *schema.Node, classes uint8) {
	l.found = l.found[:0]
	if classes&odd != 0 {
		reportGarbled(n.Text, l)
		reportInvisible(n.Text, l)
	}
	if classes&sharp != 0 {
		reportSpreadsheetErrors(n.Text, l)
	}
	if classes&plus != 0 && n.Type != schema.String {
		reportRounded(n.Text, l)
	}
	if classes&at != 0 {
		reportEmail(n.Text, l)
	}
	if classes&colon != 0 {
		reportURLs(n.Text, l)
	}
	if len(n.Text) >= shortest {
		reportSecrets(n.Text, l)
	}
	if classes&digit != 0 && len(n.Text) >= 8 { // personal data has at least eight bytes
		l.checkPersonal(n, classes)
	}
}

// AcceptHint returns the end of a remedy: how to accept the warning.
func AcceptHint(code codes.Code, id string) string {
	return fmt.Sprintf("; if it is intended, accept it in stele.yaml: {code: %s, record: %s, reason: …}", code, id)
}

// pointerOf returns the JSON Pointer of a node.
func pointerOf(t *schema.Tree, to int32) string {
	var steps []any
	for at := int32(0); at != to; {
		n := 0
		for c := range t.Children(at) {
			if c != to && !t.Contains(c, to) {
				n++
				continue
			}
			if steps = append(steps, t.Nodes[c].Name); t.Nodes[at].Type == schema.Array {
				steps[len(steps)-1] = n
			}
			at = c
			break
		}
	}
	return schema.Pointer(steps...)
}
