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

// Statuses are those of answers, in words. Some are of requests that no library is asked.
var Statuses = map[int]string{
	statusOK:                  "OK",
	statusNoContent:           "No Content",
	statusPartialContent:      "Partial Content",
	statusNotModified:         "Not Modified",
	statusPermanentRedirect:   "Permanent Redirect",
	400:                       "Bad Request",
	statusNotFound:            "Not Found",
	statusMethodNotAllowed:    "Method Not Allowed",
	statusNotAcceptable:       "Not Acceptable",
	408:                       "Request Timeout",
	statusGone:                "Gone",
	statusPreconditionFailed:  "Precondition Failed",
	414:                       "Request URI Too Long",
	statusRangeNotSatisfiable: "Requested Range Not Satisfiable",
	417:                       "Expectation Failed",
	431:                       "Request Header Fields Too Large",
	statusInternalServerError: "Internal Server Error",
	statusNotImplemented:      "Not Implemented",
	503:                       "Service Unavailable",
	505:                       "HTTP Version Not Supported",
}

const timeFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

var errNoTime = errors.New("this is not a time")

// parseTime reads a time in any of the three forms of RFC 9110, section 5.6.7.
func parseTime(text string) (time.Time, error) {
	for _, form := range [...]string{timeFormat, time.RFC850, time.ANSIC} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errNoTime
}
