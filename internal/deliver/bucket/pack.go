package bucket

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/disk/durable"
	"stele/internal/disk/increment"
	"stele/internal/disk/scratch"
	"stele/internal/disk/store"
	"stele/release"
)

// errMismatch means that an object differs from the pointer's description.
var errMismatch = errors.New("it does not match the pointer: it is damaged, or the bucket is not trustworthy")

// Progress is called with the number of bytes processed so far and the total.
type Progress func(done, total int64)

// plan says how to build a pack: from which cached or downloaded pack, and with which increments.
type plan struct {
	start release.Digest // of the pack to start from
	whole *Piece         // where to download the pack to start from; nil if it is in the cache
	steps []Increment
	bytes int64 // to download
}

// planPack returns the plan that downloads the fewest bytes. have reports which packs are in the
// cache, and can reports which increments this program can apply.
func (p *Pointer) planPack(
	to release.Digest, have func(release.Digest) bool, can func(*Increment) bool,
) (w plan, ok bool) {
	type road struct {
		cost int64
		by   *Increment // the last step; nil at the start
		from *Piece
	}
	roads := map[release.Digest]road{}
	begin := func(whole *Piece) {
		if had, ok := roads[whole.SHA256]; have(whole.SHA256) {
			roads[whole.SHA256] = road{}
		} else if !ok || whole.Size < had.cost {
			roads[whole.SHA256] = road{cost: whole.Size, from: whole}
		}
	}
	for _, whole := range p.wholePieces() {
		begin(&whole)
	}
	for i := range p.Increments {
		if from := p.Increments[i].From; have(from) {
			roads[from] = road{}
		}
	}
	for more := true; more; { // shortest paths, round by round; every step costs something
		more = false
		for i := range p.Increments {
			s := &p.Increments[i]
			from, ok := roads[s.From]
			has, there := roads[s.To]
			if cost := from.cost + s.Size; ok && can(s) && (!there || cost < has.cost) {
				roads[s.To] = road{cost: cost, by: s}
				more = true
			}
		}
	}
	at, ok := roads[to]
	if !ok {
		return plan{}, false
	}
	w = plan{start: to, bytes: at.cost}
	for ; at.by != nil; at = roads[w.start] {
		w.steps = append([]Increment{*at.by}, w.steps...)
		w.start = at.by.From
	}
	w.whole = at.from
	return w, true
}

// noPack, anyIncrement and canMake are arguments for planPack.
func noPack(release.Digest) bool   { return false }
func anyIncrement(*Increment) bool { return true }
func canMake(i *Increment) bool    { return i.Compressors == 0 || i.Compressors == compress.Number }

func (p *Pointer) noPlanError(pack *Pack) error {
	what := "the bucket lacks files that the release is built from"
	if _, ok := p.planPack(pack.SHA256, noPack, anyIncrement); ok {
		what = increment.ErrCompressors.Error()
	}
	return fmt.Errorf("cannot rebuild release %s from its increments: %s. Update this program and the program that pushes to the same version, or push the release with --whole", pack.Release, what)
}

func nameOf(release string, digest release.Digest) string {
	return release + "-" + digest.String()[:short] + ".zip"
}

// findPack returns the path of the pack with the given digest in folder, or "" if it is missing.
func findPack(folder string, digest release.Digest) string {
	entries, _ := os.ReadDir(folder) // after an error, everything is downloaded
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), nameOf("", digest)) {
			return filepath.Join(folder, e.Name())
		}
	}
	return ""
}

