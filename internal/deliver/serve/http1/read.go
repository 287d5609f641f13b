package http1

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

// Refusals of HTTP/1.1 alone.
var (
	CutShort    = &exchange.Refusal{Status: 400, Detail: "The request ended before the end of its head."}
	TooSlow     = &exchange.Refusal{Status: 408, Detail: "The head of the request did not arrive in time."}
	badField    = &exchange.Refusal{Status: 400, Detail: "Malformed header line: want a name, a colon and a value."}
	userinfo    = &exchange.Refusal{Status: 400, Detail: "The target of the request contains a user."}
	badHost     = &exchange.Refusal{Status: 400, Detail: "A request must have one Host header, with a host and an optional port."}
	badFraming  = &exchange.Refusal{Status: 400, Detail: "Ambiguous end of the request."}
	unexpected  = &exchange.Refusal{Status: 417, Detail: "Unknown expectation (known: 100-continue)."}
	badEncoding = &exchange.Refusal{Status: 501, Detail: "Unknown transfer encoding (known: chunked)."}
	badVersion  = &exchange.Refusal{Status: 505, Detail: "Unsupported HTTP version (supported: HTTP/1.0 and HTTP/1.1)."}
)

// parseFully parses a request in full, line by line as the lines arrive. It refuses a malformed
// line without waiting for the rest. size is the number of bytes consumed: only empty lines, or the
// whole head if p.framing has a size.
func (s *Session) parseFully(data []byte, p *Progress, most int) (size int, why *exchange.Refusal) {
	skipped := 0
	for p.judged == 0 { // RFC 9112, section 2.2
		n := emptyLineLength(data[skipped:])
		if n == 0 {
			break
		}
		if skipped, p.empty = skipped+n, p.empty+n; p.empty > most {
			return 0, exchange.LargeHead
		}
	}
	data = data[skipped:]
	for {
		rest := data[p.judged:]
		end := bytes.IndexByte(rest, '\n') + 1
		switch {
		case end == 0 && p.judged == 0 && len(rest) > exchange.MaxTarget+64: // much longer than any method
			return 0, endlessLineRefusal(rest)
		case end == 0 && len(data) > most, p.judged+end > most:
			return 0, exchange.LargeHead
		case end == 0:
			return skipped, nil
		case emptyLineLength(rest) > 0:
			s.framing.size = p.judged + end
			return skipped + s.framing.size, s.readHead(string(data[:p.judged]))
		}
		line := string(bytes.TrimSuffix(rest[:end-1], []byte{'\r'}))
		switch {
		case p.judged == 0:
			_, _, _, why = splitRequestLine(line)
			p.first = end
		case !isFieldLine(line, p.judged == p.first):
			why = badField
		}
		if why != nil {
			return 0, why
		}
		p.judged += end
	}
}

// emptyLineLength returns the length of the empty line at the beginning of data, or 0.
func emptyLineLength(data []byte) int {
	switch {
	case bytes.HasPrefix(data, []byte("\r\n")):
		return 2
	case bytes.HasPrefix(data, []byte("\n")):
		return 1
	}
	return 0
}

// endlessLineRefusal returns the refusal of a first line that is too long.
func endlessLineRefusal(line []byte) *exchange.Refusal {
	method, _, _ := strings.Cut(string(line), " ")
	if !exchange.IsToken(method) {
		return exchange.BadLine
	}
	return exchange.LongTarget
}

func splitRequestLine(line string) (method, target string, old bool, why *exchange.Refusal) {
	method, rest, _ := strings.Cut(line, " ")
	target, version, ok := strings.Cut(rest, " ")
	number, named := strings.CutPrefix(version, "HTTP/")
	major, minor, dotted := strings.Cut(number, ".")
	switch {
	case !exchange.IsToken(method), !ok, !named, !dotted, !isDigit(major), !isDigit(minor):
		why = exchange.BadLine
	case len(target) > exchange.MaxTarget:
		why = exchange.LongTarget
	case major != "1":
		why = badVersion
	}
	return method, target, minor == "0", why
}

func isDigit(s string) bool { return len(s) == 1 && s[0] >= '0' && s[0] <= '9' }

// isFieldLine reports whether a header line is well formed. A line other than the first may begin
// with white space, which means that it continues the previous line.
func isFieldLine(line string, first bool) bool {
	if isContinued(line) {
		return !first && exchange.IsValue(line)
	}
	name, value, ok := strings.Cut(line, ":")
	return ok && exchange.IsToken(name) && exchange.IsValue(value)
}

