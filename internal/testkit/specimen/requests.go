package specimen

import "strings"

// Clients are requests as common programs send them. The fast lane answers all of them.
var Clients = map[string]string{
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

// Asked is a request with lines of its own, if any.
func Asked(line string, headers ...string) string {
	return strings.Join(append([]string{line, "Host: x"}, headers...), "\r\n") + "\r\n\r\n"
}

// Get is a plain request.
func Get(path string, headers ...string) string { return Asked("GET "+path+" HTTP/1.1", headers...) }

// Head is one for a head alone.
func Head(path string, headers ...string) string { return Asked("HEAD "+path+" HTTP/1.1", headers...) }

// Paths are addresses of every sort.
var Paths = []string{
	"/", "/404.html", "/manifest.json", Record, Small, Large,
	Middle, Plain, Empty, Removed,
	"/evidence/evd-big/", "/evidence/evd-congo-outbreak/", "/signals/sig-congo-outbreak/", "/signals/sig-congo-outbreak/index.html", "/signals/sig-congo-outbreak",
	"/nothing", "/api/v1/evidence/evd-mmr-one-doze.json", "/api/v1/evidence/", "/api/v1/evidence", "/index.html/", "/a/../plain.txt", "/./plain.txt", "/a//b", "/~x_y-z.",
}

// Odd are requests that are wrong, or rare: shapes that smuggle requests, that other servers read
// otherwise, and that nobody should send.
var Odd = []string{
	"", "\r\n", "\r\n\r\n", "\n\n", "\x00", "G", "GET", "GET ", "GET /", "GET /\r\n\r\n", "GET / HTTP/1.1", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: x\r\n", "GET / HTTP/1.1\r\n\r\n",
	"GET / HTTP/0.9\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", Asked("GET / HTTP/1.2"), Asked("GET / HTTP/2.0"), Asked("GET / HTTP/11.1"), Asked("GET / http/1.1"),
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	Asked("GET  / HTTP/1.1"), Asked("GET /  HTTP/1.1"), Asked("GET / HTTP/1.1 "), Asked(" GET / HTTP/1.1"), Asked("get / HTTP/1.1"), Asked("GET\t/ HTTP/1.1"), "\r\n" + Get("/"), "\n" + Get("/"),
	Asked("GET /?a=b HTTP/1.1"), Asked("GET /plain.txt?%zz HTTP/1.1"), Asked("GET /#x HTTP/1.1"), Asked("GET * HTTP/1.1"), Asked("OPTIONS * HTTP/1.1"), Asked("GET x HTTP/1.1"), Asked("GET http://x/plain.txt HTTP/1.1"),
	Asked("GET http://x HTTP/1.1"), Asked("GET //x/plain.txt HTTP/1.1"), Asked("GET ///plain.txt HTTP/1.1"), Asked("CONNECT x:443 HTTP/1.1"), Asked("CONNECT / HTTP/1.1"),
	Asked("GET /%70lain.txt HTTP/1.1"), Asked("GET /a%2fb HTTP/1.1"), Asked("GET /a%2Fb HTTP/1.1"), Asked("GET /%00 HTTP/1.1"), Asked("GET /%5c HTTP/1.1"), Asked("GET /\\ HTTP/1.1"), Asked("GET /% HTTP/1.1"),
	Asked("GET /%zz HTTP/1.1"), Asked("GET /%ff%fe HTTP/1.1"), Asked("GET /\xff HTTP/1.1"), Asked("GET /ü HTTP/1.1"), Asked("GET /%2e%2e/plain.txt HTTP/1.1"), Asked("GET /../plain.txt HTTP/1.1"), Asked("GET /<> HTTP/1.1"),
	Asked(
		"GET /" + strings.Repeat("a", 300) + " HTTP/1.1",
	), Asked("GET /" + strings.Repeat("a", 5000) + " HTTP/1.1"), Asked("GET /" + strings.Repeat("a", 40000) + " HTTP/1.1"),
	Asked("POST / HTTP/1.1"), Asked("POST / HTTP/1.1", "Content-Length: 3") + "abc" + Get("/"), Asked("DELETE /plain.txt HTTP/1.1"), Asked("OPTIONS / HTTP/1.1", "Origin: https://example.org", "Access-Control-Request-Method: GET"),
	Asked("TRACE / HTTP/1.1"), Asked("G\x00T / HTTP/1.1"), Asked("PUT / HTTP/1.1", "Expect: 100-continue", "Content-Length: 3"),
	Get("/", "Content-Length: 0") + Get("/"), Get("/", "Content-Length: 3") + "abc" + Get("/"), Get("/", "Content-Length: 3", "Content-Length: 4") + "abcd", Get("/", "Content-Length: -1"), Get("/", "Content-Length: 3, 3"),
	Get("/", "Transfer-Encoding: chunked") + "0\r\n\r\n" + Get("/"), Get("/", "Transfer-Encoding: chunked", "Content-Length: 5") + "0\r\n\r\n", Get("/", "Transfer-Encoding: identity"), Get("/", "Transfer-Encoding: chunked, chunked"),
	Get("/", "Transfer-Encoding : chunked"), Get("/", "Transfer-Encoding:\x0bchunked"), Get("/", "Expect: 100-continue"), Get("/", "Trailer: X"), Get("/", "TE: trailers"), Get("/", "Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings"),
	Get("/", "Connection: close") + Get("/"), Get("/", "Connection: keep-alive, close"), Get("/", "Connection: keep-alive", "Connection: keep-alive"), Get("/", "Connection:"), Get("/", "Connection: Range"),
	"GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\r\nHost: x\n\r\n", "GET / HTTP/1.1\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\n", "GET / HTTP/1.1\r\nHost: x\r\r\n\r\n", "GET / HTTP/1.1\rHost: x\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: a\n\r\n\r\n", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n x\r\n\r\n", Get("/", "User-Agent: a", " b"), Get("/", "User-Agent: a", "\tb"), Get("/", "Accept-Encoding: gzip,", " br"),
	Get("/", "User-Agent : a"), Get("/", " User-Agent: a"), Get("/", "User-Agent\t: a"), Get("/", "User-Agent"), Get("/", ": a"), Get("/", "User-Agent:"), Get("/", "User-Agent: a\x00b"), Get("/", "User-Agent: \xff"), Get("/", "User-Agent: a\x7fb"),
	Get("/", "Üser: a"), Get("/", "Sec-: a"), Get("/", "Sec-\xff: a"), Get("/", "Sec-a b: c"), Get("/", "Sec-a(: c"), Get("/", "X-Forwarded-: a"), Get("/", "X-Unknown: a"), Get("/", "Coo\u212aie: a"), Get("/", "Ran\u017fe: a"),
	"GET / HTTP/1.1\r\nHost: \r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", "GET / HTTP/1.1\r\nHost: x@y\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "GET / HTTP/1.1\r\nHost: []:::\r\n\r\n",
	Get("/", "Host: x"), Get("/", "Host: y"), "GET / HTTP/1.1\r\nhOsT:x\r\n\r\n", Get("/", "Accept-Encoding:"), Get("/", "Accept-Encoding: gzip", "Accept-Encoding: br"), Get("/", "If-None-Match: "), Get("/", "Range: bytes=0-1", "Range: bytes=2-3"),
	Get("/", "If-None-Match: \"a\"", "If-None-Match: *"), Get("/", "Accept: text/html", "Accept: */*"), Get("/nothing", "Accept:", "Accept: text/html"), Get("/.stele/preview.js"), Get("/.stele/"), Get("/.stele"),
	Get(
		"/",
		"Cookie: "+strings.Repeat("a", 3000),
	), Get("/", "Cookie: "+strings.Repeat("a", 4500)), Get("/", "Cookie: "+strings.Repeat("a", 30000)), Get("/", strings.Repeat("Cookie: a\r\n", 100)+"Cookie: b"),
	Get("/", strings.Repeat("Cookie: a\r\n", 3000)+"Cookie: b"),
	Get(
		"/",
	) + "GET / HTTP/1.1\r\nHost", Get("/") + "GET /", Get("/") + "\r\n", Get("/") + "\r\n" + Get("/"), Get("/") + "x", Get("/") + "\n", Get("/") + "abcd\r\n", Get("/") + "GET / HTTP/1.1\r\nX: y\r\n", Get("/") + Asked("POST / HTTP/1.1") + Get("/"),
	Get("/plain.txt", "Connection: close") + Get("/"),
	strings.Repeat(Get("/plain.txt"), 200), strings.Repeat(Get("/"), 30) + Asked("GET /? HTTP/1.1") + strings.Repeat(Get("/"), 30),
	strings.Repeat(Get(Large)+Head(Large)+Get("/nothing"), 5),
	Get("/", "Cookie: "+strings.Repeat("a", 3900)) + Get(
		"/",
		"Cookie: "+strings.Repeat("b", 3900),
	), Get("/", "Cookie: "+strings.Repeat("a", 2000)) + Get("/", "Cookie: "+strings.Repeat("b", 3900)),
}

// OfClient is the request of a client for a path.
func OfClient(name, path string) string {
	return strings.ReplaceAll(strings.ReplaceAll(Clients[name], "{path}", path), "\n", "\r\n") + "\r\n"
}
