package layout

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSending has the whole of what is sent with some files, so that nothing changes unnoticed.
func TestSending(t *testing.T) {
	always := "Access-Control-Allow-Origin: *|Access-Control-Expose-Headers: *|X-Content-Type-Options: nosniff"
	for path, want := range map[string]string{
		"api/v1/signals.json":          "Content-Type: application/json|Cache-Control: max-age=300|",
		"signals/sig-a/index.html":     "Content-Type: text/html; charset=utf-8|Content-Security-Policy: " + pagePolicy + "|Referrer-Policy: no-referrer|Content-Language: de-CH|Cache-Control: max-age=300|",
		"embed/mcv1/index.html":        "Content-Type: text/html; charset=utf-8|Content-Security-Policy: " + MetaPolicy + "; frame-ancestors *|Referrer-Policy: no-referrer|Content-Language: de-CH|Cache-Control: max-age=300|",
		"assets/style.0123abcd.css":    "Content-Type: text/css; charset=utf-8|Content-Security-Policy: " + filePolicy + "|Cache-Control: max-age=31536000, immutable|",
		"assets/search.0123abcd.js":    "Content-Type: text/javascript; charset=utf-8|Content-Security-Policy: " + pagePolicy + "|Cache-Control: max-age=31536000, immutable|",
		"log/tile/0/000.p/1":           "Content-Type: application/octet-stream|Content-Security-Policy: " + filePolicy + "|Cache-Control: max-age=31536000, immutable|",
		"manifest.json" + Proof:        "Content-Type: text/plain; charset=utf-8|Content-Security-Policy: " + filePolicy + "|Cache-Control: max-age=300|",
		"schemas/signals/record.json":  "Content-Type: application/schema+json|Cache-Control: max-age=300|",
		"feeds/archive/changes-1.json": "Content-Type: application/feed+json|Cache-Control: max-age=300|",
		"bulk/signals.csv":             "Content-Type: text/csv; charset=utf-8|Content-Security-Policy: " + filePolicy + "|Cache-Control: max-age=300|",
	} {
		var lines []string
		for _, h := range SendingOf(path).Headers(Freshness{MaxAge: 5 * time.Minute}, "de-CH") {
			lines = append(lines, h.Name+": "+h.Value)
		}
		if got := strings.Join(lines, "|"); got != want+always {
			t.Errorf("%s:\n got %s\nwant %s", path, got, want+always)
		}
	}
}

// TestSendingLanguage: the language comes from a manifest, and must not become other header lines.
func TestSendingLanguage(t *testing.T) {
	for language, want := range map[string]bool{
		"en": true, "zh-Hant-TW": true, "": false, "en\r\nX: y": false, "en, de": false, strings.Repeat("a", 65): false,
	} {
		headers := SendingOf("index.html").Headers(Freshness{}, language)
		got := slices.ContainsFunc(headers, func(h Header) bool { return h.Name == "Content-Language" })
		if got != want {
			t.Errorf("%q is sent: %v", language, got)
		}
	}
}

// TestHeadersFile reads the file as hosts do, which join the values of all rules that match, and
// holds it to the table.
func TestHeadersFile(t *testing.T) {
	for _, path := range []string{
		"index.html", "embed/mcv1/index.html", "api/v1/signals.json", "schemas/signals.json", "feeds/changes.json", "feeds/changes.atom", "log/checkpoint", "log/tile/0/000",
		"manifest.json" + Proof, "assets/style.0123abcd.css", "bulk/signals.parquet", "bulk/README.md", "signals/sig-a.md", CatalogPath, DCATPath,
	} {
		got := map[string][]string{}
		pattern := ""
		for line := range strings.Lines(string(HeadersFile())) {
			line = strings.TrimSuffix(line, "\n")
			if rest, ok := strings.CutPrefix(line, "/"); ok {
				pattern = rest
				continue
			}
			if name, ok := strings.CutPrefix(line, "  ! "); ok { // taken away again
				if matchesPattern(pattern, path) {
					delete(got, name)
				}
				continue
			}
			name, value, ok := strings.Cut(strings.TrimPrefix(line, "  "), ": ")
			if !ok {
				t.Fatalf("%q is no rule", line)
			}
			if matchesPattern(pattern, path) {
				got[name] = append(got[name], value)
			}
		}
		s := SendingOf(path)
		if framed := got["Content-Security-Policy"] == nil; framed != s.Framed {
			t.Errorf("%s may be framed: %v", path, framed)
		}
		for name, values := range got {
			if len(values) != 1 {
				t.Errorf("%s gets %s from several rules: %q", path, name, values)
			}
		}
		if s.Immutable != (got["Cache-Control"] != nil) {
			t.Errorf("%s: cached as %q", path, got["Cache-Control"])
		}
		for _, h := range s.Headers(Freshness{}, "") {
			if v := got[h.Name]; v != nil && v[0] != h.Value && h.Name != "Content-Security-Policy" {
				t.Errorf("%s: %s is %q, not %q", path, h.Name, v[0], h.Value)
			}
		}
	}
}
