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

// ranged reads files of a pack by ranges of the object, or of the pack that increments make it
// from, as long as few of them are wanted. Whoever reads them compares them with the manifest.
type ranged struct {
	whole func(context.Context) (files, error) // fetches the pack

	mu    sync.Mutex
	base  base
	view  *increment.View
	zip   map[string]*zip.File
	count int
	over  files // that take its place when many are wanted
}

// base is a pack of which only parts are here.
type base struct {
	*Bucket
	*Piece
	ctx  context.Context
	on   *os.File   // has them where they are in the pack
	have [][2]int64 // where they begin and end, in order
}

const (
	mostRanges    = 500       // files; beyond that the pack is fetched
	mostDirectory = 256 << 20 // bytes
	tail          = 64 << 10
	gap           = 4 << 10 // bytes that cost less than another request
)

// newRanged reads the directory of a pack, or of the one that it is made from with its increments.
func newRanged(
	ctx context.Context, t *Transport, s *Pointer, p *Pack, whole func(context.Context) (files, error),
) (r *ranged, err error) {
	b := t.bucket
	w := way{whole: &Piece{p.Path, p.Size, p.SHA256}}
	if p.Path == "" {
		var ok bool
		if w, ok = s.way(p.SHA256, nothing, canMake); !ok {
			return nil, s.noWay(p)
		}
	}
	r = &ranged{whole: whole, zip: map[string]*zip.File{}, base: base{Bucket: b, Piece: w.whole, ctx: ctx}}
	if r.base.on, err = scratch.New("", "stele-bucket-*"); err != nil {
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
	steps, closeSteps, err := b.fetchIncrements(ctx, list, &progressing{tell: func(done, total int64) {}})
	defer closeSteps()
	if err != nil {
		return err
	}
	if r.view, err = increment.Open(ctx, r.base.on, steps, p.Size, r.base.bring); err != nil {
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

// close removes what was fetched.
func (r *ranged) close() error {
	err := r.base.on.Close()
	if r.view != nil {
		err = errors.Join(err, r.view.Close())
	}
	return err
}

// readDirectory brings the directory of the pack here, and makes the headers of its files from it.
// A file on this machine remembers the directory, with the digest of its pack before it; "" for
// none.
func (b *base) readDirectory(remembered string) error {
	if err := b.on.Truncate(b.Size); err != nil {
		return err
	}
	data, _ := os.ReadFile(remembered) // without it, the directory is fetched
	directory, isKnown := bytes.CutPrefix(data, b.SHA256[:])
	var err error
	if isKnown = isKnown && int64(len(directory)) <= b.Size; isKnown {
		_, err = b.on.WriteAt(directory, b.Size-int64(len(directory)))
	} else {
		err = b.bring(max(0, b.Size-tail), min(b.Size, tail))
	}
	if err != nil {
		return err
	}
	start, err := store.Directory(b.on)
	if err == nil && b.Size-start > mostDirectory {
		err = errors.New("the directory of the pack is too large")
	}
	if err == nil && !isKnown {
		err = b.bring(start, b.Size-start)
	}
	if err != nil {
		return err
	}
	if !isKnown && remembered != "" {
		directory = make([]byte, b.Size-start)
		if _, err := b.on.ReadAt(directory, start); err != nil {
			return err
		}
		os.WriteFile(remembered, append(b.SHA256[:], directory...), 0o600) // without it, it is fetched again
	}
	var headers [][2]int64
	for header, err := range store.WriteHeaders(b.on) {
		if err != nil {
			return err
		}
		headers = append(headers, header)
	}
	b.have = append(headers, [2]int64{start, b.Size})
	return nil
}

// bring makes sure that a part of the pack is here.
func (b *base) bring(at, length int64) error {
	end := at + length
	ends := func(part [2]int64, at int64) int { return cmp.Compare(part[1], at) }
	first, _ := slices.BinarySearchFunc(b.have, at, ends)
	last := first
	var missing [][2]int64 // what lies between parts that are here
	for from := at; from < end; last++ {
		next := [2]int64{end, end}
		if last < len(b.have) && b.have[last][0] < end {
			next = b.have[last]
		}
		if n := len(missing) - 1; next[0] > from && n >= 0 && from-missing[n][1] <= gap {
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
		if _, err := b.ReadRange(b.ctx, b.Path, m[0], m[1]-m[0], b.on); err != nil {
			return err
		}
	}
	if last > first {
		at, end = min(at, b.have[first][0]), max(end, b.have[last-1][1])
	}
	b.have = slices.Replace(b.have, first, last, [2]int64{at, end})
	return nil
}

func (r *ranged) open(ctx context.Context, name string, from int64) (*content, error) {
	in, size, err := r.content(ctx, name)
	if err != nil || r.over != nil && in == nil {
		if err == nil {
			return r.over.open(ctx, name, from)
		}
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, in, from); err != nil {
		return nil, err
	}
	return &content{io.NopCloser(in), size}, nil
}

// content brings a file of the pack here, and opens it; nil if many were wanted already.
func (r *ranged) content(ctx context.Context, name string) (in io.Reader, size int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.zip[name]
	if f == nil {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if r.count++; r.count > mostRanges && r.over == nil {
		if r.over, err = r.whole(ctx); err != nil {
			return nil, 0, err
		}
	}
	if r.over != nil {
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
	packed := io.NewSectionReader(locked{r}, at, int64(f.CompressedSize64))
	switch f.Method {
	case zip.Store:
		return packed, int64(f.UncompressedSize64), nil
	case zip.Deflate:
		return flate.NewReader(packed), int64(f.UncompressedSize64), nil
	}
	return nil, 0, fmt.Errorf("%s: %s: %w", r.base.name, name, errOther)
}

// locked reads the pack for several goroutines.
type locked struct{ *ranged }

// ReadAt reads a part of the pack that is here.
func (l locked) ReadAt(b []byte, at int64) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view.ReadAt(b, at)
}
