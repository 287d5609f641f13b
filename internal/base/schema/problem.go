// Package schema is what the kinds of records are made of, and knows none of them: a Tree, which is
// a value with positions in its file; a Shape, which is what a value must look like, read off a Go
// type; a Decoder, which goes from one to the other and finds every Problem on the way; and JSON
// Schema, which tells others of the shape.
package schema

import (
	"cmp"
	"fmt"

	"stele/internal/base/schema/codes"
)

// Problem is something wrong with the data: where it is, what is wrong, and what to write instead.
type Problem struct {
	Code    codes.Code
	File    string // path below the publisher's folder, with slashes
	Line    int    // from 1; 0 where the problem concerns the whole file
	Column  int    // from 1, in characters; 0 where the problem concerns the whole line
	Width   int    // how many characters from there are meant; 0 where that is not known
	Record  string // the record's ID, where it is known
	Pointer string // JSON Pointer to the member within the record
	Value   string // what stands there, shortened
	Message string // what is wrong
	Fix     string // what to write instead, where that can be known
	Draft   bool   // a draft is not finished there, which is no more than a warning
}

// Severity returns the severity of the problem's code, which is less where a draft is not finished.
func (p *Problem) Severity() codes.Severity {
	if s := p.Code.Info().Severity; !p.Draft || s != codes.Error {
		return s
	}
	return codes.Warning
}

// Position returns file, line and column, as far as they are known.
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

// String returns the problem in one line.
func (p *Problem) String() string {
	s := fmt.Sprintf("%s: %s %s: %s", p.Position(), p.Severity(), p.Code, p.Message)
	if p.Fix != "" {
		s += "; " + p.Fix
	}
	return s
}

// Compare orders problems by position, then by code and text, so that a listing does not depend on
// how it was made.
func (p *Problem) Compare(q *Problem) int {
	return cmp.Or(
		cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column),
		cmp.Compare(p.Code, q.Code), cmp.Compare(p.Pointer, q.Pointer), cmp.Compare(p.Message, q.Message),
	)
}

// Shorten cuts a value to what fits into a message.
func Shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	n, cut := 0, 0
	for i := range s {
		if n++; n == most {
			cut = i
		} else if n > most {
			return s[:cut] + "…"
		}
	}
	return s
}
