package report

import (
	"encoding/json"
	"io"
	"path"

	"stele/internal/check"
)

// document is the report as JSON.
type document struct {
	Records  int       `json:"records"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Findings []finding `json:"findings"`
}

// finding is a problem as JSON.
type finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Record   string `json:"record,omitempty"`
	Pointer  string `json:"pointer"`
	Value    string `json:"value,omitempty"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty"`
}

func writeJSON(w io.Writer, r *check.Result, opt Options) error {
	d := document{Records: r.Records, Errors: r.Errors, Warnings: r.Warnings, Findings: make([]finding, len(r.Problems))}
	for i, p := range r.Problems {
		d.Findings[i] = finding{
			Code: string(p.Code), Severity: p.Severity().String(), File: path.Join(opt.Prefix, p.File), Line: p.Line, Column: p.Column,
			Record: p.Record, Pointer: p.Pointer, Value: p.Value, Message: p.Message, Fix: p.Fix,
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(d)
}