func isContinued(line string) bool {
	return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
}

// routing contains the headers that determine the target and the end of a request.
type routing struct {
	hosts, encodings, lengths, connections, expectations, trailers []string
}

// field returns a pointer to the values of the header name, or nil if routing does not contain it.
func (r *routing) field(name string) *[]string {
	for _, known := range [...]struct {
		name string
		to   *[]string
	}{
		{"Host", &r.hosts},
		{"Transfer-Encoding", &r.encodings},
		{"Content-Length", &r.lengths},
		{"Connection", &r.connections},
		{"Expect", &r.expectations},
		{"Trailer", &r.trailers},
	} {
		if library.SameWord(name, known.name) {
			return known.to
		}
	}
	return nil
}

func (s *Session) readHead(head string) (why *exchange.Refusal) {
	first, lines, _ := strings.Cut(head, "\n")
	method, target, old, _ := splitRequestLine(strings.TrimSuffix(first, "\r"))
	var r routing
	s.Request = library.Request{}
	for name, value := range fields(lines) {
		if to := r.field(name); to != nil {
			*to = append(*to, value)
		}
		if to := exchange.FieldOf(&s.Request, name); to != nil {
			if *to != "" {
				value = *to + ", " + value
			}
			*to = value
		}
	}
	if s.framing.old = old; !exchange.AreHosts(r.hosts) || len(r.hosts) == 0 && !old {
		return badHost
	}
	if why = s.readFraming(&r); why != nil {
		return why
	}
	s.Request.Method = strings.Clone(method) // a copy without the head
	s.Request.Path, s.Request.Query, why = readTarget(method, target)
	if expects := strings.Join(r.expectations, ","); why == nil && expects != "" && !hasToken(expects, "100-continue") {
		why = unexpected
	}
	return why
}

// fields yields the names and values of header lines, with continued lines joined.
func fields(lines string) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for lines != "" {
			var line string
			line, lines, _ = strings.Cut(lines, "\n")
			name, value, _ := strings.Cut(line, ":")
			value = strings.Trim(value, " \t\r")
			for isContinued(lines) {
				line, lines, _ = strings.Cut(lines, "\n")
				value = strings.Trim(value+" "+strings.Trim(line, " \t\r"), " ")
			}
			if !yield(name, value) {
				return
			}
		}
	}
}

// readFraming determines where the request ends, and whether another may follow.
func (s *Session) readFraming(r *routing) *exchange.Refusal {
	f := &s.framing
	chunked := len(r.encodings) > 0
	switch {
	case chunked && f.old: // RFC 9112, section 6.1
		return badFraming
	case len(r.encodings) > 1, chunked && !library.SameWord(r.encodings[0], "chunked"):
		return badEncoding
	}
	f.body = chunked
	for _, length := range r.lengths {
		n, err := strconv.ParseUint(length, 10, 63)
		if err != nil || length != r.lengths[0] {
			return badFraming
		}
		f.body = f.body || n > 0
	}
	trailers := strings.Join(r.trailers, ",")
	for _, name := range [...]string{"Transfer-Encoding", "Trailer", "Content-Length"} {
		if chunked && hasToken(trailers, name) {
			return badFraming
		}
	}
	connection := strings.Join(r.connections, ",")
	f.ends = hasToken(connection, "close")
	if f.old {
		f.ends = !hasToken(connection, "keep-alive")
	}
	return nil
}

func hasToken(list, word string) bool {
	for token := range strings.SplitSeq(list, ",") {
		if library.SameWord(exchange.Trim(token), word) {
			return true
		}
	}
	return false
}

func readTarget(method, target string) (path, query string, why *exchange.Refusal) {
	if method == "CONNECT" && !strings.HasPrefix(target, "/") {
		if !exchange.IsAuthority(target) {
			return "", "", exchange.BadTarget
		}
		return "/", "", nil
	}
	u, err := url.ParseRequestURI(target)
	switch {
	case err != nil:
		return "", "", exchange.BadTarget
	case u.User != nil: // RFC 9110, section 4.2.4
		return "", "", userinfo
	case (u.Scheme == "http" || u.Scheme == "https") && !exchange.IsAuthority(u.Host): // RFC 9110, section 4.2.1
		return "", "", exchange.BadTarget
	}
	return exchange.Path(u), u.RawQuery, nil
}
