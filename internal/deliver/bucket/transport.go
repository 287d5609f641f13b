package bucket

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/disk/scratch"
	"stele/internal/disk/store"
	"stele/release"
)

// Transport answers requests for the files of a bucket's release as a service would, so that code
// that reads services can also read buckets. Each request for the manifest looks for the current
// release. Files are read from their public URLs if possible. Otherwise they are read from the
// pack: with range requests if few are needed, or else by downloading the whole pack. A Transport
// is safe for concurrent use.
type Transport struct {
	// Whole makes the transport download the whole pack at once.
	Whole bool
	// Directory is a file that stores the directory of the pack for the next process; "" for none.
	Directory string

	bucket     *Bucket
	ownsBucket bool   // whether closing the transport closes the bucket
	id         string // of the release, or "" for the current one
	most       int64  // maximum size of a pack in bytes

	looking sync.Mutex // held while the current release is looked for
	looked  bool       // whether that was done, and no manifest was read since
	mu      sync.Mutex
	current *source // nil before the first look
}

// source reads the files of one release.
type source struct {
	files
	pack     *Pack
	manifest []byte
	close    func() error
	users    int // number of open answers, plus one if it is the current source
}

// files reads the files of a release in a bucket. open returns fs.ErrNotExist for a missing file.
// Its content starts at offset from.
type files interface {
	open(ctx context.Context, name string, from int64) (*content, error)
}

type content struct {
	io.ReadCloser
	size     int64  // of the whole file, as sent
	encoding string // compression of what is sent, or ""
}

// Transport returns a transport for the bucket. most is the maximum size of a pack in bytes.
func (b *Bucket) Transport(most int64) *Transport { return &Transport{bucket: b, most: most} }

// Name returns the URL of the bucket, without parameters.
func (t *Transport) Name() string { return t.bucket.name }

// Counts returns the numbers of requests and bytes so far.
func (t *Transport) Counts() *Counts { return t.bucket.Counts() }

// Find reads the pointer and returns the release that the transport reads.
func (t *Transport) Find(ctx context.Context) (State, *Pack, error) { return t.bucket.Find(ctx, t.id) }

// Refresh finds the current release and prepares to answer requests. The next request for the
// manifest uses this release without looking for a newer one.
func (t *Transport) Refresh(ctx context.Context, progress Progress) error {
	t.looking.Lock()
	defer t.looking.Unlock()
	t.looked = true
	return t.findCurrent(ctx, progress)
}

func (t *Transport) findCurrent(ctx context.Context, progress Progress) error {
	s, p, err := t.Find(ctx)
	for range maxLooks {
		if err != nil || t.current != nil && t.current.pack.SHA256 == p.SHA256 {
			return err
		}
		next, failure := t.open(ctx, s, p, progress)
		if failure == nil {
			return t.replace(next)
		}
		mark := s.Push
		if s, p, err = t.Find(ctx); err != nil || s.Push == mark {
			return failure
		}
	}
	return fmt.Errorf("%s: %w", t.bucket.name, errGone)
}

// maxLooks is the maximum number of releases that are looked for while others replace them.
const maxLooks = 5

// open opens a release and reads its manifest.
func (t *Transport) open(ctx context.Context, s State, p *Pack, progress Progress) (*source, error) {
	next, err := t.choose(ctx, s, p, progress)
	if err == nil {
		if next.manifest, err = readManifest(ctx, next, p); err == nil {
			return next, nil
		}
		err = fmt.Errorf("%s: %w", t.bucket.name, err)
	}
	return nil, errors.Join(err, next.close())
}

// choose chooses how to read the files of a release.
func (t *Transport) choose(ctx context.Context, s State, p *Pack, progress Progress) (next *source, err error) {
	next = &source{files: atAddresses{t.bucket}, pack: p, users: 1, close: func() error { return nil }}
	if s.Site != nil && s.Site.Writing == "" && slices.Equal(s.Site.Manifests, []release.Digest{p.Manifest}) {
		return next, nil
	}
	pack := func(ctx context.Context) (files, error) { return t.openPack(ctx, next, s.Pointer, p, progress) }
	if p.Records != nil && !t.Whole {
		next.files, err = newRecords(ctx, t.bucket, p, pack)
		if !errors.Is(err, errLayout) && !errors.Is(err, fs.ErrNotExist) {
			return next, err
		}
	}
	next.files, err = pack(ctx)
	return next, err
}

// openPack opens the pack of a release. Closing next closes it.
func (t *Transport) openPack(
	ctx context.Context, next *source, s *Pointer, p *Pack, progress Progress,
) (files, error) {
	whole := func(ctx context.Context) (files, error) {
		r, closeRelease, err := t.bucket.open(ctx, s, p, t.most, progress)
		if err != nil {
			return nil, err
		}
		next.onClose(closeRelease)
		return fetched{r.Files}, nil
	}
	if !t.Whole && p.Size >= minRanged {
		r, err := newRanged(ctx, t, s, p, whole)
		if err == nil {
			next.onClose(r.close)
			return r, nil
		}
		if !errors.Is(err, store.ErrForeign) {
			return nil, err
		}
	}
	return whole(ctx)
}

