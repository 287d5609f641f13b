// Package schema decodes and checks records by the Go types of their kinds, without knowing the
// kinds. A Tree is a value with positions in its file. A Shape describes the values that a Go type
// allows. A Decoder decodes a tree by a shape and finds every Problem on the way. A Document
// describes a shape in JSON Schema.
package schema

import (
	"cmp"
	"fmt"

	"stele/internal/base/schema/codes"
)

// Problem is a fault in the data: its position, a message and a fix.
type Problem struct {
	Code    codes.Code
	File    string // path in the publisher's folder, with slashes
	Line    int    // from 1; 0 if the problem concerns the whole file
	Column  int    // from 1, in characters; 0 if the problem concerns the whole line
	Width   int    // in characters; 0 if unknown
	Record  string // the record's ID, if known
	Pointer string // JSON Pointer to the member within the record
	Value   string // the faulty value, shortened
	Message string // what is wrong
	Fix     string // what to write instead, or ""
	Draft   bool   // whether it concerns an unfinished draft, which makes it a warning
}

// Severity returns the severity of the problem's code, or Warning if the problem concerns an
// unfinished draft.
func (p *Problem) Severity() codes.Severity {
	if s := p.Code.Info().Severity; !p.Draft || s != codes.Error {
		return s
	}
	return codes.Warning
}

// Position returns the file, line and column, as far as known.
func (p *Problem) Position() string {
	at := p.File
	if p.Line > 0 {
		at += fmt.Sprintf(":%d", p.Line)
	}
	if p.Column > 0 {
		at += fmt.Sprintf(":%d", p.Column)
	}
	return at
}

// String returns the problem as one line.
func (p *Problem) String() string {
	s := fmt.Sprintf("%s: %s %s: %s", p.Position(), p.Severity(), p.Code, p.Message)
	if p.Fix != "" {
		s += "; " + p.Fix
	}
	return s
}

// Compare orders problems by position, code and text, so that lists of problems do not depend on
// the order in which they were found.
func (p *Problem) Compare(q *Problem) int {
	return cmp.Or(
		cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column),
		cmp.Compare(p.Code, q.Code), cmp.Compare(p.Pointer, q.Pointer), cmp.Compare(p.Message, q.Message),
	)
}

// Shorten returns s cut to a length that fits into a message.
func Shorten(s string) string {
	const limit = 60
	if len(s) <= limit {
		return s
	}
	n, cut := 0, 0
	for i := range s {
		if n++; n == limit {
			cut = i
		} else if n > limit {
			return s[:cut] + "…"
		}
	}
	return s
}
