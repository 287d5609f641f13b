package bucket

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"slices"
	"sync"

	"stele/internal/disk/store"
	"stele/release"
)

// errOther says that a pack is not what the pointer says.
var errOther = errors.New("it is not what the pointer says of it: it is damaged, or the bucket is not to be trusted")

// Progress tells how many bytes of how many there are.
type Progress func(done, total int64)

// Fetch brings a pack into a file, which is empty, and makes sure that it is what the pointer says.
// What an older pack, at a path that may be empty, has of it is taken from there. progress may be
// nil.
func (b *Bucket) Fetch(ctx context.Context, p *Pack, older string, to *os.File, progress Progress) error {
	if progress == nil {
		progress = func(done, total int64) {}
	}
	if older != "" && p.Size >= small {
		err := b.fetchParts(ctx, p, older, to, progress)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if err := errors.Join(to.Truncate(0), rewind(to)); err != nil { // what can be had only whole is had whole
			return err
		}
	}
	if _, err := b.ReadRange(ctx, p.Path, 0, p.Size, &progressing{to, 0, p.Size, progress}); err != nil {
		return err
	}
	return p.hold(to)
}

func rewind(f *os.File) error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// progressing tells how much was written.
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

// hold makes sure that a file is the pack.
func (p *Pack) hold(f *os.File) error {
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

// region is a stretch of a pack: an entry with its header and whatever follows it.
type region struct {
	at, length int64
	name       uint64 // its hash; one that is not unique costs a transfer and nothing else
	crc        uint32
}

// regions are those of a pack whose directory is there, in the order in which they lie.
func regions(f *os.File, seed maphash.Seed) ([]region, error) {
	end, err := store.Directory(f)
	if err != nil {
		return nil, err
	}
	var all []region
	for p, err := range store.Parts(f) {
		if err != nil {
			return nil, err
		}
		all = append(all, region{at: p.Header, name: maphash.Bytes(seed, p.Name), crc: p.CRC})
	}
	slices.SortFunc(all, func(a, b region) int { return cmp.Compare(b.at, a.at) })
	for i := range all {
		all[i].length = end - all[i].at
		end = all[i].at
	}
	slices.Reverse(all)
	return all, nil
}

// span is a stretch of a pack that has to be fetched.
type span struct{ from, to int64 }

// What is fetched of a pack whose older self is here.
const (
	small     = 1 << 20  // a smaller pack is fetched whole
	tail      = 64 << 10 // of the end, which says where the directory begins
	near      = 64 << 10 // spans that are nearer to each other are fetched as one
	atOnce    = 16       // spans that are fetched at once
	worthless = 80       // percent of a pack from which on it is fetched whole
)

// fetchParts fetches the directory of a pack, takes what the older one has, and fetches the rest.
// Whether that became the pack, its digest says.
func (b *Bucket) fetchParts(ctx context.Context, p *Pack, older string, to *os.File, progress Progress) error {
	old, err := os.Open(older)
	if err != nil {
		return err
	}
	defer old.Close() // it was only read
	if err := b.fetchDirectory(ctx, p, to); err != nil {
		return err
	}
	need, total, err := takeOver(old, to)
	if err != nil {
		return err
	}
	if total > p.Size/100*worthless {
		return errors.New("too little of it is here")
	}
	if err := b.fetchSpans(ctx, p, need, total, to, progress); err != nil {
		return err
	}
	return p.hold(to)
}

// fetchDirectory brings the directory of a pack to where it lies in a file.
func (b *Bucket) fetchDirectory(ctx context.Context, p *Pack, to *os.File) error {
	if err := to.Truncate(p.Size); err != nil {
		return err
	}
	from := max(0, p.Size-tail)
	if _, err := b.ReadRange(ctx, p.Path, from, p.Size-from, to); err != nil {
		return err
	}
	start, err := store.Directory(to)
	if err == nil && start < from {
		_, err = b.ReadRange(ctx, p.Path, start, from-start, to)
	}
	return err
}

// takeOver copies what an older pack has into a newer one, whose directory is there, and returns
// what is missing then.
func takeOver(old, to *os.File) (need []span, total int64, err error) {
	seed := maphash.MakeSeed()
	have, err := regions(old, seed)
	if err != nil {
		return nil, 0, err
	}
	want, err := regions(to, seed)
	if err != nil {
		return nil, 0, err
	}
	type content struct {
		name   uint64
		crc    uint32
		length int64
	}
	at := make(map[content]int64, len(have))
	for _, r := range have {
		at[content{r.name, r.crc, r.length}] = r.at
	}
	if len(want) > 0 && want[0].at > 0 {
		need = join(need, 0, want[0].at)
	}
	// Neighbours that were neighbours before are copied together.
	for i := 0; i < len(want); {
		r := want[i]
		from, ok := at[content{r.name, r.crc, r.length}]
		i++
		if !ok {
			need = join(need, r.at, r.at+r.length)
			continue
		}
		length := r.length
		for ; i < len(want); i++ {
			next := want[i]
			if there, ok := at[content{next.name, next.crc, next.length}]; !ok || there != from+length {
				break
			}
			length += next.length
		}
		if _, err := io.Copy(io.NewOffsetWriter(to, r.at), io.NewSectionReader(old, from, length)); err != nil {
			return nil, 0, err
		}
	}
	for _, s := range need {
		total += s.to - s.from
	}
	return need, total, nil
}

// join adds a span to others, together with the last one where that is near.
func join(need []span, from, to int64) []span {
	if n := len(need); n > 0 && from-need[n-1].to < near {
		need[n-1].to = to
		return need
	}
	return append(need, span{from, to})
}

// fetchSpans fetches what is missing, several at a time.
func (b *Bucket) fetchSpans(
	ctx context.Context,
	p *Pack,
	need []span,
	total int64,
	to *os.File,
	progress Progress,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	var done int64
	var running sync.WaitGroup
	spans := make(chan span)
	for range min(atOnce, len(need)) {
		running.Go(func() {
			for s := range spans {
				if _, err := b.ReadRange(ctx, p.Path, s.from, s.to-s.from, to); err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				done += s.to - s.from
				progress(done, total)
				mu.Unlock()
			}
		})
	}
	for _, s := range need {
		spans <- s
	}
	close(spans)
	running.Wait()
	return context.Cause(ctx)
}