// download downloads a pack of the pointer into a folder and checks its digest. It uses the packs
// that folder already contains. No pack that it needs may be larger than most bytes, and neither
// may any two packs that it needs at the same time be together. progress may be nil.
func (b *Bucket) download(
	ctx context.Context, p *Pointer, pack *Pack, folder string, most int64, progress Progress,
) (path string, err error) {
	if progress == nil {
		progress = func(done, total int64) {}
	}
	path = filepath.Join(folder, nameOf(pack.Release, pack.SHA256))
	have := func(d release.Digest) bool { return findPack(folder, d) != "" }
	for _, have := range []func(release.Digest) bool{have, noPack} {
		w, ok := p.planPack(pack.SHA256, have, canMake)
		if !ok {
			return "", errors.Join(err, p.noPlanError(pack))
		}
		var room *TooLargeError
		if err = b.runPlan(ctx, w, pack, path, most, progress); err == nil || ctx.Err() != nil {
			return path, err
		} else if errors.As(err, &room) && pack.Path != "" {
			w = plan{start: pack.SHA256, whole: &Piece{pack.Path, pack.Size, pack.SHA256}, bytes: pack.Size}
			return path, b.runPlan(ctx, w, pack, path, most, progress)
		}
		if w.whole != nil { // nothing in the cache was used, so it is not the cause
			break
		}
	}
	return "", err
}

func (b *Bucket) runPlan(ctx context.Context, w plan, pack *Pack, path string, most int64, progress Progress) error {
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	got := &progressWriter{total: w.bytes, tell: progress}
	if len(w.steps) == 0 && w.whole == nil { // the pack is in the folder already, made for other packs
		return pack.checkAndRename(findPack(filepath.Dir(path), w.start), path)
	}
	if len(w.steps) == 0 {
		if pack.Size > most {
			return &TooLargeError{pack.Size, most}
		}
		return b.fetchTo(ctx, w.whole, path, got)
	}
	start := findPack(filepath.Dir(path), w.start)
	if w.whole != nil {
		start = filepath.Join(filepath.Dir(path), nameOf("base", w.start))
	}
	both := pack.Size
	if w.whole != nil {
		both += w.whole.Size
	} else if info, err := os.Stat(start); err == nil {
		both += info.Size()
	}
	if both > most {
		return &TooLargeError{both, most}
	}
	if w.whole != nil {
		if err := b.fetchTo(ctx, w.whole, start, got); err != nil {
			return err
		}
	}
	if err := b.apply(ctx, w.steps, start, pack, part, got); err != nil {
		os.Remove(part) // may not exist
		return err
	}
	return durable.Replace(part, path)
}

// checkAndRename checks the size and digest of the file at from, and renames the file to to.
func (p *Pack) checkAndRename(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	if err := errors.Join(p.checkDigest(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func (b *Bucket) apply(
	ctx context.Context, steps []Increment, start string, pack *Pack, part string, got *progressWriter,
) error {
	in, closeSteps, err := b.fetchIncrements(ctx, steps, got)
	defer closeSteps()
	if err != nil {
		return err
	}
	old, err := os.Open(start)
	if err != nil {
		return err
	}
	defer old.Close() // old was only read
	to, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	err = increment.Apply(ctx, old, in, to, pack.Size)
	if err == nil {
		err = pack.checkDigest(to)
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("cannot rebuild release %s from its increments: %w", pack.Release, err)
	}
	return nil
}

// fetchIncrements downloads increments into unnamed temporary files.
func (b *Bucket) fetchIncrements(ctx context.Context, steps []Increment, got *progressWriter) (
	in []*io.SectionReader, closeAll func(), err error,
) {
	var opened []*os.File
	closeAll = func() {
		for _, f := range opened {
			f.Close() // f was only read
		}
	}
	for i := range steps {
		f, err := scratch.New("", "stele-bucket-*")
		if err != nil {
			return nil, closeAll, err
		}
		opened = append(opened, f)
		if err := b.fetch(ctx, &steps[i].Piece, f, got); err != nil {
			return nil, closeAll, err
		}
		in = append(in, io.NewSectionReader(f, 0, steps[i].Size))
	}
	return in, closeAll, nil
}

func (b *Bucket) fetchTo(ctx context.Context, p *Piece, path string, got *progressWriter) error {
	part := path + ".part"
	f, err := os.Create(part)
	if err != nil {
		return err
	}
	err = b.fetch(ctx, p, f, got)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return durable.Replace(part, path)
}

// fetch downloads a piece into an empty file and checks its digest.
func (b *Bucket) fetch(ctx context.Context, p *Piece, to *os.File, got *progressWriter) error {
	got.WriterAt = to
	if _, err := b.ReadRange(ctx, p.Path, 0, p.Size, got); err != nil {
		return err
	}
	return p.checkDigest(to)
}

type progressWriter struct {
	io.WriterAt
	done, total int64
	tell        Progress
}

func (w *progressWriter) WriteAt(b []byte, at int64) (int, error) {
	n, err := w.WriterAt.WriteAt(b, at)
	w.done += int64(n)
	w.tell(w.done, w.total)
	return n, err
}

func (p *Pack) checkDigest(f *os.File) error {
	return (&Piece{nameOf(p.Release, p.SHA256), p.Size, p.SHA256}).checkDigest(f)
}

func (p *Piece) checkDigest(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, info.Size())); err != nil {
		return err
	}
	if info.Size() != p.Size || release.Digest(sum.Sum(nil)) != p.SHA256 {
		return fmt.Errorf("%s: %w", p.Path, errMismatch)
	}
	return nil
}

// ErrEmpty means that a bucket contains no release.
var ErrEmpty = fmt.Errorf("no release in the bucket: stele push adds one: %w", fs.ErrNotExist)

// TooLargeError means that a pack is larger than the limit.
type TooLargeError struct{ Size, Most int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the release is %d MB, but the limit is %d MB", e.Size>>20, e.Most>>20)
}

// releaseParameter is the URL parameter that names one of the kept releases.
const releaseParameter = "release"

// Find reads the pointer and returns the pack of the release id, or of the current release if id is
// "".
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
		return s, nil, fmt.Errorf("%s: release %.40s not found: the pointer names %s and %d before it: %w", b.name, id, s.Current.Release, len(s.Kept), fs.ErrNotExist)
	}
	return s, p, nil
}

