package bucket

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// s3 is Amazon S3 or a compatible store.
type s3 struct {
	transport
	client minio.Core
	bucket string
}

func openS3(u *url.URL) (*s3, error) {
	query := u.Query()
	// request_checksum_calculation switched checksums off in an earlier version. None are sent now,
	// so it has no effect.
	err := refuseUnknownParameters(u, "region", "endpoint", "use_path_style", "anonymous", "request_checksum_calculation")
	if err != nil {
		return nil, err
	}
	anonymous, err := isSet(query, "anonymous")
	if err != nil {
		return nil, err
	}
	pathStyle, err := isSet(query, "use_path_style")
	if err != nil {
		return nil, err
	}
	transport := newTransport()
	opt := &minio.Options{
		Secure: true, Transport: transport, MaxRetries: 1,
		Region: cmp.Or(query.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
	}
	if opt.Region == "" {
		opt.MaxRetries = 2 // the first attempt may find out the region
	}
	host := "s3.amazonaws.com"
	if endpoint := query.Get("endpoint"); endpoint != "" {
		at, err := url.Parse(endpoint)
		if err != nil || at.Host == "" || at.User != nil || at.Scheme != "http" && at.Scheme != "https" {
			return nil, errors.New("endpoint must be a URL such as https://s3.example.org")
		}
		if !anonymous {
			if err := refusePlainHTTP(endpoint); err != nil {
				return nil, err
			}
		}
		host, opt.Secure, opt.BucketLookup = at.Host, at.Scheme == "https", minio.BucketLookupDNS
	}
	if pathStyle {
		opt.BucketLookup = minio.BucketLookupPath
	}
	if !anonymous {
		opt.Creds = credentials.New(&awsCredentials{chain: awsChain()})
	}
	client, err := minio.NewCore(host, opt)
	if err != nil {
		return nil, err
	}
	return &s3{transport, *client, u.Host}, nil
}

func awsChain() *credentials.Chain {
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if os.Getenv("AWS_EC2_METADATA_DISABLED") != "true" || os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "" ||
		os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "" || os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "" {
		providers = append(providers, &credentials.IAM{})
	}
	return &credentials.Chain{Providers: providers}
}

// awsCredentials requires that its chain finds credentials: unsigned requests are sent only with
// ?anonymous=true.
type awsCredentials struct{ chain *credentials.Chain }

func (c *awsCredentials) Retrieve() (credentials.Value, error) { return requireKey(c.chain.Retrieve()) }
func (c *awsCredentials) IsExpired() bool                      { return c.chain.IsExpired() }

func (c *awsCredentials) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	return requireKey(c.chain.RetrieveWithCredContext(cc))
}

func requireKey(v credentials.Value, err error) (credentials.Value, error) {
	if err == nil && v.AccessKeyID == "" {
		err = errNoCredentials
	}
	return v, err
}

func (s *s3) wrongTag() tag { return "00000000000000000000000000000000" }

func (s *s3) get(ctx context.Context, key string, offset, length int64) (io.ReadCloser, Object, error) {
	var opt minio.GetObjectOptions
	if offset > 0 || length > 0 {
		end := int64(0) // to the end of the object
		if length > 0 {
			end = offset + length - 1
		}
		if err := opt.SetRange(offset, end); err != nil {
			return nil, Object{}, err
		}
	}
	in, o, _, err := s.client.GetObject(ctx, s.bucket, key, opt)
	if err != nil {
		return nil, Object{}, s.convertError(err)
	}
	if o.ETag == "" {
		return nil, Object{}, errors.Join(errNoTag, in.Close())
	}
	return in, s.newObject(o), nil
}

func (s *s3) newObject(o minio.ObjectInfo) Object {
	is := Object{Key: o.Key, Size: o.Size, Modified: o.LastModified, tag: tag(o.ETag)}
	if sum, err := hex.DecodeString(o.ETag); err == nil && len(sum) == 16 { // objects in parts have another ETag
		is.MD5 = sum
	}
	return is
}

func (s *s3) stat(ctx context.Context, key string) (Object, error) {
	o, err := s.client.StatObject(ctx, s.bucket, key, minio.StatObjectOptions{})
	return s.newObject(o), s.convertError(err)
}

// put writes an object. For a large object, the library does not repeat the condition when it joins
// the parts, so put repeats it.
func (s *s3) put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head, when condition) error {
	opt := minio.PutObjectOptions{
		ContentType: head.Type, CacheControl: head.Caching, ContentLanguage: head.Language, DisableMultipart: true,
	}
	if size <= maxWhole {
		restrictS3(&opt, when)
		_, err := s.client.PutObject(ctx, s.bucket, key, io.NewSectionReader(body, 0, size), size, "", "", opt)
		return s.convertError(err)
	}
	upload, err := s.client.NewMultipartUpload(ctx, s.bucket, key, opt)
	if err != nil {
		return s.convertError(err)
	}
	parts := make([]minio.CompletePart, countParts(size))
	err = sendParts(ctx, body, size, func(i int, part *io.SectionReader) error {
		var opt minio.PutObjectPartOptions
		p, err := s.client.PutObjectPart(ctx, s.bucket, key, upload, i+1, part, part.Size(), opt)
		parts[i] = minio.CompletePart{PartNumber: i + 1, ETag: p.ETag}
		return s.convertError(err)
	})
	if err == nil {
		var joined minio.PutObjectOptions
		restrictS3(&joined, when)
		_, err = s.client.CompleteMultipartUpload(ctx, s.bucket, key, upload, parts, joined)
	}
	if err != nil { // otherwise the parts would be stored, and charged for
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
		defer cancel()
		abort := s.client.AbortMultipartUpload(ctx, s.bucket, key, upload)
		if minio.ToErrorResponse(abort).Code == minio.NoSuchUpload {
			abort = nil
		}
		return errors.Join(s.convertError(err), abort)
	}
	return nil
}

// abortTime limits the request to delete the parts of an object after a failed upload.
const abortTime = 5 * time.Second

func restrictS3(opt *minio.PutObjectOptions, when condition) {
	if when.absent {
		opt.SetMatchETagExcept("*")
	}
	if when.tag != "" {
		opt.SetMatchETag(string(when.tag))
	}
}

// remove deletes an object. S3's tags are digests of the content, so a condition would not help.
func (s *s3) remove(ctx context.Context, key string, _ tag) error {
	return s.convertError(s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{}))
}

func (s *s3) list(ctx context.Context, prefix, from string) (page []Object, next string, err error) {
	owner := false
	opt := minio.ListObjectsOptions{
		Prefix: prefix, Recursive: true, StartAfter: from, MaxKeys: perPage, FetchOwner: &owner,
	}
	for o := range s.client.ListObjectsIter(ctx, s.bucket, opt) {
		if o.Err != nil {
			return nil, from, s.convertError(o.Err)
		}
		page = append(page, s.newObject(o))
		if len(page) == perPage {
			return page, o.Key, nil
		}
	}
	return page, "", nil
}

// convertError converts an error of the library. A 404 means a missing object only if its code says
// so: stores use 404 for other errors too.
func (s *s3) convertError(err error) error {
	if err == nil {
		return nil
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) || answer.StatusCode == 0 {
		return err
	}
	if answer.Code != "" {
		err = fmt.Errorf("%d %s: %s", answer.StatusCode, quoteForeign(answer.Code), quoteForeign(answer.Error()))
	}
	said := statusError{answer.StatusCode, answer.Code, answer.Message, answer.Region, err}
	return storeError(said, answer.Code == minio.NoSuchKey)
}
