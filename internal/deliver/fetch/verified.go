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
	"stele/internal/trust/answers"
	"stele/release"
)

// ChangedError says that a service sent another file than the manifest describes: it is being
// updated, or damaged, or not to be trusted. Who reads the manifest again may have more luck.
type ChangedError struct {
	Path string
	Err  error // of decoding it, or nil
}

func (e *ChangedError) Error() string {
	text := e.Path + " is not what the manifest says of it: the service is being updated, or it is damaged"
	if e.Err != nil {
		text += fmt.Sprintf(" (%v)", e.Err)
	}
	return text
}

// brokenError says that a file did not come to its end.
type brokenError struct {
	path string
	err  error
}

func (e *brokenError) Error() string { return e.path + ": " + e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// Manifest is that of a service as it was sent, with what it takes to ask whether there is another.
type Manifest struct {
	Data          []byte
	Behind        string // why it may not be the latest release's, as layout.BehindReasons; or ""
	tag, modified string
}

// Manifest reads the manifest. It returns nil if that is still the one that was read before, which
// may be nil.
func (s *Source) Manifest(ctx context.Context, before *Manifest) (*Manifest, error) {
	m, err := s.manifest(ctx, before)
	if broken := new(brokenError); errors.As(err, &broken) && isPassing(err) {
		return s.manifest(ctx, before)
	}
	return m, err
}

func (s *Source) manifest(ctx context.Context, before *Manifest) (*Manifest, error) {
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
	if b.StatusCode == http.StatusNotModified && before != nil {
		return nil, nil
	}
	in, err := b.content()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no release here: %s is missing: %w", layout.ManifestPath, err)
		}
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, layout.MaxManifest+1))
	if err != nil {
		return nil, &brokenError{layout.ManifestPath, err}
	}
	if len(data) > layout.MaxManifest {
		return nil, fmt.Errorf("%s is larger than %d MiB", layout.ManifestPath, layout.MaxManifest>>20)
	}
	s.noByHash.Store(false) // there may be others than before
	return &Manifest{data, b.Header.Get(layout.BehindHeader), b.Header.Get("ETag"), settled(b.Header)}, nil
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

// Fetch reads a file of the release into one on disk, which is empty, and makes sure that it is the
// file that the manifest describes. It asks for the file by its digest first, because a host that
// is being updated may have another one at the path, and for the smallest variant.
func (s *Source) Fetch(ctx context.Context, f *release.File, to *os.File) error {
	return s.fetch(ctx, f, Smallest(f), accepted, to)
}

// Smallest is the smallest form of a file: one of its variants, or itself without an encoding.
func Smallest(f *release.File) release.Variant {
	small := release.Variant{Size: f.Size, SHA256: f.SHA256}
	for _, v := range f.Variants {
		if _, known := compress.Named(v.Encoding); known && v.Size < small.Size {
			small = v
		}
	}
	return small
}

// FetchVariant reads a variant as it is.
func (s *Source) FetchVariant(ctx context.Context, v *release.Variant, to *os.File) error {
	as := &release.File{Path: v.Path, Size: v.Size, SHA256: v.SHA256}
	return s.fetch(ctx, as, release.Variant{Size: v.Size, SHA256: v.SHA256}, "identity", to)
}

// fetch reads a file in the form of a variant by its digest, or else the file that is at its path.
func (s *Source) fetch(ctx context.Context, f *release.File, v release.Variant, encodings string, to *os.File) error {
	if !s.noByHash.Load() {
		err := restarted(to, func() error { return s.fetchByHash(ctx, f, v, to) })
		// a host may answer with something else for what it does not have
		if changed := new(ChangedError); !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &changed) {
			return err
		}
		s.noByHash.Store(true)
		if err := Empty(to); err != nil {
			return err
		}
	}
	return restarted(to, func() error { return s.fetchNamed(ctx, f, encodings, to) })
}

// FetchNamed does what Fetch does with a file that no host has by its digest.
func (s *Source) FetchNamed(ctx context.Context, f *release.File, to *os.File) error {
	return restarted(to, func() error { return s.fetchNamed(ctx, f, accepted, to) })
}

// restarted does something again, once, where a file broke off for a reason that may pass.
func restarted(to *os.File, do func() error) error {
	err := do()
	if broken := new(brokenError); !errors.As(err, &broken) || !isPassing(err) {
		return err
	}
	if err := Empty(to); err != nil {
		return err
	}
	return do()
}

// Empty lets a file be filled anew.
func Empty(f *os.File) error {
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
	if b.StatusCode != http.StatusOK {
		return b.refused()
	}
	decoded, err := answers.Decode(io.LimitReader(b, v.Size+1), v.Encoding)
	return s.take(f, b, decoded, err, to)
}

// fetchNamed reads the file that is at its path now.
func (s *Source) fetchNamed(ctx context.Context, f *release.File, encodings string, to *os.File) error {
	b, err := s.get(ctx, f.Path, http.Header{"Accept-Encoding": {encodings}})
	if err != nil {
		return err
	}
	defer b.Close() // it was only read
	decoded, err := b.contentOf(io.LimitReader(b, maxEncoded(f.Size)+1))
	return s.take(f, b, decoded, err, to)
}

// maxEncoded is how many bytes a file may have when it is sent compressed: no compressor makes it
// much larger.
func maxEncoded(size int64) int64 { return size + size/8 + 64<<10 }

// take holds what comes, decoded, to the digest of the file. No more is read than there should be,
// and a byte.
func (s *Source) take(f *release.File, b *body, decoded io.Reader, err error, to *os.File) error {
	if s.decoded.Add(f.Size) > s.limits.Bytes {
		return fmt.Errorf("%w: %d bytes", errTooMuch, s.limits.Bytes)
	}
	sum, n := sha256.New(), int64(0)
	if err == nil {
		n, err = io.Copy(io.MultiWriter(to, sum), io.LimitReader(decoded, f.Size+1))
	}
	var ofDisk *fs.PathError // or that the service does not have it
	switch {
	case b.broken != nil:
		return &brokenError{f.Path, b.broken}
	case errors.As(err, &ofDisk):
		return err
	case err != nil || n != f.Size || release.Digest(sum.Sum(nil)) != f.SHA256:
		return &ChangedError{f.Path, err}
	}
	return nil
}