// Download downloads the current release as a zip into a temporary folder. remove deletes that
// folder.
func (b *Bucket) Download(ctx context.Context) (path string, remove func() error, err error) {
	s, p, err := b.Find(ctx, "")
	if err != nil {
		return "", nil, err
	}
	return b.downloadTemporary(ctx, s.Pointer, p, math.MaxInt64, nil)
}

func (b *Bucket) downloadTemporary(ctx context.Context, s *Pointer, p *Pack, most int64, progress Progress) (
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
	if path, err = b.download(ctx, s, p, dir, math.MaxInt64, progress); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return path, remove, nil
}

// OpenRelease downloads and opens the release at address, a bucket's URL. Closing the release
// deletes the download.
func OpenRelease(ctx context.Context, address string, most int64, opt Options) (
	r *release.Release, closeRelease func() error, err error,
) {
	t, err := OpenTransport(ctx, address, most, opt)
	if err != nil {
		return nil, nil, err
	}
	r, closeRelease, err = t.bucket.OpenRelease(ctx, t.id, most)
	if err = errors.Join(err, t.Close()); err != nil && r != nil {
		err = errors.Join(err, closeRelease())
	}
	return r, closeRelease, err
}

// OpenTransport opens the bucket at address to read the release that address names, or the current
// release. Closing the transport closes the bucket.
func OpenTransport(ctx context.Context, address string, most int64, opt Options) (*Transport, error) {
	address, id := cutRelease(address)
	b, err := Open(ctx, address, opt)
	if err != nil {
		return nil, err
	}
	t := b.Transport(most)
	t.id, t.ownsBucket = id, true
	return t, nil
}

// OpenRelease opens the release id, or the current release if id is "".
func (b *Bucket) OpenRelease(ctx context.Context, id string, most int64) (*release.Release, func() error, error) {
	s, p, err := b.Find(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return b.open(ctx, s.Pointer, p, most, nil)
}

func (b *Bucket) open(ctx context.Context, s *Pointer, p *Pack, most int64, progress Progress) (
	r *release.Release, closeRelease func() error, err error,
) {
	path, remove, err := b.downloadTemporary(ctx, s, p, most, progress)
	if err != nil {
		return nil, nil, err
	}
	r, closeZip, err := store.Open(path)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", b.name, err), remove())
	}
	return r, func() error { return errors.Join(closeZip(), remove()) }, nil
}

// cutRelease splits the release ID off a bucket's URL. It leaves invalid URLs to Open.
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
