package mirror

import (
	"context"
	"errors"
	"iter"
	"os"
	"slices"

	"stele/internal/base/parallel"
	"stele/release"
)

// atOnce is how many files are asked for at a time.
const atOnce = 16

type fetched struct {
	file *release.File
	on   *os.File
	err  error
}

// sent is a file with all variants that it can be sent in, also where the copy has none.
func (j *job) sent(f *release.File) *release.File {
	if listed := j.all.File(f.Path); listed != nil {
		return listed
	}
	return f // a page
}

// fetchAll fetches files, several at a time, and writes them with their variants.
func (j *job) fetchAll(files []*release.File) error {
	var done, total int64
	for _, f := range files {
		total += smallest(j.sent(f))
	}
	for f := range j.fetch(slices.Values(files)) {
		if err := j.putFetched(f); err != nil {
			return err
		}
		if err := j.writeVariants(f.file); err != nil {
			return err
		}
		done += smallest(j.sent(f.file))
		j.mirror.opt.progress("fetching", done, total)
	}
	return nil
}

func (j *job) putFetched(f fetched) error {
	if f.err != nil {
		return f.err
	}
	return errors.Join(j.put(f.file.Path, f.on), f.on.Close())
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
					if err = j.fetchGrown(ctx, f, scratch); err != nil {
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
		defer cancel() // before the workers are waited for
		for f, ok := next(); ok; f, ok = next() {
			if !yield(f) {
				break
			}
		}
		cancel()
		for f, ok := next(); ok; f, ok = next() { // what was fetched, and nobody waits for any more
			if f.err == nil {
				f.on.Close() // it has no name any more, and goes with this
			}
		}
	}
}
