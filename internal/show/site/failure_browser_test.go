package site_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestFailuresAreShown: whatever a script cannot load, the page says so, and keeps what it had.
func TestFailuresAreShown(t *testing.T) {
	files := copyOf(t)
	var missing string
	static := http.FileServerFS(filesOf(files))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, missing) {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		static.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b := open(t, server.URL)
	b.mayFail.Store(true)
	const generic, explorer, search = "Part of this page could not be loaded.", "The explorer could not be loaded.", "The search could not be loaded."
	for _, try := range []struct{ page, missing, says string }{
		{"/signals/", "/search/signals.json", generic},
		{"/signals/?q=measles", "/search/words/", search},
		{"/changes/", "/search/changes.json", generic},
		{"/healthcare-statistics/mcv1/", "/healthcare-statistics/mcv1/series", generic},
		{"/healthcare-statistics/mcv1/?tab=map", "/assets/world", generic},
		{"/graph/#graph", "/search/graph.json", explorer},
		{"/search/?q=measles", "/search/head.json", search},
		{"/graph/#graph", "/assets/part-explorer", explorer},
		{"/search/?q=measles", "/search/rows/", search},
		{"/signals/", "/assets/table", generic},
		{"/signals/", "/assets/part-page", generic},
	} {
		missing = try.missing
		b.visit(try.page)
		b.wait(`document.querySelector("main").innerText.includes("` + try.says + `")`)
		b.wait(`!document.querySelector("main").innerText.includes("Loading…")`)
	}
}
