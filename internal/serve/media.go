package serve

import (
	"path"
	"strings"

	"stele/internal/layout"
)

// mediaTypes are by extension. The system's own table differs from machine to machine, and so is
// not asked.
var mediaTypes = map[string]string{
	".atom":    "application/atom+xml",
	".cff":     "application/yaml",
	".css":     "text/css; charset=utf-8",
	".csv":     "text/csv; charset=utf-8",
	".html":    "text/html; charset=utf-8",
	".ico":     "image/x-icon",
	".jpg":     "image/jpeg",
	".js":      "text/javascript; charset=utf-8",
	".json":    "application/json",
	".jsonld":  "application/ld+json",
	".md":      "text/markdown; charset=utf-8",
	".ndjson":  "application/x-ndjson",
	".parquet": "application/vnd.apache.parquet",
	".png":     "image/png",
	".sqlite":  "application/vnd.sqlite3",
	".svg":     "image/svg+xml",
	".txt":     "text/plain; charset=utf-8",
	".webp":    "image/webp",
	".woff2":   "font/woff2",
	".xml":     "application/xml",
}

const (
	htmlType   = "text/html; charset=utf-8"
	scriptType = "text/javascript; charset=utf-8"
)

// mediaType is what a file of a release is sent as.
func mediaType(at string) string {
	switch {
	case strings.HasPrefix(at, "schemas/") && strings.HasSuffix(at, ".json"):
		return "application/schema+json"
	case strings.HasPrefix(at, "feeds/") && strings.HasSuffix(at, ".json"):
		return "application/feed+json"
	case at == ".well-known/api-catalog":
		return "application/linkset+json"
	case at == layout.CheckpointPath, at == layout.PolicyPath, strings.HasSuffix(at, ".tlog-proof"):
		return "text/plain; charset=utf-8"
	}
	if t, ok := mediaTypes[path.Ext(at)]; ok {
		return t
	}
	return "application/octet-stream"
}

// pagePolicy lets a page load what the release holds and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// filePolicy is for files that are no pages, such as pictures: should a browser open one as a
// document, it runs and loads nothing.
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
