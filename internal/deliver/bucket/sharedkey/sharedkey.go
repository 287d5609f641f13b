// Package sharedkey signs requests to Azure Blob Storage with an account key
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

// Version is the API version of the requests.
const Version = "2023-11-03"

// Transport signs requests and sends them through Base.
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
	mac.Write([]byte(t.textToSign(r)))
	r.Header.Set("Authorization", "SharedKey "+t.Account+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return t.Base.RoundTrip(r)
}

// textToSign returns the text to sign: the method, some header values, the sorted headers that
// begin with x-ms-, and the path with its sorted parameters.
func (t *Transport) textToSign(r *http.Request) string {
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
