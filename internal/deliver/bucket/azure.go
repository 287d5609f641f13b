package bucket

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"golang.org/x/oauth2"

	"stele/internal/deliver/bucket/sharedkey"
)

type azure struct {
	transport
	client    *http.Client
	container *url.URL // may have a token as its query
}

func openAzure(u *url.URL) (*azure, error) {
	a, err := newAzureAccount(u)
	if err != nil {
		return nil, err
	}
	if err := refusePlainHTTP(a.endpoint); err != nil {
		return nil, err
	}
	s := &azure{transport: newTransport()}
	if s.container, err = url.Parse(strings.TrimSuffix(a.endpoint, "/") + "/" + u.Host); err != nil {
		return nil, err
	}
	s.client = &http.Client{Transport: s.transport}
	switch {
	case a.key != "":
		secret, err := base64.StdEncoding.DecodeString(a.key)
		if err != nil {
			return nil, errors.New("AZURE_STORAGE_KEY is malformed: it must be Base64")
		}
		s.client.Transport = &sharedkey.Transport{Account: a.name, Key: secret, Base: s.client.Transport}
	case a.token != "":
		s.container.RawQuery = strings.TrimPrefix(a.token, "?")
	default:
		tokens := oauth2.ReuseTokenSource(nil, azureIdentity{})
		s.client.Transport = &oauth2.Transport{Base: s.client.Transport, Source: tokens}
	}
	return s, nil
}

// azureAccount is the URL of an account with its credentials.
type azureAccount struct{ name, endpoint, key, token string }

// newAzureAccount returns the account named in u, a bucket's URL, or in the environment.
func newAzureAccount(u *url.URL) (a azureAccount, err error) {
	if err := refuseUnknownParameters(u, "storage_account", "domain", "protocol", "localemu"); err != nil {
		return a, err
	}
	query := u.Query()
	local, err := isSet(query, "localemu")
	if err != nil {
		return a, err
	}
	a.key, a.token = os.Getenv("AZURE_STORAGE_KEY"), os.Getenv("AZURE_STORAGE_SAS_TOKEN")
	a.name = cmp.Or(query.Get("storage_account"), os.Getenv("AZURE_STORAGE_ACCOUNT"))
	domain := cmp.Or(query.Get("domain"), os.Getenv("AZURE_STORAGE_DOMAIN"), "blob.core.windows.net")
	protocol := cmp.Or(query.Get("protocol"), os.Getenv("AZURE_STORAGE_PROTOCOL"), "https")
	if text := os.Getenv("AZURE_STORAGE_CONNECTION_STRING"); text != "" && a.key == "" && a.token == "" {
		parts := map[string]string{}
		for part := range strings.SplitSeq(text, ";") {
			name, value, _ := strings.Cut(part, "=")
			parts[name] = value
		}
		a = azureAccount{parts["AccountName"], parts["BlobEndpoint"], parts["AccountKey"], parts["SharedAccessSignature"]}
		protocol = cmp.Or(parts["DefaultEndpointsProtocol"], protocol)
		if suffix := parts["EndpointSuffix"]; suffix != "" {
			domain = "blob." + suffix
		}
	}
	switch {
	case a.endpoint != "":
	case a.name == "":
		return a, errors.New("unknown account: set AZURE_STORAGE_ACCOUNT")
	case local:
		a.endpoint = protocol + "://" + domain + "/" + a.name
	default:
		a.endpoint = protocol + "://" + a.name + "." + domain
	}
	return a, nil
}

func (s *azure) wrongTag() tag { return `"00000000000000000000000000000000"` }

// do sends a request about the object at key, or about the container if key is "". It returns an
// error for any status other than success; otherwise the caller closes the body.
func (s *azure) do(
	ctx context.Context, method, key string, query url.Values, body io.Reader, size int64, header ...string,
) (*http.Response, error) {
	at := *s.container
	if key != "" {
		at.Path += "/" + key
	}
	if len(query) > 0 {
		at.RawQuery = strings.TrimPrefix(at.RawQuery+"&"+query.Encode(), "&")
	}
	header = append(header, "X-Ms-Version", sharedkey.Version)
	answer, text, err := doRequest(ctx, s.client, method, at.String(), body, size, header...)
	if err != nil || text == nil {
		return answer, err
	}
	var said struct{ Code string }
	if xml.Unmarshal(text, &said) != nil {
		said.Code = ""
	}
	code := cmp.Or(answer.Header.Get("X-Ms-Error-Code"), said.Code)
	short := fmt.Errorf("%d %s", answer.StatusCode, cmp.Or(quoteForeign(code), http.StatusText(answer.StatusCode)))
	refusal := statusError{answer.StatusCode, code, string(text), "", short} // the message repeats what was signed
	if answer.StatusCode == http.StatusConflict && code != "BlobAlreadyExists" {
		return nil, refusal // the refusal concerns the container, or a lock: it is not a conflict
	}
	return nil, storeError(refusal, code == "BlobNotFound")
}

