package fetch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/release"
)

// ChangedError says that a service sent another file than the manifest describes: it is being
// updated, or damaged, or not to be trusted. Who reads the manifest again may have more luck.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string {
	return e.Path + " is not what the manifest says of it: the service is being updated, or it is damaged"
}

// Manifest is that of a service as it was sent, with what it takes to ask whether there is another.
type Manifest struct {
	Data          []byte
	tag, modified string
}

// Manifest reads the manifest. It returns nil if that is still the one that was read before, which
// may be nil.
func (s *Source) Manifest(ctx context.Context, before *Manifest) (*Manifest, error) {
	header := http.Header{"Accept-Encoding": {accepted}, "Cache-Control": {"no-cache"}}
	if before != nil {
		if before.tag != "" {
			header.Set("If-None-Match", before.tag)
		} else if before.modified != "" {
			header.Set("If-Modified-Since", before.modified)
		}
	}
	b, err := s.get(ctx, layout.ManifestPath, header)
	if err != nil {
		return nil, err
	}
	defer b.Close() // it was only read
	switch {
	case b.response.StatusCode == http.StatusNotModified && before != nil:
		return nil, nil
	case b.response.StatusCode != http.StatusOK:
		err := b.refused()
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no release here: %s is missing: %w", layout.ManifestPath, err)
		}
		return nil, err
	}
	in, err := decode(b, b.response.Header.Get("Content-Encoding"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", layout.ManifestPath, err)
	}
	data, err := io.ReadAll(io.LimitReader(in, layout.MaxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", layout.ManifestPath, err)
	}
	if len(data) > layout.MaxManifest {
		return nil, fmt.Errorf("%s is larger than %d MiB", layout.ManifestPath, layout.MaxManifest>>20)
	}
	s.noByHash.Store(false) // there may be others than before
	return &Manifest{data, b.response.Header.Get("ETag"), settled(b.response.Header)}, nil
}

// settled is when a file was changed last, if it was not at the time at which it was sent: within
// the same second it may have changed again (RFC 9110, section 8.8.2.2).
func settled(h http.Header) string {
	modified, err1 := http.ParseTime(h.Get("Last-Modified"))
	sent, err2 := http.ParseTime(h.Get("Date"))
	if err1 != nil || err2 != nil || sent.Sub(modified) < 2*time.Second {
		return ""
	}
	return h.Get("Last-Modified")
}

func decode(r io.Reader, encoding string) (io.Reader, error) {
	if encoding == "" || encoding == "identity" {
		return r, nil
	}
	e, ok := compress.Named(encoding)
	if !ok {
		return nil, fmt.Errorf("the service sends it in the encoding %.40q, which is not known", encoding)
	}
	return e.Reader(r)
}

// Fetch reads a file of the release into one on disk, which is empty, and makes sure that it is the
// file that the manifest describes. It asks for the file by its digest first, because a host that
// is being updated may have another one at the path, and for the smallest variant.
func (s *Source) Fetch(ctx context.Context, f *release.File, to *os.File) error {
	if !s.noByHash.Load() {
		small := release.Variant{Size: f.Size, SHA256: f.SHA256}
		for _, v := range f.Variants {
			if _, known := compress.Named(v.Encoding); known && v.Size < small.Size {
				small = v
			}
		}
		err := s.fetchByHash(ctx, f, small, to)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		s.noByHash.Store(true)
		if err := empty(to); err != nil {
			return err
		}
	}
	return s.fetchNamed(ctx, f, to)
}

// FetchVariant reads a variant as it is.
func (s *Source) FetchVariant(ctx context.Context, v *release.Variant, to *os.File) error {
	as := &release.File{Path: v.Path, Size: v.Size, SHA256: v.SHA256}
	err := s.fetchRaw(ctx, layout.ByHashPath(v.SHA256.String()), as, to)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := empty(to); err != nil {
		return err
	}
	return s.fetchRaw(ctx, v.Path, as, to)
}

func empty(f *os.File) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return f.Truncate(0)
}

// fetchByHash reads a file or a variant of it, and decodes that.
func (s *Source) fetchByHash(ctx context.Context, f *release.File, v release.Variant, to *os.File) error {
	b, err := s.get(ctx, layout.ByHashPath(v.SHA256.String()), http.Header{"Accept-Encoding": {"identity"}})
	if err != nil {
		return err
	}
	defer b.Close() // it was only read
	if b.response.StatusCode != http.StatusOK {
		return b.refused()
	}
	return s.take(f, b, v.Encoding, v.Size, to)
}

// fetchNamed reads the file that is at its path now.
func (s *Source) fetchNamed(ctx context.Context, f *release.File, to *os.File) error {
	b, err := s.get(ctx, f.Path, http.Header{"Accept-Encoding": {accepted}})
	if err != nil {
		return err
	}
	defer b.Close() // it was only read
	if b.response.StatusCode != http.StatusOK {
		return b.refused()
	}
	return s.take(f, b, b.response.Header.Get("Content-Encoding"), maxEncoded(f.Size), to)
}

// fetchRaw reads a file whose bytes are taken as they are.
func (s *Source) fetchRaw(ctx context.Context, path string, f *release.File, to *os.File) error {
	b, err := s.get(ctx, path, http.Header{"Accept-Encoding": {"identity"}})
	if err != nil {
		return err
	}
	defer b.Close() // it was only read
	if b.response.StatusCode != http.StatusOK {
		return b.refused()
	}
	return s.take(f, b, "", f.Size, to)
}

// maxEncoded is how many bytes a file may have when it is sent compressed: no compressor makes it
// much larger.
func maxEncoded(size int64) int64 { return size + size/8 + 64<<10 }

// take decodes what comes and holds it to the digest of the file. No more is read than there should
// be, and a byte.
func (s *Source) take(f *release.File, in io.Reader, encoding string, most int64, to *os.File) error {
	if s.decoded.Add(f.Size) > s.limits.Bytes {
		return fmt.Errorf("%w: %d bytes", errTooMuch, s.limits.Bytes)
	}
	in, err := decode(io.LimitReader(in, most+1), encoding)
	if err != nil {
		return damagedIn(f.Path, err)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(in, f.Size+1))
	switch {
	case err != nil:
		return damagedIn(f.Path, err)
	case n != f.Size || release.Digest(sum.Sum(nil)) != f.SHA256:
		return &ChangedError{f.Path}
	}
	return nil
}

// damagedIn tells what the disk or the connection says from what a decoder does, for which another
// file may be the reason.
func damagedIn(path string, err error) error {
	var onDisk *fs.PathError
	if errors.As(err, &onDisk) || errors.Is(err, errStalled) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return errors.Join(&ChangedError{path}, err)
}
