package audit_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"stele/internal/trust/audit"
)

var quietLog = log.New(io.Discard, "", 0)

const signals, claims, edges = "/api/v1/signals.json", "/api/v1/proof.json", "/api/v1/graph-edges.json"

// broken are services with one defect each, and what is found: exactly that.
var broken = []struct {
	name  string
	files func(s site)                         // changes what there is
	wrap  func(next http.Handler) http.Handler // or how it is answered
	want  []string                             // how the findings begin
}{
	{
		name: "a route is missing", files: func(s site) { delete(s, edges) },
		want: []string{"SPEC-ROUTE fail: answer 404", "DATA-ID not tested: the collection is unreadable"},
	},
	{
		name: "a route of one listing is missing", files: func(s site) { delete(s, "/data/v2/public-references.json") },
		want: []string{"SPEC-ROUTE info: answer 404"},
	},
	{name: "a page in the place of a route", wrap: at(edges, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html>")
	}), want: []string{"SPEC-ROUTE fail: answer with an HTML page", "DATA-ID not tested"}},
	{name: "to another host", wrap: at(edges, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, "http://other.example/", http.StatusFound)
	}), want: []string{"SPEC-ROUTE fail: redirect to another host, http://other.example/", "DATA-ID not tested"}},
	{name: "round in circles", wrap: at(edges, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	}), want: []string{"SPEC-ROUTE fail: too many redirects", "DATA-ID not tested"}},
	{name: "by way of a redirect", wrap: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == edges {
				http.Redirect(w, r, "/real"+edges, http.StatusMovedPermanently)
				return
			}
			http.StripPrefix(prefixOf(r, "/real"), next).ServeHTTP(w, r)
		})
	}, want: []string{"HTTP-REDIRECT warn"}},
	{name: "200 for everything", wrap: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorded := httptest.NewRecorder()
			if next.ServeHTTP(recorded, r); recorded.Code == http.StatusNotFound {
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, "<!doctype html>")
				return
			}
			next.ServeHTTP(w, r)
		})
	}, want: []string{"SPEC-READ not tested: every address", "HTTP-404 warn: an unused address"}},
	{name: "credentials", wrap: at(edges, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("WWW-Authenticate", "Basic")
		w.WriteHeader(http.StatusUnauthorized)
	}), want: []string{"SPEC-PUBLIC fail", "DATA-ID not tested"}},
	{name: "a server that cannot", wrap: at(edges, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusInternalServerError)
	}), want: []string{"SPEC-ROUTE not tested: answer 500", "DATA-ID not tested"}},
	{name: "cut off", files: func(s site) { s[edges] = s[edges][:100] }, want: []string{"SPEC-JSON fail: not JSON: unexpected EOF", "DATA-ID not tested"}},
	{name: "a byte order mark", files: func(s site) { s[edges] = append([]byte("\ufeff"), s[edges]...) }, want: []string{"SPEC-JSON fail", "DATA-ID not tested"}},
	{name: "something after it", files: func(s site) { s[edges] = append(s[edges], "{}"...) }, want: []string{"SPEC-JSON fail", "DATA-ID not tested"}},
	{name: "not UTF-8", files: func(s site) { s.replace(edges, `"relation":"`, "\"relation\":\"\xff") }, want: []string{"SPEC-JSON fail", "DATA-ID not tested"}},
	{name: "no number", files: func(s site) { s.replace(edges, `"version":1`, `"version":NaN`) }, want: []string{"SPEC-JSON fail", "DATA-ID not tested"}},
	{name: "a single record is missing", files: func(s site) { delete(s, s.single("proof")) }, want: []string{"SPEC-SINGLE fail: answer 404"}},
	{name: "a single record is another", files: func(s site) {
		s.edit(s.single("proof"), func(v map[string]any) { v["id"], v["claim_id"] = "clm-else", "clm-else" })
	}, want: []string{"SPEC-SINGLE fail: the path returns a record with a different ID"}},
	{name: "a single record is no JSON", files: func(s site) { s[s.single("proof")] = []byte("{'id': 1}") }, want: []string{"SPEC-JSON fail"}},
	{name: "a single record says something else", files: func(s site) {
		s.edit(s.single("proof"), func(v map[string]any) { v["title"] = "Another" })
	}, want: []string{`SPEC-SAME fail: "title" differs from /api/v1/proof.json`}},
	{
		name: "digits are others", files: func(s site) { s.replace(s.single("signals"), `"version":2`, `"version":2.0`) },
		want: []string{`SPEC-SAME fail: "version" differs`},
	},
	{name: "a single record lacks a member", files: func(s site) {
		s.edit(s.single("proof"), func(v map[string]any) { delete(v, "summary") })
	}, want: []string{"SPEC-SAME warn: missing member summary"}},
	{name: "an ID twice", files: func(s site) {
		s.edit(edges, func(v map[string]any) {
			v["records"] = append(v["records"].([]any), v["records"].([]any)[0])
			delete(v, "count")
		})
	}, want: []string{"DATA-ID fail: duplicate ID"}},
	{name: "no ID", files: func(s site) {
		s.edit(edges, func(v map[string]any) { delete(v["records"].([]any)[0].(map[string]any), "id") })
	}, want: []string{"DATA-ID fail: 1 of its records have no ID"}},
	{name: "evidence that is not there", files: func(s site) {
		s.replace(claims, `"evidence_id":"`, `"evidence_id":"not-`)
		s.replace(s.single("proof"), `"evidence_id":"`, `"evidence_id":"not-`)
	}, want: []string{"DATA-REF fail: evidence_id of"}},
	{name: "an edge to nowhere", files: func(s site) {
		s.edit(edges, func(v map[string]any) { v["records"].([]any)[0].(map[string]any)["target"] = "nowhere" })
	}, want: []string{"DATA-REF fail: target of"}},
	{name: "a source that is not there", files: func(s site) {
		s.edit("/api/v2/entities.json", func(v map[string]any) {
			v["records"].([]any)[0].(map[string]any)["source_links"].([]any)[0].(map[string]any)["source_id"] = "nowhere"
		})
	}, want: []string{"DATA-REF warn: source_id of"}},
	{name: "a wrong count", files: func(s site) { s.edit(edges, func(v map[string]any) { v["count"] = 1 }) }, want: []string{"DATA-COUNT fail: count is 1"}},
	{name: "pages", files: func(s site) { s.edit(edges, func(v map[string]any) { v["next"] = "?page=2" }) }, want: []string{"DATA-COUNT warn: the member next"}},
	{name: "no HEAD", wrap: on(http.MethodHead, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Allow", "GET")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}), want: []string{"HTTP-HEAD fail: HEAD is answered with 405"}},
	{name: "HEAD of another type", wrap: on(http.MethodHead, then(func(h http.Header) { h.Set("Content-Type", "text/plain") })), want: []string{"HTTP-HEAD warn: HEAD and GET differ in Content-Type"}},
	{name: "another type", wrap: every(func(h http.Header) { h.Set("Content-Type", "text/plain") }), want: []string{`HTTP-TYPE warn: the file is sent as "text/plain"`}},
	{name: "no type", wrap: every(func(h http.Header) { h["Content-Type"] = nil }), want: []string{"HTTP-TYPE warn: missing Content-Type"}},
	{name: "another charset", wrap: every(func(h http.Header) { h.Set("Content-Type", "application/json; charset=latin1") }), want: []string{"HTTP-TYPE warn: Content-Type with charset"}},
	{name: "no validator", wrap: every(func(h http.Header) { h.Del("ETag") }), want: []string{"HTTP-ETAG warn: the answer has neither", "HTTP-304 not tested: nothing"}},
	{name: "an ETag without quotation marks", wrap: every(func(h http.Header) { h.Set("ETag", strings.Trim(h.Get("ETag"), `"`)) }), want: []string{"HTTP-ETAG fail: malformed ETag", "HTTP-304 not tested"}},
	{
		name: "one ETag for all encodings", wrap: every(func(h http.Header) { h.Set("ETag", strings.ReplaceAll(h.Get("ETag"), "-gzip", "")) }),
		want: []string{"HTTP-ETAG fail: compressed and plain", "HTTP-304 warn"},
	},
	{name: "no conditions", wrap: without("If-None-Match"), want: []string{"HTTP-304 warn: an unchanged file"}},
	{name: "never changed", wrap: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != "" {
				r.Header.Set("If-None-Match", "*")
			}
			next.ServeHTTP(w, r)
		})
	}, want: []string{"HTTP-304 fail: a request with another ETag"}},
	{name: "no parts", wrap: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Range")
			next.ServeHTTP(w, r)
		})
	}, want: []string{"HTTP-206 warn: a request for a part"}},
	{name: "wrong parts", wrap: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				r.Header.Set("Range", "bytes=1-1")
			}
			next.ServeHTTP(w, r)
		})
	}, want: []string{"HTTP-206 fail: wrong Content-Range"}},
	{name: "refused without Allow", wrap: on(http.MethodOptions, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusMethodNotAllowed)
	}), want: []string{"HTTP-405 fail: 405 without Allow"}},
	{name: "lets write", wrap: on(http.MethodOptions, then(func(h http.Header) { h.Set("Allow", "GET, PUT") })), want: []string{"HTTP-405 warn: Allow has PUT"}},
	{name: "compressed for everybody", wrap: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("Accept-Encoding", "gzip")
			r.Header.Del("Range")
			next.ServeHTTP(w, r)
		})
	}, want: []string{"HTTP-206 warn", "HTTP-ENCODING warn: the file is sent as \"gzip\" to clients that accept only identity"}},
	{name: "no Vary", wrap: every(func(h http.Header) { h.Del("Vary") }), want: []string{"HTTP-VARY warn: the file is compressed"}},
	{name: "not to be kept", wrap: every(func(h http.Header) { h.Set("Cache-Control", "max-age=0, no-store") }), want: []string{"HTTP-CACHE warn: Cache-Control has no-store"}},
	{name: "for its own scripts", wrap: every(func(h http.Header) { h.Del("Access-Control-Allow-Origin") }), want: []string{"HTTP-CORS warn: Access-Control-Allow-Origin"}},
	{name: "with credentials", wrap: every(func(h http.Header) { h.Set("Access-Control-Allow-Credentials", "true") }), want: []string{"HTTP-CORS warn: Access-Control-Allow-Credentials"}},
	{name: "cookies", wrap: every(func(h http.Header) { h.Set("Set-Cookie", "session=1") }), want: []string{"HTTP-COOKIE warn: the answer sets a cookie"}},
	{name: "takes what is put", wrap: putting, want: []string{"SPEC-READ fail: PUT created something"}},
	{name: "says yes to POST", wrap: on(http.MethodPost, func(http.ResponseWriter, *http.Request, http.Handler) {}), want: []string{"SPEC-READ warn: POST is answered with 200"}},
}

