// Package bucket stores releases in object stores: S3 and compatible stores, Google Cloud Storage,
// Azure Blob Storage, or a folder in place of a bucket.
//
// Each release is stored as one immutable pack, and a small pointer names the current one. The
// pointer changes only by the store's conditional write, so if several publish at the same time,
// one succeeds and the others get ErrConflict. Readers read the pointer, download the pack into a
// cache, and check it against the digest in the pointer.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/base/layout"
)

var schemes = []string{"s3", "gs", "azblob", "file"}

// IsAddress reports whether where is the URL of a bucket.
func IsAddress(where string) bool {
	scheme, _, ok := strings.Cut(where, "://")
	return ok && slices.Contains(schemes, scheme)
}

// Options configure a bucket. Zero values are the defaults.
type Options struct {
	// SingleWriter writes without conditions, for stores that do not support them. Two publishers
	// at the same time can then overwrite each other's releases.
	SingleWriter bool
	// Patience is the longest time without progress; default thirty seconds.
	Patience time.Duration

	// Pause is the time before a request is first repeated; default half a second.
	Pause time.Duration
	// Before is called before each request, and its error is returned in place of the answer; for
	// tests.
	Before func(op, key string) error
}

// Bucket is an open bucket, or the objects in it whose keys begin with a prefix. It is safe for
// concurrent use.
type Bucket struct {
	name        string // its URL, without parameters
	prefix      string // of all keys; empty, or ending in a slash
	objects     objects
	options     Options
	counts      Counts
	unconfirmed sync.Map // marks of pointers that were written but could not be read back
}

// Counts are the requests to a bucket and the bytes transferred.
type Counts struct {
	Writes, Reads, Deletes atomic.Int64 // requests; lists count as writes, because they cost the same
	Sent, Received         atomic.Int64 // bytes of objects
}

// Head is the metadata that a store sends with an object.
type Head struct {
	Type     string // media type, with its parameters
	Caching  string // Cache-Control
	Language string // Content-Language; may be empty
}

// Object describes an object in a store.
type Object struct {
	Key      string // without the prefix
	Size     int64
	Modified time.Time
	MD5      []byte // only in lists, and only if the store knows it
	tag      tag
}

// tag identifies one state of an object: an ETag or a generation.
type tag string

// condition is a precondition for writing an object.
type condition struct {
	absent bool // the object must not exist
	tag    tag  // the object must have this tag
}

// ErrConflict says that an object changed since its writer read it.
var ErrConflict = errors.New("another publisher wrote to the bucket meanwhile")

// objects is a store. Its errors are fs.ErrNotExist for a missing object and ErrConflict for a
// failed condition. A negative length reads to the end.
type objects interface {
	get(ctx context.Context, key string, offset, length int64) (io.ReadCloser, Object, error)
	stat(ctx context.Context, key string) (Object, error)
	put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head, when condition) error
	remove(ctx context.Context, key string, known tag) error // known may be empty, and may be ignored
	// list returns a page of objects, sorted by key, and where the next page begins, or "" after
	// the last page. The first page begins at "".
	list(ctx context.Context, prefix, from string) (page []Object, next string, err error)
	wrongTag() tag // returns a tag that no object has
	close() error
}

// Open opens the bucket at the URL address without sending a request. Credentials are read from
// where each cloud's own tools find them. A URL cannot contain credentials.
func Open(ctx context.Context, address string, opt Options) (*Bucket, error) {
	u, err := url.Parse(address)
	if err != nil || !IsAddress(address) {
		return nil, errNoAddress
	}
	if u.User != nil { // the password is not repeated in the error
		return nil, errors.New("the URL of a bucket cannot contain credentials: set them as for the cloud's own tools, in the environment or a file")
	}
	if opt.Patience <= 0 {
		opt.Patience = 30 * time.Second
	}
	if opt.Pause <= 0 {
		opt.Pause = 500 * time.Millisecond
	}
	b := &Bucket{options: opt}
	if u.Query().Has(releaseParameter) {
		return nil, errors.New("?release= names a release to read, but this command uses the latest release: remove it")
	}
	if u.Scheme == "file" {
		b.name = "file://" + u.Path
		b.objects, err = openFolder(u)
		return b, err
	}
	b.prefix = strings.Trim(u.Path, "/")
	if b.prefix != "" && !layout.ValidPath(b.prefix) {
		return nil, fmt.Errorf("%.80q cannot be the prefix of object names: use letters, digits and . _ - ~ between slashes", b.prefix)
	}
	if u.Host == "" {
		return nil, fmt.Errorf("missing bucket in %s://: use %[1]s://BUCKET/PREFIX", u.Scheme)
	}
	b.name = u.Scheme + "://" + u.Host
	if b.prefix != "" {
		b.name += "/" + b.prefix
		b.prefix += "/"
	}
	u.Path = ""
	switch u.Scheme {
	case "s3":
		b.objects, err = openS3(u)
	case "gs":
		b.objects, err = openGoogle(ctx, u)
	default:
		b.objects, err = openAzure(u)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", b.name, withoutParameters(err.Error()))
	}
	return b, nil
}

// Close closes the bucket's connections.
func (b *Bucket) Close() error { return b.objects.close() }

// Name returns the URL of the bucket, without parameters.
func (b *Bucket) Name() string { return b.name }

// Scheme returns the scheme of the bucket's URL: s3, gs, azblob or file.
func (b *Bucket) Scheme() string { return b.name[:strings.Index(b.name, "://")] }

