package report

import (
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf16"

	"stele/internal/author/judging/check"
	"stele/internal/base/jsonline"
	"stele/internal/base/schema/codes"
)

// document is a report in JSON.
type document struct {
	Records  int        `json:"records"`
	Errors   int        `json:"errors"`
	Warnings int        `json:"warnings"`
	Accepted int        `json:"accepted"`
	Waiting  int        `json:"waiting,omitempty"`
	Held     check.Held `json:"held_back,omitzero"`
	// The files that releases omit because base_url is missing.
	LeavesOut string    `json:"leaves_out,omitempty"`
	Findings  []finding `json:"findings"`
}

// finding is a problem in JSON.
type finding struct {
	Code     codes.Code `json:"code"`
	Severity string     `json:"severity"`
	File     string     `json:"file"`
	Line     int        `json:"line,omitempty"`
	Column   int        `json:"column,omitempty"`
	Record   string     `json:"record,omitempty"`
	Pointer  string     `json:"pointer"`
	Value    string     `json:"value,omitempty"`
	Message  string     `json:"message"`
	Fix      string     `json:"fix,omitempty"`
}

func writeJSON(w io.Writer, r *check.Result, opt Options) error {
	d := document{
		Records: r.Records, Errors: r.Errors, Warnings: r.Warnings, Accepted: r.Accepted, Waiting: r.Waiting,
		Held: r.Held, LeavesOut: r.LeavesOut, Findings: make([]finding, len(r.Problems)),
	}
	for i, p := range r.Problems {
		d.Findings[i] = finding{
			Code: p.Code, Severity: p.Severity().String(), File: path.Join(opt.Prefix, p.File),
			Line: p.Line, Column: p.Column, Record: p.Record,
			Pointer: p.Pointer, Value: p.Value, Message: p.Message, Fix: p.Fix,
		}
	}
	return WriteJSON(w, d)
}

// WriteJSON writes v as indented JSON without characters that control a terminal.
func WriteJSON(w io.Writer, v any) error {
	data, err := jsonline.Marshal(v, "  ")
	if err == nil {
		_, err = io.WriteString(w, EscapeJSON(string(data)))
	}
	return err
}

// EscapeJSON escapes the characters of JSON text that could control a terminal. They only occur in
// strings, so the value stays the same.
func EscapeJSON(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || isVisible(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
