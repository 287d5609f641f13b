package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/record"
	"stele/release"
)

// addResources adds the records as resources, by the URLs of their pages and of their JSON.
func (s *Server) addResources(m *release.Manifest) {
	server := s.MCP
	if m.BaseURL == "" {
		return
	}
	server.AddResource(&mcp.Resource{
		URI: fileURL(m, layout.LLMsPath), Name: layout.LLMsPath, Title: "Overview", MIMEType: layout.TypeMarkdown,
		Description: "What this service contains: claims and indicators with their URLs, and the descriptions of the data.",
	}, s.readText)
	for _, k := range record.Kinds {
		add := func(path, name string) {
			server.AddResourceTemplate(&mcp.ResourceTemplate{
				URITemplate: fileURL(m, path), Name: name, Title: k.One,
				MIMEType: layout.TypeMarkdown, Description: k.Doc,
			}, s.readRecord)
		}
		if k.HasPage() {
			add(k.Folder()+"/{id}/", k.Name)
		}
		if k.HasSingle() {
			add(k.SinglePath("{id}"), k.Name+"_json")
		}
	}
}

// readRecord returns the record at the requested URL, preceded by the record's standing.
func (s *Server) readRecord(ctx context.Context, in *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := in.Params.URI
	name := strings.TrimSuffix(strings.TrimSuffix(uri, "/"), ".json")
	name = name[strings.LastIndexByte(name, '/')+1:]
	a, err := withRelease(ctx, s, func(ctx context.Context, e *edition, r *release.Release) (*recordAnswer, error) {
		return e.answerRecord(ctx, r, recordArguments{ID: name})
	})
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoID):
		return nil, mcp.ResourceNotFoundError(uri)
	case err != nil:
		return nil, shown{err}
	case a.data.Refused:
		return nil, fmt.Errorf("%s Use the tool record with include_retracted to read it", a.data.standingLine())
	case a.data.Page != uri && a.data.JSON != uri:
		return nil, mcp.ResourceNotFoundError(uri)
	}
	var p prose
	p.WriteString(a.data.text)
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: uri, MIMEType: layout.TypeMarkdown, Text: p.end(a.of, a.note)},
	}}, nil
}

// readText returns llms.txt, or as much of it as fits into an answer.
func (s *Server) readText(ctx context.Context, in *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	a, err := withRelease(ctx, s, func(_ context.Context, e *edition, r *release.Release) ([]byte, error) {
		return e.readFile(r, layout.LLMsPath)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, mcp.ResourceNotFoundError(in.Params.URI)
	}
	if err != nil {
		return nil, shown{err}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: in.Params.URI, MIMEType: layout.TypeMarkdown, Text: render.Truncate(string(a.data), maxText)},
	}}, nil
}
