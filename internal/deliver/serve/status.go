package serve

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"stele/internal/base/layout"
	"stele/internal/deliver/library"
	"stele/internal/trust/signing"
	"stele/release"
)

// Status shows administrators whether the server is ready, and whether it serves the latest
// release. It is created before the server. It is safe for concurrent use.
type Status struct {
	server  atomic.Pointer[Server]  // nil until a release is open
	origin  atomic.Pointer[Origin]  // nil for a release on this machine
	refusal atomic.Pointer[refusal] // why the latest release is not served; nil if it is
	refused [refusals]atomic.Int64
	opening atomic.Int64 // nanoseconds that opening the current release took
}

// Origin is the source of releases on another machine.
type Origin interface {
	// Measures returns metrics of the origin; serving is the ID of the current release.
	Measures(serving string) []Measure
	// Behind returns the reason why the served release may not be the latest, as a word and in
	// sentences, or "".
	LagReason(serving string) (reason, text string)
}

type refusal struct{ reason, text string }

// Follow sets the origin that the status shows.
func (s *Status) Follow(o Origin) { s.origin.Store(&o) }

// refusals is the number of layout.BehindReasons that concern a release.
const refusals = 7

// forkError means that a release was not built on the served release.
type forkError struct{ error }

// ReasonOf returns the reason of err as one word.
func ReasonOf(err error) string {
	switch {
	case errors.Is(err, signing.ErrUnsigned):
		return "unsigned"
	case errors.Is(err, signing.ErrUntrusted) || errors.Is(err, signing.ErrAltered) ||
		errors.Is(err, signing.ErrRolledBack) || errors.Is(err, signing.ErrForked):
		return "signature"
	case errors.As(err, new(forkError)):
		return "fork"
	case errors.As(err, new(*release.DamagedError)) || errors.Is(err, library.ErrDamaged):
		return "damaged"
	case errors.As(err, new(syscall.Errno)):
		return "machine"
	}
	return "other"
}

// Count counts a refused release by its reason.
func (s *Status) Count(reason string) {
	is := func(b layout.Behind) bool { return b.Reason == reason }
	s.refused[slices.IndexFunc(layout.BehindReasons[:refusals], is)].Add(1)
}

// setRefusal stores err, the reason for not serving a release.
func (s *Status) setRefusal(err error) {
	s.Count(ReasonOf(err))
	s.refusal.Store(&refusal{ReasonOf(err), err.Error()})
}

func (s *Status) setServed(took time.Duration) {
	s.refusal.Store(nil)
	s.opening.Store(int64(took))
}

// behindReason returns the reason why the served release may not be the latest, or "".
func (s *Status) behindReason(serving string) (reason, text string) {
	if o := s.origin.Load(); o != nil {
		return (*o).LagReason(serving)
	}
	if why := s.refusal.Load(); why != nil {
		return why.reason, why.text
	}
	return "", ""
}

// serveHealth answers 200 while a release is being served. The answer says whether that release is
// the latest.
func (s *Status) serveHealth(w http.ResponseWriter, _ *http.Request) {
	server := s.server.Load()
	switch {
	case server == nil:
		w.WriteHeader(http.StatusServiceUnavailable)
		_, why := s.behindReason("")
		fmt.Fprintln(w, "not ready: no release is open yet. "+why)
		return
	case server.stopping.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "stopping")
		return
	}
	m := server.Library().Release()
	if _, why := s.behindReason(m.Release); why != "" {
		fmt.Fprintf(w, "behind: serving release %s of %s. %s\n", m.Release, m.Date, why)
		return
	}
	fmt.Fprintf(w, "serving release %s of %s\n", m.Release, m.Date)
}

func (s *Status) serveMetrics(w http.ResponseWriter, _ *http.Request) {
	var e exposition
	e.writeRuntime()
	for _, m := range processMeasures() {
		e.writeSingle(m)
	}
	serving := ""
	if server := s.server.Load(); server != nil {
		serving = server.Library().Release().Release
		server.expose(&e)
	}
	e.writeHeader("stele_refused_releases_total", counter, "Releases refused, by reason.")
	for i, b := range layout.BehindReasons[:refusals] {
		e.writeSample("stele_refused_releases_total", float64(s.refused[i].Load()), "reason", b.Reason)
	}
	var behind float64
	if _, why := s.behindReason(serving); why != "" {
		behind = 1
	}
	e.writeSingle(Measure{"stele_behind", "1 if the served release may not be the latest; /health gives the reason.", behind, false})
	e.writeSingle(Measure{"stele_open_seconds", "How long it took to open the served release.", time.Duration(s.opening.Load()).Seconds(), false})
	if o := s.origin.Load(); o != nil {
		for _, m := range (*o).Measures(serving) {
			e.writeSingle(m)
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(e.Bytes()) // an error means that the client is gone
}

// AdminHandler returns a handler for administrators: health, metrics, profiles. Use it only on a
// separate listener that the public cannot reach.
func (s *Status) AdminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", s.serveMetrics)
	mux.HandleFunc("GET /health", s.serveHealth)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// AdminHandler returns the handler for administrators.
func (s *Server) AdminHandler() http.Handler { return s.options.Status.AdminHandler() }

// ServeAdmin serves the handler for administrators at address until closeAdmin is called. If
// address is "", it does nothing.
func (s *Status) ServeAdmin(address string, opt Options) (closeAdmin func() error, err error) {
	if address == "" {
		return func() error { return nil }, nil
	}
	l, err := Listen(address)
	if err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		opt.Log.Warn("other machines can reach health, metrics and profiles", "admin", a.String())
	}
	admin := &http.Server{Handler: s.AdminHandler(), ReadHeaderTimeout: opt.HeaderTime}
	go admin.Serve(l) // ends with Close
	return admin.Close, nil
}
