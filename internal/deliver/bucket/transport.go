package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/disk/store"
)

// Transport answers requests for the files of a release as a service would, from the pack of a
// bucket that was fetched last: so whoever keeps a copy of a service keeps one of a bucket too.
type Transport struct {
	bucket *Bucket
	most   int64  // bytes that a pack may have
	dir    string // where packs are
	path   string // of the pack
	pack   *Pack
	files  fs.FS
	close  func() error
}

// Transport makes one. It answers nothing before it was refreshed.
func (b *Bucket) Transport(most int64) *Transport { return &Transport{bucket: b, most: most} }

// Refresh fetches the current release, unless it is here already. What did not change is taken from
// the one before it. Nobody may ask meanwhile.
func (t *Transport) Refresh(ctx context.Context, progress Progress) error {
	s, p, err := t.bucket.Find(ctx, "")
	if err != nil || t.pack != nil && t.pack.SHA256 == p.SHA256 {
		return err
	}
	if p.Size > t.most {
		return fmt.Errorf("%s: %w", t.bucket.name, &TooLargeError{p.Size, t.most})
	}
	if t.dir == "" {
		if t.dir, err = os.MkdirTemp("", "stele-bucket-"); err != nil {
			return err
		}
	}
	path, err := t.bucket.bring(ctx, s.Pointer, p, t.dir, math.MaxInt64, progress)
	if err != nil {
		return err
	}
	r, closeRelease, err := store.Open(path)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", t.bucket.name, err), os.Remove(path))
	}
	if t.pack != nil {
		err = errors.Join(t.close(), os.Remove(t.path))
	}
	t.pack, t.path, t.files, t.close = p, path, r.Files, closeRelease
	return err
}

// Close removes what was fetched.
func (t *Transport) Close() error {
	var err error
	if t.close != nil {
		err = t.close()
	}
	if t.dir != "" {
		err = errors.Join(err, os.RemoveAll(t.dir))
	}
	return err
}

// RoundTrip answers a request.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	f, err := t.files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return respond(r, http.StatusNotFound, http.NoBody, 0), nil
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return respond(r, http.StatusNotFound, http.NoBody, 0), errors.Join(err, f.Close())
	}
	tag := ""
	if name == layout.ManifestPath {
		tag = `"` + t.pack.SHA256.String() + `"`
	}
	if tag != "" && r.Header.Get("If-None-Match") == tag {
		return respond(r, http.StatusNotModified, http.NoBody, 0), f.Close()
	}
	answer := respond(r, http.StatusOK, f, info.Size())
	if tag != "" {
		answer.Header.Set("ETag", tag)
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
