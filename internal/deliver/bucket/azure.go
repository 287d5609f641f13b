package bucket

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
)

// azure is Azure Blob Storage.
type azure struct {
	container *container.Client
	transport *http.Transport
}

func openAzure(u *url.URL) (*azure, error) {
	if err := onlyParameters(u, "storage_account", "domain", "protocol", "localemu"); err != nil {
		return nil, err
	}
	query := u.Query()
	local, err := isSet(query, "localemu")
	if err != nil {
		return nil, err
	}
	transport := newTransport()
	opt := &container.ClientOptions{ClientOptions: policy.ClientOptions{
		Transport: &http.Client{Transport: watched{transport}},
		Retry:     policy.RetryOptions{MaxRetries: -1}, // which is done here
		Telemetry: policy.TelemetryOptions{Disabled: true},
	}}
	s := &azure{transport: transport}
	key, token := os.Getenv("AZURE_STORAGE_KEY"), os.Getenv("AZURE_STORAGE_SAS_TOKEN")
	account := cmp.Or(query.Get("storage_account"), os.Getenv("AZURE_STORAGE_ACCOUNT"))
	if text := os.Getenv("AZURE_STORAGE_CONNECTION_STRING"); text != "" && key == "" && token == "" {
		s.container, err = container.NewClientFromConnectionString(text, u.Host, opt)
		return s, err
	}
	if account == "" {
		return nil, errors.New("the account is not known: set AZURE_STORAGE_ACCOUNT")
	}
	domain := cmp.Or(query.Get("domain"), os.Getenv("AZURE_STORAGE_DOMAIN"), "blob.core.windows.net")
	at := cmp.Or(query.Get("protocol"), os.Getenv("AZURE_STORAGE_PROTOCOL"), "https") + "://"
	if local {
		at += domain + "/" + account
	} else {
		at += account + "." + domain
	}
	at += "/" + u.Host
	switch {
	case key != "":
		s.container, err = withKey(at, account, key, opt)
	case token != "":
		s.container, err = container.NewClientWithNoCredential(at+"?"+strings.TrimPrefix(token, "?"), opt)
	default:
		s.container, err = withIdentity(at, opt)
	}
	return s, err
}

// withKey opens a container with the key of its account.
func withKey(at, account, key string, opt *container.ClientOptions) (*container.Client, error) {
	shared, err := container.NewSharedKeyCredential(account, key)
	if err != nil {
		return nil, errors.New("AZURE_STORAGE_KEY is no key: it is Base64")
	}
	return container.NewClientWithSharedKeyCredential(at, shared, opt)
}

// withIdentity opens a container as whoever this machine or its user is.
func withIdentity(at string, opt *container.ClientOptions) (*container.Client, error) {
	identity, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", advise("azblob", "", errNoCredentials), err)
	}
	return container.NewClient(at, identity, opt)
}

func (s *azure) scheme() string { return "azblob" }
func (s *azure) wrongTag() tag  { return `"00000000000000000000000000000000"` }

func (s *azure) close() error {
	s.transport.CloseIdleConnections()
	return nil
}

func (s *azure) requests(size int64) int64 {
	if size <= whole {
		return 1
	}
	return countParts(size) + 1
}

func (s *azure) get(ctx context.Context, key string, offset, length int64) (io.ReadCloser, Object, error) {
	answer, err := s.container.NewBlobClient(key).DownloadStream(ctx, &blob.DownloadStreamOptions{
		Range: blob.HTTPRange{Offset: offset, Count: max(length, 0)}, // none reaches to the end
	})
	if err != nil {
		return nil, Object{}, s.error(err)
	}
	if answer.ETag == nil {
		return nil, Object{}, errors.Join(errNoTag, answer.Body.Close())
	}
	return answer.Body, Object{
		Size: value(answer.ContentLength), Modified: value(answer.LastModified), tag: tag(*answer.ETag),
	}, nil
}

