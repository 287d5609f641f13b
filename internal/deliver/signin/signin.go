// Package signin decides which browsers may see a preview with forms. A browser signs in with a
// one-time key and receives a cookie. The cookie's path is the secret URL prefix that Prefix
// returns. Servers on other ports do not know the prefix, so browsers never send them the cookie.
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

// Gate passes on the requests of browsers that are signed in.
type Gate struct {
	home    string          // URL path of the first page, without the prefix
	prefix  string          // "/" and a secret; every URL path begins with it
	session string          // value of the cookie
	mu      sync.Mutex      // guards keys
	keys    map[string]bool // one-time keys that were issued and not used yet
	used    func()          // runs after a key is used
}

// New returns a gate whose first page is home. The gate stores its prefix in the folder state, so
// that a form opened before a restart can still be sent. It stores nothing if state is "".
func New(home, state string) *Gate {
	g := &Gate{home: home, prefix: "/" + rand.Text(), session: rand.Text(), keys: map[string]bool{}}
	if state == "" {
		return g
	}
	path := filepath.Join(state, "address")
	if data, err := os.ReadFile(path); err == nil && len(data) == len(g.prefix) {
		g.prefix = string(data)
	} else if os.MkdirAll(state, 0o700) == nil {
		os.WriteFile(path, []byte(g.prefix), 0o600) // without this file, the next run has another prefix
	}
	return g
}

// OnSignIn sets a function that runs after a browser has signed in.
func (g *Gate) OnSignIn(used func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used = used
}

// Guard returns a handler that passes requests with the cookie to next, with the prefix removed
// from their paths. It signs in browsers that send an unused key and refuses all others.
func (g *Gate) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers would not say which site a form comes from
		h.Set("X-Content-Type-Options", "nosniff")
		path, inside := strings.CutPrefix(r.URL.Path, g.prefix)
		cookie, err := r.Cookie(cookieName(r))
		switch {
		case r.URL.Path == g.home && r.Method == http.MethodGet && r.URL.Query().Has("key"):
			g.signIn(w, r)
		case r.Method == http.MethodPost && !isFromOwnPage(r):
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

// Prefix returns the prefix of all URL paths of the preview and the forms.
func (g *Gate) Prefix() string {
	return g.prefix
}

// prefixed adds the prefix to the targets of redirects.
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

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *prefixed) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// NewKey returns a path and query with which a browser can sign in once.
func (g *Gate) NewKey() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	const most = 20 // keys issued and not used
	if len(g.keys) >= most {
		clear(g.keys)
	}
	key := rand.Text()
	g.keys[key] = true
	return g.home + "?key=" + key
}

// signIn checks and uses up the key of the request and sets the cookie.
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
	// After a link from another site, browsers send the cookie only with the next page, not with a
	// redirect.
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

// MaxForm is the maximum size of a form without a file, in bytes.
const MaxForm = 16 << 20

// askToSignIn refuses a request with a page that contains the fields of the form that was sent, so
// that it can be sent again after signing in.
func askToSignIn(w http.ResponseWriter, r *http.Request) {
	var fields url.Values
	if r.Method == http.MethodPost && isFromOwnPage(r) && !IsUpload(r) {
		r.Body = http.MaxBytesReader(w, r.Body, MaxForm)
		if r.ParseForm() == nil { // a malformed form is not repeated
			fields = r.PostForm
		}
	}
	var page markup.Writer
	page.BeginAnywhere("/")
	page.Fill(refusalForm, markup.When(len(fields) > 0, "fields", func() { HideFields(&page, fields) }))
	writeHTML(w, http.StatusForbidden, page.Bytes())
}

// HideFields writes form fields as hidden inputs, without those named in except.
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
	w.Write(page) // an error means that the client is gone
}

// isFromOwnPage reports whether r comes from a page of this server.
func isFromOwnPage(r *http.Request) bool {
	from, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && from.Scheme == "http" && from.Host == r.Host && r.Header.Get("Sec-Fetch-Site") != "cross-site"
}

// IsUpload reports whether r contains a multipart form, which can contain files.
func IsUpload(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/")
}

// cookieName returns the name of the cookie, which contains the port because several servers may
// run at once.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "stele-edit-" + port
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
