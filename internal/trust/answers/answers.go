// Package answers has what several who ask services need: how they connect, where they may be led,
// and header lines of what comes back.
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

// Transport connects to a service, and to no more than so many idle connections of it. Heads of its
// answers have a limit, and bodies come as they are sent.
func Transport(idle int) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: idle,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10, DisableCompression: true,
	}
}

// SameHost reports whether an address is on the host of another, be it that it is encrypted there.
func SameHost(from, to *url.URL) bool {
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Port() == "" && to.Port() == ""
	return from.Hostname() == to.Hostname() && (from.Scheme == to.Scheme && from.Port() == to.Port() || upgrade)
}

// ParseBase reads the base address of a service. Its error has nothing of the address in it,
// because that may hold a password in the wrong place.
func ParseBase(base string) (*url.URL, error) {
	address, err := url.Parse(base)
	if err != nil || address.Host == "" || address.RawQuery != "" || address.Fragment != "" ||
		address.Scheme != "http" && address.Scheme != "https" {
		return nil, errors.New("this is not the address of a service: write https://host or https://host/path")
	}
	return address, nil
}

// MayPass reports whether an answer of a service, or that there is none, may be gone the next time.
func MayPass(status int, err error) bool {
	var certificate *tls.CertificateVerificationError
	if err != nil {
		return !errors.As(err, &certificate) && !errors.Is(err, context.Canceled) &&
			!errors.Is(err, context.DeadlineExceeded)
	}
	return status == http.StatusTooManyRequests ||
		status >= http.StatusInternalServerError && status != http.StatusNotImplemented
}

// ErrEncoding says that the body of an answer cannot be decoded.
var ErrEncoding = errors.New("the answer is in an encoding that is not known")

// Decode decodes the body of an answer.
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

// RetryAfter is how long a service asks to wait: so many seconds, or until a time.
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

// Encoding is the content encoding of an answer, "" for none. Some object stores also name
// aws-chunked, which is how a file came to them and not how they send it.
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
