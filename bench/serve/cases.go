//go:build linux

package main

import (
	"fmt"
	"net/http"
)

// connections is how many a load generator opens.
const connections = 64

// A load is what the servers are asked, over and over.
type load struct {
	name      string
	path      string
	random    bool   // ask for any of the signals instead
	accept    string // Accept-Encoding
	unchanged bool   // send the entity tag that the server gave
	status    int
	secure    bool // over TLS
	streams   int  // of HTTP/2 on a connection; 0 for HTTP/1.1
}

// The cases. Of each it is required that Stele takes no more time of its core than the best of the
// others, and that one answer in a hundred comes no later than nginx's.
var cases = []*load{
	{name: "one record of 1.2 kB", path: oneRecord, status: http.StatusOK},
	{name: "random records", path: oneRecord, random: true, status: http.StatusOK},
	{name: "a record, gzip", path: largeRecord, accept: "gzip", status: http.StatusOK},
	{name: "304", path: oneRecord, unchanged: true, status: http.StatusNotModified},
	{name: "404", path: nothing, status: http.StatusNotFound},
	{name: "collection of 1.2 MB", path: collection, status: http.StatusOK},
	{name: "collection, br", path: collection, accept: "br", status: http.StatusOK},
	{name: "one record, HTTP/1.1 over TLS", path: oneRecord, status: http.StatusOK, secure: true},
	{name: "one record, HTTP/2 over TLS, 1 stream", path: oneRecord, status: http.StatusOK, secure: true, streams: 1},
	{name: "one record, HTTP/2 over TLS, 32 streams", path: oneRecord, status: http.StatusOK, secure: true, streams: 32},
}

// suffixes are those of the variants.
var suffixes = map[string]string{"gzip": ".gz", "br": ".br"}

// headers are the header lines of a request, beside Host.
func (c *load) headers(condition string) (lines []string) {
	if c.accept != "" {
		lines = append(lines, "Accept-Encoding: "+c.accept)
	}
	if condition != "" {
		lines = append(lines, "If-None-Match: "+condition)
	}
	return lines
}

// statusWith is the status that a request gets, with an entity tag or without.
func (c *load) statusWith(condition string) int {
	if c.unchanged && condition == "" {
		return http.StatusOK
	}
	return c.status
}

// url is the address of a case on a server.
func (c *load) url(s *server) string {
	scheme := "http"
	if c.secure {
		scheme = "https"
	}
	_, address := s.over(c.secure)
	return fmt.Sprintf("%s://%s/%s", scheme, address, c.path)
}
