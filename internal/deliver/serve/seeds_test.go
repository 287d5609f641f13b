package serve

import (
	"fmt"
	"strings"

	"stele/internal/deliver/library"
	"stele/internal/testkit/specimen"
)

// clients are requests as common programs send them. The fast lane answers all of them.
var clients = map[string]string{
	"wrk":     "GET {path} HTTP/1.1\nHost: 127.0.0.1:8080\n",
	"curl":    "GET {path} HTTP/1.1\nHost: localhost:8080\nUser-Agent: curl/8.14.1\nAccept: */*\n",
	"curl -I": "HEAD {path} HTTP/1.1\nHost: localhost:8080\nUser-Agent: curl/8.14.1\nAccept: */*\n",
	"curl --compressed": "GET {path} HTTP/1.1\nHost: localhost:8080\nUser-Agent: curl/8.14.1\nAccept: */*\n" +
		"Accept-Encoding: deflate, gzip, br, zstd\n",
	"wget": "GET {path} HTTP/1.1\nHost: localhost:8080\nUser-Agent: Wget/1.25.0\nAccept: */*\nAccept-Encoding: identity\nConnection: Keep-Alive\n",
	"go":   "GET {path} HTTP/1.1\nHost: localhost:8080\nUser-Agent: Go-http-client/1.1\nAccept-Encoding: gzip\n",
	"requests": "GET {path} HTTP/1.1\nHost: localhost:8080\nUser-Agent: python-requests/2.32.3\nAccept-Encoding: gzip, deflate, br, zstd\n" +
		"Accept: */*\nConnection: keep-alive\n",
	"chromium": "GET {path} HTTP/1.1\nHost: localhost:8080\nConnection: keep-alive\nCache-Control: max-age=0\n" +
		"sec-ch-ua: \"Chromium\";v=\"140\", \"Not=A?Brand\";v=\"24\"\nsec-ch-ua-mobile: ?0\nsec-ch-ua-platform: \"Linux\"\nDNT: 1\n" +
		"Upgrade-Insecure-Requests: 1\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\nSec-Fetch-Site: none\nSec-Fetch-Mode: navigate\n" +
		"Sec-Fetch-User: ?1\nSec-Fetch-Dest: document\nAccept-Encoding: gzip, deflate, br, zstd\nAccept-Language: en-GB,en;q=0.9\nCookie: a=b; c=\"d\"\n",
	"firefox": "GET {path} HTTP/1.1\nHost: localhost:8080\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\nAccept-Language: de,en-US;q=0.7,en;q=0.3\nAccept-Encoding: gzip, deflate\n" +
		"Connection: keep-alive\nReferer: http://localhost:8080/\nSec-GPC: 1\nPriority: u=0, i\nPragma: no-cache\nCache-Control: no-cache\n",
	"fetch of another site": "GET {path} HTTP/1.1\nHost: localhost:8080\nOrigin: https://example.org\nReferer: https://example.org/\nAccept: application/json\n" +
		"Sec-Fetch-Mode: cors\nSec-Fetch-Site: cross-site\nSec-Fetch-Dest: empty\nAccept-Encoding: gzip, deflate, br\nConnection: keep-alive\n",
	"behind a proxy": "GET {path} HTTP/1.1\nHost: stele.example\nX-Forwarded-For: 203.0.113.7\nX-Forwarded-Proto: https\nX-Forwarded-Host: stele.example\n" +
		"X-Real-IP: 203.0.113.7\nForwarded: for=203.0.113.7\nVia: 1.1 proxy\n",
}

// asked is a request with lines of its own, if any.
func asked(line string, headers ...string) string {
	return strings.Join(append([]string{line, "Host: x"}, headers...), "\r\n") + "\r\n\r\n"
}

// get is a plain request.
func get(path string, headers ...string) string { return asked("GET "+path+" HTTP/1.1", headers...) }

func head(path string, headers ...string) string { return asked("HEAD "+path+" HTTP/1.1", headers...) }

// specimenPaths are addresses of every sort.
var specimenPaths = []string{
	"/", "/404.html", "/manifest.json", specimen.Record, specimen.Small, specimen.Large,
	specimen.Middle, specimen.Plain, specimen.Empty, specimen.Removed,
	"/evidence/evd-big/", "/evidence/evd-congo-outbreak/", "/signals/sig-congo-outbreak/", "/signals/sig-congo-outbreak/index.html", "/signals/sig-congo-outbreak",
	"/nothing", "/api/v1/evidence/evd-mmr-one-doze.json", "/api/v1/evidence/", "/api/v1/evidence", "/index.html/", "/a/../plain.txt", "/./plain.txt", "/a//b", "/~x_y-z.",
}

