package agent

import (
	"context"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/author/judging/report"
	"stele/internal/base/jsonline"
	"stele/internal/compile/render"
	"stele/release"
)

func (s *Server) addTools() {
	addTool(s, "search", "Search the records",
		"Search claims, evidence, signals, statistics, sources and all other records, as the website's search does. "+
			"Each result begins with the record's standing if it is not valid, then gives its ID, version, verification date, label, claim boundary and sources.",
		(*edition).answerSearch)
	addTool(s, "record", "Read a record",
		"Read one whole record by its ID, with its standing first and everything that must stay with it. "+
			"A record that was retracted or has lost its support is withheld unless include_retracted is given.",
		(*edition).answerRecord)
	addTool(s, "trace", "Trace what a record rests on",
		"Show what a record rests on, down to the sources, with standings, labels and dates, the weakest link, and what rests on it.",
		(*edition).answerTrace)
	addTool(s, "series", "Read the figures of an indicator",
		"Read the values of one indicator in one area as CSV, each with its record ID, version, verification date and standing, "+
			"and with sources, claim boundaries, source updates and corrections, and for a region or district when its code was valid, what it was before and what it became. Without an area, list the areas with their latest values; without an indicator, list the indicators.",
		(*edition).answerSeries)
	addTool(s, "changes", "List changes",
		"List what was created, corrected, retracted, updated or removed, newest first: for all records, a kind or one record, since a day or a release.",
		(*edition).answerChanges)
}

// texts is the text of an answer, which accompanies its data.
type texts struct{ text string }

func (t *texts) asText() string { return t.text }

// addTool adds a read-only tool. Its answer is text and structured data.
func addTool[In any, Out interface{ asText() string }](
	s *Server, name, title, description string,
	answer func(*edition, context.Context, *release.Release, In) (Out, error),
) {
	no := false
	tool := &mcp.Tool{
		Name: name, Title: title, Description: description, OutputSchema: outputSchema(reflect.TypeFor[Out]()),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no,
		},
	}
	type call = *mcp.CallToolRequest
	mcp.AddTool(s.MCP, tool, func(ctx context.Context, _ call, in In) (*mcp.CallToolResult, any, error) {
		a, err := withRelease(ctx, s, func(ctx context.Context, e *edition, r *release.Release) (Out, error) {
			return answer(e, ctx, r, in)
		})
		if err != nil {
			return nil, nil, shown{fmt.Errorf("%s%w", a.note, err)}
		}
		var p prose
		p.WriteString(a.data.asText())
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: p.end(a.of, a.note)}}}, a.data, nil
	})
}

type shown struct{ error }

func (e shown) Error() string { return oneLine(e.error.Error()) }
func (e shown) Unwrap() error { return e.error }

// oneLine returns text from a publisher or a client on one line, without control characters.
func oneLine(text string) string { return report.Printable(strings.ReplaceAll(text, "\n", " ")) }

// quoteText returns text in quotation marks, with control characters escaped.
func quoteText(text string) string { return report.EscapeJSON(string(jsonline.AppendText(nil, text))) }

// fencedBlock returns text in a fenced block whose fence text does not contain.
func fencedBlock(kind, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + kind + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}

type prose struct{ strings.Builder }

func (p *prose) writeLine(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *prose) end(m *release.Manifest, note string) string {
	p.writeLine("%sRelease %s of %s. %s Licence: %s, unless a record names another. Cite: %s", note,
		oneLine(m.Release), oneLine(m.Date), render.PreserveSentence, oneLine(m.License), quoteText(render.Cite(m)))
	return p.String()
}

// notFoundError is an error that matches fs.ErrNotExist.
type notFoundError struct{ text string }

func notFoundf(format string, args ...any) error { return &notFoundError{fmt.Sprintf(format, args...)} }

func (e *notFoundError) Error() string        { return e.text }
func (e *notFoundError) Is(target error) bool { return target == fs.ErrNotExist }
