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

// ChangedError means that a file of a service differs from the manifest: the service is being
// updated, is damaged or is not trustworthy. Reading the manifest again may help.
type ChangedError struct {
	Path string
	Err  error // of decoding the file, or nil
}

func (e *ChangedError) Error() string {
	text := e.Path + " does not match the manifest: the service is being updated, or the file is damaged"
	if e.Err != nil {
		text += fmt.Sprintf(" (%v)", e.Err)
	}
	return text
}

// brokenError means that a transfer ended early.
type brokenError struct {
	path string
	err  error
}

func (e *brokenError) Error() string { return e.path + ": " + e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// Manifest is the manifest as the service sent it, with the validators for a conditional request.
type Manifest struct {
	Data          []byte
	Behind        string // why the manifest may not be the latest, as layout.BehindReasons; or ""
	tag, modified string
}

// Manifest reads the manifest. It returns nil if the manifest is the same as before. before may be
// nil.
func (s *Source) Manifest(ctx context.Context, before *Manifest) (*Manifest, error) {
	m, err := s.readManifest(ctx, before)
	if broken := new(brokenError); errors.As(err, &broken) && isTransient(err) {
		return s.readManifest(ctx, before)
	}
	return m, err
}

func (s *Source) readManifest(ctx context.Context, before *Manifest) (*Manifest, error) {
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
	defer b.Close() // b was only read
	if b.StatusCode == http.StatusNotModified && before != nil {
		return nil, nil
	}
	in, err := b.decodedContent()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("no release found: %s is missing: %w", layout.ManifestPath, err)
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
	s.noByHash.Store(false) // the new release may have such files
	return &Manifest{data, b.Header.Get(layout.BehindHeader), b.Header.Get("ETag"), stableLastModified(b.Header)}, nil
}

// stableLastModified returns the Last-Modified of an answer, or "" if it is within two seconds of
// the Date, because the file may change again within the same second (RFC 9110, section 8.8.2.2).
func stableLastModified(h http.Header) string {
	modified, err1 := http.ParseTime(h.Get("Last-Modified"))
	sent, err2 := http.ParseTime(h.Get("Date"))
	if err1 != nil || err2 != nil || sent.Sub(modified) < 2*time.Second {
		return ""
	}
	return h.Get("Last-Modified")
}

// Fetch reads a file of the release into to, an empty file, and checks its digest. It first
// requests the smallest variant by digest, because a host that is being updated may have a
// different file at the path.
func (s *Source) Fetch(ctx context.Context, f *release.File, to *os.File) error {
	return s.fetch(ctx, f, SmallestVariant(f), accepted, to)
}

// SmallestVariant returns the smallest variant of a file, or the file itself as a variant without
// an encoding.
func SmallestVariant(f *release.File) release.Variant {
	small := release.Variant{Size: f.Size, SHA256: f.SHA256}
	for _, v := range f.Variants {
		if _, known := compress.Named(v.Encoding); known && v.Size < small.Size {
			small = v
		}
	}
	return small
}

// FetchVariant reads a variant without decoding it.
func (s *Source) FetchVariant(ctx context.Context, v *release.Variant, to *os.File) error {
	as := &release.File{Path: v.Path, Size: v.Size, SHA256: v.SHA256}
	return s.fetch(ctx, as, release.Variant{Size: v.Size, SHA256: v.SHA256}, "identity", to)
}

// fetch requests the variant v of a file by digest, and otherwise the file at its path.
func (s *Source) fetch(ctx context.Context, f *release.File, v release.Variant, encodings string, to *os.File) error {
	if !s.noByHash.Load() {
		err := retryOnce(to, func() error { return s.fetchByHash(ctx, f, v, to) })
		// a host may answer with another file if one is missing
		if changed := new(ChangedError); !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &changed) {
			return err
		}
		s.noByHash.Store(true)
		if err := Empty(to); err != nil {
			return err
		}
	}
	return retryOnce(to, func() error { return s.fetchNamed(ctx, f, encodings, to) })
}

// FetchNamed is like Fetch, but for a file that hosts do not provide by digest.
func (s *Source) FetchNamed(ctx context.Context, f *release.File, to *os.File) error {
	return retryOnce(to, func() error { return s.fetchNamed(ctx, f, accepted, to) })
}

// retryOnce calls do. If the transfer ended early for a temporary reason, it empties to and calls
// do again.
func retryOnce(to *os.File, do func() error) error {
	err := do()
	if broken := new(brokenError); !errors.As(err, &broken) || !isTransient(err) {
		return err
	}
	if err := Empty(to); err != nil {
		return err
	}
	return do()
}

// Empty truncates a file and moves to its beginning.
func Empty(f *os.File) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return f.Truncate(0)
}

// fetchByHash fetches the variant v of a file by digest and decodes it.
func (s *Source) fetchByHash(ctx context.Context, f *release.File, v release.Variant, to *os.File) error {
	b, err := s.get(ctx, layout.ByHashPath(v.SHA256.String()), http.Header{"Accept-Encoding": {"identity"}})
	if err != nil {
		return err
	}
	defer b.Close() // b was only read
	if b.StatusCode != http.StatusOK {
		return b.statusError()
	}
	decoded, err := answers.Decode(io.LimitReader(b, v.Size+1), v.Encoding)
	return s.copyChecked(f, b, decoded, err, to)
}

// fetchNamed fetches the file at its path.
func (s *Source) fetchNamed(ctx context.Context, f *release.File, encodings string, to *os.File) error {
	b, err := s.get(ctx, f.Path, http.Header{"Accept-Encoding": {encodings}})
	if err != nil {
		return err
	}
	defer b.Close() // b was only read
	decoded, err := b.contentFrom(io.LimitReader(b, maxEncoded(f.Size)+1))
	return s.copyChecked(f, b, decoded, err, to)
}

// maxEncoded returns the maximum compressed size of a file of size bytes. No compressor makes a
// file much larger.
func maxEncoded(size int64) int64 { return size + size/8 + 64<<10 }

// copyChecked copies the decoded body into to and checks its size and digest. It reads at most one
// byte too many.
func (s *Source) copyChecked(f *release.File, b *body, decoded io.Reader, err error, to *os.File) error {
	if s.decoded.Add(f.Size) > s.limits.Bytes {
		return fmt.Errorf("%w: %d bytes", errTooMuch, s.limits.Bytes)
	}
	sum, n := sha256.New(), int64(0)
	if err == nil {
		n, err = io.Copy(io.MultiWriter(to, sum), io.LimitReader(decoded, f.Size+1))
	}
	var ofDisk *fs.PathError // or the service does not have the file
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
