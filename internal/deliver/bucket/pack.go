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
	"stele/internal/deliver/fetch"
	"stele/internal/disk/durable"
	"stele/internal/disk/increment"
	"stele/internal/disk/scratch"
	"stele/internal/disk/store"
	"stele/release"
)

// errOther says that an object is not what the pointer says.
var errOther = errors.New("it is not what the pointer says of it: it is damaged, or the bucket is not to be trusted")

// Progress tells how many bytes of how many there are.
type Progress func(done, total int64)

// way is how a pack comes here: a pack that is here already or is fetched, and increments on it.
type way struct {
	start release.Digest // of the pack that it begins with
	whole *Piece         // where that lies in the bucket; nil if it is here
	steps []Increment
	bytes int64 // to fetch
}

// way finds the way to a pack on which the least is fetched. It knows which packs are here already,
// and by which increments this program can go.
func (p *Pointer) way(to release.Digest, have func(release.Digest) bool, can func(*Increment) bool) (w way, ok bool) {
	type road struct {
		cost int64
		by   *Increment // the last step; nil where it begins
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
	for _, whole := range p.wholes() {
		begin(&whole)
	}
	for i := range p.Increments {
		if from := p.Increments[i].From; have(from) {
			roads[from] = road{}
		}
	}
	for more := true; more; { // each round goes on from where the one before it came; every step costs something
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
		return way{}, false
	}
	w = way{start: to, bytes: at.cost}
	for ; at.by != nil; at = roads[w.start] {
		w.steps = append([]Increment{*at.by}, w.steps...)
		w.start = at.by.From
	}
	w.whole = at.from
	return w, true
}

// everything and nothing are what is here, or can be done.
func nothing(release.Digest) bool { return false }
func everything(*Increment) bool  { return true }
func canMake(i *Increment) bool   { return i.Compressors == 0 || i.Compressors == compress.Number }

func (p *Pointer) noWay(pack *Pack) error {
	what := "the bucket does not have all that it is made from"
	if _, ok := p.way(pack.SHA256, nothing, everything); ok {
		what = increment.ErrCompressors.Error()
	}
	return fmt.Errorf("release %s cannot be made from its increments: %s. Update this program and the one that pushes to the same version, or push the release with --whole", pack.Release, what)
}

func nameOf(release string, digest release.Digest) string {
	return release + "-" + digest.String()[:short] + ".zip"
}

// find is the path of a pack in a folder, by its digest; "" for none.
func find(folder string, digest release.Digest) string {
	entries, _ := os.ReadDir(folder) // without it all is fetched
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), nameOf("", digest)) {
			return filepath.Join(folder, e.Name())
		}
	}
	return ""
}

// bring brings a pack that a pointer names into a folder, and makes sure that it is what the
// pointer says. What is in the folder already is made use of. No pack on the way may have more than
// most bytes, nor two that are needed at once. progress may be nil.
func (b *Bucket) bring(
	ctx context.Context, p *Pointer, pack *Pack, folder string, most int64, progress Progress,
) (path string, err error) {
	if progress == nil {
		progress = func(done, total int64) {}
	}
	path = filepath.Join(folder, nameOf(pack.Release, pack.SHA256))
	have := func(d release.Digest) bool { return find(folder, d) != "" }
	for _, have := range []func(release.Digest) bool{have, nothing} {
		w, ok := p.way(pack.SHA256, have, canMake)
		if !ok {
			return "", errors.Join(err, p.noWay(pack))
		}
		var room *TooLargeError
		if err = b.goBy(ctx, w, pack, path, most, progress); err == nil || ctx.Err() != nil {
			return path, err
		} else if errors.As(err, &room) && pack.Path != "" {
			w = way{start: pack.SHA256, whole: &Piece{pack.Path, pack.Size, pack.SHA256}, bytes: pack.Size}
			return path, b.goBy(ctx, w, pack, path, most, progress)
		}
		if w.whole != nil { // nothing that was here can be to blame
			break
		}
	}
	return "", err
}