// onClose makes close call f too.
func (s *source) onClose(f func() error) {
	before := s.close
	s.close = func() error { return errors.Join(before(), f()) }
}

// replace makes next, which may be nil, the current source. The previous source is closed after its
// last answer.
func (t *Transport) replace(next *source) error {
	t.mu.Lock()
	before := t.current
	t.current = next
	t.mu.Unlock()
	return t.endUse(before)
}

// endUse ends the use of a source, which may be nil.
func (t *Transport) endUse(s *source) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s == nil {
		return nil
	}
	if s.users--; s.users > 0 {
		return nil
	}
	return s.close()
}

// use returns the current source. If name is the manifest, use first looks for the current release,
// unless Refresh just did.
func (t *Transport) use(ctx context.Context, name string) (*source, error) {
	t.looking.Lock()
	var err error
	if name == layout.ManifestPath && !t.looked || t.current == nil {
		err = t.findCurrent(ctx, nil)
	}
	if name == layout.ManifestPath {
		t.looked = false
	}
	t.looking.Unlock()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil {
		return nil, fs.ErrClosed
	}
	t.current.users++
	return t.current, nil
}

// readManifest reads the manifest and checks its digest. Readers check the other files against it.
func readManifest(ctx context.Context, files files, p *Pack) ([]byte, error) {
	in, err := files.open(ctx, layout.ManifestPath, 0)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, layout.MaxManifest+1))
	if err = errors.Join(err, in.Close()); err == nil && sha256.Sum256(data) != p.Manifest {
		err = fmt.Errorf("%s: %w", layout.ManifestPath, errMismatch)
	}
	return data, err
}

// minRanged is the size below which a pack is downloaded whole, because range requests would not
// save time.
const minRanged = 1 << 20

// Close deletes the downloaded data.
func (t *Transport) Close() error {
	err := t.replace(nil)
	if t.ownsBucket {
		err = errors.Join(err, t.bucket.Close())
	}
	return err
}

// RoundTrip answers a request.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	s, err := t.use(r.Context(), name)
	if err != nil {
		return nil, err
	}
	answer, err := s.answer(r, name)
	if err != nil {
		return nil, errors.Join(err, t.endUse(s))
	}
	answer.Body = &answerBody{ReadCloser: answer.Body, leave: sync.OnceValue(func() error { return t.endUse(s) })}
	return answer, nil
}

// answerBody is the body of an answer. Closing it ends the use of its source.
type answerBody struct {
	io.ReadCloser
	leave func() error
}

func (b *answerBody) Close() error { return errors.Join(b.ReadCloser.Close(), b.leave()) }

func (s *source) answer(r *http.Request, name string) (*http.Response, error) {
	tag := `"` + s.pack.SHA256.String() + `"`
	if name == layout.ManifestPath {
		if r.Header.Get("If-None-Match") == tag {
			return respond(r, http.StatusNotModified, http.NoBody, 0), nil
		}
		answer := respond(r, http.StatusOK, io.NopCloser(bytes.NewReader(s.manifest)), int64(len(s.manifest)))
		answer.Header.Set("ETag", tag)
		return answer, nil
	}
	var from int64
	ranged, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
	in, err := s.open(r.Context(), name, from)
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errGone) {
		return respond(r, http.StatusNotFound, http.NoBody, 0), nil
	}
	if err != nil {
		return nil, err
	}
	if in.encoding != "" {
		answer := respond(r, http.StatusOK, in, in.size)
		answer.Header.Set("Content-Encoding", in.encoding)
		return answer, nil
	}
	answer := respond(r, http.StatusOK, in, in.size-from)
	if ranged > 0 {
		answer = respond(r, http.StatusPartialContent, in, in.size-from)
		answer.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, in.size-1, in.size))
	}
	return answer, nil
}

func respond(r *http.Request, status int, body io.ReadCloser, size int64) *http.Response {
	return &http.Response{
		StatusCode: status, Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: body, ContentLength: size,
	}
}

type atAddresses struct{ *Bucket }

func (a atAddresses) open(ctx context.Context, name string, from int64) (*content, error) {
	o, err := a.Stat(ctx, name)
	if err != nil || from > o.Size {
		return nil, cmp.Or(err, fs.ErrInvalid)
	}
	on, err := a.Part(ctx, name, from, o.Size-from)
	if err != nil {
		return nil, err
	}
	return &content{on, o.Size, ""}, nil
}

type fetched struct{ fs.FS }

func (f fetched) open(_ context.Context, name string, from int64) (*content, error) {
	in, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := in.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, in, from)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &content{in, info.Size(), ""}, nil
}

// Part downloads size bytes of an object, from at on, into an unnamed temporary file.
func (b *Bucket) Part(ctx context.Context, path string, at, size int64) (*os.File, error) {
	on, err := scratch.New("", "stele-bucket-*")
	if err != nil {
		return nil, err
	}
	if _, err := b.ReadRange(ctx, path, at, size, io.NewOffsetWriter(on, -at)); err != nil {
		return nil, errors.Join(err, on.Close())
	}
	return on, nil
}