// TestBroken: a service with one defect gets exactly that finding.
func TestBroken(t *testing.T) {
	for _, c := range broken {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			if c.files != nil {
				c.files(s)
			}
			var h http.Handler = s
			if c.wrap != nil {
				h = c.wrap(h)
			}
			r, got := audited(t, h, audit.Options{Methods: true, All: true})
			if len(got) != len(c.want) || !slices.EqualFunc(got, c.want, strings.HasPrefix) {
				t.Errorf("found\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if unanswered := strings.Contains(c.want[0], "answer 500"); (r.Summary.Unanswered > 0) != unanswered {
				t.Errorf("%+v", r.Summary)
			}
		})
	}
}

type answering func(w http.ResponseWriter, r *http.Request, next http.Handler)

// at answers a path in another way.
func at(path string, answer answering) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path {
				answer(w, r, next)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// on answers a method in another way.
func on(method string, answer answering) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == method {
				answer(w, r, next)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// then answers as before, with another head.
func then(change func(http.Header)) answering {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		got := httptest.NewRecorder()
		next.ServeHTTP(got, r)
		for name, values := range got.Header() {
			w.Header()[name] = values
		}
		if got.Code != http.StatusNotFound && got.Code != http.StatusMethodNotAllowed {
			change(w.Header())
		}
		w.WriteHeader(got.Code)
		io.Copy(w, got.Body) // a reader that is gone does not matter
	}
}

// every gives every answer another head.
func every(change func(http.Header)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { then(change)(w, r, next) })
	}
}

// without does not heed a line of requests.
func without(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del(name)
			next.ServeHTTP(w, r)
		})
	}
}

// prefixOf is a prefix if a request has it.
func prefixOf(r *http.Request, prefix string) string {
	if strings.HasPrefix(r.URL.Path, prefix) {
		return prefix
	}
	return ""
}

// putting is a server that keeps what is put.
func putting(next http.Handler) http.Handler {
	there := map[string]bool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut:
			there[r.URL.Path] = true
			w.WriteHeader(http.StatusCreated)
		case there[r.URL.Path]:
			io.WriteString(w, "{}")
		default:
			next.ServeHTTP(w, r)
		}
	})
}