// Counts returns the numbers of requests and bytes so far.
func (b *Bucket) Counts() *Counts { return &b.counts }

// Put writes an object, and replaces an existing object at key.
func (b *Bucket) Put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head) error {
	return b.put(ctx, key, body, size, head, condition{})
}

// put writes an object if the condition when is met. If the object must not exist but does, put
// returns ErrConflict, even if an earlier attempt of this call, whose answer was lost, created it.
// The caller must then read the object.
func (b *Bucket) put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head, when condition) error {
	if b.options.SingleWriter {
		when = condition{}
	}
	return b.try(ctx, "put", key, func(ctx context.Context) error {
		b.counts.Writes.Add(countRequests(size))
		err := b.objects.put(ctx, b.prefix+key, body, size, head, when)
		if err == nil {
			b.counts.Sent.Add(size)
		}
		if when.tag != "" && errors.Is(err, fs.ErrNotExist) { // S3 answers so if the object was deleted
			err = fmt.Errorf("%w: %w", ErrConflict, err)
		}
		return err
	})
}

// Read reads a whole object of at most most bytes.
func (b *Bucket) Read(ctx context.Context, key string, most int64) (data []byte, is Object, err error) {
	err = b.try(ctx, "get", key, func(ctx context.Context) error {
		b.counts.Reads.Add(1)
		in, o, err := b.objects.get(ctx, b.prefix+key, 0, -1)
		if err != nil {
			return err
		}
		defer in.Close() // in was only read
		is = o
		data, err = io.ReadAll(io.LimitReader(&countingReader{in, &b.counts.Received}, most+1))
		if err == nil && int64(len(data)) > most {
			err = permanentError{fmt.Errorf("it is larger than %d bytes", most)}
		}
		return err
	})
	is.Key = key
	return data, is, err
}

// errGone means that an object that a pointer names does not exist.
var errGone = errors.New("the release is no longer in the bucket, because another one replaced it: try again")

// ReadRange copies length bytes of an object, from offset on, to w. n is the number of bytes
// written, even after an error.
func (b *Bucket) ReadRange(ctx context.Context, key string, offset, length int64, w io.WriterAt) (n int64, err error) {
	before := int64(-1)
	for n < length {
		err := b.try(ctx, "get", key, func(ctx context.Context) error {
			b.counts.Reads.Add(1)
			in, _, err := b.objects.get(ctx, b.prefix+key, offset+n, length-n)
			if err != nil {
				return err
			}
			defer in.Close() // in was only read
			from := io.LimitReader(&countingReader{in, &b.counts.Received}, length-n)
			got, err := io.Copy(io.NewOffsetWriter(w, offset+n), from)
			n += got
			if err == nil && n < length {
				err = io.ErrUnexpectedEOF
			}
			if err != nil && got > 0 && ctx.Err() == nil {
				return nil // there was progress: continue from there
			}
			return err
		})
		if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(key, PackFolder) {
			err = fmt.Errorf("%w: %w", errGone, err)
		}
		if err != nil {
			return n, err
		}
		if n == before {
			return n, io.ErrUnexpectedEOF
		}
		before = n
	}
	return n, nil
}

// Stat returns an object's description.
func (b *Bucket) Stat(ctx context.Context, key string) (o Object, err error) {
	err = b.try(ctx, "get", key, func(ctx context.Context) error {
		b.counts.Reads.Add(1)
		o, err = b.objects.stat(ctx, b.prefix+key)
		return err
	})
	o.Key = key
	return o, err
}

// Remove deletes an object if it exists.
func (b *Bucket) Remove(ctx context.Context, key string) error {
	err := b.try(ctx, "delete", key, func(ctx context.Context) error {
		b.counts.Deletes.Add(1)
		return b.objects.remove(ctx, b.prefix+key, "")
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Discard deletes an object only if it has not changed since it was listed, provided that the store
// supports such conditions. It tries once, because after a lost answer a second attempt could
// delete a newer object.
func (b *Bucket) Discard(ctx context.Context, o Object) error {
	b.counts.Deletes.Add(1)
	err := b.once(ctx, "delete", o.Key, func(ctx context.Context) error {
		return b.objects.remove(ctx, b.prefix+o.Key, o.tag)
	})
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrConflict) {
		return nil
	}
	return b.explain("delete", o.Key, err)
}

const perPage = 1000

// maxListed is the maximum number of objects in a list.
const maxListed = 1 << 24

// List yields the objects whose keys begin with prefix, sorted by key. An endless list is an error.
func (b *Bucket) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		last, count := "", 0
		for next, first := "", true; first || next != ""; first = false {
			var page []Object
			err := b.try(ctx, "list", prefix, func(ctx context.Context) (err error) {
				b.counts.Writes.Add(1)
				ctx = context.WithValue(ctx, listKey{}, new(atomic.Int32))
				if page, next, err = b.objects.list(ctx, b.prefix+prefix, next); err != nil {
					return err
				}
				for _, o := range page {
					if o.Key <= last {
						return permanentError{fmt.Errorf("the store lists %q after %q: keys are out of order", quoteForeign(o.Key), quoteForeign(last))}
					}
					last = o.Key
				}
				if count += len(page); count > maxListed || len(page) == 0 && next != "" {
					return permanentError{errEndless}
				}
				return nil
			})
			if err != nil {
				yield(Object{}, err)
				return
			}
			for _, o := range page {
				o.Key = strings.TrimPrefix(o.Key, b.prefix)
				if !yield(o, nil) {
					return
				}
			}
		}
	}
}
