package bucket

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

type gcs struct {
	transport
	client *http.Client
	base   string // scheme and host
	bucket string
}

// googleScope is the requested permission, to read and write objects.
const googleScope = "https://www.googleapis.com/auth/devstorage.read_write"

func openGoogle(ctx context.Context, u *url.URL) (*gcs, error) {
	if err := refuseUnknownParameters(u, "anonymous"); err != nil {
		return nil, err
	}
	anonymous, err := isSet(u.Query(), "anonymous")
	if err != nil {
		return nil, err
	}
	transport := newTransport()
	s := &gcs{transport, &http.Client{Transport: transport}, "https://storage.googleapis.com", u.Host}
	if emulator := os.Getenv("STORAGE_EMULATOR_HOST"); emulator != "" {
		if !strings.Contains(emulator, "://") {
			emulator = "http://" + emulator
		}
		s.base = strings.TrimSuffix(emulator, "/")
		return s, nil
	}
	if anonymous {
		return s, nil
	}
	// Tokens are requested without the deadline of the request that first needs one.
	ctx = context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, &http.Client{Timeout: time.Minute})
	found, err := google.FindDefaultCredentials(ctx, googleScope)
	if err != nil {
		return nil, errors.New(findAdvice("gs", "", errNoCredentials))
	}
	s.client.Transport = &oauth2.Transport{Base: s.client.Transport, Source: found.TokenSource}
	return s, nil
}

func (s *gcs) wrongTag() tag { return "1" }

type googleObject struct {
	Name            string    `json:"name,omitempty"`
	ContentType     string    `json:"contentType,omitempty"`
	CacheControl    string    `json:"cacheControl,omitempty"`
	ContentLanguage string    `json:"contentLanguage,omitempty"`
	Size            int64     `json:"size,string,omitempty"`
	Generation      int64     `json:"generation,string,omitempty"`
	Updated         time.Time `json:"updated,omitzero"`
	MD5             []byte    `json:"md5Hash,omitempty"`
}

func (o *googleObject) object() Object {
	generation := tag(strconv.FormatInt(o.Generation, 10))
	return Object{Key: o.Name, Size: o.Size, Modified: o.Updated, MD5: o.MD5, tag: generation}
}

func (s *gcs) objectURL(key string, query url.Values) string {
	return s.base + "/storage/v1/b/" + url.PathEscape(s.bucket) + "/o/" + url.PathEscape(key) + "?" + query.Encode()
}

// do sends a request to the store. It returns an error for any status other than success; otherwise
// the caller closes the body.
func (s *gcs) do(
	ctx context.Context, method, address string, body io.Reader, size int64, header ...string,
) (*http.Response, error) {
	answer, text, err := doRequest(ctx, s.client, method, address, body, size, header...)
	if err == nil && text != nil {
		err = googleError(answer.StatusCode, text)
	}
	return answer, err
}

// doRequest sends a request to a store. If the status is not a success, text is the store's
// message. Otherwise the caller closes the body. header contains alternating names and values;
// names with an empty value are omitted.
func doRequest(
	ctx context.Context, client *http.Client, method, address string, body io.Reader, size int64, header ...string,
) (answer *http.Response, text []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, nil, err
	}
	request.ContentLength = size
	if size == 0 {
		request.Body = nil
	}
	for i := 0; i < len(header); i += 2 {
		if header[i+1] != "" {
			request.Header.Set(header[i], header[i+1])
		}
	}
	if answer, err = client.Do(request); err != nil {
		return nil, nil, tokenError(err)
	}
	if answer.StatusCode < 300 || answer.StatusCode == http.StatusPermanentRedirect { // 308: more parts
		return answer, nil, nil
	}
	defer answer.Body.Close()                                         // answer was only read
	text, err = io.ReadAll(io.LimitReader(answer.Body, maxExplained)) // a truncated message is not explained
	return answer, append([]byte{}, text...), err
}

