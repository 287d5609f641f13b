package audit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stele/internal/testkit/must"
	"stele/internal/trust/audit"
)

// TestGoodServices: our own server, and a service of somebody else, keep everything.
func TestGoodServices(t *testing.T) {
	opt := audit.Options{All: true, Methods: true}
	r, got := audited(t, own(t), opt)
	if len(got) != 0 || !r.Summary.Whole {
		t.Errorf("ours: %+v\n%s", r.Summary, strings.Join(got, "\n"))
	}
	r, got = audited(t, newSite(t), opt)
	if len(got) != 0 || !r.Summary.Whole {
		t.Errorf("another: %+v\n%s", r.Summary, strings.Join(got, "\n"))
	}
	if again, _ := audited(t, newSite(t), opt); again.Requests != r.Requests || again.Bytes != r.Bytes {
		t.Errorf("%d requests and %d bytes, then %d and %d", r.Requests, r.Bytes, again.Requests, again.Bytes)
	}
}

// TestUntestedIsNotWell: without --methods something is not tested, and the report is not whole.
func TestUntestedIsNotWell(t *testing.T) {
	r, got := audited(t, newSite(t), audit.Options{})
	want := "SPEC-READ not tested: methods that write were not tried (--methods)"
	if len(got) != 1 || got[0] != want || r.Summary.Whole || r.Summary.NotTested != 1 || r.Summary.Unanswered != 0 {
		t.Errorf("%+v\n%q", r.Summary, got)
	}
}

// TestNothingThere: a service that answers everything with an empty object is not one of which
// nothing is known to be wrong.
func TestNothingThere(t *testing.T) {
	r, got := audited(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, "{}")
	}), audit.Options{})
	if r.Summary.Fail > 0 || r.Summary.Unanswered == 0 {
		t.Errorf("%+v\n%s", r.Summary, strings.Join(got, "\n"))
	}
}

// TestPrefix: a service may lie below a path.
func TestPrefix(t *testing.T) {
	server := httptest.NewServer(http.StripPrefix("/some/where", newSite(t)))
	defer server.Close()
	for _, address := range []string{server.URL + "/some/where", server.URL + "/some/where/"} {
		if _, got := auditedAt(t, address, audit.Options{Methods: true}); len(got) != 0 {
			t.Errorf("%s:\n%s", address, strings.Join(got, "\n"))
		}
	}
}

// TestWrappers: the specification gives no wrapper around a collection, so all that are usual are
// recognised.
func TestWrappers(t *testing.T) {
	all := map[string]func(records []any) any{
		"bare": func(records []any) any { return records },
		"data": func(records []any) any {
			return map[string]any{"data": records, "links": []any{map[string]any{"id": "self"}}}
		},
		"items": func(records []any) any { return map[string]any{"items": records, "total": len(records)} },
		"nested": func(records []any) any {
			return map[string]any{"data": map[string]any{"results": records}, "meta": map[string]any{"count": 5}}
		},
		"named": func(records []any) any { return map[string]any{"version": 2, "things": records} },
	}
	for name, wrap := range all {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			for path := range s {
				if strings.Count(path, "/") > 3 {
					if name != "bare" {
						s.edit(path, func(v map[string]any) {
							inner := map[string]any{}
							for k := range v {
								inner[k] = v[k]
								delete(v, k)
							}
							v["data"] = inner
						})
					}
					continue
				}
				var file struct {
					Records []any `json:"records"`
				}
				d := json.NewDecoder(strings.NewReader(string(s[path])))
				d.UseNumber()
				must.Do(t, d.Decode(&file))
				data := must.Get(json.Marshal(wrap(file.Records)))(t)
				s[path] = data
			}
			r, got := audited(t, s, audit.Options{Methods: true})
			if len(got) != 0 || !r.Summary.Whole {
				t.Errorf("%s", strings.Join(got, "\n"))
			}
			s.replace(s.single("signals"), `"version":2`, `"version":3`) // so that they were really compared
			if _, got := audited(t, s, audit.Options{Methods: true}); len(got) != 1 || !strings.HasPrefix(got[0], "SPEC-SAME fail") {
				t.Errorf("with another version: %q", got)
			}
		})
	}
}

// TestNoService: an address that is something else gives one finding.
func TestNoService(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Shop</title>")
	})
	away := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://www.example.org"+r.URL.Path, http.StatusMovedPermanently)
	})
	for name, c := range map[string]struct {
		handler http.Handler
		message string
	}{
		"pages":   {page, "no route found: the address has HTML pages"},
		"nothing": {http.NotFoundHandler(), "no route found: answer 404 Not Found"},
		"moved":   {away, "the routes redirect to another host, https://www.example.org/api/v1/signals.json: audit that address"},
	} {
		r, _ := audited(t, c.handler, audit.Options{})
		var failures []string
		for _, result := range r.Results {
			for _, f := range result.Findings {
				if f.Verdict != audit.NotTested {
					failures = append(failures, result.ID+" "+string(f.Verdict)+": "+f.Message)
				}
			}
		}
		if len(failures) != 1 || failures[0] != "SPEC-SERVICE fail: "+c.message || r.Summary.Pass != 0 || r.Summary.Whole {
			t.Errorf("%s: %q, %+v", name, failures, r.Summary)
		}
	}
}

// TestNotReached: no service, no report.
func TestNotReached(t *testing.T) {
	secure := httptest.NewTLSServer(newSite(t))
	defer secure.Close()
	secure.Config.ErrorLog = quietLog
	gone := httptest.NewServer(newSite(t))
	gone.Close()
	for address, want := range map[string]string{
		secure.URL:                           "certificate signed by unknown authority",
		gone.URL:                             "connection refused",
		"ftp://data.example.org":             "invalid service URL",
		"data.example.org":                   "invalid service URL",
		"https://me:secret@data.example.org": "no credentials",
	} {
		_, err := audit.Run(t.Context(), address, audit.Options{Pause: 1})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestInterrupted: an audit that is interrupted, at first or later, gives no report.
func TestInterrupted(t *testing.T) {
	for _, path := range []string{signals, edges, "/api/v1/signals/sig-example-rise.json"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		server := httptest.NewServer(at(path, func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
			cancel(errors.New("a signal"))
			<-r.Context().Done()
		})(newSite(t)))
		if r, err := audit.Run(ctx, server.URL, audit.Options{}); !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("%s: %v", path, err)
		}
		server.Close()
	}
}

// TestFindingsCanBeTried: each finding about an answer has the request, the head of the answer, and
// a line for a shell.
func TestFindingsCanBeTried(t *testing.T) {
	s := newSite(t)
	delete(s, "/api/v1/proof.json")
	r, _ := audited(t, s, audit.Options{Methods: true})
	for _, result := range r.Results {
		for _, f := range result.Findings {
			if f.Verdict != audit.Fail {
				continue
			}
			if !strings.HasPrefix(f.Request, "GET http://") || !strings.HasPrefix(f.Answer, "HTTP/1.1 404 Not Found\n") ||
				!strings.HasPrefix(f.Curl, "curl -sS -D - -H 'Accept-Encoding: gzip'") || !strings.HasSuffix(f.Curl, "/api/v1/proof.json") {
				t.Errorf("%+v", f)
			}
			return
		}
	}
	t.Error("no failure")
}
