// Package edit is the forms in which a publisher writes records in the browser. They follow from
// the shapes of the kinds, and write through packages amend and tables alone. A preview serves
// them, on this machine only, to whoever has the key that was made when it started; no release has
// a byte of them.
package edit

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"stele/internal/author/editing/amend"
	"stele/internal/author/judging/check"
	"stele/internal/base/clock"
	"stele/internal/base/schema"
	"stele/record"
)

// Root is the address below which forms are. No release has any that begin so.
const Root = "/.stele/edit/"

// maxBody is how many bytes a form may send; maxTable, a table that is imported.
const (
	maxBody  = 16 << 20
	maxTable = 64 << 20
	// maxTables is how many of them are kept until they are written.
	maxTables = 32
)

type published = func(kind, id string) (amend.Published, bool)

// Editor serves the forms of one folder.
type Editor struct {
	Files fs.FS  // the folder of records
	Dir   string // where it lies
	// Publish builds what would be published and writes to w what changes and what is asked. Only
	// if agree says so, of the same words, is it published. allow are those of the flag.
	Publish func(ctx context.Context, w *strings.Builder, allow string, agree func(shown string) bool) error
	// Published reads what is known to be published; nil where nothing is.
	Published func() (published, error)
	live      live

	Key    string // that an address must carry the first time; made where it is empty
	begin  func() // of a folder that is not there yet; nil otherwise
	mux    *http.ServeMux
	once   sync.Once
	mu     sync.Mutex
	index  *index
	result *check.Result // of the build that was made last
	tables map[string]string
	saving sync.Mutex // one writes at a time
}

// Secret is the key that an address must carry the first time.
func (e *Editor) Secret() string {
	e.once.Do(func() {
		if e.tables = map[string]string{}; e.Key == "" {
			e.Key = rand.Text()
		}
		e.mux = http.NewServeMux()
		e.routes()
	})
	return e.Key
}

// Built takes in what a build of the folder found: forms that are opened from now on show it.
func (e *Editor) Built(r *check.Result) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.index, e.result = nil, r
}

func (e *Editor) routes() {
	handle := func(pattern string, do func(*page)) {
		method, at, _ := strings.Cut(pattern, " ")
		e.mux.HandleFunc(method+" "+Root+at, func(w http.ResponseWriter, r *http.Request) {
			var p *page
			x, err := e.current()
			if err == nil {
				p, err = e.newPage(w, r, x)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			do(p)
		})
	}
	both := func(at string, do func(*page)) {
		handle("GET "+at, do)
		handle("POST "+at, do)
	}
	handle("GET {$}", (*page).overview)
	handle("GET find", (*page).find)
	handle("GET code/{code}", (*page).explain)
	handle("GET record/{id}", (*page).doors)
	both("new/{kind}", (*page).newRecord)
	both("record/{id}/{door}", (*page).record)
	both("grid/{path...}", (*page).grid)
	both("import", (*page).importTable)
	both("publish", (*page).publish)
	handle("GET style.css", (*page).style)
	e.mux.HandleFunc("GET "+Root+"edit.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Write(script) // a client that is gone needs no answer
	})
}

// cookieName is that of the cookie with the key. Browsers keep cookies of all ports of a machine
// together, and several folders may be open.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "stele-edit-" + port
}

// ServeHTTP answers whoever has the key. What is sent must come from a page of this server.
func (e *Editor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.Secret()
	h := w.Header()
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // with none, browsers would not say where a form comes from
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache, private") // a browser that goes back has what was written in a form
	if r.Method == http.MethodGet && r.URL.Query().Has("key") {
		if !e.is(r.URL.Query().Get("key")) {
			refuse(w)
			return
		}
		http.SetCookie(w, &http.Cookie{
			Name: cookieName(r), Value: e.Key, Path: Root, HttpOnly: true,
			SameSite: http.SameSiteStrictMode,
		})
		// by a page and not by its status: a browser that comes from elsewhere sends the cookie
		// with
		// what the page asks for, and not with what it is led to
		h.Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(`<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=` + Root + `"><title>Stele</title><a href="` + Root + `">Continue</a>`))
		return
	}
	c, err := r.Cookie(cookieName(r))
	if err != nil || !e.is(c.Value) {
		refuse(w)
		return
	}
	if r.Method == http.MethodPost {
		from, err := url.Parse(r.Header.Get("Origin"))
		if err != nil || from.Scheme != "http" || from.Host != r.Host ||
			r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			http.Error(w, "This form was sent by another site, and was not taken.", http.StatusForbidden)
			return
		}
		most := int64(maxBody)
		if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
			most = maxTable
		}
		r.Body = http.MaxBytesReader(w, r.Body, most)
	}
	if e.begin != nil {
		e.beginFolder(w, r)
		return
	}
	e.mux.ServeHTTP(w, r)
}

func (e *Editor) is(key string) bool {
	return subtle.ConstantTimeCompare([]byte(key), []byte(e.Key)) == 1
}

func refuse(w http.ResponseWriter) {
	http.Error(w, "These forms are for whoever started stele edit: open the address that it printed.",
		http.StatusForbidden)
}

// today is the day of what is written.
func today() record.Date { return record.Date(clock.Today()) }

// findings are what the last build found, by the ID of the record that it is about.
func (e *Editor) findings() []schema.Problem {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.result == nil {
		return nil
	}
	return e.result.Problems
}