func (s *azure) stat(ctx context.Context, key string) (Object, error) {
	answer, err := s.container.NewBlobClient(key).GetProperties(ctx, nil)
	if err != nil {
		return Object{}, s.error(err)
	}
	return Object{
		Size: value(answer.ContentLength), Modified: value(answer.LastModified), tag: tag(value(answer.ETag)),
	}, nil
}

// value is what a pointer points to, or the zero value.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func (s *azure) put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head, when condition) error {
	client := s.container.NewBlockBlobClient(key)
	headers := &blob.HTTPHeaders{BlobContentType: &head.Type}
	if head.Caching != "" {
		headers.BlobCacheControl = &head.Caching
	}
	if head.Language != "" {
		headers.BlobContentLanguage = &head.Language
	}
	if size <= whole {
		_, err := client.Upload(ctx, streaming.NopCloser(io.NewSectionReader(body, 0, size)),
			&blockblob.UploadOptions{HTTPHeaders: headers, AccessConditions: restrictAzure(when)})
		return s.error(err)
	}
	blocks := make([]string, countParts(size))
	upload := nonce() // blocks of another who writes there are not taken for these
	err := sendParts(ctx, body, size, func(i int, part *io.SectionReader) error {
		blocks[i] = base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s-%05d", upload, i))
		_, err := client.StageBlock(ctx, blocks[i], streaming.NopCloser(part), nil)
		return s.error(err)
	})
	if err != nil {
		return err
	}
	_, err = client.CommitBlockList(ctx, blocks,
		&blockblob.CommitBlockListOptions{HTTPHeaders: headers, AccessConditions: restrictAzure(when)})
	return s.error(err)
}

func restrictAzure(when condition) *blob.AccessConditions {
	conditions := new(blob.ModifiedAccessConditions)
	if when.absent {
		star := azcore.ETagAny
		conditions.IfNoneMatch = &star
	}
	if when.tag != "" {
		conditions.IfMatch = (*azcore.ETag)(&when.tag)
	}
	return &blob.AccessConditions{ModifiedAccessConditions: conditions}
}

func (s *azure) remove(ctx context.Context, key string, known tag) error {
	opt := &blob.DeleteOptions{AccessConditions: restrictAzure(condition{tag: known})}
	_, err := s.container.NewBlobClient(key).Delete(ctx, opt)
	return s.error(err)
}

func (s *azure) list(ctx context.Context, prefix, from string) (page []Object, next string, err error) {
	most := int32(perPage)
	opt := &container.ListBlobsFlatOptions{Prefix: &prefix, MaxResults: &most}
	if from != "" {
		opt.Marker = &from
	}
	answer, err := s.container.NewListBlobsFlatPager(opt).NextPage(ctx)
	if err != nil {
		return nil, from, s.error(err)
	}
	for _, o := range answer.Segment.BlobItems {
		is := Object{Key: value(o.Name)}
		if p := o.Properties; p != nil {
			is.Size, is.Modified = value(p.ContentLength), value(p.LastModified)
			is.MD5, is.tag = p.ContentMD5, tag(value(p.ETag))
		}
		page = append(page, is)
	}
	return page, value(answer.NextMarker), nil
}

// error is what the store answered, in the words of this package.
func (s *azure) error(err error) error {
	var answer *azcore.ResponseError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer):
		name := cmp.Or(clipped(answer.ErrorCode), http.StatusText(answer.StatusCode))
		short := fmt.Errorf("%d %s", answer.StatusCode, name) // all of it would repeat what was signed
		said := statusError{answer.StatusCode, answer.ErrorCode, answer.Error(), "", short}
		if answer.StatusCode == http.StatusConflict && answer.ErrorCode != "BlobAlreadyExists" {
			return said // about the container, or a lock: nobody else wrote
		}
		return refused(said, answer.ErrorCode == "BlobNotFound")
	case errors.As(err, new(*azidentity.AuthenticationFailedError)), strings.Contains(err.Error(), "DefaultAzureCredential:"):
		return final{fmt.Errorf("%w: %w", errNoCredentials, err)}
	}
	return err
}
