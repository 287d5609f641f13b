// Package answers contains the code that all HTTP clients of services share: connections, limits on
// redirects and time, and the parsing of headers.
package answers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stele/internal/base/compress"
)

// NewTransport returns a transport that keeps at most idle idle connections. It limits headers, and
// does not decompress bodies.
func NewTransport(idle int) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: idle,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10, DisableCompression: true,
	}
}

// SameHost reports whether the URL to is on the host of from, possibly with an upgrade to HTTPS.
func SameHost(from, to *url.URL) bool {
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Port() == "" && to.Port() == ""
	return from.Hostname() == to.Hostname() && (from.Scheme == to.Scheme && from.Port() == to.Port() || upgrade)
}

// ParseBase parses the base URL of a service. Its error does not contain the URL, which may contain
// a misplaced password.
func ParseBase(base string) (*url.URL, error) {
	address, err := url.Parse(base)
	if err != nil || address.Host == "" || address.RawQuery != "" || address.Fragment != "" ||
		address.Scheme != "http" && address.Scheme != "https" {
		return nil, errors.New("invalid service URL: write https://host or https://host/path")
	}
	return address, nil
}

// IsTransient reports whether a request with this status or error may succeed if it is repeated.
func IsTransient(status int, err error) bool {
	var certificate *tls.CertificateVerificationError
	if err != nil {
		return !errors.As(err, &certificate) && !errors.Is(err, context.Canceled) &&
			!errors.Is(err, context.DeadlineExceeded)
	}
	return status == http.StatusTooManyRequests ||
		status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}

// ErrEncoding means that the body of an answer cannot be decoded.
var ErrEncoding = errors.New("cannot decode the content encoding")

// Decode returns a reader that decodes the body of an answer.
func Decode(in io.Reader, encoding string) (io.Reader, error) {
	if encoding == "" {
		return in, nil
	}
	e, ok := compress.Named(encoding)
	if !ok {
		return nil, fmt.Errorf("%w: %.40q", ErrEncoding, encoding)
	}
	return e.Reader(in)
}

// RetryAfter returns the time for which a service asks clients to wait, from the Retry-After
// header.
func RetryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, time.Until(until).Round(time.Second))
}

// Encoding returns the content encoding of an answer, or "" for none. It ignores aws-chunked, which
// some object stores send although it describes only uploads.
func Encoding(h http.Header) string {
	var codings []string
	for coding := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		coding = strings.ToLower(strings.TrimSpace(coding))
		if coding != "" && coding != "aws-chunked" && coding != "identity" {
			codings = append(codings, coding)
		}
	}
	return strings.Join(codings, ", ")
}
