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

// addResources adds the records by their addresses: those of their pages, and those of their JSON.
func (s *Server) addResources(m *release.Manifest) {
	server := s.MCP
	if m.BaseURL == "" {
		return
	}
	server.AddResource(&mcp.Resource{
		URI: at(m, layout.LLMsPath), Name: layout.LLMsPath, Title: "What there is", MIMEType: layout.TypeMarkdown,
		Description: "What this service has: claims and indicators with their addresses, and all that describes them.",
	}, s.readText)
	for _, k := range record.Kinds {
		add := func(path, name string) {
			server.AddResourceTemplate(&mcp.ResourceTemplate{
				URITemplate: at(m, path), Name: name, Title: k.One, MIMEType: layout.TypeMarkdown, Description: k.Doc,
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

// readRecord reads the record that has an address. What is known against it comes before it.
func (s *Server) readRecord(ctx context.Context, in *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := in.Params.URI
	name := strings.TrimSuffix(strings.TrimSuffix(uri, "/"), ".json")
	name = name[strings.LastIndexByte(name, '/')+1:]
	a, err := answering(ctx, s, func(ctx context.Context, e *edition, r *release.Release) (*recordAnswer, error) {
		return e.record(ctx, r, recordArguments{ID: name})
	})
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoID):
		return nil, mcp.ResourceNotFoundError(uri)
	case err != nil:
		return nil, shown{err}
	case a.data.Refused:
		return nil, fmt.Errorf("%s The tool record hands it out with include_retracted", a.data.standing())
	case a.data.Page != uri && a.data.JSON != uri:
		return nil, mcp.ResourceNotFoundError(uri)
	}
	var p prose
	p.WriteString(a.data.text)
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: uri, MIMEType: layout.TypeMarkdown, Text: p.end(a.of, a.note)},
	}}, nil
}

// readText reads llms.txt, or as much of it as an answer has room for.
func (s *Server) readText(ctx context.Context, in *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	a, err := answering(ctx, s, func(_ context.Context, e *edition, r *release.Release) ([]byte, error) {
		return e.file(r, layout.LLMsPath)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, mcp.ResourceNotFoundError(in.Params.URI)
	}
	if err != nil {
		return nil, shown{err}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: in.Params.URI, MIMEType: layout.TypeMarkdown, Text: render.Truncate(string(a.data), mostText)},
	}}, nil
}
