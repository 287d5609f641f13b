// Package bucket keeps releases in object stores: S3 and what speaks it, Google Cloud Storage,
// Azure Blob Storage, or a folder that stands for one.
//
// A release lies there as one immutable pack, and a small pointer says which one counts. The
// pointer changes only by the store's own conditional write, so of several who publish at the same
// time one wins and the others learn it. Whoever reads asks for the pointer, brings the pack into a
// cache, and holds it to the digest that the pointer says.
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

// IsAddress reports whether a place is a bucket.
func IsAddress(where string) bool {
	scheme, _, ok := strings.Cut(where, "://")
	return ok && slices.Contains(schemes, scheme)
}

// Options of a bucket. The zero value of each stands for its default.
type Options struct {
	// SingleWriter writes without conditions, for stores that know none. Two who publish at the
	// same time can then undo what the other did.
	SingleWriter bool
	// Patience is how long a store may take in which nothing comes or goes; default thirty seconds.
	Patience time.Duration

	// Pause is how long to wait before a request is repeated, at first; default half a second.
	Pause time.Duration
	// Before is called before each request and may answer it with an error; for tests.
	Before func(op, key string) error
}

// Bucket is an open bucket, or what lies below a prefix in it. Several goroutines may use it.
type Bucket struct {
	name    string // its address, without parameters
	prefix  string // of all keys; empty, or with a slash after it
	objects objects
	options Options
	counts  Counts
	mine    sync.Map // the marks of pointers that were perhaps written, and could not be read back
}

// Counts are what was asked of a bucket and what it moved.
type Counts struct {
	Writes, Reads, Deletes atomic.Int64 // requests: lists are counted as writes, which cost the same
	Sent, Received         atomic.Int64 // bytes of objects
}

// Head is what a store sends with an object.
type Head struct {
	Type     string // the media type, with its parameters
	Caching  string // Cache-Control
	Language string // Content-Language; may be empty
}

// Object is an object as a store describes it.
type Object struct {
	Key      string // without the prefix
	Size     int64
	Modified time.Time
	MD5      []byte // only in lists, and only where the store knows it
	tag      tag
}

// tag names one state of an object: an ETag or a generation.
type tag string

// condition is what must hold for an object to be written.
type condition struct {
	absent bool // that it is not there
	tag    tag  // that it has this tag
}

// ErrConflict says that an object is not in the state that its writer knew: somebody else wrote it.
var ErrConflict = errors.New("somebody else wrote there meanwhile")

// objects is a store. An absent object is fs.ErrNotExist; a condition that does not hold is
// ErrConflict. A length below zero reaches to the end.
type objects interface {
	get(ctx context.Context, key string, offset, length int64) (io.ReadCloser, Object, error)
	stat(ctx context.Context, key string) (Object, error)
	put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head, when condition) error
	remove(ctx context.Context, key string, known tag) error // known may be empty, and be ignored
	// list lists a page of objects in the order of their keys, and says where the next one begins:
	// nowhere, if that is empty, which is also where the first one begins.
	list(ctx context.Context, prefix, from string) (page []Object, next string, err error)
	wrongTag() tag // one that no object has
	close() error
}