// closeBody closes the body of an answer whose content is not needed. It returns err if that is not
// nil.
func closeBody(answer *http.Response, err error) error {
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// objectBody returns the body of an answer and the description of its object. The header named
// tagged contains the object's tag.
func objectBody(answer *http.Response, err error, tagged string) (io.ReadCloser, Object, error) {
	if err != nil {
		return nil, Object{}, err
	}
	o := objectIn(answer, tagged)
	if o.tag == "" {
		return nil, Object{}, errors.Join(errNoTag, answer.Body.Close())
	}
	return answer.Body, o, nil
}

// rangeHeader returns the Range header for length bytes from offset on, or for the rest of the
// object if length is not positive.
func rangeHeader(offset, length int64) string {
	switch {
	case length > 0:
		return fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)
	case offset > 0:
		return fmt.Sprintf("bytes=%d-", offset)
	}
	return ""
}

func objectIn(answer *http.Response, tagged string) Object {
	o := Object{Size: max(answer.ContentLength, 0), tag: tag(answer.Header.Get(tagged))}
	o.Modified, _ = http.ParseTime(answer.Header.Get("Last-Modified")) // zero if malformed
	return o
}

// maxExplained is the maximum number of bytes to read of a store's error message.
const maxExplained = 64 << 10

func googleError(status int, text []byte) error {
	var said struct {
		Error struct {
			Message string `json:"message"`
			Errors  []struct {
				Reason string `json:"reason"`
			} `json:"errors"`
		} `json:"error"`
	}
	message, code := strings.TrimSpace(string(text)), ""
	if json.Unmarshal(text, &said) == nil && said.Error.Message != "" {
		message = said.Error.Message
		if len(said.Error.Errors) > 0 {
			code = said.Error.Errors[0].Reason
		}
	}
	absent := status == http.StatusNotFound && !strings.Contains(message, "bucket does not exist")
	says := fmt.Errorf("%d %s: %s", status, cmp.Or(quoteForeign(code), http.StatusText(status)), quoteForeign(message))
	return storeError(statusError{status, code, message, "", says}, absent)
}

// tokenError returns an error for a request that failed, perhaps because no token could be
// obtained.
func tokenError(err error) error {
	var no *oauth2.RetrieveError
	if !errors.As(err, &no) || no.Response == nil {
		return err
	}
	says := fmt.Errorf("%d %s: %s", no.Response.StatusCode, quoteForeign(no.ErrorCode), quoteForeign(no.ErrorDescription))
	return storeError(statusError{no.Response.StatusCode, no.ErrorCode, no.ErrorDescription, "", says}, false)
}

func (s *gcs) getJSON(ctx context.Context, address string, into any) error {
	answer, err := s.do(ctx, http.MethodGet, address, nil, 0)
	if err != nil {
		return err
	}
	defer answer.Body.Close() // answer was only read
	return json.NewDecoder(io.LimitReader(answer.Body, 16<<20)).Decode(into)
}

func (s *gcs) get(ctx context.Context, key string, offset, length int64) (io.ReadCloser, Object, error) {
	answer, err := s.do(ctx, http.MethodGet, s.objectURL(key, url.Values{"alt": {"media"}}), nil, 0, "Range", rangeHeader(offset, length))
	return objectBody(answer, err, "X-Goog-Generation")
}

func (s *gcs) stat(ctx context.Context, key string) (Object, error) {
	var o googleObject
	err := s.getJSON(ctx, s.objectURL(key, url.Values{"fields": {"size,updated,generation"}}), &o)
	return o.object(), err
}

func (s *gcs) put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head, when condition) error {
	describe, err := json.Marshal(googleObject{
		Name: key, ContentType: head.Type, CacheControl: head.Caching, ContentLanguage: head.Language,
	})
	if err != nil {
		return err
	}
	query := url.Values{"name": {key}, "fields": {"generation"}}
	if when.absent {
		query.Set("ifGenerationMatch", "0")
	}
	if when.tag != "" {
		query.Set("ifGenerationMatch", string(when.tag))
	}
	to := s.base + "/upload/storage/v1/b/" + url.PathEscape(s.bucket) + "/o?"
	if size > maxWhole {
		query.Set("uploadType", "resumable")
		return s.putParts(ctx, to+query.Encode(), describe, body, size, head)
	}
	query.Set("uploadType", "multipart")
	boundary := rand.Text()
	begin := "--" + boundary + "\r\nContent-Type: application/json\r\n\r\n" + string(describe) +
		"\r\n--" + boundary + "\r\nContent-Type: " + head.Type + "\r\n\r\n"
	end := "\r\n--" + boundary + "--\r\n"
	message := io.MultiReader(strings.NewReader(begin), io.NewSectionReader(body, 0, size), strings.NewReader(end))
	return closeBody(s.do(ctx, http.MethodPost, to+query.Encode(), message, int64(len(begin))+size+int64(len(end)),
		"Content-Type", "multipart/related; boundary="+boundary))
}