func (b *Bucket) goBy(ctx context.Context, w way, pack *Pack, path string, most int64, progress Progress) error {
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	got := &progressing{total: w.bytes, tell: progress}
	if len(w.steps) == 0 && w.whole == nil { // others were made from it
		return pack.takeOver(find(filepath.Dir(path), w.start), path)
	}
	if len(w.steps) == 0 {
		if pack.Size > most {
			return &TooLargeError{pack.Size, most}
		}
		return b.fetchTo(ctx, w.whole, path, got)
	}
	start := find(filepath.Dir(path), w.start)
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
		os.Remove(part) // it may not be there
		return err
	}
	return durable.Replace(part, path)
}

// takeOver gives a file that should be the pack another path.
func (p *Pack) takeOver(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	if err := errors.Join(p.hold(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func (b *Bucket) apply(
	ctx context.Context, steps []Increment, start string, pack *Pack, part string, got *progressing,
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
	defer old.Close() // it was only read
	to, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	err = increment.Apply(ctx, old, in, to, pack.Size)
	if err == nil {
		err = pack.hold(to)
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("release %s cannot be made from its increments: %w", pack.Release, err)
	}
	return nil
}

// fetchIncrements fetches increments into files without names.
func (b *Bucket) fetchIncrements(ctx context.Context, steps []Increment, got *progressing) (
	in []*io.SectionReader, closeAll func(), err error,
) {
	var opened []*os.File
	closeAll = func() {
		for _, f := range opened {
			f.Close() // it was only read
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

func (b *Bucket) fetchTo(ctx context.Context, p *Piece, path string, got *progressing) error {
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

// fetch brings a piece into a file, which is empty, and makes sure that it is what the pointer
// says.
func (b *Bucket) fetch(ctx context.Context, p *Piece, to *os.File, got *progressing) error {
	got.WriterAt = to
	if _, err := b.ReadRange(ctx, p.Path, 0, p.Size, got); err != nil {
		return err
	}
	return p.hold(to)
}

type progressing struct {
	io.WriterAt
	done, total int64
	tell        Progress
}

func (w *progressing) WriteAt(b []byte, at int64) (int, error) {
	n, err := w.WriterAt.WriteAt(b, at)
	w.done += int64(n)
	w.tell(w.done, w.total)
	return n, err
}

func (p *Pack) hold(f *os.File) error {
	return (&Piece{nameOf(p.Release, p.SHA256), p.Size, p.SHA256}).hold(f)
}

func (p *Piece) hold(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, info.Size())); err != nil {
		return err
	}
	if info.Size() != p.Size || release.Digest(sum.Sum(nil)) != p.SHA256 {
		return fmt.Errorf("%s: %w", p.Path, errOther)
	}
	return nil
}

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

// Download brings the current release into a zip in a folder of its own, which remove removes.
func (b *Bucket) Download(ctx context.Context) (path string, remove func() error, err error) {
	s, p, err := b.Find(ctx, "")
	if err != nil {
		return "", nil, err
	}
	return b.download(ctx, s.Pointer, p, math.MaxInt64, nil)
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
func OpenRelease(ctx context.Context, address string, most int64, opt Options) (
	r *release.Release, closeRelease func() error, err error,
) {
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

// OpenLazily opens the release at an address of a bucket. Its files are fetched when they are read.
func OpenLazily(ctx context.Context, address string, limits fetch.Limits, opt Options) (
	r *release.Release, closeRelease func() error, err error,
) {
	t, err := OpenTransport(ctx, address, limits.Bytes, opt)
	if err != nil {
		return nil, nil, err
	}
	return t.OpenRelease(ctx, limits)
}

// OpenTransport opens a bucket to read the release at an address, or the current one. Closing the
// transport closes the bucket.
func OpenTransport(ctx context.Context, address string, most int64, opt Options) (*Transport, error) {
	address, id := cutRelease(address)
	b, err := Open(ctx, address, opt)
	if err != nil {
		return nil, err
	}
	t := b.Transport(most)
	t.id, t.owner = id, true
	return t, nil
}

// OpenRelease opens a release of a bucket, or the current one for "".
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
	path, remove, err := b.download(ctx, s, p, most, progress)
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