// odd are requests that are wrong, or rare: shapes that smuggle requests, that other servers read
// otherwise, and that nobody should send.
var odd = []string{
	"", "\r\n", "\r\n\r\n", "\n\n", "\x00", "G", "GET", "GET ", "GET /", "GET /\r\n\r\n", "GET / HTTP/1.1", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: x\r\n", "GET / HTTP/1.1\r\n\r\n",
	"GET / HTTP/0.9\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", asked("GET / HTTP/1.2"), asked("GET / HTTP/2.0"), asked("GET / HTTP/11.1"), asked("GET / http/1.1"),
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	asked(
		"GET  / HTTP/1.1",
	), asked("GET /  HTTP/1.1"), asked("GET / HTTP/1.1 "), asked(" GET / HTTP/1.1"), asked("get / HTTP/1.1"), asked("GET\t/ HTTP/1.1"), "\r\n" + get("/"), "\n" + get("/"),
	asked(
		"GET /?a=b HTTP/1.1",
	), asked("GET /plain.txt?%zz HTTP/1.1"), asked("GET /#x HTTP/1.1"), asked("GET * HTTP/1.1"), asked("OPTIONS * HTTP/1.1"), asked("GET x HTTP/1.1"), asked("GET http://x/plain.txt HTTP/1.1"),
	asked(
		"GET http://x HTTP/1.1",
	), asked("GET //x/plain.txt HTTP/1.1"), asked("GET ///plain.txt HTTP/1.1"), asked("CONNECT x:443 HTTP/1.1"), asked("CONNECT / HTTP/1.1"),
	asked(
		"GET /%70lain.txt HTTP/1.1",
	), asked("GET /a%2fb HTTP/1.1"), asked("GET /a%2Fb HTTP/1.1"), asked("GET /%00 HTTP/1.1"), asked("GET /%5c HTTP/1.1"), asked("GET /\\ HTTP/1.1"), asked("GET /% HTTP/1.1"),
	asked(
		"GET /%zz HTTP/1.1",
	), asked("GET /%ff%fe HTTP/1.1"), asked("GET /\xff HTTP/1.1"), asked("GET /ü HTTP/1.1"), asked("GET /%2e%2e/plain.txt HTTP/1.1"), asked("GET /../plain.txt HTTP/1.1"), asked("GET /<> HTTP/1.1"),
	asked(
		"GET /" + strings.Repeat("a", 300) + " HTTP/1.1",
	), asked("GET /" + strings.Repeat("a", 5000) + " HTTP/1.1"), asked("GET /" + strings.Repeat("a", 40000) + " HTTP/1.1"),
	asked(
		"POST / HTTP/1.1",
	), asked("POST / HTTP/1.1", "Content-Length: 3") + "abc" + get("/"), asked("DELETE /plain.txt HTTP/1.1"), asked("OPTIONS / HTTP/1.1", "Origin: https://example.org", "Access-Control-Request-Method: GET"),
	asked(
		"TRACE / HTTP/1.1",
	), asked("G\x00T / HTTP/1.1"), asked("PUT / HTTP/1.1", "Expect: 100-continue", "Content-Length: 3"),
	get(
		"/",
		"Content-Length: 0",
	) + get(
		"/",
	), get("/", "Content-Length: 3") + "abc" + get("/"), get("/", "Content-Length: 3", "Content-Length: 4") + "abcd", get("/", "Content-Length: -1"), get("/", "Content-Length: 3, 3"),
	get(
		"/",
		"Transfer-Encoding: chunked",
	) + "0\r\n\r\n" + get(
		"/",
	), get("/", "Transfer-Encoding: chunked", "Content-Length: 5") + "0\r\n\r\n", get("/", "Transfer-Encoding: identity"), get("/", "Transfer-Encoding: chunked, chunked"),
	get(
		"/",
		"Transfer-Encoding : chunked",
	), get("/", "Transfer-Encoding:\x0bchunked"), get("/", "Expect: 100-continue"), get("/", "Trailer: X"), get("/", "TE: trailers"), get("/", "Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings"),
	get(
		"/",
		"Connection: close",
	) + get(
		"/",
	), get("/", "Connection: keep-alive, close"), get("/", "Connection: keep-alive", "Connection: keep-alive"), get("/", "Connection:"), get("/", "Connection: Range"),
	"GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\r\nHost: x\n\r\n", "GET / HTTP/1.1\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\n", "GET / HTTP/1.1\r\nHost: x\r\r\n\r\n", "GET / HTTP/1.1\rHost: x\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: a\n\r\n\r\n", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n x\r\n\r\n", get("/", "User-Agent: a", " b"), get("/", "User-Agent: a", "\tb"), get("/", "Accept-Encoding: gzip,", " br"),
	get("/", "User-Agent : a"), get("/", " User-Agent: a"), get("/", "User-Agent\t: a"), get("/", "User-Agent"), get("/", ": a"), get("/", "User-Agent:"), get("/", "User-Agent: a\x00b"), get("/", "User-Agent: \xff"), get("/", "User-Agent: a\x7fb"),
	get("/", "Üser: a"), get("/", "Sec-: a"), get("/", "Sec-\xff: a"), get("/", "Sec-a b: c"), get("/", "Sec-a(: c"), get("/", "X-Forwarded-: a"), get("/", "X-Unknown: a"), get("/", "Coo\u212aie: a"), get("/", "Ran\u017fe: a"),
	"GET / HTTP/1.1\r\nHost: \r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", "GET / HTTP/1.1\r\nHost: x@y\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "GET / HTTP/1.1\r\nHost: []:::\r\n\r\n",
	get(
		"/",
		"Host: x",
	), get("/", "Host: y"), "GET / HTTP/1.1\r\nhOsT:x\r\n\r\n", get("/", "Accept-Encoding:"), get("/", "Accept-Encoding: gzip", "Accept-Encoding: br"), get("/", "If-None-Match: "), get("/", "Range: bytes=0-1", "Range: bytes=2-3"),
	get(
		"/",
		"If-None-Match: \"a\"",
		"If-None-Match: *",
	), get("/", "Accept: text/html", "Accept: */*"), get("/nothing", "Accept:", "Accept: text/html"), get("/.stele/preview.js"), get("/.stele/"), get("/.stele"),
	get(
		"/",
		"Cookie: "+strings.Repeat("a", 3000),
	), get("/", "Cookie: "+strings.Repeat("a", 4500)), get("/", "Cookie: "+strings.Repeat("a", 30000)), get("/", strings.Repeat("Cookie: a\r\n", 100)+"Cookie: b"),
	get("/", strings.Repeat("Cookie: a\r\n", 3000)+"Cookie: b"),
	get(
		"/",
	) + "GET / HTTP/1.1\r\nHost", get("/") + "GET /", get("/") + "\r\n", get("/") + "\r\n" + get("/"), get("/") + "x", get("/") + "\n", get("/") + "abcd\r\n", get("/") + "GET / HTTP/1.1\r\nX: y\r\n", get("/") + asked("POST / HTTP/1.1") + get("/"),
	get("/plain.txt", "Connection: close") + get("/"),
	strings.Repeat(
		get("/plain.txt"),
		200,
	), strings.Repeat(get("/"), 30) + asked("GET /? HTTP/1.1") + strings.Repeat(get("/"), 30),
	strings.Repeat(get(specimen.Large)+head(specimen.Large)+get("/nothing"), 5),
	get(
		"/",
		"Cookie: "+strings.Repeat("a", 3900),
	) + get(
		"/",
		"Cookie: "+strings.Repeat("b", 3900),
	), get("/", "Cookie: "+strings.Repeat("a", 2000)) + get("/", "Cookie: "+strings.Repeat("b", 3900)),
}

// ofClient is the request of a client for a path.
func ofClient(name, path string) string {
	return strings.ReplaceAll(strings.ReplaceAll(clients[name], "{path}", path), "\n", "\r\n") + "\r\n"
}

// filledIn puts the tags and the time of what is asked for into a value.
func filledIn(l *library.Library, path, value string) string {
	etag, gzip := `"none"`, `"none"`
	if tag := tagOf(answered(l, path, "")); tag != "" {
		etag, gzip = tag, tagOf(answered(l, path, "gzip"))
	}
	return strings.NewReplacer("{etag}", etag, "{gzip}", gzip, "{modified}", specimen.Modified.Format("Mon, 02 Jan 2006 15:04:05 GMT")).Replace(value)
}

// header is a header line with a value that is filled in.
func header(l *library.Library, path, name, value string) string {
	return fmt.Sprintf("%s: %s", name, filledIn(l, path, value))
}