// putParts sends a large object in parts. The store checks the precondition when the last part
// arrives.
func (s *gcs) putParts(ctx context.Context, to string, describe []byte, body io.ReaderAt, size int64, head Head) error {
	answer, err := s.do(ctx, http.MethodPost, to, bytes.NewReader(describe), int64(len(describe)),
		"Content-Type", "application/json", "X-Upload-Content-Type", head.Type, "X-Upload-Content-Length", strconv.FormatInt(size, 10))
	if err := closeBody(answer, err); err != nil {
		return err
	}
	session := answer.Header.Get("Location")
	if session == "" {
		return permanentError{errors.New("the store's answer lacks the upload URL")}
	}
	at := int64(0)
	for stuck := 0; at < size; {
		lost, before := false, at
		err := repeat(ctx, partPause, func() (err error) {
			if lost { // the store knows how much of the part arrived
				if at, err = s.putPart(ctx, session, nil, at, 0, size); err != nil || at == size {
					return err
				}
			}
			lost = true
			at, err = s.putPart(ctx, session, body, at, min(partSize(size), size-at), size)
			return err
		})
		if err != nil {
			return err
		}
		if at > before {
			stuck = 0
		} else if stuck++; stuck > repeats {
			return permanentError{fmt.Errorf("the store accepts parts of the object, but still has %d of %d bytes", at, size)}
		}
	}
	return nil
}

// putPart sends a part (none if length is 0) and returns how many bytes the store has.
func (s *gcs) putPart(ctx context.Context, session string, body io.ReaderAt, at, length, size int64) (int64, error) {
	part := fmt.Sprintf("bytes %d-%d/%d", at, at+length-1, size)
	if length == 0 {
		part = fmt.Sprintf("bytes */%d", size)
	}
	answer, err := s.do(ctx, http.MethodPut, session, io.NewSectionReader(body, at, length), length, "Content-Range", part)
	if err := closeBody(answer, err); err != nil {
		return at, err
	}
	if answer.StatusCode != http.StatusPermanentRedirect {
		return size, nil
	}
	has := answer.Header.Get("Range") // "" if the store has nothing
	if has == "" {
		return 0, nil
	}
	_, last, _ := strings.Cut(has, "-")
	n, err := strconv.ParseInt(last, 10, 64)
	if err != nil || n < 0 || n >= size {
		return at, permanentError{fmt.Errorf("the store reports a malformed number of bytes: %s of %d", quoteForeign(has), size)}
	}
	return n + 1, nil
}

func (s *gcs) remove(ctx context.Context, key string, known tag) error {
	query := url.Values{}
	if known != "" {
		query.Set("ifGenerationMatch", string(known))
	}
	return closeBody(s.do(ctx, http.MethodDelete, s.objectURL(key, query), nil, 0))
}

func (s *gcs) list(ctx context.Context, prefix, from string) (page []Object, next string, err error) {
	query := url.Values{
		"prefix": {prefix}, "maxResults": {strconv.Itoa(perPage)},
		"fields": {"nextPageToken,items(name,size,updated,generation,md5Hash)"},
	}
	if from != "" {
		query.Set("pageToken", from)
	}
	var answer struct {
		Items         []googleObject `json:"items"`
		NextPageToken string         `json:"nextPageToken"`
	}
	if err := s.getJSON(ctx, s.base+"/storage/v1/b/"+url.PathEscape(s.bucket)+"/o?"+query.Encode(), &answer); err != nil {
		return nil, from, err
	}
	for i := range answer.Items {
		page = append(page, answer.Items[i].object())
	}
	return page, answer.NextPageToken, nil
}
