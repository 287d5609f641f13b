package input

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"strings"

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

// Reader reads the records of batches, for one goroutine.
type Reader struct{ parser *parser }

// NewReader makes a reader.
func NewReader() *Reader {
	return &Reader{&parser{tree: new(schema.Tree), joined: new(schema.Tree), merged: new(schema.Tree)}}
}

// Items yields the records of a batch. Each is valid until the next one.
func (r *Reader) Items(b Batch) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		more := true
		r.parser.emit = func(i Item) {
			if b.file != nil {
				i.Source = &b.file.Source
			}
			more = more && yield(i)
		}
		r.parser.parse(b)
	}
}

// Read passes the records of batches through so many workers, each in a goroutine of its own, and
// yields what they make of them in the order of the records. With no number there is one worker for
// each core.
func Read[T any](batches iter.Seq[Batch], workers int, newWorker func() func(Item) T) iter.Seq[T] {
	readers := make([]func(Batch) iter.Seq[T], parallel.Workers(workers))
	for i := range readers {
		r, work := NewReader(), newWorker()
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

// readWhole reads a file that is held in memory.
func readWhole(fsys fs.FS, at string) ([]byte, *schema.Problem) {
	most := int64(maxYAML)
	if formats[strings.ToLower(path.Ext(at))] == ".json" {
		most = maxJSON
	}
	data, problem := readUpTo(fsys, at, most, fault(codes.TooLarge, at, schema.Pos{},
		fmt.Sprintf("the file is larger than %d MiB", most>>20), "divide it, or write NDJSON or CSV, which may be of any size"))
	return bytes.TrimPrefix(data, utf8BOM), problem
}

// readUpTo reads an ordinary file, and answers with a problem where it has more than so many bytes.
func readUpTo(fsys fs.FS, at string, most int64, tooLarge *schema.Problem) ([]byte, *schema.Problem) {
	info, problem := ordinary(fsys, at)
	if problem != nil {
		return nil, problem
	}
	if info.Size() > most {
		return nil, tooLarge
	}
	r, err := fsys.Open(at)
	if err != nil {
		return nil, unreadable(at, err)
	}
	defer r.Close()
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	switch _, err := data.ReadFrom(io.LimitReader(r, most+1)); { // it may grow while it is read
	case err != nil:
		return nil, unreadable(at, err)
	case int64(data.Len()) > most:
		return nil, tooLarge
	}
	return data.Bytes(), nil
}

func unreadable(at string, err error) *schema.Problem {
	return fault(codes.Unreadable, at, schema.Pos{}, "the file cannot be read: "+reason(err), linkFix(err))
}

func noRecords(f *file) *schema.Problem {
	return fault(codes.NoRecords, f.Path, schema.Pos{}, "no records in this file", "write one, or delete the file")
}

// parser turns batches into items. Each goroutine has its own.
type parser struct {
	tree   *schema.Tree     // the record as it was written
	joined *schema.Tree     // with what stands beside its table
	merged *schema.Tree     // with its defaults
	cut    []schema.Problem // with its texts, from reading it
	found  int
	whole  bool // a whole file is read, and not lines or rows, which have limits of their own
	emit   func(Item)
}

func (p *parser) parse(b Batch) {
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

func (p *parser) readFile(f *file, fsys fs.FS) {
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

// record passes on the record in p.tree, laid over its defaults.
func (p *parser) record(f *file) {
	p.found++
	item := Item{Kind: f.kind, Tree: p.tree, Own: p.tree}
	if f.beside != nil {
		item.Tree, item.Problems = p.besides(f)
	}
	if f.defaults != nil && p.tree.Nodes[0].Type == schema.Object {
		item.Problems = append(item.Problems, fill(p.merged, item.Tree, f.defaults)...)
		item.Tree = p.merged
	}
	item.Problems = append(item.Problems, p.cut...)
	p.cut = nil
	if p.whole && textSize(item.Tree) > maxRecord {
		item = Item{Kind: f.kind, Problems: []schema.Problem{*fault(codes.TooLarge, f.Path, p.tree.Nodes[0].At,
			fmt.Sprintf("the record holds more than %d MiB of text", maxRecord>>20), "divide it, or write fewer aliases")}}
	}
	p.emit(item)
}

// textSize returns how many bytes the names and texts of a tree have.
func textSize(t *schema.Tree) (size int) {
	for i := range t.Nodes {
		size += len(t.Nodes[i].Name) + len(t.Nodes[i].Text)
	}
	return size
}

func (p *parser) fail(f *file, problem *schema.Problem) {
	p.found++
	p.emit(Item{Kind: f.kind, Problems: []schema.Problem{*problem}})
}
