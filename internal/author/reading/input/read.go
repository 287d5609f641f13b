package input

import (
	"bytes"
	"io/fs"
	"iter"

	"stele/internal/base/parallel"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Batches yields the records below records/ of a folder in batches, in the order of the records.
// progress, if it is not nil, is called with the bytes of the batches that were taken.
func Batches(fsys fs.FS, progress func(done, total int64)) iter.Seq[Batch] {
	return BatchesSince(fsys, nil, progress)
}

// BatchesSince does the same, and digests each file. Of those that are known, records are not read:
// one item says so in their place.
func BatchesSince(fsys fs.FS, known func(*Source) bool, progress func(done, total int64)) iter.Seq[Batch] {
	return func(yield func(Batch) bool) {
		found := walk(fsys, known != nil)
		var total, done int64
		for _, f := range found.files {
			total += f.size
		}
		split(fsys, found, known, func(b Batch) bool {
			more := yield(b)
			if done += b.bytes; progress != nil {
				progress(done, total)
			}
			return more
		})
	}
}

// Items yields the records of a batch. Each is valid until the next one.
func (p *Reader) Items(b Batch) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		more := true
		p.emit = func(i Item) {
			if b.file != nil {
				i.Source = &b.file.Source
			}
			more = more && yield(i)
		}
		p.parse(b)
	}
}

// Read passes the records of batches through so many workers, each in a goroutine of its own, and
// yields what they make of them in the order of the records. With no number there is one worker for
// each core.
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

func noRecords(f *file) *schema.Problem {
	return fault(codes.NoRecords, f.Path, schema.Pos{}, "no records in this file", "write one, or delete the file")
}

func (p *Reader) parse(b Batch) {
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
		p.fail(f, problem)
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
		p.fail(f, noRecords(f))
	}
}
