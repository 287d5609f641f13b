package library

import (
	"errors"
	"time"
)

// What of HTTP concerns answers. This room knows no connections, and so not package net/http, which
// a test holds this to.

// Methods.
const (
	methodGet     = "GET"
	methodHead    = "HEAD"
	methodOptions = "OPTIONS"
)

// Statuses.
const (
	statusOK                  = 200
	statusNoContent           = 204
	statusPartialContent      = 206
	statusNotModified         = 304
	statusPermanentRedirect   = 308
	statusNotFound            = 404
	statusMethodNotAllowed    = 405
	statusNotAcceptable       = 406
	statusGone                = 410
	statusPreconditionFailed  = 412
	statusRangeNotSatisfiable = 416
	statusInternalServerError = 500
	statusNotImplemented      = 501
)

// titles are the statuses of problems in words. Some are those of servers: of requests that no
// library is asked.
var titles = map[int]string{
	400:                       "Bad Request",
	408:                       "Request Timeout",
	414:                       "Request URI Too Long",
	431:                       "Request Header Fields Too Large",
	503:                       "Service Unavailable",
	505:                       "HTTP Version Not Supported",
	statusNotFound:            "Not Found",
	statusMethodNotAllowed:    "Method Not Allowed",
	statusNotAcceptable:       "Not Acceptable",
	statusGone:                "Gone",
	statusPreconditionFailed:  "Precondition Failed",
	statusRangeNotSatisfiable: "Requested Range Not Satisfiable",
	statusInternalServerError: "Internal Server Error",
	statusNotImplemented:      "Not Implemented",
}

// timeFormat is how a time is written in a header line.
const timeFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

var errNoTime = errors.New("this is no time")

// parseTime reads a time in any of the three forms of RFC 9110, section 5.6.7.
func parseTime(text string) (time.Time, error) {
	for _, form := range [...]string{timeFormat, time.RFC850, time.ANSIC} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errNoTime
}
