package preview

import (
	"maps"
	"net/http"
	"strings"

	"stele/internal/base/layout"
)

// wrap puts a preview around the handler of what it shows: it answers to its own hosts only, keeps
// drafts from scripts of other sites and from other commands, and has some addresses of its own.
func (p *Preview) wrap(plain http.Handler) http.Handler {
	hosts := newHosts(p.Listen)
	var inside http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/"+layout.ManifestPath { // so that nobody copies a draft or builds on it
			http.Error(w, "This is a preview of drafts. It has no manifest: stele build makes a release.", http.StatusNotFound)
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
		if !hosts.answers(r.Host) {
			http.Error(w, "This is a preview of drafts. It answers to localhost and to the address that --listen names.", http.StatusMisdirectedRequest)
			return
		}
		inside.ServeHTTP(w, r)
	})
}

// Forms are where the records of a preview are written. Only browsers that are signed in see them
// and the preview.
type Forms interface {
	http.Handler
	// Guard lets requests of browsers that are signed in through, without the prefix of their
	// addresses.
	Guard(next http.Handler) http.Handler
	// Prefix is what all addresses begin with.
	Prefix() string
}

// Around is a preview of nothing yet but its forms.
func (p *Preview) Around() http.Handler {
	p.pages = newPages()
	return p.wrap(http.NotFoundHandler())
}

// sameOrigin takes away what would let scripts of other sites read an answer.
type sameOrigin struct{ http.ResponseWriter }

func (w sameOrigin) WriteHeader(status int) {
	maps.DeleteFunc(w.Header(), func(name string, _ []string) bool { return strings.HasPrefix(name, "Access-Control-") })
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController, which sets deadlines.
func (w sameOrigin) Unwrap() http.ResponseWriter { return w.ResponseWriter }