func (s *azure) get(ctx context.Context, key string, offset, length int64) (io.ReadCloser, Object, error) {
	answer, err := s.do(ctx, http.MethodGet, key, nil, nil, 0, "Range", rangeHeader(offset, length))
	return objectBody(answer, err, "ETag")
}

func (s *azure) stat(ctx context.Context, key string) (Object, error) {
	answer, err := s.do(ctx, http.MethodHead, key, nil, nil, 0)
	if err != nil {
		return Object{}, err
	}
	return objectIn(answer, "ETag"), answer.Body.Close()
}

func (s *azure) put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head, when condition) error {
	header := []string{
		"X-Ms-Blob-Content-Type", head.Type, "X-Ms-Blob-Cache-Control", head.Caching,
		"X-Ms-Blob-Content-Language", head.Language, "If-Match", string(when.tag),
	}
	if when.absent {
		header = append(header, "If-None-Match", "*")
	}
	if size <= maxWhole {
		header = append(header, "X-Ms-Blob-Type", "BlockBlob")
		return closeBody(s.do(ctx, http.MethodPut, key, nil, io.NewSectionReader(body, 0, size), size, header...))
	}
	blocks := make([]string, countParts(size))
	upload := nonce() // so that blocks of other uploads to this key are not mixed in
	err := sendParts(ctx, body, size, func(i int, part *io.SectionReader) error {
		blocks[i] = base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s-%05d", upload, i))
		query := url.Values{"comp": {"block"}, "blockid": {blocks[i]}}
		return closeBody(s.do(ctx, http.MethodPut, key, query, part, part.Size()))
	})
	if err != nil {
		return err
	}
	list := "<BlockList><Latest>" + strings.Join(blocks, "</Latest><Latest>") + "</Latest></BlockList>"
	query := url.Values{"comp": {"blocklist"}}
	return closeBody(s.do(ctx, http.MethodPut, key, query, strings.NewReader(list), int64(len(list)), header...))
}

func (s *azure) remove(ctx context.Context, key string, known tag) error {
	return closeBody(s.do(ctx, http.MethodDelete, key, nil, nil, 0, "If-Match", string(known)))
}

func (s *azure) list(ctx context.Context, prefix, from string) (page []Object, next string, err error) {
	query := url.Values{
		"restype": {"container"}, "comp": {"list"}, "prefix": {prefix}, "maxresults": {strconv.Itoa(perPage)},
	}
	if from != "" {
		query.Set("marker", from)
	}
	answer, err := s.do(ctx, http.MethodGet, "", query, nil, 0)
	if err != nil {
		return nil, from, err
	}
	defer answer.Body.Close() // answer was only read
	var listed struct {
		NextMarker string
		Blobs      []struct {
			Name       string
			Properties struct {
				Modified string `xml:"Last-Modified"`
				Tag      string `xml:"Etag"`
				Size     int64  `xml:"Content-Length"`
				MD5      string `xml:"Content-MD5"`
			}
		} `xml:"Blobs>Blob"`
	}
	if err := xml.NewDecoder(answer.Body).Decode(&listed); err != nil {
		return nil, from, err
	}
	for _, o := range listed.Blobs {
		is := Object{Key: o.Name, Size: o.Properties.Size, tag: tag(o.Properties.Tag)}
		is.Modified, _ = http.ParseTime(o.Properties.Modified) // zero if malformed
		if sum, err := base64.StdEncoding.DecodeString(o.Properties.MD5); err == nil {
			is.MD5 = sum
		}
		page = append(page, is)
	}
	return page, listed.NextMarker, nil
}
