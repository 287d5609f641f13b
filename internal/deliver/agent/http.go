package agent

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/base/layout"
	"stele/internal/deliver/serve"
	"stele/release"
)

// Limits of what is asked over HTTP.
const (
	mostAtOnce     = 64               // requests
	mostPerAddress = 8                // of them, from one address that is not this machine's
	answerTime     = 30 * time.Second // for one request
)

// Handler answers agents over HTTP, by the protocol's Streamable HTTP without sessions: each
// request
// stands for itself. A page of another site is refused, which a browser names as the origin.
func Handler(server *mcp.Server, manifest func() *release.Manifest) http.Handler {
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	var clients serve.Clients
	places := make(chan struct{}, mostAtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" {
			if from, err := url.Parse(origin); err != nil || from.Host != r.Host {
				http.Error(w, "This server does not answer pages of other sites.", http.StatusForbidden)
				return
			}
		}
		if r.Method == http.MethodGet && r.URL.Path == "/server.json" {
			w.Header().Set("Content-Type", layout.TypeJSON)
			w.Write(describe(manifest(), r.Host)) // a client that is gone needs no answer
			return
		}
		at, _ := netip.ParseAddrPort(r.RemoteAddr) // what is none is a client as well
		from, limited := serve.ClientOf(net.TCPAddrFromAddrPort(at))
		isFree := !limited || clients.Add(from, mostPerAddress)
		if isFree && limited {
			defer clients.Drop(from)
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			isFree = false
		}
		if !isFree {
			w.Header().Set("Retry-After", "5")
			http.Error(w, "Too many requests are being answered: ask again in some seconds.",
				http.StatusTooManyRequests)
			return
		}
		ctx, done := context.WithTimeout(r.Context(), answerTime)
		defer done()
		r.Body = http.MaxBytesReader(w, r.Body, mostMessage)
		inner.ServeHTTP(w, r.WithContext(ctx))
	})
}

// describe is what registries of servers want to know of this one, at the name by which it is
// asked.
func describe(m *release.Manifest, host string) []byte {
	name := "stele"
	if base, err := url.Parse(m.BaseURL); err == nil && base.Hostname() != "" {
		parts := strings.Split(base.Hostname(), ".")
		slices.Reverse(parts)
		name = strings.Join(parts, ".") + "/records"
	}
	type remote struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	}
	data, _ := json.MarshalIndent(struct { // of texts alone
		Schema      string   `json:"$schema"`
		Name        string   `json:"name"`
		Description string   `json:"description"`
		Version     string   `json:"version"`
		Remotes     []remote `json:"remotes"`
	}{
		"https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json", name,
		printable(m.Title) + ": public records, read-only.", m.Release,
		[]remote{{"streamable-http", "https://" + host + "/"}},
	}, "", "  ")
	return append(data, '\n')
}
