package source

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"runtime"

	"stele/record"
)

// Options of Read.
type Options struct {
	Workers  int                          // goroutines that parse; 0 for one per core
	Progress func(doneBytes, total int64) // called as work gets done; may be nil
}

// Read reads the records below records/ of a folder. Each is passed through a worker, on several cores; what
// the workers make of them is yielded in the order of the records. newWorker is called once for each goroutine.
func Read[T any](fsys fs.FS, opt Options, newWorker func() func(Item) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		found := walk(fsys)
		workers := opt.Workers
		if workers <= 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		stop := make(chan struct{})
		defer close(stop)
		type task struct {
			batch
			results chan []T
		}
		// Tasks wait in two queues: one for the workers, one that keeps the order.
		work, order := make(chan task, workers), make(chan task, 2*workers)
		send := func(b batch) bool {
			t := task{b, make(chan []T, 1)}
			for _, queue := range []chan task{order, work} {
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
				expected := 0
				for t := range work {
					results := make([]T, 0, expected)
					p.emit = func(i Item) { results = append(results, do(i)) }
					p.parse(t.batch)
					expected = len(results) + len(results)/8
					t.results <- results
				}
			}()
		}
		var total, done int64
		for _, f := range found.files {
			total += f.size
		}
		for t := range order {
			for _, r := range <-t.results {
				if !yield(r) {
					return
				}
			}
			if done += t.bytes; opt.Progress != nil {
				opt.Progress(done, total)
			}
		}
	}
}

// batch is a piece of work for one goroutine: problems, then a whole file, or lines, or rows of one.
type batch struct {
	file     *file
	problems []record.Problem
	fsys     fs.FS  // to read the whole file from
	lines    []byte // of NDJSON
	first    int32  // the number of the first line
	plan     *column
	rows     [][]cell
	bytes    int64
}

// splitter divides files into batches.
type splitter struct {
	send func(batch) bool // false when nobody wants more
}

// split divides what was found into batches, in order, as long as send wants them.
func split(fsys fs.FS, found *scan, send func(batch) bool) {
	wanted := true
	s := &splitter{func(b batch) bool {
		wanted = wanted && send(b)
		return wanted
	}}
	if len(found.problems) > 0 {
		s.send(batch{problems: found.problems})
	}
	for i := 0; i < len(found.files) && wanted; i++ {
		f := &found.files[i]
		if f.format == ".yaml" || f.format == ".json" {
			s.send(batch{file: f, fsys: fsys, bytes: f.size})
			continue
		}
		s.stream(fsys, f)
	}
}

func (s *splitter) stream(fsys fs.FS, f *file) {
	r, err := fsys.Open(f.path)
	if err != nil {
		s.send(batch{file: f, problems: []record.Problem{unreadable(f.path, err)}})
		return
	}
	defer r.Close()
	if f.format == ".csv" {
		s.splitCSV(f, r)
		return
	}
	s.splitLines(f, skipBOM(r))
}

// splitLines hands over NDJSON in pieces of whole lines.
func (s *splitter) splitLines(f *file, r io.Reader) {
	const piece = 512 << 10
	var rest []byte // of a line that is not complete
	line := int32(1)
	for {
		buf := make([]byte, len(rest)+piece)
		copy(buf, rest)
		n, err := io.ReadFull(r, buf[len(rest):])
		buf = buf[:len(rest)+n]
		end := bytes.LastIndexByte(buf, '\n') + 1
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if last {
			end = len(buf)
		}
		if end > 0 && !s.send(batch{file: f, lines: buf[:end], first: line, bytes: int64(end)}) {
			return
		}
		line += int32(bytes.Count(buf[:end], []byte{'\n'}))
		rest = buf[end:]
		switch {
		case last:
			return
		case err != nil:
			s.send(batch{file: f, problems: []record.Problem{unreadable(f.path, err)}})
			return
		case len(rest) > maxLine:
			if !s.send(batch{file: f, problems: []record.Problem{fault(record.FIL05, f.path, record.Pos{Line: line}, fmt.Sprintf("the line is longer than %d MiB", maxLine>>20), "write one record on each line")}}) {
				return
			}
			if rest = skipLine(r); rest == nil {
				return
			}
			line++
		}
	}
}

// skipLine reads on to the next line and answers with what was read of it; nil at the end.
func skipLine(r io.Reader) []byte {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return buf[i+1 : n : n]
		}
		if err != nil {
			return nil
		}
	}
}

// skipBOM takes a byte-order mark off, which some editors and spreadsheets write.
func skipBOM(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 64<<10)
	if start, err := b.Peek(len(utf8BOM)); err == nil && bytes.Equal(start, utf8BOM) {
		b.Discard(len(utf8BOM))
	}
	return b
}

// readWhole reads a file that is held in memory.
func readWhole(fsys fs.FS, at string) ([]byte, *record.Problem) {
	r, err := fsys.Open(at)
	if err != nil {
		p := unreadable(at, err)
		return nil, &p
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		p := unreadable(at, err)
		return nil, &p
	}
	if len(data) > maxFile {
		p := fault(record.FIL05, at, record.Pos{}, fmt.Sprintf("the file is larger than %d MiB", maxFile>>20), "divide it, or write NDJSON or CSV, which may be of any size")
		return nil, &p
	}
	return bytes.TrimPrefix(data, utf8BOM), nil
}

func unreadable(at string, err error) record.Problem {
	return fault(record.FIL01, at, record.Pos{}, "the file cannot be read: "+reason(err), linkFix(err))
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
	case b.lines != nil:
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
	if f.format == ".yaml" {
		p.readYAML(f, data)
	} else {
		p.readJSON(f, data)
	}
	if p.found == 0 {
		p.fail(f, fault(record.FIL08, f.path, record.Pos{}, "no records in this file", "write one, or delete the file"))
	}
}

// record passes on the record in p.tree, laid over its defaults.
func (p *parser) record(f *file) {
	p.found++
	item := Item{Kind: f.kind, Tree: p.tree}
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
