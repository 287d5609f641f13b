package http2

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

// fields are the header fields of a request, up to the limit.
type fields struct {
	list []hpack.HeaderField
	size int // as RFC 9113 defines it
	most int
}

func (f *fields) add(field hpack.HeaderField) {
	if f.size += int(field.Size()); !f.isTooLarge() {
		f.list = append(f.list, field)
	}
}

func (f *fields) isTooLarge() bool { return f.size > f.most }

func (f *fields) reset() {
	clear(f.list)
	f.list, f.size = f.list[:0], 0
}

type pseudo struct {
	method, scheme, authority, path string
	seen                            [4]bool
}

// field returns a pointer to the pseudo-header field name, and its index, or nil if it is unknown.
func (p *pseudo) field(name string) (*string, int) {
	switch name {
	case ":method":
		return &p.method, 0
	case ":scheme":
		return &p.scheme, 1
	case ":authority":
		return &p.authority, 2
	case ":path":
		return &p.path, 3
	}
	return nil, 0
}

func (p *pseudo) set(name, value string) bool {
	to, number := p.field(name)
	if to == nil || p.seen[number] || value == "" && name != ":authority" || !exchange.IsValue(value) {
		return false
	}
	*to, p.seen[number] = value, true
	return true
}

// routing contains the fields that determine the target and the length of a request.
type routing struct {
	line    pseudo
	hosts   []string
	lengths []string
}

// toRequest converts the fields to a request, as net/http does. ok is false if they are malformed
// (RFC 9113, section 8). why is the reason for refusing a request that net/http would accept.
// length is the announced size of the body, or -1.
func (f *fields) toRequest(r *library.Request, ends bool) (length int64, why *exchange.Refusal, ok bool) {
	*r = library.Request{}
	var q routing
	regular := false
	for i := range f.list {
		name, value := f.list[i].Name, f.list[i].Value
		if strings.HasPrefix(name, ":") {
			if regular || !q.line.set(name, value) {
				return 0, nil, false
			}
			continue
		}
		regular = true
		if !isValidField(name, value) {
			return 0, nil, false
		}
		if why == nil {
			why = q.set(name, value)
		}
		if to := exchange.FieldOf(r, name); to != nil {
			if *to == "" {
				*to = value
			} else {
				*to += ", " + value
			}
		}
	}
	if !setRequestLine(r, &q.line) {
		return 0, nil, false
	}
	if why == nil {
		why = q.line.validate(q.hosts)
	}
	if why == nil {
		length, why = announcedLength(q.lengths, ends)
	}
	return length, why, true
}

// set stores a relevant field, or returns a refusal.
func (q *routing) set(name, value string) *exchange.Refusal {
	switch {
	case isConnectionField(name, value):
		return &exchange.Refusal{Status: 400, Detail: "Invalid value of the header field " + strconv.Quote(name) + "."}
	case name == "host":
		q.hosts = append(q.hosts, value)
	case name == "content-length":
		q.lengths = append(q.lengths, value)
	}
	if exchange.Trim(value) != value {
		return badSpace
	}
	return nil
}

// Refusals of HTTP/2 alone.
var (
	badSpace     = &exchange.Refusal{Status: 400, Detail: "The value of a header field begins or ends with white space."}
	otherHost    = &exchange.Refusal{Status: 400, Detail: "The header field Host differs from the request's authority."}
	badAuthority = &exchange.Refusal{Status: 400, Detail: "A request must have one host, with an optional port."}
	badLength    = &exchange.Refusal{Status: 400, Detail: "The content does not match the header field Content-Length."}
)

// validate returns the refusal of an otherwise well-formed request (RFC 9113, section 8.3.1).
func (p *pseudo) validate(hosts []string) *exchange.Refusal {
	switch {
	case !exchange.IsToken(p.method):
		return exchange.BadLine
	case len(p.path) > exchange.MaxTarget:
		return exchange.LongTarget
	case p.method != "CONNECT" && !strings.HasPrefix(p.path, "/") &&
		(p.path != "*" || p.method != "OPTIONS"):
		return exchange.BadTarget
	case !exchange.AreHosts(hosts), !exchange.AreHosts([]string{p.authority}):
		return badAuthority
	case p.authority == "" && (len(hosts) == 0 || hosts[0] == ""): // one of them is required
		return badAuthority
	case len(hosts) == 1 && p.authority != "" && !exchange.SameAuthority(hosts[0], p.authority):
		return otherHost
	}
	return nil
}

// announcedLength returns the announced length of the content, or -1 if no length is announced. If
// none is true, the request has no content and must not announce any.
func announcedLength(values []string, none bool) (int64, *exchange.Refusal) {
	if len(values) == 0 {
		return -1, nil
	}
	n, err := strconv.ParseUint(values[0], 10, 63)
	if err != nil || none && n > 0 || slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
		return 0, badLength
	}
	return int64(n), nil
}

// areValidTrailers reports whether the fields are valid after a body.
func (f *fields) areValidTrailers() bool {
	return !slices.ContainsFunc(f.list, func(h hpack.HeaderField) bool { return !isValidField(h.Name, h.Value) })
}

// setRequestLine copies the pseudo-header fields to r.
func setRequestLine(r *library.Request, line *pseudo) bool {
	r.Method = line.method
	if line.method == "CONNECT" {
		return line.authority != "" && line.path == "" && line.scheme == ""
	}
	if line.method == "" || line.scheme != "https" && line.scheme != "http" || strings.Contains(line.authority, "@") {
		return false
	}
	if strings.HasPrefix(line.path, "/") && exchange.InPath.ContainAll(line.path) {
		r.Path = line.path
		return true
	}
	u, err := url.ParseRequestURI(line.path)
	if err != nil {
		return false
	}
	r.Path, r.Query = exchange.Path(u), u.RawQuery
	return true
}

// inFieldName are the characters of a field name in HTTP/2, which are lower case.
var inFieldName = func() (name exchange.Characters) {
	for c := range 256 {
		name[c] = exchange.IsToken(string([]byte{byte(c)})) && (c < 'A' || c > 'Z')
	}
	return name
}()

// isValidField reports whether a field other than a pseudo-header field is well formed.
func isValidField(name, value string) bool {
	return name != "" && inFieldName.ContainAll(name) && exchange.IsValue(value)
}

// isConnectionField reports whether a field concerns an HTTP/1.1 connection.
func isConnectionField(name, value string) bool {
	switch name {
	case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade":
		return true
	case "te":
		return value != "trailers"
	}
	return false
}
