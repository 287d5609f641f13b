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

	"stele/internal/base/layout"
	"stele/internal/disk/scratch"
	"stele/release"
)

// Transport answers requests for the files of the release in a bucket as a service would, so
// whoever keeps a copy of a service keeps one of a bucket too. Files come from their public
// addresses if they are there, and else out of the pack: by ranges if few are wanted and it lies in
// one piece, and else it is fetched.
type Transport struct {
	// Whole fetches the pack at once, for whoever wants all of it.
	Whole bool

	bucket *Bucket
	id     string // of the release, or "" for the current one
	most   int64  // bytes that a pack may have
	pack   *Pack
	files  files
	close  func() error

	manifest []byte // of the pack
}

// files are those of a release in a bucket. Where one is not there, that is fs.ErrNotExist. What
// comes begins so many bytes after the file does.
type files interface {
	open(ctx context.Context, name string, from int64) (*content, error)
}

type content struct {
	io.ReadCloser
	size int64 // of all of it
}

// Transport makes one. It answers nothing before it was refreshed.
func (b *Bucket) Transport(most int64) *Transport {
	return &Transport{bucket: b, most: most, close: func() error { return nil }}
}

// Refresh finds the current release, and gets ready to answer. Nobody may ask meanwhile.
func (t *Transport) Refresh(ctx context.Context, progress Progress) error {
	s, p, err := t.bucket.Find(ctx, t.id)
	if err != nil || t.pack != nil && t.pack.SHA256 == p.SHA256 {
		return err
	}
	shown := s.Site != nil && s.Site.Writing == "" && slices.Equal(s.Site.Manifests, []release.Digest{p.Manifest})
	var is files = atAddresses{t.bucket}
	end := func() error { return nil }
	whole := func(ctx context.Context) (files, error) {
		r, closeRelease, err := t.bucket.open(ctx, s.Pointer, p, t.most, progress)
		if err != nil {
			return nil, err
		}
		end = closeRelease
		return fetched{r.Files}, nil
	}
	switch {
	case shown:
	case t.Whole || p.Path == "" || p.Size < wholeAnyway:
		is, err = whole(ctx)
	default:
		is, err = newRanged(ctx, t.bucket, p, whole)
	}
	if err != nil {
		return err
	}
	manifest, err := readManifest(ctx, is, p)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", t.bucket.name, err), end())
	}
	err = t.close()
	t.pack, t.files, t.close, t.manifest = p, is, func() error { return end() }, manifest
	return err
}

// readManifest makes sure of the manifest. Who reads other files holds them to that.
func readManifest(ctx context.Context, files files, p *Pack) ([]byte, error) {
	in, err := files.open(ctx, layout.ManifestPath, 0)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, layout.MaxManifest+1))
	if err = errors.Join(err, in.Close()); err == nil && sha256.Sum256(data) != p.Manifest {
		err = fmt.Errorf("%s: %w", layout.ManifestPath, errOther)
	}
	return data, err
}

// wholeAnyway is how large a pack must be so that ranges of it are worth their requests.
const wholeAnyway = 1 << 20

// Close removes what was fetched.
func (t *Transport) Close() error { return t.close() }

// RoundTrip answers a request.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	tag := `"` + t.pack.SHA256.String() + `"`
	if name == layout.ManifestPath {
		if r.Header.Get("If-None-Match") == tag {
			return respond(r, http.StatusNotModified, http.NoBody, 0), nil
		}
		answer := respond(r, http.StatusOK, io.NopCloser(bytes.NewReader(t.manifest)), int64(len(t.manifest)))
		answer.Header.Set("ETag", tag)
		return answer, nil
	}
	var from int64
	ranged, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
	in, err := t.files.open(r.Context(), name, from)
	if errors.Is(err, fs.ErrNotExist) {
		return respond(r, http.StatusNotFound, http.NoBody, 0), nil
	}
	if err != nil {
		return nil, err
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
	return &content{on, o.Size}, nil
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
	return &content{in, info.Size()}, nil
}

// Part reads a part of an object into a file without a name.
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
