package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"

	"stele/internal/disk/store"
	"stele/release"
)

// ErrEmpty says that there is no release in a bucket.
var ErrEmpty = fmt.Errorf("there is no release in the bucket: stele push puts one there: %w", fs.ErrNotExist)

// TooLargeError says that a pack has more bytes than there may be.
type TooLargeError struct{ Size, Most int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the release has %d MB, and %d MB are allowed", e.Size>>20, e.Most>>20)
}

// releaseParameter of an address names one of the releases that are kept, to be read.
const releaseParameter = "release"

// Find reads the pointer and returns what it names: the release with an ID, or the current one.
func (b *Bucket) Find(ctx context.Context, id string) (State, *Pack, error) {
	s, err := b.Pointer(ctx)
	if err != nil {
		return s, nil, err
	}
	if s.Pointer == nil {
		return s, nil, fmt.Errorf("%s: %w", b.name, ErrEmpty)
	}
	if id == "" {
		return s, s.Current, nil
	}
	p := s.Pointer.Find(id)
	if p == nil {
		return s, nil, fmt.Errorf("%s: release %.40s is not kept there: the pointer names %s and %d before it: %w", b.name, id, s.Current.Release, len(s.Kept), fs.ErrNotExist)
	}
	return s, p, nil
}

// Download brings a release, or the current one for "", into a zip in a folder of its own, which
// remove removes.
func (b *Bucket) Download(
	ctx context.Context,
	id string,
	most int64,
	progress Progress,
) (path string, remove func() error, err error) {
	s, p, err := b.Find(ctx, id)
	if err != nil {
		return "", nil, err
	}
	return b.download(ctx, s.Pointer, p, most, progress)
}

func (b *Bucket) download(ctx context.Context, s *Pointer, p *Pack, most int64, progress Progress) (
	path string, remove func() error, err error,
) {
	if p.Size > most {
		return "", nil, fmt.Errorf("%s: %w", b.name, &TooLargeError{p.Size, most})
	}
	dir, err := os.MkdirTemp("", "stele-bucket-")
	if err != nil {
		return "", nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	if path, err = b.bring(ctx, s, p, dir, math.MaxInt64, progress); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return path, remove, nil
}

// OpenRelease opens the release at an address of a bucket. It is fetched first, and what was
// fetched is removed when the release is closed.
func OpenRelease(
	ctx context.Context,
	address string,
	most int64,
	opt Options,
) (r *release.Release, closeRelease func() error, err error) {
	address, id := cutRelease(address)
	b, err := Open(ctx, address, opt)
	if err != nil {
		return nil, nil, err
	}
	r, closeRelease, err = b.OpenRelease(ctx, id, most)
	if err = errors.Join(err, b.Close()); err != nil && r != nil {
		err = errors.Join(err, closeRelease())
	}
	return r, closeRelease, err
}

// OpenRelease opens a release of a bucket, or the current one for "".
func (b *Bucket) OpenRelease(
	ctx context.Context, id string, most int64,
) (r *release.Release, closeRelease func() error, err error) {
	path, remove, err := b.Download(ctx, id, most, nil)
	if err != nil {
		return nil, nil, err
	}
	r, closeZip, err := store.Open(path)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", b.name, err), remove())
	}
	return r, func() error { return errors.Join(closeZip(), remove()) }, nil
}

// cutRelease takes the release from an address. What is no address is for Open to refuse.
func cutRelease(address string) (without, id string) {
	u, err := url.Parse(address)
	if err != nil {
		return address, ""
	}
	query := u.Query()
	if id = query.Get(releaseParameter); id == "" {
		return address, ""
	}
	query.Del(releaseParameter)
	u.RawQuery = query.Encode()
	return u.String(), id
}
