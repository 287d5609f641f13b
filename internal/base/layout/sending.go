package layout

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
)

// This file defines the headers of a release's files for everything that sends them: the server,
// hosts that read _headers, and buckets. Headers that depend on the encoding, such as
// Content-Encoding and ETag, are not here.

// Media types, without parameters.
const (
	TypeAtom       = "application/atom+xml"
	TypeCalendar   = "text/calendar"
	TypeCSS        = "text/css"
	TypeCSV        = "text/csv"
	TypeHTML       = "text/html"
	TypeJSON       = "application/json"
	TypeJSONFeed   = "application/feed+json"
	TypeJSONLD     = "application/ld+json"
	TypeJavaScript = "text/javascript"
	TypeLinkset    = "application/linkset+json"
	TypeMarkdown   = "text/markdown"
	TypeNDJSON     = "application/x-ndjson"
	TypeParquet    = "application/vnd.apache.parquet"
	TypeProblem    = "application/problem+json" // of error answers
	TypeSchema     = "application/schema+json"
	TypeSQLite     = "application/vnd.sqlite3"
	TypeSVG        = "image/svg+xml"
	TypeText       = "text/plain"
	TypeXLSX       = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	TypeXML        = "application/xml"
	TypeZstandard  = "application/zstd"
	typeUnknown    = "application/octet-stream"
)

// rule gives the media type of the files whose paths match pattern. A star in it matches any
// characters, including slashes.
type rule struct {
	pattern   string
	mediaType string
	rare      bool // whether other servers do not know the type of this suffix
}

// rules are the media types of files; the first match counts. The system's own table differs
// between machines, so it is not used.
var rules = []rule{
	{CatalogPath, TypeLinkset, true},
	{CheckpointPath, TypeText, true},
	{PolicyPath, TypeText, true},
	{"*" + Proof, TypeText, true},
	{SchemaFolder + "*.json", TypeSchema, true},
	{FeedFolder + "*.json", TypeJSONFeed, true},
	{"*.json", TypeJSON, false},
	{"*.html", TypeHTML, false},
	{"*.md", TypeMarkdown, true},
	{"*.css", TypeCSS, false},
	{"*.js", TypeJavaScript, false},
	{"*.atom", TypeAtom, true},
	{"*.csv", TypeCSV, false},
	{"*.ics", TypeCalendar, false},
	{"*.ico", "image/x-icon", false},
	{"*.jpg", "image/jpeg", false},
	{"*.jsonld", TypeJSONLD, true},
	{"*.ndjson", TypeNDJSON, true},
	{"*" + HistoryPack, TypeZstandard, true},
	{DeltaFolder + "*.zst", TypeZstandard, true},
	{"*.parquet", TypeParquet, true},
	{"*.png", "image/png", false},
	{"*.sqlite", TypeSQLite, true},
	{"*.svg", TypeSVG, false},
	{"*.txt", TypeText, false},
	{"*.webp", "image/webp", false},
	{"*.woff2", "font/woff2", false},
	{"*.xlsx", TypeXLSX, true},
	{"*.xml", TypeXML, false},
}

// immutable are the folders whose files never change, because their names contain a digest or
// because they belong to an append-only log.
var immutable = []string{AssetFolder, TileFolder, ByHashFolder}

// MetaPolicy is the Content-Security-Policy in the head of pages. Pages load only files of the
// release, and contain no inline scripts or styles.
const MetaPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'"

const (
	// pagePolicy also forbids framing, which a policy in a page cannot do. embedPolicy allows it.
	pagePolicy  = MetaPolicy + "; frame-ancestors 'none'"
	embedPolicy = MetaPolicy + "; frame-ancestors *"
	// filePolicy is for files other than pages, such as pictures: a browser that opens one as a
	// document runs and loads nothing.
	filePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
)

// Sending describes how a file is sent. Files with the same Sending have the same headers.
type Sending struct {
	MediaType string // without parameters
	Immutable bool   // whether the file never changes
	Framed    bool   // whether other sites may show it in a frame
}

// SendingOf returns how the file at path is sent.
func SendingOf(path string) Sending {
	s := Sending{MediaType: typeUnknown, Immutable: IsImmutable(path)}
	for i := range rules {
		if matchesPattern(rules[i].pattern, path) {
			s.MediaType = rules[i].mediaType
			break
		}
	}
	s.Framed = s.MediaType == TypeHTML && strings.HasPrefix(path, EmbedFolder)
	return s
}

// IsImmutable reports whether the file at path never changes, so that caches need not revalidate
// it.
func IsImmutable(path string) bool {
	return slices.ContainsFunc(immutable, func(folder string) bool { return strings.HasPrefix(path, folder) })
}

