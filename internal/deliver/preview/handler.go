package preview

import (
	"maps"
	"net/http"
	"strings"

	"stele/internal/base/layout"
)

// wrap adds the functions of a preview to the handler of its pages. It refuses requests for other
// hosts, keeps drafts from scripts of other sites and from other commands, and serves the preview's
// own URLs.
func (p *Preview) wrap(plain http.Handler) http.Handler {
	hosts := newHosts(p.Listen)
	var inside http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/"+layout.ManifestPath { // so that no command copies a draft or builds on it
			http.Error(w, "This preview shows drafts and has no manifest. Run stele build to make a release.", http.StatusNotFound)
			return
		}
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		if p.Forms != nil && strings.HasPrefix(r.URL.Path, formsAddress) {
			p.Forms.ServeHTTP(w, r)
			return
		}
		if strings.HasPrefix(r.URL.Path, added) {
			p.pages.mux.ServeHTTP(w, r)
			return
		}
		plain.ServeHTTP(sameOrigin{w}, r)
	})
	if p.Forms != nil {
		inside = p.Forms.Guard(inside)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hosts.accepts(r.Host) {
			http.Error(w, "This preview of drafts answers only requests for localhost and for the address in --listen.", http.StatusMisdirectedRequest)
			return
		}
		inside.ServeHTTP(w, r)
	})
}

// Forms serves the forms for writing records. Only browsers that are signed in can open them and
// the preview.
type Forms interface {
	http.Handler
	// Guard returns a handler that passes requests of signed-in browsers to next, with the prefix
	// removed from their paths.
	Guard(next http.Handler) http.Handler
	// Prefix returns the prefix of all URL paths.
	Prefix() string
}

// FormsHandler returns a handler for the forms alone, for a folder without anything to preview.
func (p *Preview) FormsHandler() http.Handler {
	p.pages = newPages()
	return p.wrap(http.NotFoundHandler())
}

// sameOrigin removes the headers that let scripts of other sites read an answer.
type sameOrigin struct{ http.ResponseWriter }

func (w sameOrigin) WriteHeader(status int) {
	maps.DeleteFunc(w.Header(), func(name string, _ []string) bool { return strings.HasPrefix(name, "Access-Control-") })
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w sameOrigin) Unwrap() http.ResponseWriter { return w.ResponseWriter }
