package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"strconv"
	"strings"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azblobblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	"gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob" // s3://
	"gocloud.dev/gcerrors"
	"gocloud.dev/gcp"
	"google.golang.org/api/googleapi"
)

// cloud is a store that Go Cloud knows. What that has no words for, which are conditions, tags and
// the status of an answer, is asked of each store by its own types.
type cloud struct {
	bucket *blob.Bucket
	name   string // of the scheme
}

func openCloud(ctx context.Context, u *url.URL) (*cloud, error) {
	var b *blob.Bucket
	var err error
	const checksums = "response_checksum_validation"
	if query := u.Query(); u.Scheme == "s3" && query.Get(checksums) == "" {
		query.Set(checksums, "when_required") // what is read is held to its digest, and the library would log
		u.RawQuery = query.Encode()
	}
	if u.Scheme == "gs" {
		b, err = openGoogle(ctx, u)
	} else {
		b, err = blob.OpenBucket(ctx, u.String())
	}
	if err != nil {
		return nil, errors.New(withoutParameters(err.Error()))
	}
	return &cloud{b, u.Scheme}, nil
}

// openGoogle opens a bucket as Go Cloud would, which writes to standard output where there are no
// credentials.
func openGoogle(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	query := u.Query()
	anonymous, err := strconv.ParseBool(first(query.Get("anonymous"), "false"))
	if err != nil {
		return nil, errors.New("anonymous is true or false")
	}
	query.Del("anonymous")
	for name := range query {
		return nil, fmt.Errorf("gs:// knows no parameter %.40q, only anonymous and release", name)
	}
	client := gcp.NewAnonymousHTTPClient(gcp.DefaultTransport())
	if !anonymous && os.Getenv("STORAGE_EMULATOR_HOST") == "" {
		found, err := gcp.DefaultCredentials(ctx)
		if err != nil {
			return nil, errors.New(credentials["gs"])
		}
		if client, err = gcp.NewHTTPClient(gcp.DefaultTransport(), gcp.CredentialsTokenSource(found)); err != nil {
			return nil, err
		}
	}
	b, err := gcsblob.OpenBucket(ctx, client, u.Host, nil)
	if err != nil {
		return nil, err
	}
	var native *storage.Client
	if !b.As(&native) {
		return nil, errNoType
	}
	native.SetRetry(storage.WithMaxAttempts(3)) // its own way is to go on for ever
	return b, nil
}

func first(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// errNoType says that the library does not give what a store is asked by. Nothing is written then:
// a condition that is left out would not be missed.
var errNoType = final{errors.New("the library for this store does not take conditions, so nothing was written")}

func (c *cloud) scheme() string { return c.name }
func (c *cloud) close() error   { return c.bucket.Close() }

func (c *cloud) get(ctx context.Context, key string, offset, length int64) (io.ReadCloser, Object, error) {
	r, err := c.bucket.NewRangeReader(ctx, key, offset, length, nil)
	if err != nil {
		return nil, Object{}, c.error(err)
	}
	o := Object{Size: r.Size(), Modified: r.ModTime()}
	if o.tag, err = tagOf(r.As); err != nil {
		return nil, Object{}, errors.Join(err, r.Close())
	}
	return reader{r, c}, o, nil
}

// reader is the body of an answer, whose errors are those of this package.
type reader struct {
	*blob.Reader
	cloud *cloud
}

func (r reader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = r.cloud.error(err)
	}
	return n, err
}

// tagOf is the tag of what is being read.
func tagOf(as func(any) bool) (tag, error) {
	var amazon s3.GetObjectOutput
	var google *storage.Reader
	var azure azblobblob.DownloadStreamResponse
	switch {
	case as(&amazon) && amazon.ETag != nil:
		return tag(*amazon.ETag), nil
	case as(&google):
		return tag(strconv.FormatInt(google.Attrs.Generation, 10)), nil
	case as(&azure) && azure.ETag != nil:
		return tag(*azure.ETag), nil
	}
	return "", final{errors.New("the store sends no tag with an object")}
}

func (c *cloud) stat(ctx context.Context, key string) (Object, error) {
	a, err := c.bucket.Attributes(ctx, key)
	if err != nil {
		return Object{}, c.error(err)
	}
	return Object{Size: a.Size, Modified: a.ModTime}, nil
}

