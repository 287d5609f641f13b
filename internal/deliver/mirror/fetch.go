package mirror

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"iter"
	"os"
	"slices"

	"stele/internal/base/compress"
	"stele/internal/base/parallel"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/lists"
	"stele/release"
)

// atOnce is the number of concurrent requests.
const atOnce = 16

type fetched struct {
	file *release.File
	on   *os.File
	err  error
}

// withAllVariants returns a file with all variants that the service has, including those that the
// copy omits.
func (j *job) withAllVariants(f *release.File) *release.File {
	if listed := j.all.File(f.Path); listed != nil {
		return listed
	}
	return f // f is a page
}

// fetchAll downloads files concurrently and writes them with their variants.
func (j *job) fetchAll(files []*release.File) error {
	var done, total int64
	for _, f := range files {
		total += fetch.SmallestVariant(j.withAllVariants(f)).Size
	}
	for f := range j.fetch(slices.Values(files)) {
		if err := j.putFetched(f, compress.For(f.file.Path, f.file.Size)); err != nil {
			return err
		}
		done += fetch.SmallestVariant(j.withAllVariants(f.file)).Size
		j.mirror.opt.Progress("fetching", done, total)
	}
	return nil
}

// putFetched writes a downloaded file and its variants.
func (j *job) putFetched(f fetched, as []compress.Encoding) error {
	if f.err != nil {
		return f.err
	}
	if err := errors.Join(j.put(f.file.Path, f.on), f.on.Close()); err != nil {
		return err
	}
	return j.writeVariants(f.file, as)
}

func (j *job) fetch(files iter.Seq[*release.File]) iter.Seq[fetched] {
	ctx, cancel := context.WithCancel(j.ctx)
	workers := make([]func(*release.File) iter.Seq[fetched], atOnce)
	for i := range workers {
		workers[i] = func(f *release.File) iter.Seq[fetched] {
			return func(yield func(fetched) bool) {
				if err := ctx.Err(); err != nil {
					yield(fetched{f, nil, err})
					return
				}
				scratch, err := j.w.Scratch()
				if err == nil {
					if err = j.fetchAppended(ctx, f, scratch); err != nil {
						err = errors.Join(err, scratch.Close())
					}
				}
				yield(fetched{f, scratch, err})
			}
		}
	}
	return func(yield func(fetched) bool) {
		next, stop := iter.Pull(parallel.Ordered(files, workers))
		defer stop()
		defer cancel() // before waiting for the workers
		for f, ok := next(); ok; f, ok = next() {
			if !yield(f) {
				break
			}
		}
		cancel()
		for f, ok := next(); ok; f, ok = next() { // downloads that are no longer needed
			if f.err == nil {
				f.on.Close() // closing deletes it, because it has no name
			}
		}
	}
}

// hasSame reports whether the old copy has the same file at the same path.
func (j *job) hasSame(f *release.File) bool {
	if j.old == nil {
		return false
	}
	was := j.old.Manifest.File(f.Path)
	return was != nil && was.SHA256 == f.SHA256 && was.Size == f.Size
}

// copyOld copies a file and its variants from the old copy. It downloads those that are damaged.
func (j *job) copyOld(f *release.File) error {
	if err := j.copyOldVariant(f, nil); err != nil {
		return err
	}
	return j.writeVariants(f, compress.For(f.Path, f.Size))
}

func (j *job) copyOldVariant(f *release.File, v *release.Variant) error {
	path, size, sum := f.Path, f.Size, f.SHA256
	if v != nil {
		path, size, sum = v.Path, v.Size, v.SHA256
	}
	if j.links.Link(path, size, release.Digest{}) {
		return nil
	}
	// A file in a folder is digested if it was written since. The checksum of a file in a zip is
	// checked while it is read, which proves as much as the time does.
	var want *release.Digest
	if j.oldDir != "" {
		want = &sum
	}
	out, err := j.w.Create(path)
	if err != nil {
		return err
	}
	if copyChecked(out, j.old, path, size, want) == nil {
		return out.Close()
	}
	if err := out.Discard(); err != nil {
		return err
	}
	scratch, err := j.w.Scratch()
	if err != nil {
		return err
	}
	defer scratch.Close() // closing deletes it, because it has no name
	if v != nil {
		err = j.mirror.source.FetchVariant(j.ctx, v, scratch)
	} else {
		err = j.mirror.source.Fetch(j.ctx, j.withAllVariants(f), scratch)
	}
	if err != nil {
		return err
	}
	return j.put(path, scratch)
}

// copyChecked copies a file of a release and checks its size and, if want is not nil, its digest.
func copyChecked(to io.Writer, from *release.Release, path string, size int64, want *release.Digest) error {
	in, err := from.Files.Open(path)
	if err != nil {
		return err
	}
	defer in.Close() // in was only read
	_, err = lists.Copy(to, in, size, want)
	return err
}

func (j *job) put(path string, from *os.File) error {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out, err := j.w.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, parallel.Reader(j.ctx, from)); err != nil {
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

// writeVariants writes the variants of a file that is already written. Compressing gives the same
// bytes if the publisher has the same version of the program. If the result differs, the variants
// are downloaded.
func (j *job) writeVariants(f *release.File, as []compress.Encoding) error {
	for i := range f.Variants {
		v := &f.Variants[i]
		if j.hasSame(f) && slices.Contains(j.old.Manifest.File(f.Path).Variants, *v) {
			if err := j.copyOldVariant(f, v); err != nil {
				return err
			}
			continue
		}
		scratch, err := j.w.Scratch()
		if err != nil {
			return err
		}
		err = j.writeVariant(f, v, as, scratch)
		if err = errors.Join(err, scratch.Close()); err != nil {
			return err
		}
	}
	return nil
}

// writeVariant compresses a file as the publisher did, or downloads the variant.
func (j *job) writeVariant(f *release.File, v *release.Variant, as []compress.Encoding, scratch *os.File) error {
	if i := slices.IndexFunc(as, func(e compress.Encoding) bool { return e.Name == v.Encoding }); i >= 0 {
		e := as[i]
		in, err := j.w.Files().Open(f.Path)
		if err != nil {
			return err
		}
		sum := sha256.New()
		err = e.Encode(io.MultiWriter(scratch, sum), parallel.Reader(j.ctx, in), f.Size)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
		if release.Digest(sum.Sum(nil)) == v.SHA256 {
			return j.put(v.Path, scratch)
		}
		if err := fetch.Empty(scratch); err != nil {
			return err
		}
	}
	if err := j.mirror.source.FetchVariant(j.ctx, v, scratch); err != nil {
		return err
	}
	return j.put(v.Path, scratch)
}
