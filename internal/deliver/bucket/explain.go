package bucket

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// statusError is what a store answered that is no success.
type statusError struct {
	status int
	code   string // the store's own name for it
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
	text := e.Bucket + ": " + e.Op + " " + e.Key + ": "
	if e.advice != "" {
		text += e.advice + ": "
	}
	return text + withoutParameters(e.err.Error())
}

// Unwrap is the reason.
func (e *Error) Unwrap() error { return e.err }

var parameters = regexp.MustCompile(`(https?://[^\s"?]+)\?[^\s"]*`)

// withoutParameters leaves out what stands behind the question marks of addresses.
func withoutParameters(text string) string { return parameters.ReplaceAllString(text, "$1") }

// permissions are what a store's owner has to allow for something to be done, by scheme.
var permissions = map[string]map[string]string{
	"s3": {
		"get":    "s3:GetObject is missing, or s3:ListBucket, without which S3 does not say that an object is absent",
		"put":    "s3:PutObject is missing (for packs of more than 16 MB also s3:AbortMultipartUpload)",
		"delete": "s3:DeleteObject is missing",
		"list":   "s3:ListBucket is missing",
	},
	"gs": {
		"get":    "storage.objects.get is missing (role Storage Object Viewer), or there is no such bucket",
		"put":    "storage.objects.create is missing, or storage.objects.delete, which it takes to replace one (role Storage Object User)",
		"delete": "storage.objects.delete is missing (role Storage Object User)",
		"list":   "storage.objects.list is missing (role Storage Object Viewer)",
	},
	"azblob": {
		"get":    "reading is not allowed: the role Storage Blob Data Reader is missing, or the key or the token is not right",
		"put":    "writing is not allowed: the role Storage Blob Data Contributor is missing, or the key or the token is not right",
		"delete": "deleting is not allowed: the role Storage Blob Data Contributor is missing, or the key or the token is not right",
		"list":   "listing is not allowed: the role Storage Blob Data Reader is missing, or the key or the token is not right",
	},
}

// wrongCredentials are the stores' own names for credentials that are not right.
var wrongCredentials = []string{
	"SignatureDoesNotMatch", "InvalidAccessKeyId", "XAdminUserNotFound", "InvalidToken", "ExpiredToken", "TokenRefreshRequired",
	"AuthenticationFailed", "InvalidAuthenticationInfo", "authError",
}

// explain says what could not be done, and what would help.
func (b *Bucket) explain(op, key string, err error) error {
	e := &Error{Bucket: b.name, Op: op, Key: key, err: err}
	var known statusError
	errors.As(err, &known)
	switch {
	case slices.Contains(wrongCredentials, known.code) || known.status == 401:
		e.advice = "the credentials are not right, or are no longer valid"
	case errors.Is(err, fs.ErrPermission):
		e.advice = permissions[b.objects.scheme()][op]
	case known.code == "NoSuchBucket" || known.code == "ContainerNotFound" || known.status == 404 && op == "put":
		e.advice = "there is no such bucket"
	case errors.Is(err, errNoCredentials):
		e.advice = whereCredentials[b.objects.scheme()]
	}
	return e
}

// errNoCredentials says that a cloud's library found none.
var errNoCredentials = errors.New("no credentials were found")

// whereCredentials say where credentials are looked for.
var whereCredentials = map[string]string{
	"s3":     "no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role gives them; ?anonymous=true reads a public bucket",
	"gs":     "no credentials were found: run gcloud auth application-default login, set GOOGLE_APPLICATION_CREDENTIALS, or run where a service account gives them; ?anonymous=true reads a public bucket",
	"azblob": "no credentials were found: set AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, run az login, or run where an identity gives them",
}

// refused makes an error of a store's answer, whose reason is one that errors.Is knows where it can
// be. Only a store's answer that says so means that an object is absent.
func refused(status int, code string, absent bool, err error) error {
	reason := statusError{status, code, err}
	switch {
	case absent:
		return fmt.Errorf("%w: %w", fs.ErrNotExist, reason)
	case status == 401 || status == 403:
		return fmt.Errorf("%w: %w", fs.ErrPermission, reason)
	case status == 412 || status == 409:
		return fmt.Errorf("%w: %w", ErrConflict, reason)
	}
	return reason
}

// errNoTag says that a store names no states of objects, so that conditions cannot be kept.
var errNoTag = final{errors.New("the store sends no tag with an object")}

// clipped is a text of others, as a quotation of bounded length.
func clipped(text string) string { return strings.Trim(fmt.Sprintf("%.300q", text), `"`) }

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
