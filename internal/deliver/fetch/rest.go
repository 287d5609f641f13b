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

	"stele/internal/base/layout"
	"stele/release"
)

// FetchRest completes a file of the release whose first bytes are already in to. It requests only
// the rest. If the service does not send the rest, or the digest is wrong, FetchRest fetches the
// whole file.
func (s *Source) FetchRest(ctx context.Context, f *release.File, to *os.File) error {
	from, err := to.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	err = fs.ErrNotExist
	if !s.noByHash.Load() {
		err = s.fetchRest(ctx, layout.ByHashPath(f.SHA256.String()), f, from, to)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = s.fetchRest(ctx, f.Path, f, from, to)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	if err := Empty(to); err != nil {
		return err
	}
	return s.Fetch(ctx, f, to)
}

func (s *Source) fetchRest(ctx context.Context, path string, f *release.File, from int64, to *os.File) error {
	b, err := s.get(ctx, path, http.Header{
		"Accept-Encoding": {"identity"}, "Range": {fmt.Sprintf("bytes=%d-", from)},
	})
	if err != nil {
		return err
	}
	defer b.Close() // b was only read
	rest := fmt.Sprintf("bytes %d-%d/%d", from, f.Size-1, f.Size)
	switch {
	case b.StatusCode >= http.StatusMultipleChoices:
		return b.statusError()
	case b.StatusCode != http.StatusPartialContent || b.Header.Get("Content-Range") != rest:
		return &ChangedError{f.Path, nil}
	}
	b.at = from // offset to continue from if the connection breaks
	if s.decoded.Add(f.Size-from) > s.limits.Bytes {
		return fmt.Errorf("%w: %d bytes", errTooMuch, s.limits.Bytes)
	}
	if _, err := io.Copy(to, io.LimitReader(b, f.Size-from+1)); err != nil {
		return err
	}
	if _, err := to.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, to)
	if err == nil && (n != f.Size || release.Digest(sum.Sum(nil)) != f.SHA256) {
		err = &ChangedError{f.Path, nil}
	}
	return err
}
