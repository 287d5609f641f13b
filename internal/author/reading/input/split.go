package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Batch is work for one goroutine: problems, then a whole file, or lines, or rows of one.
type Batch struct {
	file     *file
	problems []schema.Problem
	named    []Named
	fsys     fs.FS  // to read the whole file from
	lines    string // of NDJSON
	first    int32  // the number of the first line
	plan     *column
	rows     [][]cell
	bytes    int64
}

// batchSize is about how many bytes of NDJSON or CSV go to one goroutine at a time.
const batchSize = 512 << 10

// splitter divides files into batches, which it hands over; it answers with false when nobody wants
// more.
type splitter func(Batch) bool

// split divides what was found into batches, in order, as long as send wants them. Of files that
// are known, if anybody knows any, there is a batch without records.
func split(fsys fs.FS, found *scan, known func(*Source) bool, send func(Batch) bool) {
	wanted := true
	s := splitter(func(b Batch) bool {
		wanted = wanted && send(b)
		return wanted
	})
	if len(found.problems)+len(found.named) > 0 {
		s(Batch{problems: found.problems, named: found.named})
	}
	for i := 0; i < len(found.files) && wanted; i++ {
		f := &found.files[i]
		if known != nil {
			f.Digest = digest(fsys, f.Path, f.shared)
			if f.Known = known(&f.Source); f.Known {
				s(Batch{file: f, bytes: f.size})
				continue
			}
		}
		if f.format == ".yaml" || f.format == ".json" {
			s(Batch{file: f, fsys: fsys, bytes: f.size})
			continue
		}
		s.stream(fsys, f)
	}
}

// stream divides a file that may be larger than memory.
func (s splitter) stream(fsys fs.FS, f *file) {
	opened, err := fsys.Open(f.Path)
	if err != nil {
		s.fail(f, unreadable(f.Path, err))
		return
	}
	defer opened.Close()
	r := bufio.NewReaderSize(opened, 64<<10)
	if start, err := r.Peek(len(utf8BOM)); err == nil && bytes.Equal(start, utf8BOM) {
		r.Discard(len(utf8BOM)) // which some editors and spreadsheets write
	}
	if start, _ := r.Peek(2); isUTF16(start) { // every line would be a problem
		s.fail(f, checkText(f.Path, start, 1))
		return
	}
	if start, _ := r.Peek(64 << 10); f.format == ".csv" {
		if problem := oldMac(f.Path, start); problem != nil {
			s.fail(f, problem)
			return
		}
	}
	divide := s.splitLines
	if f.format == ".csv" {
		divide = s.splitCSV
	}
	if !divide(f, r) {
		s.fail(f, noRecords(f))
	}
}

func (s splitter) fail(f *file, problem *schema.Problem) bool {
	return s(Batch{file: f, problems: []schema.Problem{*problem}})
}

// splitLines hands over NDJSON in pieces of whole lines, and reports whether there was anything in
// them.
func (s splitter) splitLines(f *file, r *bufio.Reader) (found bool) {
	var buf []byte // used again for each piece
	rest := 0      // how many bytes of it are those of a line that is not complete
	line := int32(1)
	for {
		buf = slices.Grow(buf[:rest], batchSize)
		n, err := io.ReadFull(r, buf[rest:rest+batchSize])
		buf = buf[:rest+n]
		end := bytes.LastIndexByte(buf, '\n') + 1
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if last {
			end = len(buf)
		}
		found = found || len(bytes.TrimSpace(buf[:end])) > 0
		if end > 0 && !s(Batch{file: f, lines: string(buf[:end]), first: line, bytes: int64(end)}) {
			return true
		}
		line += int32(bytes.Count(buf[:end], []byte{'\n'}))
		rest = copy(buf, buf[end:])
		switch {
		case last:
			return found
		case err == nil && rest > maxLine:
			problem := fault(codes.TooLarge, f.Path, schema.Pos{Line: line}, fmt.Sprintf("the line is longer than %d MiB", maxLine>>20), "write one record on each line")
			if found = true; !s.fail(f, problem) {
				return true
			}
			rest, line = 0, line+1
			if err = skipLine(r); err == io.EOF {
				return true
			}
		}
		if err != nil {
			s.fail(f, unreadable(f.Path, err))
			return true
		}
	}
}

// skipLine reads to the end of a line, however long that is.
func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
