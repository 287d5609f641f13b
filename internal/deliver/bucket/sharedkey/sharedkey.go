// Package sharedkey signs requests to Azure Blob Storage with the key of an account
// (learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key).
package sharedkey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Version of the service that requests are written for.
const Version = "2023-11-03"

// Transport signs requests.
type Transport struct {
	Account string
	Key     []byte
	Base    http.RoundTripper
}

// RoundTrip signs a request and sends it.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Ms-Version", Version)
	r.Header.Set("X-Ms-Date", time.Now().UTC().Format(http.TimeFormat))
	mac := hmac.New(sha256.New, t.Key)
	mac.Write([]byte(t.signed(r)))
	r.Header.Set("Authorization", "SharedKey "+t.Account+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return t.Base.RoundTrip(r)
}

// signed is the text that is signed: the method, some header lines without their names, those that
// begin with x-ms- in order, and the address with its parameters in order.
func (t *Transport) signed(r *http.Request) string {
	length := ""
	if r.ContentLength > 0 {
		length = strconv.FormatInt(r.ContentLength, 10)
	}
	lines := []string{r.Method}
	for _, name := range []string{
		"Content-Encoding", "Content-Language", "Content-Length", "Content-MD5", "Content-Type", "Date",
		"If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range",
	} {
		value := r.Header.Get(name)
		if name == "Content-Length" {
			value = length
		}
		lines = append(lines, value)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-ms-") {
			lines = append(lines, lower+":"+strings.TrimSpace(r.Header.Get(name)))
		}
	}
	lines = append(lines, "/"+t.Account+r.URL.EscapedPath())
	query := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		lines = append(lines, strings.ToLower(name)+":"+strings.Join(query[name], ","))
	}
	return strings.Join(lines, "\n")
}
