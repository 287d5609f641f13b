package bucket

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"stele/internal/disk/increment"
	"stele/internal/disk/scratch"
	"stele/internal/disk/store"
)

// ranged reads files of a pack with range requests, as long as few files are read. It requests
// ranges of the pack itself, or of the pack from which increments build it. Callers check the files
// against the manifest.
type ranged struct {
	whole func(context.Context) (files, error) // downloads the pack

	mu          sync.Mutex
	base        base
	view        *increment.View
	zip         map[string]*zip.File
	count       int
	replacement files // replaces it after many files were read
}

// base is a partly downloaded pack.
type base struct {
	*Bucket
	*Piece
	ctx    context.Context
	file   *os.File   // the downloaded parts, at their offsets in the pack
	ranges [][2]int64 // offsets of their beginnings and ends, sorted
}

const (
	maxRangeFiles = 500       // files; after that the pack is downloaded
	maxDirectory  = 256 << 20 // bytes
	tail          = 64 << 10
	maxGap        = 4 << 10 // bytes that cost less than another request
)

// newRanged reads the directory of a pack, or of the base that it is built from with increments.
func newRanged(
	ctx context.Context, t *Transport, s *Pointer, p *Pack, whole func(context.Context) (files, error),
) (r *ranged, err error) {
	b := t.bucket
	w := plan{whole: &Piece{p.Path, p.Size, p.SHA256}}
	if p.Path == "" {
		var ok bool
		if w, ok = s.planPack(p.SHA256, noPack, canMake); !ok {
			return nil, s.noPlanError(p)
		}
	}
	r = &ranged{whole: whole, zip: map[string]*zip.File{}, base: base{Bucket: b, Piece: w.whole, ctx: ctx}}
	if r.base.file, err = scratch.New("", "stele-bucket-*"); err != nil {
		return nil, err
	}
	if err = r.prepare(ctx, t, w.steps, p); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *ranged) prepare(ctx context.Context, t *Transport, list []Increment, p *Pack) error {
	b := t.bucket
	if err := r.base.readDirectory(t.Directory); err != nil {
		return err
	}
	steps, closeSteps, err := b.fetchIncrements(ctx, list, &progressWriter{tell: func(done, total int64) {}})
	defer closeSteps()
	if err != nil {
		return err
	}
	if r.view, err = increment.Open(ctx, r.base.file, steps, p.Size, r.base.downloadRange); err != nil {
		return err
	}
	in, err := zip.NewReader(r.view, p.Size)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", b.name, r.base.Path, err)
	}
	for _, f := range in.File {
		r.zip[f.Name] = f
	}
	return nil
}

// close deletes the downloaded data.
func (r *ranged) close() error {
	err := r.base.file.Close()
	if r.view != nil {
		err = errors.Join(err, r.view.Close())
	}
	return err
}

// readDirectory downloads the directory of the pack and rebuilds the headers of its files. If
// remembered is not "", the file of that name stores the digest of the pack, followed by the
// directory.
func (b *base) readDirectory(remembered string) error {
	if err := b.file.Truncate(b.Size); err != nil {
		return err
	}
	data, _ := os.ReadFile(remembered) // after an error, the directory is downloaded
	directory, isKnown := bytes.CutPrefix(data, b.SHA256[:])
	var err error
	if isKnown = isKnown && int64(len(directory)) <= b.Size; isKnown {
		_, err = b.file.WriteAt(directory, b.Size-int64(len(directory)))
	} else {
		err = b.downloadRange(max(0, b.Size-tail), min(b.Size, tail))
	}
	if err != nil {
		return err
	}
	start, err := store.FindDirectory(b.file)
	if err == nil && b.Size-start > maxDirectory {
		err = errors.New("the directory of the pack is too large")
	}
	if err == nil && !isKnown {
		err = b.downloadRange(start, b.Size-start)
	}
	if err != nil {
		return err
	}
	if !isKnown && remembered != "" {
		directory = make([]byte, b.Size-start)
		if _, err := b.file.ReadAt(directory, start); err != nil {
			return err
		}
		os.WriteFile(remembered, append(b.SHA256[:], directory...), 0o600) // after an error, it is downloaded again
	}
	var headers [][2]int64
	for header, err := range store.WriteHeaders(b.file) {
		if err != nil {
			return err
		}
		headers = append(headers, header)
	}
	b.ranges = append(headers, [2]int64{start, b.Size})
	return nil
}

// downloadRange downloads length bytes of the pack from at on, except the parts that were already
// downloaded.
func (b *base) downloadRange(at, length int64) error {
	end := at + length
	ends := func(part [2]int64, at int64) int { return cmp.Compare(part[1], at) }
	first, _ := slices.BinarySearchFunc(b.ranges, at, ends)
	last := first
	var missing [][2]int64 // gaps between the parts that are here
	for from := at; from < end; last++ {
		next := [2]int64{end, end}
		if last < len(b.ranges) && b.ranges[last][0] < end {
			next = b.ranges[last]
		}
		if n := len(missing) - 1; next[0] > from && n >= 0 && from-missing[n][1] <= maxGap {
			missing[n][1] = next[0]
		} else if next[0] > from {
			missing = append(missing, [2]int64{from, next[0]})
		}
		if from = next[1]; next[0] == end {
			break
		}
	}
	if len(missing) == 0 {
		return nil
	}
	for _, m := range missing {
		if _, err := b.ReadRange(b.ctx, b.Path, m[0], m[1]-m[0], b.file); err != nil {
			return err
		}
	}
	if last > first {
		at, end = min(at, b.ranges[first][0]), max(end, b.ranges[last-1][1])
	}
	b.ranges = slices.Replace(b.ranges, first, last, [2]int64{at, end})
	return nil
}

func (r *ranged) open(ctx context.Context, name string, from int64) (*content, error) {
	in, size, err := r.content(ctx, name)
	if err != nil || r.replacement != nil && in == nil {
		if err == nil {
			return r.replacement.open(ctx, name, from)
		}
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, in, from); err != nil {
		return nil, err
	}
	return &content{io.NopCloser(in), size, ""}, nil
}

// content downloads a file of the pack and opens it. It returns nil if many files were read
// already.
func (r *ranged) content(ctx context.Context, name string) (in io.Reader, size int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.zip[name]
	if f == nil {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if r.count++; r.count > maxRangeFiles && r.replacement == nil {
		if r.replacement, err = r.whole(ctx); err != nil {
			return nil, 0, err
		}
	}
	if r.replacement != nil {
		return nil, 0, nil
	}
	r.base.ctx = ctx
	at, err := f.DataOffset()
	if err == nil {
		err = r.view.Fetch(at, int64(f.CompressedSize64))
	}
	if err != nil {
		return nil, 0, err
	}
	packed := io.NewSectionReader(lockedReader{r}, at, int64(f.CompressedSize64))
	switch f.Method {
	case zip.Store:
		return packed, int64(f.UncompressedSize64), nil
	case zip.Deflate:
		return flate.NewReader(packed), int64(f.UncompressedSize64), nil
	}
	return nil, 0, fmt.Errorf("%s: %s: %w", r.base.name, name, errMismatch)
}

// lockedReader reads the pack and is safe for concurrent use.
type lockedReader struct{ *ranged }

// ReadAt reads a downloaded part of the pack.
func (l lockedReader) ReadAt(b []byte, at int64) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view.ReadAt(b, at)
}
