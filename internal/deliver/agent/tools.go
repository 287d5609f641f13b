package agent

import (
	"context"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/release"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func (s *Server) addTools(server *mcp.Server) {
	addTool(s, server, "search", "Search the records",
		"Search claims, evidence, signals, statistics, sources and all other records, with the search engine of the pages. "+
			"Each result has what is known against it first, then its ID, version, verification date, label, claim boundary and sources.",
		s.search, func(a *searchAnswer) string { return a.text })
	addTool(s, server, "record", "Read a record",
		"Read one record by its ID, whole, with its standing first and everything that must stay with it. "+
			"One that was retracted or has lost its support is refused unless include_retracted is given.",
		s.record, func(a *recordAnswer) string { return a.text })
	addTool(s, server, "trace", "Trace what a record rests on",
		"Show what a record rests on, down to the sources, with standings, labels and dates, the weakest link, and what rests on it.",
		s.trace, func(a *traceAnswer) string { return a.text })
	addTool(s, server, "series", "Read the figures of an indicator",
		"Read the values of one indicator in one area as CSV, each with its record ID, version, verification date and standing, "+
			"and with sources, claim boundaries, source updates and corrections. Without an area, list the areas with their newest values.",
		func(_ context.Context, r *release.Release, in seriesArguments) (*seriesAnswer, error) {
			return s.series(r, in)
		},
		func(a *seriesAnswer) string { return a.text })
	addTool(s, server, "changes", "List what changed",
		"List what was created, corrected, retracted, updated or removed, the newest first: of all records, of a kind or of one record, since a day or a release.",
		func(_ context.Context, r *release.Release, in changesArguments) (*changesAnswer, error) {
			return s.changes(r, in)
		},
		func(a *changesAnswer) string { return a.text })
}

// addTool adds a tool that only reads. Its answer comes as text, and as data beside it.
func addTool[In, Out any](
	s *Server, server *mcp.Server, name, title, description string,
	answer func(context.Context, *release.Release, In) (*Out, error), text func(*Out) string,
) {
	no := false
	tool := &mcp.Tool{
		Name: name, Title: title, Description: description,
		Annotations: &mcp.ToolAnnotations{
			Title: title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no,
		},
	}
	type call = *mcp.CallToolRequest
	mcp.AddTool(server, tool, func(ctx context.Context, _ call, in In) (*mcp.CallToolResult, *Out, error) {
		a, err := answering(ctx, s, func(ctx context.Context, r *release.Release) (*Out, error) {
			return answer(ctx, r, in)
		})
		if err != nil {
			return nil, nil, shown{fmt.Errorf("%s%w", a.note, err)}
		}
		var p prose
		p.WriteString(text(a.data))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: p.end(a.of, a.note)}}}, a.data, nil
	})
}

type shown struct{ error }

func (e shown) Error() string { return printable(e.error.Error()) }
func (e shown) Unwrap() error { return e.error }