func matchesPattern(pattern, path string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return path == pattern
	}
	return len(path) >= len(before)+len(after) && strings.HasPrefix(path, before) && strings.HasSuffix(path, after)
}

// Header is a header line.
type Header struct{ Name, Value string }

// CommonHeaders are the headers of every answer. They allow scripts of other sites to read
// everything, which is safe with "*" because no credentials are involved.
var CommonHeaders = []Header{
	{"Access-Control-Allow-Origin", "*"},
	{"Access-Control-Expose-Headers", "*"},
	{"X-Content-Type-Options", "nosniff"},
}

// Freshness says how long caches may use a file that can change.
type Freshness struct {
	MaxAge time.Duration // without revalidation
}

// Headers returns the headers of a file in the publisher's language.
func (s Sending) Headers(f Freshness, language string) []Header {
	h := []Header{{"Content-Type", s.ContentType()}}
	if policy := s.contentPolicy(); policy != "" {
		h = append(h, Header{"Content-Security-Policy", policy})
	}
	if s.MediaType == TypeHTML {
		h = append(h, Header{"Referrer-Policy", "no-referrer"})
	}
	// Texts for people are in the publisher's language.
	if (s.MediaType == TypeHTML || s.MediaType == TypeMarkdown) && validLanguage(language) {
		h = append(h, Header{"Content-Language", language})
	}
	h = append(h, Header{"Cache-Control", s.Caching(f)})
	return append(h, CommonHeaders...)
}

func (s Sending) ContentType() string {
	if strings.HasPrefix(s.MediaType, "text/") {
		return s.MediaType + "; charset=utf-8"
	}
	return s.MediaType
}

// Caching returns the value of Cache-Control.
func (s Sending) Caching(f Freshness) string {
	if s.Immutable {
		return "max-age=31536000, immutable"
	}
	return fmt.Sprintf("max-age=%d", int(max(f.MaxAge, 0).Seconds()))
}

// contentPolicy returns the Content-Security-Policy. JSON needs none: with nosniff, browsers show
// it as text.
func (s Sending) contentPolicy() string {
	switch {
	case s.Framed:
		return embedPolicy
	case s.MediaType == TypeHTML, s.MediaType == TypeJavaScript: // a worker script has its own policy
		return pagePolicy
	case s.IsJSON():
		return ""
	}
	return filePolicy
}

// IsJSON reports whether the file is JSON but not NDJSON. Most answers are JSON, so they have only
// the headers that consumers of data use: no Accept-Ranges, although ranges work, and no
// Last-Modified, because the ETag shows changes to a single record and the date is that of the
// release.
func (s Sending) IsJSON() bool {
	return strings.HasSuffix(s.MediaType, "json") && s.MediaType != TypeNDJSON
}

// validLanguage reports whether tag has the form of a language tag (RFC 5646), so that it is safe
// in a header.
func validLanguage(tag string) bool {
	for i := range len(tag) {
		if c := tag[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return 0 < len(tag) && len(tag) <= 64
}

// Fingerprint returns a short digest of the rules for sending all files. A different fingerprint
// means that some files are sent differently.
func Fingerprint(maxAge time.Duration, language string) string {
	return fmt.Sprintf("%.8x", sha256.Sum256(fmt.Append(nil, rules, immutable, max(maxAge, 0), language)))
}

// HeadersFile returns the rules as a _headers file, which some static hosts read. If several rules
// set the same header for a file, hosts send both values, so no two do: all files have the policy
// of pages, and only immutable files have a Cache-Control. For embeddable pages the policy is
// removed again, in Cloudflare's syntax; those pages contain a policy that allows framing.
func HeadersFile() []byte {
	b := []byte("/*\n")
	for _, h := range append([]Header{{"Content-Security-Policy", pagePolicy}, {"Referrer-Policy", "no-referrer"}}, CommonHeaders...) {
		b = fmt.Appendf(b, "  %s: %s\n", h.Name, h.Value)
	}
	b = fmt.Appendf(b, "/%s*\n  ! Content-Security-Policy\n", EmbedFolder)
	for _, folder := range immutable {
		b = fmt.Appendf(b, "/%s*\n  Cache-Control: %s\n", folder, Sending{Immutable: true}.Caching(Freshness{}))
	}
	for _, r := range rules {
		if r.rare {
			b = fmt.Appendf(b, "/%s\n  Content-Type: %s\n", r.pattern, Sending{MediaType: r.mediaType}.ContentType())
		}
	}
	return b
}