// Open gets ready to use the bucket at an address. Credentials are those that the tools of each
// cloud find; an address has none. Nothing is read yet.
func Open(ctx context.Context, address string, opt Options) (*Bucket, error) {
	u, err := url.Parse(address)
	if err != nil || !IsAddress(address) {
		return nil, errNoAddress
	}
	if u.User != nil { // which is not repeated
		return nil, errors.New("an address of a bucket has no credentials in it: give them as the tools of the cloud take them, in the environment or a file")
	}
	if opt.Patience <= 0 {
		opt.Patience = 30 * time.Second
	}
	if opt.Pause <= 0 {
		opt.Pause = 500 * time.Millisecond
	}
	b := &Bucket{options: opt}
	if u.Query().Has(releaseParameter) {
		return nil, errors.New("?release= names a release to read, and this is for the newest one: leave it out")
	}
	if u.Scheme == "file" {
		b.name = "file://" + u.Path
		b.objects, err = openFolder(u)
		return b, err
	}
	b.prefix = strings.Trim(u.Path, "/")
	if b.prefix != "" && !layout.ValidPath(b.prefix) {
		return nil, fmt.Errorf("%.80q cannot begin the names of objects: write letters, digits and . _ - ~ between slashes", b.prefix)
	}
	if u.Host == "" {
		return nil, fmt.Errorf("%s:// names no bucket: write %[1]s://BUCKET/PREFIX", u.Scheme)
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

// Close lets the bucket go.
func (b *Bucket) Close() error { return b.objects.close() }

// Name is the address of the bucket, without parameters.
func (b *Bucket) Name() string { return b.name }

// Scheme is how its address begins: s3, gs, azblob or file.
func (b *Bucket) Scheme() string { return b.name[:strings.Index(b.name, "://")] }

// Counts are what was asked of the bucket until now.
func (b *Bucket) Counts() *Counts { return &b.counts }

// Put writes an object, whatever is there.
func (b *Bucket) Put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head) error {
	return b.put(ctx, key, body, size, head, condition{})
}

// put writes an object under a condition. One that has to be absent and is there is ErrConflict,
// also where an earlier try, whose answer was lost, wrote it: who calls it has to see what lies
// there.
func (b *Bucket) put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head, when condition) error {
	if b.options.SingleWriter {
		when = condition{}
	}
	return b.try(ctx, "put", key, func(ctx context.Context) error {
		b.counts.Writes.Add(requests(size))
		err := b.objects.put(ctx, b.prefix+key, body, size, head, when)
		if err == nil {
			b.counts.Sent.Add(size)
		}
		if when.tag != "" && errors.Is(err, fs.ErrNotExist) { // S3 says so of what is gone
			err = fmt.Errorf("%w: %w", ErrConflict, err)
		}
		return err
	})
}

// Read reads a whole object that may have at most so many bytes.
func (b *Bucket) Read(ctx context.Context, key string, most int64) (data []byte, is Object, err error) {
	err = b.try(ctx, "get", key, func(ctx context.Context) error {
		b.counts.Reads.Add(1)
		in, o, err := b.objects.get(ctx, b.prefix+key, 0, -1)
		if err != nil {
			return err
		}
		defer in.Close() // it was only read
		is = o
		data, err = io.ReadAll(io.LimitReader(&counted{in, &b.counts.Received}, most+1))
		if err == nil && int64(len(data)) > most {
			err = final{fmt.Errorf("it is larger than %d bytes", most)}
		}
		return err
	})
	is.Key = key
	return data, is, err
}

// ReadRange reads a part of an object into w, which may have got some of it when that fails: n says
// how much.
func (b *Bucket) ReadRange(ctx context.Context, key string, offset, length int64, w io.WriterAt) (n int64, err error) {
	before := int64(-1)
	for n < length {
		err := b.try(ctx, "get", key, func(ctx context.Context) error {
			b.counts.Reads.Add(1)
			in, _, err := b.objects.get(ctx, b.prefix+key, offset+n, length-n)
			if err != nil {
				return err
			}
			defer in.Close() // it was only read
			from := io.LimitReader(&counted{in, &b.counts.Received}, length-n)
			got, err := io.Copy(io.NewOffsetWriter(w, offset+n), from)
			n += got
			if err == nil && n < length {
				err = io.ErrUnexpectedEOF
			}
			if err != nil && got > 0 && ctx.Err() == nil {
				return nil // there is progress: go on from there
			}
			return err
		})
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

// Stat describes an object.
func (b *Bucket) Stat(ctx context.Context, key string) (o Object, err error) {
	err = b.try(ctx, "get", key, func(ctx context.Context) error {
		b.counts.Reads.Add(1)
		o, err = b.objects.stat(ctx, b.prefix+key)
		return err
	})
	o.Key = key
	return o, err
}

// Remove removes an object, if it is there.
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

// Discard removes an object as it was listed, and not one that was written there since, where the
// store keeps such conditions. It is tried once: where the answer was lost, whoever tried again
// could remove what somebody else wrote meanwhile.
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

// maxListed is how many objects a list may have.
const maxListed = 1 << 24

// List lists the objects whose keys begin with a prefix, in the order of their keys. A list that
// has no end is an error.
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
						return final{fmt.Errorf("the store lists %q after %q, and keys must increase", clipped(o.Key), clipped(last))}
					}
					last = o.Key
				}
				if count += len(page); count > maxListed || len(page) == 0 && next != "" {
					return final{errEndless}
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
