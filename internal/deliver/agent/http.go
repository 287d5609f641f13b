package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/base/layout"
	"stele/internal/deliver/serve"
	"stele/release"
)

// Limits on HTTP requests.
const (
	maxAtOnce     = 64               // concurrent answers
	maxPerAddress = 8                // requests from one remote address
	maxWaiting    = 1024             // requests
	maxMemory     = 128 << 20        // bytes of questions and answers
	answerTime    = 30 * time.Second // for one request
)

// Handler returns a handler for agents over Streamable HTTP without sessions: each request is
// independent. It refuses requests from pages of other sites, which their Origin header reveals.
// public is the URL of a proxy in front of the server, or nil.
func (s *Server) Handler(public *url.URL) http.Handler {
	h := &handler{
		server: s, public: public, places: make(chan struct{}, maxAtOnce), waiting: make(chan struct{}, maxWaiting),
	}
	h.memory.Store(maxMemory)
	h.inner = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.MCP },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: public != nil})
	return h
}

type handler struct {
	server  *Server
	public  *url.URL
	inner   http.Handler
	clients serve.Clients
	places  chan struct{} // one for each answer being made
	waiting chan struct{} // one for each request
	memory  atomic.Int64  // free bytes
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := h.reasonToRefuse(r); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == "/server.json" {
		at := h.public
		if at == nil {
			at = &url.URL{Scheme: "https", Host: r.Host}
		}
		w.Header().Set("Content-Type", layout.TypeJSON)
		w.Write(serverCard(h.server.current.Load().c.Manifest(), at)) // an error means that the client is gone
		return
	}
	leave, ok := h.countRequest(r)
	if !ok {
		refuseTooMany(w)
		return
	}
	defer leave()
	body, answer := &buffer{memory: &h.memory}, &buffer{memory: &h.memory, header: http.Header{}}
	defer body.free()
	defer answer.free()
	if _, err := io.Copy(body, http.MaxBytesReader(w, r.Body, maxMessage)); err != nil {
		h.refuseBody(w, err)
		return
	}
	if bytes.HasPrefix(bytes.TrimSpace(body.Bytes()), []byte("[")) {
		w.Header().Set("Content-Type", layout.TypeJSON)
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, severalCalls) // an error means that the client is gone
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body.Bytes()))
	if !h.answerRequest(answer, r) || answer.full {
		refuseTooMany(w)
		return
	}
	maps.Copy(w.Header(), answer.header)
	w.WriteHeader(cmp.Or(answer.status, http.StatusOK))
	w.Write(answer.Bytes()) // an error means that the client is gone
}

// countRequest counts a request as running until leave is called. ok is false if too many requests
// are running, in total or from this client.
func (h *handler) countRequest(r *http.Request) (leave func(), ok bool) {
	select {
	case h.waiting <- struct{}{}:
	default:
		return nil, false
	}
	at, _ := netip.ParseAddrPort(r.RemoteAddr) // a malformed address counts as a client too
	from, limited := serve.ClientOf(net.TCPAddrFromAddrPort(at))
	if !limited {
		return func() { <-h.waiting }, true
	}
	if !h.clients.Add(from, maxPerAddress) {
		<-h.waiting
		return nil, false
	}
	return func() { h.clients.Remove(from); <-h.waiting }, true
}

// answerRequest waits until it may run, and writes the answer to w. It returns false if it waited
// too long.
func (h *handler) answerRequest(w *buffer, r *http.Request) bool {
	ctx, done := context.WithTimeout(r.Context(), answerTime)
	defer done()
	select {
	case h.places <- struct{}{}:
		defer func() { <-h.places }()
	case <-ctx.Done():
		return false
	}
	h.inner.ServeHTTP(w, r.WithContext(ctx))
	return true
}

// reasonToRefuse returns the reason for refusing a request, or "". A browser sends the site of a
// page as Origin. A page whose host name points to this machine sends that name as Host.
func (h *handler) reasonToRefuse(r *http.Request) string {
	if origin := r.Header.Get("Origin"); origin != "" {
		from, err := url.Parse(origin)
		if err != nil || from.Host != r.Host && (h.public == nil || from.Host != h.public.Host) {
			return "Requests from pages of other sites are refused."
		}
	}
	if h.public == nil || r.Host == h.public.Host {
		return ""
	}
	name := (&url.URL{Host: r.Host}).Hostname()
	if _, err := netip.ParseAddr(name); err != nil && name != "localhost" {
		return "Wrong host: this server is " + h.public.Host + "."
	}
	return ""
}

func (h *handler) refuseBody(w http.ResponseWriter, err error) {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		http.Error(w, "A message can have at most 1 MiB.", http.StatusRequestEntityTooLarge)
	case errors.Is(err, errFull):
		refuseTooMany(w)
	default:
		http.Error(w, "Incomplete request.", http.StatusBadRequest)
	}
}

// severalCalls is the answer to a list of messages, which is refused because one request could
// contain thousands.
const severalCalls = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"send one message per request: lists of messages are refused"}}` + "\n"

func refuseTooMany(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	http.Error(w, "Too many requests: try again in some seconds.", http.StatusTooManyRequests)
}

var errFull = errors.New("the memory limit for questions and answers is reached")

// buffer contains a question or an answer, and counts towards a memory limit that all requests
// share.
type buffer struct {
	bytes.Buffer
	memory *atomic.Int64 // free bytes
	taken  int64
	full   bool
	header http.Header
	status int
}

func (b *buffer) Header() http.Header { return b.header }

func (b *buffer) WriteHeader(status int) { b.status = status }

// Write appends data unless the memory limit is reached.
func (b *buffer) Write(data []byte) (int, error) {
	n := int64(len(data))
	b.taken += n
	if b.memory.Add(-n) < 0 || b.full {
		b.full = true
		return 0, errFull
	}
	return b.Buffer.Write(data)
}

// ReadFrom appends the content of in, as long as the memory limit allows.
func (b *buffer) ReadFrom(in io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{b}, in)
}

func (b *buffer) free() { b.memory.Add(b.taken) }

// serverCard returns the server card for registries, for a server at the URL at.
func serverCard(m *release.Manifest, at *url.URL) []byte {
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
	data, _ := json.MarshalIndent(struct { // only texts, so this cannot fail
		Schema      string   `json:"$schema"`
		Name        string   `json:"name"`
		Description string   `json:"description"`
		Version     string   `json:"version"`
		Remotes     []remote `json:"remotes"`
	}{
		"https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json", name,
		oneLine(m.Title) + ": public records, read-only.", m.Release,
		[]remote{{"streamable-http", strings.TrimSuffix(at.String(), "/") + "/"}},
	}, "", "  ")
	return append(data, '\n')
}
