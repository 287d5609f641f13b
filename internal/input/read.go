package input

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"runtime"
	"strings"

	"stele/record"
)

// Options of Read.
type Options struct {
	Workers  int                          // goroutines that parse; 0 for one per core
	Progress func(doneBytes, total int64) // called as work gets done; may be nil
}

// Read reads the records below records/ of a folder. Each is passed through a worker, on several
// cores; what the workers make of them is yielded in the order of the records. newWorker is called
// once for each goroutine.
func Read[T any](fsys fs.FS, opt Options, newWorker func() func(Item) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		found := walk(fsys)
		workers := opt.Workers
		if workers <= 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		stop := make(chan struct{})
		defer close(stop)
		// Tasks wait in two queues: one for the workers, one that keeps the order.
		work, order := make(chan task[T], workers), make(chan task[T], 2*workers)
		idle := make(chan []T, 2*workers)
		send := func(b batch) bool {
			t := task[T]{b, make(chan []T, 16), idle, stop}
			for _, queue := range []chan task[T]{order, work} {
				select {
				case queue <- t:
				case <-stop:
					return false
				}
			}
			return true
		}
		go func() {
			defer close(order)
			defer close(work)
			split(fsys, found, send)
		}()
		for range workers {
			go func() {
				p, do := newParser(), newWorker()
				for t := range work {
					t.run(p, do)
				}
			}()
		}
		var total, done int64
		for _, f := range found.files {
			total += f.size
		}
		for t := range order {
			for results := range t.results {
				for _, r := range results {
					if !yield(r) {
						return
					}
				}
				clear(results) // so that they are not kept
				select {
				case idle <- results[:0]:
				default:
				}
			}
			if done += t.bytes; opt.Progress != nil {
				opt.Progress(done, total)
			}
		}
	}
}

// task is a batch on its way through a worker.
type task[T any] struct {
	batch
	results chan []T // closed after the last
	idle    chan []T // memory of results that were used, to be used again
	stop    <-chan struct{}
}

// run parses the batch and hands results over as it goes: a file may hold millions of records, and
// what is wrong with each takes more room than the file does.
func (t task[T]) run(p *parser, do func(Item) T) {
	const piece = 256
	defer close(t.results)
	var results []T
	deliver := func() {
		select {
		case t.results <- results:
		case <-t.stop:
		}
		results = nil
	}
	p.emit = func(i Item) {
		if results == nil {
			select {
			case results = <-t.idle:
			default:
			}
		}
		if results = append(results, do(i)); len(results) == piece {
			deliver()
		}
	}
	p.parse(t.batch)
	deliver()
}

// readWhole reads a file that is held in memory.
func readWhole(fsys fs.FS, at string) ([]byte, *record.Problem) {
	r, err := fsys.Open(at)
	if err != nil {
		p := unreadable(at, err)
		return nil, &p
	}
	defer r.Close()
	most := int64(maxYAML)
	if formats[strings.ToLower(path.Ext(at))] == ".json" {
		most = maxJSON
	}
	var data bytes.Buffer
	info, err := r.Stat()
	if err == nil && info.Size() <= most {
		data.Grow(int(info.Size()) + bytes.MinRead)
		_, err = data.ReadFrom(io.LimitReader(r, most+1)) // it may grow while it is read
	}
	switch {
	case err != nil:
		p := unreadable(at, err)
		return nil, &p
	case info.Size() > most || int64(data.Len()) > most:
		p := fault(record.TooLarge, at, record.Pos{}, fmt.Sprintf("the file is larger than %d MiB", most>>20), "divide it, or write NDJSON or CSV, which may be of any size")
		return nil, &p
	}
	return bytes.TrimPrefix(data.Bytes(), utf8BOM), nil
}

func unreadable(at string, err error) record.Problem {
	return fault(record.Unreadable, at, record.Pos{}, "the file cannot be read: "+reason(err), linkFix(err))
}

func noRecords(f *file) record.Problem {
	return fault(record.NoRecords, f.path, record.Pos{}, "no records in this file", "write one, or delete the file")
}

// parser turns batches into items. Each goroutine has its own.
type parser struct {
	json   *jsonReader
	tree   *record.Tree // the record as it was written
	merged *record.Tree // with its defaults
	found  int
	emit   func(Item)
}

func newParser() *parser {
	return &parser{json: newJSONReader(), tree: new(record.Tree), merged: new(record.Tree)}
}

func (p *parser) parse(b batch) {
	if len(b.problems) > 0 {
		p.emit(Item{Problems: b.problems})
	}
	switch {
	case b.fsys != nil:
		p.readFile(b.file, b.fsys)
	case b.rows != nil:
		p.readRows(b.file, b.plan, b.rows)
	case b.lines != "":
		p.readNDJSON(b.file, b.lines, b.first)
	}
}

func (p *parser) readFile(f *file, fsys fs.FS) {
	data, problem := readWhole(fsys, f.path)
	if problem != nil {
		p.fail(f, *problem)
		return
	}
	p.found = 0
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
	if f.defaults != nil && p.tree.Nodes[0].Type == record.Object {
		item.Problems = fill(p.merged, p.tree, f.defaults)
		item.Tree = p.merged
	}
	p.emit(item)
}

func (p *parser) fail(f *file, problem record.Problem) {
	p.found++
	p.emit(Item{Kind: f.kind, Problems: []record.Problem{problem}})
}
