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
	code   string // the store's code for the error
	says   string // the store's message, which is searched but not shown
	region string // the bucket's region, if the store names it
	err    error
}

func (e statusError) Error() string { return e.err.Error() }
func (e statusError) Unwrap() error { return e.err }

// Error describes a failed operation on an object. Its text omits the parameters of URLs, because
// some stores put signatures there.
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

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.err }

var parameters = regexp.MustCompile(`(https?://[^\s"?]+)\?[^\s"]*`)

// withoutParameters removes the queries from all URLs in text.
func withoutParameters(text string) string { return parameters.ReplaceAllString(text, "$1") }

// explain adds the cause and the remedy to an error.
func (b *Bucket) explain(op, key string, err error) error {
	return &Error{Bucket: b.name, Op: op, Key: key, advice: findAdvice(b.Scheme(), op, err), err: err}
}

// findAdvice returns the cause and the remedy of an error, or "" if they are unknown.
func findAdvice(scheme, op string, err error) string {
	var said statusError
	if !errors.As(err, &said) {
		said.code = notAnswered(err)
	}
	for _, a := range knownAnswers {
		if a.matches(scheme, op, &said) {
			region := "the bucket's region"
			if regionName.MatchString(said.region) {
				region = said.region
			}
			return a.cause + ": " + strings.ReplaceAll(a.fix, "{region}", region)
		}
	}
	return ""
}

// regionName matches the names of regions. Other text that a store sends as a region is not shown.
var regionName = regexp.MustCompile(`^[A-Za-z0-9-]{1,40}$`)

// Codes of errors that occur without an answer from the store.
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

// errNoCredentials means that a cloud's library found no credentials.
var errNoCredentials = errors.New("no credentials found")

// storeError returns an error for a store's answer, which wraps a matching error of package fs or
// ErrConflict if there is one. absent is set if the object does not exist, because other faults
// have the status 404 too.
func storeError(answer statusError, absent bool) error {
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

// errNoTag means that a store sends no tags, so conditional writes are impossible.
var errNoTag = permanentError{errors.New("the store sends objects without ETags")}

// quoteForeign returns text from a store or a user, escaped and cut to a safe length.
func quoteForeign(text string) string {
	quoted := fmt.Sprintf("%.300q", strings.ReplaceAll(text, `"`, "'"))
	return quoted[1 : len(quoted)-1]
}

// isSet returns the boolean URL parameter name.
func isSet(query url.Values, name string) (bool, error) {
	if query.Get(name) == "" {
		return false, nil
	}
	set, err := strconv.ParseBool(query.Get(name))
	if err != nil {
		return false, fmt.Errorf("%s must be true or false", name)
	}
	return set, nil
}
