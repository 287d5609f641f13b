package serve

import (
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// fields are the header fields of a request of HTTP/2, as far as they were kept.
type fields struct {
	list []hpack.HeaderField
	size int // as RFC 9113 counts it
	most int
}

// add keeps a field.
func (f *fields) add(field hpack.HeaderField) {
	if f.size += int(field.Size()); !f.tooLarge() {
		f.list = append(f.list, field)
	}
}

// tooLarge reports whether there were more than may be.
func (f *fields) tooLarge() bool { return f.size > f.most }

func (f *fields) reset() {
	clear(f.list)
	f.list, f.size = f.list[:0], 0
}

// pseudo are the fields that stand for the request line.
type pseudo struct{ method, scheme, authority, path string }

func (p *pseudo) field(name string) *string {
	switch name {
	case ":method":
		return &p.method
	case ":scheme":
		return &p.scheme
	case ":authority":
		return &p.authority
	case ":path":
		return &p.path
	}
	return nil
}

// request reads the fields as a request, as net/http reads them. It reports whether they are one:
// RFC 9113, section 8, says what else is malformed. wrong is a field that has no place in a request
// that is one in all else.
func (f *fields) request(r *request) (wrong string, ok bool) {
	*r = request{}
	var line pseudo
	regular := false
	for i := range f.list {
		name, value := f.list[i].Name, f.list[i].Value
		if strings.HasPrefix(name, ":") {
			to := line.field(name)
			if regular || to == nil || *to != "" || value == "" && name != ":authority" || !validValue(value) {
				return "", false
			}
			*to = value
			continue
		}
		regular = true
		if name == "" || !consists(name, &inFieldName) || !validValue(value) {
			return "", false
		}
		if ofConnection(name, value) && wrong == "" {
			wrong = name
		}
		if to := r.field(name); to != nil {
			if *to == "" {
				*to = value
			} else {
				*to += ", " + value
			}
		}
	}
	return wrong, r.requestFields(&line)
}

// requestFields takes over what stands for the request line.
func (r *request) requestFields(line *pseudo) bool {
	r.method = line.method
	if line.method == http.MethodConnect {
		return line.authority != "" && line.path == "" && line.scheme == ""
	}
	if line.method == "" || line.scheme != "https" && line.scheme != "http" || strings.Contains(line.authority, "@") {
		return false
	}
	if strings.HasPrefix(line.path, "/") && consists(line.path, &inPath) {
		r.path = line.path
		return true
	}
	u, err := url.ParseRequestURI(line.path)
	if err != nil {
		return false
	}
	r.path = pathOf(&http.Request{URL: u})
	return true
}

// Characters of a field's name and of its value.
var inFieldName, inFieldValue [256]bool

func init() {
	for c := range 256 {
		inFieldName[c] = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c < 128 && strings.IndexByte("!#$%&'*+-.^_`|~", byte(c)) >= 0
		inFieldValue[c] = c >= ' ' && c != 0x7f || c == '\t'
	}
}

func validValue(value string) bool { return consists(value, &inFieldValue) }

// ofConnection reports whether a field is about a connection of HTTP/1.1.
func ofConnection(name, value string) bool {
	switch name {
	case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade":
		return true
	case "te":
		return value != "trailers"
	}
	return false
}
