// Package signin decides who may see a preview with forms. A browser signs in with a key that works
// once, and then has a cookie. The cookie holds for the folder of addresses that Prefix names,
// which no server on another port knows, so browsers never send it there.
package signin

import (
	"crypto/rand"
	"crypto/subtle"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"stele/internal/show/site/markup"
)

// Gate lets browsers in that are signed in.
type Gate struct {
	home    string          // the address of the first page, below the prefix
	prefix  string          // "/" and a secret; every address begins with it
	session string          // the value of the cookie
	mu      sync.Mutex      // for what follows
	keys    map[string]bool // that were given out, and not used yet
	used    func()          // runs after a key was used
}

// New returns a gate to the pages of a server, of which home is the first one. state is a folder
// that keeps the prefix, so that a form which was opened before the program was started again can
// be sent to the same address; "" for none.
func New(home, state string) *Gate {
	g := &Gate{home: home, prefix: "/" + rand.Text(), session: rand.Text(), keys: map[string]bool{}}
	if state == "" {
		return g
	}
	path := filepath.Join(state, "address")
	if data, err := os.ReadFile(path); err == nil && len(data) == len(g.prefix) {
		g.prefix = string(data)
	} else if os.MkdirAll(state, 0o700) == nil {
		os.WriteFile(path, []byte(g.prefix), 0o600) // without it, the next run has another address
	}
	return g
}

// OnSignIn sets what runs after a browser has signed in.
func (g *Gate) OnSignIn(used func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used = used
}

// Guard returns a handler that lets requests with the cookie through to next, without the prefix of
// their addresses, and signs browsers in that bring an unused key.
func (g *Gate) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Referrer-Policy", "same-origin") // with none, browsers would not say where a form comes from
		h.Set("X-Content-Type-Options", "nosniff")
		path, inside := strings.CutPrefix(r.URL.Path, g.prefix)
		cookie, err := r.Cookie(cookieName(r))
		switch {
		case r.URL.Path == g.home && r.Method == http.MethodGet && r.URL.Query().Has("key"):
			g.signIn(w, r)
		case r.Method == http.MethodPost && !isOwn(r):
			http.Error(w, "This form was sent by another site and is refused.", http.StatusForbidden)
		case err != nil || !inside || !strings.HasPrefix(path, "/") || !equal(cookie.Value, g.session):
			askToSignIn(w, r)
		default:
			inner := *r
			address := *r.URL
			address.Path, address.RawPath = path, strings.TrimPrefix(address.RawPath, g.prefix)
			inner.URL = &address
			next.ServeHTTP(&prefixed{w, g.prefix}, &inner)
		}
	})
}

// Prefix is what the addresses of the preview and the forms begin with.
func (g *Gate) Prefix() string {
	return g.prefix
}

// prefixed adds the prefix to the addresses that an answer redirects to.
type prefixed struct {
	http.ResponseWriter
	prefix string
}

func (w *prefixed) WriteHeader(status int) {
	if to := w.Header().Get("Location"); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") {
		w.Header().Set("Location", w.prefix+to)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *prefixed) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// NewKey returns the path and query at which a browser can sign in once.
func (g *Gate) NewKey() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	const most = 20 // that were asked for and not used
	if len(g.keys) >= most {
		clear(g.keys)
	}
	key := rand.Text()
	g.keys[key] = true
	return g.home + "?key=" + key
}

// signIn takes a key, which works once, and gives the browser the cookie.
func (g *Gate) signIn(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	key := r.URL.Query().Get("key")
	valid, used := g.keys[key], g.used
	delete(g.keys, key)
	g.mu.Unlock()
	if !valid {
		askToSignIn(w, r)
		return
	}
	if used != nil {
		used()
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: g.session, Path: g.prefix + "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
	// A browser that comes from another site sends the cookie with the next page, and not when it
	// is redirected.
	var page markup.Writer
	page.BeginAnywhere(g.prefix + "/")
	page.HTML(`<!doctype html><meta charset="utf-8"><title>Stele</title>`)
	page.Refresh(g.home)
	page.Fill(continueForm, markup.With("address", g.home))
	writeHTML(w, http.StatusOK, page.Bytes())
}

var (
	continueForm = markup.Parse(`<p><a href="{address}">Continue</a></p>`)
	hiddenForm   = markup.Parse(`<input type="hidden" name="{name}" value="{value}">`)
	refusalForm  = markup.Parse(`
		<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Sign in</title></head>
		<body><main><h1>Sign in to go on</h1>
		<p>Only the person who started Stele on this computer can open this page. Open the address that the terminal shows, or press <b>Open in another browser</b> in a browser that is signed in. Each address works once.</p>
		{?fields}<p><strong>What you wrote is kept here.</strong> Open the new address in another tab, come back to this tab, and press the button.</p>
		<form method="post">{fields}<button>Send it again</button></form>{/}</main></body></html>`)
)

// MaxForm is how many bytes a form without a file may have.
const MaxForm = 16 << 20

// askToSignIn refuses a request. The fields of a form that was sent are returned, so that they can
// be sent again.
func askToSignIn(w http.ResponseWriter, r *http.Request) {
	var fields url.Values
	if r.Method == http.MethodPost && isOwn(r) && !IsUpload(r) {
		r.Body = http.MaxBytesReader(w, r.Body, MaxForm)
		if r.ParseForm() == nil { // a form that cannot be read is not returned
			fields = r.PostForm
		}
	}
	var page markup.Writer
	page.BeginAnywhere("/")
	page.Fill(refusalForm, markup.When(len(fields) > 0, "fields", func() { HideFields(&page, fields) }))
	writeHTML(w, http.StatusForbidden, page.Bytes())
}

// HideFields writes the fields of a form as hidden ones.
func HideFields(w *markup.Writer, fields url.Values, except ...string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(except, name) {
			continue
		}
		for _, value := range fields[name] {
			w.Fill(hiddenForm, markup.Exactly("name", name), markup.Exactly("value", value))
		}
	}
}

func writeHTML(w http.ResponseWriter, status int, page []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
	w.WriteHeader(status)
	w.Write(page) // a client that is gone needs no answer
}

// isOwn reports whether a request comes from a page of this server.
func isOwn(r *http.Request) bool {
	from, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && from.Scheme == "http" && from.Host == r.Host && r.Header.Get("Sec-Fetch-Site") != "cross-site"
}

// IsUpload reports whether a request has a file.
func IsUpload(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/")
}

// cookieName is the name of the cookie of the server on this port: several may run at once.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "stele-edit-" + port
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