// put writes an object, with Upload alone: a conditional write that fails through NewWriter panics
// with Azure.
func (c *cloud) put(ctx context.Context, key string, body io.Reader, size int64, head Head, when condition) error {
	err := c.bucket.Upload(ctx, key, body, &blob.WriterOptions{
		ContentType: head.Type, CacheControl: head.Caching, ContentLanguage: head.Language,
		BufferSize: c.partSize(size), MaxConcurrency: 4, DisableContentTypeDetection: true,
		BeforeWrite: func(as func(any) bool) error { return restrict(as, when) },
	})
	if err != nil {
		err = c.error(err)
		if when.tag != "" && errors.Is(err, fs.ErrNotExist) { // S3 says so of what is gone
			err = fmt.Errorf("%w: %w", ErrConflict, err)
		}
	}
	return err
}

// restrict gives a store the condition of a write, in its own words.
func restrict(as func(any) bool, when condition) error {
	var amazon *transfermanager.UploadObjectInput
	var google **storage.ObjectHandle
	var azure *azblob.UploadStreamOptions
	star := "*"
	switch {
	case as(&amazon):
		if when.absent {
			amazon.IfNoneMatch = &star
		}
		if when.tag != "" {
			amazon.IfMatch = (*string)(&when.tag)
		}
	case as(&google):
		if when.absent {
			*google = (*google).If(storage.Conditions{DoesNotExist: true})
		}
		if when.tag != "" {
			generation, err := strconv.ParseInt(string(when.tag), 10, 64)
			if err != nil {
				return err
			}
			*google = (*google).If(storage.Conditions{GenerationMatch: generation})
		}
	case as(&azure):
		conditions := &azblobblob.ModifiedAccessConditions{}
		if when.absent {
			conditions.IfNoneMatch = (*azcore.ETag)(&star)
		}
		if when.tag != "" {
			conditions.IfMatch = (*azcore.ETag)(&when.tag)
		}
		azure.AccessConditions = &azblob.AccessConditions{ModifiedAccessConditions: conditions}
	default:
		return errNoType
	}
	return nil
}

// What an object is cut into. A part is held in memory, four at a time.
const (
	part     = 8 << 20
	maxParts = 9000
	whole    = 16 << 20 // what S3 takes at once
)

// partSize is how large the parts are in which an object is sent. Small ones take no large buffer.
func (c *cloud) partSize(size int64) int {
	most := max(part, int(size/maxParts)+1)
	if c.name == "s3" { // which does not take smaller ones, and takes no buffer for them
		return most
	}
	const step = 256 << 10 // of Google's
	return min((int(min(size, part))/step+1)*step, (most+step-1)/step*step)
}

func (c *cloud) requests(size int64) int64 {
	p := int64(c.partSize(size))
	if c.name == "s3" && size < whole || size <= p {
		return 1
	}
	return (size+p-1)/p + 2
}

func (c *cloud) wrongTag() tag {
	if c.name == "gs" {
		return "1"
	}
	return `"00000000000000000000000000000000"`
}

func (c *cloud) remove(ctx context.Context, key string) error {
	if err := c.bucket.Delete(ctx, key); err != nil {
		return c.error(err)
	}
	return nil
}

func (c *cloud) list(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		objects := c.bucket.List(&blob.ListOptions{Prefix: prefix})
		for {
			o, err := objects.Next(ctx)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(Object{}, c.error(err))
				return
			}
			if !yield(Object{Key: o.Key, Size: o.Size, Modified: o.ModTime, MD5: o.MD5}, nil) {
				return
			}
		}
	}
}

// error is what a store answered, in the words of this package. Go Cloud's own codes are asked
// last: they take what Google forbids for what is not there.
func (c *cloud) error(err error) error {
	var amazon *smithyhttp.ResponseError
	var google *googleapi.Error
	var azure *azcore.ResponseError
	switch {
	case errors.As(err, new(final)):
		return err
	case c.bucket.ErrorAs(err, &amazon):
		code := ""
		var named smithy.APIError
		if c.bucket.ErrorAs(err, &named) {
			code = named.ErrorCode()
		}
		return refused(amazon.HTTPStatusCode(), code, err)
	case c.bucket.ErrorAs(err, &google):
		return refused(google.Code, "", err)
	case c.bucket.ErrorAs(err, &azure):
		return refused(azure.StatusCode, azure.ErrorCode, err)
	case gcerrors.Code(err) == gcerrors.NotFound:
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case gcerrors.Code(err) == gcerrors.FailedPrecondition:
		return fmt.Errorf("%w: %w", ErrConflict, err)
	case strings.Contains(err.Error(), "get credentials:") || strings.Contains(err.Error(), "DefaultAzureCredential:"):
		return final{fmt.Errorf("%w: %w", errNoCredentials, err)}
	}
	return err
}
