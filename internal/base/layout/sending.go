package layout

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
)

// How the files of a release are sent, by whoever does: the server, hosts that read _headers, a
// bucket. What differs with the encoding, such as Content-Encoding and the validators, is not here.

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
	TypeProblem    = "application/problem+json" // of answers that are no files
	TypeSchema     = "application/schema+json"
	TypeSQLite     = "application/vnd.sqlite3"
	TypeSVG        = "image/svg+xml"
	TypeText       = "text/plain"
	TypeXLSX       = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	TypeXML        = "application/xml"
	TypeZstandard  = "application/zstd"
	typeUnknown    = "application/octet-stream"
)

// rule is the type of files whose paths match a pattern: a path, in which one star stands for
// anything, slashes too.
type rule struct {
	pattern   string
	mediaType string
	rare      bool // whether other servers do not know the type by the file's name
}

// rules has the types of files; the first that matches counts. The system's own table differs from
// machine to machine, and so is not asked.
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

// immutable are the folders whose files never change: because there is a digest in their names, or
// because a log only grows.
var immutable = []string{AssetFolder, TileFolder, ByHashFolder}

// MetaPolicy is the Content-Security-Policy that pages carry themselves. They load what the release
// holds and nothing else; scripts and styles are files, and none stand in a page.
const MetaPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'"

const (
	// pagePolicy also says who may show a page inside another, which a page cannot say of itself:
	// nobody, but for pages that are made for it.
	pagePolicy  = MetaPolicy + "; frame-ancestors 'none'"
	embedPolicy = MetaPolicy + "; frame-ancestors *"
	// filePolicy is for files that are no pages, such as pictures: should a browser open one as a
	// document, it runs and loads nothing.
	filePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
)

// Sending is how a file is sent. Files whose Sending is equal have the same header lines.
type Sending struct {
	MediaType string // without parameters
	Immutable bool   // whether it never changes
	Framed    bool   // whether the pages of others may show it inside of them
}

// SendingOf says how the file at a path is sent.
func SendingOf(path string) Sending {
	s := Sending{MediaType: typeUnknown, Immutable: IsImmutable(path)}
	for i := range rules {
		if matches(rules[i].pattern, path) {
			s.MediaType = rules[i].mediaType
			break
		}
	}
	s.Framed = s.MediaType == TypeHTML && strings.HasPrefix(path, EmbedFolder)
	return s
}

// IsImmutable reports whether the file at a path never changes, so that caches need not ask again.
func IsImmutable(path string) bool {
	return slices.ContainsFunc(immutable, func(folder string) bool { return strings.HasPrefix(path, folder) })
}

func matches(pattern, path string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return path == pattern
	}
	return len(path) >= len(before)+len(after) && strings.HasPrefix(path, before) && strings.HasSuffix(path, after)
}

// Header is a header line.
type Header struct{ Name, Value string }

// Always are the header lines of every answer. Scripts of other sites may read all of it: the stars
// do for that because no credentials are involved.
var Always = []Header{
	{"Access-Control-Allow-Origin", "*"},
	{"Access-Control-Expose-Headers", "*"},
	{"X-Content-Type-Options", "nosniff"},
}

// Freshness is how long caches may use a file that may change.
type Freshness struct {
	MaxAge time.Duration // without asking
}

// Headers returns the header lines of a file; language is that of the publisher.
func (s Sending) Headers(f Freshness, language string) []Header {
	h := []Header{{"Content-Type", s.ContentType()}}
	if policy := s.policy(); policy != "" {
		h = append(h, Header{"Content-Security-Policy", policy})
	}
	if s.MediaType == TypeHTML {
		h = append(h, Header{"Referrer-Policy", "no-referrer"})
	}
	// what is written for people is in the language of the publisher
	if (s.MediaType == TypeHTML || s.MediaType == TypeMarkdown) && validLanguage(language) {
		h = append(h, Header{"Content-Language", language})
	}
	h = append(h, Header{"Cache-Control", s.Caching(f)})
	return append(h, Always...)
}

// ContentType returns the media type with its parameters.
func (s Sending) ContentType() string {
	if strings.HasPrefix(s.MediaType, "text/") {
		return s.MediaType + "; charset=utf-8"
	}
	return s.MediaType
}

// Caching returns how long caches may use the file, as they are told.
func (s Sending) Caching(f Freshness) string {
	if s.Immutable {
		return "max-age=31536000, immutable"
	}
	return fmt.Sprintf("max-age=%d", int(max(f.MaxAge, 0).Seconds()))
}

// policy is the Content-Security-Policy. JSON has none: browsers show it as text, because its type
// is not guessed (nosniff).
func (s Sending) policy() string {
	switch {
	case s.Framed:
		return embedPolicy
	case s.MediaType == TypeHTML, s.MediaType == TypeJavaScript: // which is a page of its own as a worker
		return pagePolicy
	case s.IsJSON():
		return ""
	}
	return filePolicy
}

// IsJSON reports whether a file is JSON, which most answers are. So their heads have what a
// consumer of the data uses, and nothing that goes without saying: parts can be asked for all the
// same, and the ETag tells better than a date whether a record changed, because the date is the
// release's. Lines of JSON are downloads.
func (s Sending) IsJSON() bool {
	return strings.HasSuffix(s.MediaType, "json") && s.MediaType != TypeNDJSON
}

// validLanguage reports whether a text can be a language tag (RFC 5646), and so stand in a header
// line.
func validLanguage(tag string) bool {
	for i := range len(tag) {
		if c := tag[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return 0 < len(tag) && len(tag) <= 64
}

// Fingerprint names how all files are sent: another one means that some are sent in another way.
func Fingerprint(maxAge time.Duration, language string) string {
	return fmt.Sprintf("%.8x", sha256.Sum256(fmt.Append(nil, rules, immutable, max(maxAge, 0), language)))
}

// HeadersFile returns the table in the form of _headers, which some hosts of static files read;
// others ignore it. Where several rules name a header for one file, hosts send both values. So no
// two do, pages and all else have the policy of pages, and how long a file is good is left to the
// host unless it never changes. From what others may frame the policy is taken away again, as
// Cloudflare understands it: those pages carry one that says nothing of frames.
func HeadersFile() []byte {
	b := []byte("/*\n")
	for _, h := range append([]Header{{"Content-Security-Policy", pagePolicy}, {"Referrer-Policy", "no-referrer"}}, Always...) {
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
