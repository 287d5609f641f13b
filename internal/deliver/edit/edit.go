// Package edit provides forms in which a publisher writes records in the browser. The fields follow
// from the shapes of the kinds. The preview server serves them, only on this computer and only to
// browsers that are signed in. No release contains a byte of them.
//
// Every change goes the same way: a page makes a proposal from the folder and the form, shows it in
// words, and keeps it under a token. The button that saves names the token, and exactly that
// proposal is written.
package edit

import (
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/internal/deliver/published"
	"stele/internal/deliver/signin"
)

// Root is the beginning of all paths of the forms. No path of a release begins with it.
const Root = "/.stele/edit/"

// Limits for imported tables: the size of one in bytes, and the number stored until they are saved.
const maxTable, maxTables = 64 << 20, 32

// Editor serves the forms of one folder.
type Editor struct {
	Files   fs.FS             // the records folder
	Dir     string            // its path
	Service published.Service // the destination; nil if it is not known
	State   string            // a folder on this computer for the state of this records folder; "" for none

	gate       *signin.Gate
	known      published.Known
	begin      func() // settings of a folder that does not exist yet; nil otherwise
	mux        *http.ServeMux
	once       sync.Once
	mu         sync.Mutex
	index      *index
	findingsOf []schema.Problem // problems that the last build found; nil if none has finished since a change
	tables     map[string]string
	proposals  []*proposal
	saving     sync.Mutex // one request writes at a time
	lastShown  string     // the digest of the text about the last publication
}

// prepare creates what requests need.
func (e *Editor) prepare() {
	e.tables = map[string]string{}
	if e.gate == nil {
		e.gate = signin.New(Root, e.State)
	}
	if e.Service != nil {
		e.known.Open(e.Service, e.State)
	}
	e.mux = http.NewServeMux()
	e.addRoutes()
}

// setFindings stores the problems that a build found. nil means that the folder changed and no
// build has finished since. Forms opened later show the problems.
func (e *Editor) setFindings(findings []schema.Problem) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.index, e.findingsOf = nil, findings
}

func (e *Editor) addRoutes() {
	handle := func(pattern string, do func(*page)) {
		method, at, _ := strings.Cut(pattern, " ")
		e.mux.HandleFunc(method+" "+Root+at, func(w http.ResponseWriter, r *http.Request) {
			var p *page
			base := ""
			if r.Method == http.MethodPost || strings.HasSuffix(r.URL.Path, "/undo") {
				base = input.FolderDigest(e.Files) // before anything is read
			}
			x, err := e.currentIndex()
			if err == nil {
				p, err = e.newPage(w, r, x)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			p.base = base
			do(p)
		})
	}
	both := func(at string, do func(*page)) {
		handle("GET "+at, do)
		handle("POST "+at, do)
	}
	handle("GET {$}", (*page).showOverview)
	handle("GET find", (*page).answerFind)
	handle("GET code/{code}", (*page).explainCode)
	both("record/{id}", (*page).showActions)
	handle("POST save", (*page).saveProposal)
	handle("POST look", (*page).readPublished)
	handle("POST key", (*page).showSignInAddress)
	both("new/{kind}", (*page).answerNewRecord)
	both("record/{id}/{door}", (*page).answerRecord)
	both("grid/{path...}", (*page).answerGrid)
	both("shared/{path...}", (*page).answerShared)
	both("import", (*page).importTable)
	both("publish", (*page).answerPublish)
	both("settings", (*page).editSettings)
	handle("GET style.css", (*page).writeStyle)
	e.mux.HandleFunc("GET "+Root+"edit.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Write(script) // the client may have disconnected
	})
}

// Gate returns the gate at which browsers sign in.
func (e *Editor) Gate() *signin.Gate {
	e.once.Do(e.prepare)
	return e.gate
}

// Guard calls the gate's Guard.
func (e *Editor) Guard(next http.Handler) http.Handler { return e.Gate().Guard(next) }

// Prefix returns the beginning of all paths of the preview and the forms.
func (e *Editor) Prefix() string { return e.Gate().Prefix() }

// ServeHTTP answers requests that passed Guard.
func (e *Editor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.once.Do(e.prepare)
	h := w.Header()
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-cache, private") // a browser that goes back shows the text of the form again
	most := int64(signin.MaxForm)
	if signin.IsUpload(r) {
		most = maxTable
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	if e.begin != nil {
		e.beginFolder(w, r)
		return
	}
	e.mux.ServeHTTP(w, r)
}

// findings returns the problems that the last build found, or nil if no build has finished since
// the folder changed.
func (e *Editor) findings() []schema.Problem {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.findingsOf
}
