package input

import (
	"bytes"
	"io/fs"
	"iter"

	"stele/internal/base/parallel"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Batches yields the records below records/ in batches, in the order of the records. If progress is
// not nil, it is called with the number of bytes in the batches so far.
func Batches(fsys fs.FS, progress func(done, total int64)) iter.Seq[Batch] {
	return BatchesSince(fsys, nil, progress)
}

// BatchesSince is like Batches, but digests each file. If known reports a file as known, one item
// represents its records.
func BatchesSince(fsys fs.FS, known func(*Source) bool, progress func(done, total int64)) iter.Seq[Batch] {
	return func(yield func(Batch) bool) {
		found := findFiles(fsys, known != nil)
		var total, done int64
		for _, f := range found.files {
			total += f.size
		}
		splitFiles(fsys, found, known, func(b Batch) bool {
			more := yield(b)
			if done += b.bytes; progress != nil {
				progress(done, total)
			}
			return more
		})
	}
}

// Items yields the records of a batch. Each is valid until the next iteration.
func (p *Reader) Items(b Batch) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		more := true
		p.emit = func(i Item) {
			if b.file != nil {
				i.Source = &b.file.Source
			}
			more = more && yield(i)
		}
		p.parseBatch(b)
	}
}

// Read passes the records of batches through workers, each in its own goroutine, and yields their
// results in the order of the records. If workers is 0, there is one per core.
func Read[T any](batches iter.Seq[Batch], workers int, newWorker func() func(Item) T) iter.Seq[T] {
	readers := make([]func(Batch) iter.Seq[T], parallel.Workers(workers))
	for i := range readers {
		r, work := new(Reader), newWorker()
		readers[i] = func(b Batch) iter.Seq[T] {
			return func(yield func(T) bool) {
				for item := range r.Items(b) {
					if !yield(work(item)) {
						return
					}
				}
			}
		}
	}
	return parallel.Ordered(batches, readers)
}

func emptyFileProblem(f *file) *schema.Problem {
	return newProblem(codes.NoRecords, f.Path, schema.Pos{}, "no records in this file", "write a record, or delete the file")
}

func (p *Reader) parseBatch(b Batch) {
	if len(b.problems)+len(b.named) > 0 {
		p.emit(Item{Problems: b.problems, Named: b.named})
	}
	switch {
	case b.file != nil && b.file.Known:
		p.emit(Item{})
	case b.fsys != nil:
		p.readFile(b.file, b.fsys)
	case b.rows != nil:
		p.readRows(b.file, b.plan, b.rows)
	case b.lines != "":
		p.readNDJSON(b.file, b.lines, b.first)
	}
}

func (p *Reader) readFile(f *file, fsys fs.FS) {
	data, problem := readWhole(fsys, f.Path)
	if problem != nil {
		p.yieldProblem(f, problem)
		return
	}
	p.found, p.whole = 0, true
	defer func() { p.whole = false }()
	switch {
	case len(bytes.TrimSpace(data)) == 0:
	case f.format == ".yaml":
		p.readYAML(f, data)
	default:
		p.readJSON(f, data)
	}
	if p.found == 0 {
		p.yieldProblem(f, emptyFileProblem(f))
	}
}
