package preview

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"stele/internal/base/layout"
)

// URLs that a preview adds to a release. No file of a release has these names.
const (
	added         = "/.stele/"
	scriptAddress = added + "preview.js"
	styleAddress  = added + "preview.css"
	eventsAddress = added + "events"
	formsAddress  = added + "edit/"
)

//go:embed preview.js
var script []byte

//go:embed preview.css
var style []byte

// pages sends the state of the preview to open pages as server-sent events.
type pages struct {
	mux      *http.ServeMux
	mu       sync.Mutex
	findings string
	outdated bool          // whether the folder has errors, so that an earlier release is shown
	built    int           // number of builds
	news     chan struct{} // closed when the state changes
	over     chan struct{}
	once     sync.Once
}

func newPages() *pages {
	p := &pages{mux: http.NewServeMux(), news: make(chan struct{}), over: make(chan struct{})}
	file := func(address string, data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", layout.SendingOf(address).ContentType())
			w.Header().Set("Cache-Control", "no-cache")
			w.Write(data) // an error means that the client is gone
		}
	}
	p.mux.HandleFunc("GET "+scriptAddress, file(scriptAddress, script))
	p.mux.HandleFunc("GET "+styleAddress, file(styleAddress, style))
	p.mux.HandleFunc("GET "+eventsAddress, p.streamEvents)
	return p
}

// show sends findings to the open pages. findings is "" if the records have no problems. outdated
// is true if the pages show an earlier state because of the findings.
func (p *pages) show(findings string, outdated bool) {
	p.update(func() { p.findings, p.outdated = findings, outdated })
}

func (p *pages) update(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	close(p.news)
	p.news = make(chan struct{})
}

// close ends the streams, which would never end by themselves.
func (p *pages) close() { p.once.Do(func() { close(p.over) }) }

// streamEvents streams the state of the preview, now and after each change.
func (p *pages) streamEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	control := http.NewResponseController(w)
	// the stream lasts as long as the page is open; an error means that the connection has no
	// deadlines
	control.SetReadDeadline(time.Time{})
	control.SetWriteDeadline(time.Time{})
	for {
		p.mu.Lock()
		// cannot fail: a text, a number and a bool
		state, _ := json.Marshal(map[string]any{"built": p.built, "findings": p.findings, "old": p.outdated})
		news := p.news
		p.mu.Unlock()
		if _, err := fmt.Fprintf(w, "data: %s\n\n", state); err != nil {
			return
		}
		if err := control.Flush(); err != nil {
			return
		}
		select {
		case <-news:
		case <-p.over:
			return
		case <-r.Context().Done():
			return
		}
	}
}
