package bucket

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

type statusError struct {
	status int
	code   string // the store's own name for it
	says   string // what it says besides, which is looked through and not shown
	region string // where it says that the bucket lies, if it does
	err    error
}

func (e statusError) Error() string { return e.err.Error() }
func (e statusError) Unwrap() error { return e.err }

// Error says what could not be done with an object. Its text has no parameters of addresses, in
// which some stores take signatures.
type Error struct {
	Bucket, Op, Key string
	advice          string
	err             error
}

func (e *Error) Error() string {
	text := e.Op + " " + e.Key + ": " + withoutParameters(e.err.Error())
	if e.advice != "" {
		text = e.advice + " (" + text + ")"
	}
	return e.Bucket + ": " + text
}

// Unwrap is the reason.
func (e *Error) Unwrap() error { return e.err }

var parameters = regexp.MustCompile(`(https?://[^\s"?]+)\?[^\s"]*`)

// withoutParameters leaves out what stands behind the question marks of addresses.
func withoutParameters(text string) string { return parameters.ReplaceAllString(text, "$1") }

// explain says why something could not be done, and what would help.
func (b *Bucket) explain(op, key string, err error) error {
	return &Error{Bucket: b.name, Op: op, Key: key, advice: advise(b.Scheme(), op, err), err: err}
}

// advise is the cause of an error, and what to write instead. It is empty where that is not known.
func advise(scheme, op string, err error) string {
	var said statusError
	if !errors.As(err, &said) {
		said.code = notAnswered(err)
	}
	for _, a := range answers {
		if a.fits(scheme, op, &said) {
			region := "the region of the bucket"
			if plainName.MatchString(said.region) {
				region = said.region
			}
			return a.cause + ": " + strings.ReplaceAll(a.fix, "{region}", region)
		}
	}
	return ""
}

// plainName is how regions are named. What else a store sends as one is not repeated.
var plainName = regexp.MustCompile(`^[A-Za-z0-9-]{1,40}$`)

// These stand for codes where no store answered.
const (
	codeNoCredentials = "no credentials"
	codeNoHost        = "no such host"
	codeOtherName     = "certificate of another name"
	codeNoTLS         = "no TLS"
)

func notAnswered(err error) string {
	var dns *net.DNSError
	var plain tls.RecordHeaderError
	switch {
	case errors.Is(err, errNoCredentials):
		return codeNoCredentials
	case errors.As(err, &dns) && dns.IsNotFound:
		return codeNoHost
	case errors.As(err, new(x509.HostnameError)):
		return codeOtherName
	case errors.As(err, &plain), errors.Is(err, http.ErrSchemeMismatch):
		return codeNoTLS
	}
	return ""
}

// errNoCredentials says that a cloud's library found none.
var errNoCredentials = errors.New("no credentials were found")

// refused makes an error of a store's answer, whose reason is one that errors.Is knows where it can
// be. Only a store's answer that says so means that an object is absent.
func refused(answer statusError, absent bool) error {
	switch {
	case absent:
		return fmt.Errorf("%w: %w", fs.ErrNotExist, answer)
	case answer.status == 401 || answer.status == 403:
		return fmt.Errorf("%w: %w", fs.ErrPermission, answer)
	case answer.status == 412 || answer.status == 409:
		return fmt.Errorf("%w: %w", ErrConflict, answer)
	}
	return answer
}

// errNoTag says that a store names no states of objects, so that conditions cannot be kept.
var errNoTag = final{errors.New("the store sends no tag with an object")}

// clipped is a text of others, as a quotation of bounded length.
func clipped(text string) string {
	quoted := fmt.Sprintf("%.300q", strings.ReplaceAll(text, `"`, "'"))
	return quoted[1 : len(quoted)-1]
}

// isSet reads a parameter of an address that is true or false.
func isSet(query url.Values, name string) (bool, error) {
	if query.Get(name) == "" {
		return false, nil
	}
	set, err := strconv.ParseBool(query.Get(name))
	if err != nil {
		return false, fmt.Errorf("%s is true or false", name)
	}
	return set, nil
}
