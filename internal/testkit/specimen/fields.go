package specimen

import "strings"

// FieldValues are values of the headers that count, by name. {etag} and {gzip} are the tags of what
// is asked for.
var FieldValues = map[string][]string{
	"Accept": {"*/*", "text/html", "application/json", "text/html;q=0", "\t text/html , */*"},
	"Accept-Encoding": {
		"gzip", "br", "zstd", "identity", "*", "gzip, br, zstd", "GZIP", "x-gzip", "gzip;q=0.5, br;q=0.1", "gzip;q=0", "*;q=0", "identity;q=0", "gzip, *;q=0", "br;q=0,*",
		"gzip;q=1.000", "gzip;q=1.001", "gzip;q=0.0001", "gzip;q=", "gzip;", ";q=1", ",,gzip,", "gzip ; q=0.5", "gzip;Q=0.5", "gzip;q=.5", "gzip;level=9", "deflate", "\tgzip\t",
	},
	"If-Match":            {"*", "{etag}", "{gzip}", `"x"`, "W/{etag}", `"x", {etag}`, "{etag},", `"unclosed`, "unquoted", `*, "x"`},
	"If-None-Match":       {"*", "{etag}", "{gzip}", `"x"`, "W/{etag}", `"x", {etag}`, `"x",, W/{etag} , "y"`, `"unclosed`, "unquoted", `"x" {etag}`},
	"If-Modified-Since":   {"{modified}", "Sun, 01 Mar 2026 11:59:59 GMT", "Sunday, 01-Mar-26 12:00:00 GMT", "Sun Mar  1 12:00:00 2026", "yesterday", "Sat, 01 Mar 2036 12:00:00 GMT"},
	"If-Unmodified-Since": {"{modified}", "Sun, 01 Mar 2026 11:59:59 GMT", "Sun Mar  1 12:00:00 2026", "0", "Sat, 01 Mar 2036 12:00:00 GMT"},
	"If-Range":            {"{etag}", "{gzip}", "W/{etag}", `"x"`, "{modified}", "Sun, 01 Mar 2026 11:59:59 GMT", "never"},
	"Range": {
		"bytes=0-0", "bytes=0-", "bytes=-1", "bytes=5-9", "bytes=-0", "bytes=-99999999", "bytes=0-99999999999999999999", "bytes=99999999-", "bytes=9-5", "bytes=", "bytes=-", "bytes=--1",
		"bytes=0-1,3-4", "bytes=0-0," + strings.Repeat("1-1,", 100), "lines=0-1", "BYTES=0-1", "bytes = 0-1", "bytes=+1-2", "bytes=1 - 2", "bytes= 1-2 ", "0-1", "bytes",
	},
}
