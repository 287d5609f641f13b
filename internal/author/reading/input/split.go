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

// Batch is work for one goroutine: problems, then a whole file, or lines or rows of a file.
type Batch struct {
	file     *file
	problems []schema.Problem
	named    []Named
	fsys     fs.FS  // for reading the whole file
	lines    string // lines of NDJSON
	first    int32  // the number of the first line
	plan     *column
	rows     [][]cell
	bytes    int64
}

// batchSize is the approximate number of bytes of NDJSON or CSV in a batch.
const batchSize = 512 << 10

// splitter receives the batches of files. It returns false to stop.
type splitter func(Batch) bool

// splitFiles splits files into batches, in order, until send returns false. A file that known
// reports gives a batch without records.
func splitFiles(fsys fs.FS, found *scan, known func(*Source) bool, send func(Batch) bool) {
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
			f.Digest = digestFile(fsys, f.Path, f.shared)
			if f.Known = known(&f.Source); f.Known {
				s(Batch{file: f, bytes: f.size})
				continue
			}
		}
		if f.format == ".yaml" || f.format == ".json" {
			s(Batch{file: f, fsys: fsys, bytes: f.size})
			continue
		}
		s.streamFile(fsys, f)
	}
}

// streamFile splits a file that may be larger than memory.
func (s splitter) streamFile(fsys fs.FS, f *file) {
	opened, err := fsys.Open(f.Path)
	if err != nil {
		s.sendProblem(f, unreadableProblem(f.Path, err))
		return
	}
	defer opened.Close()
	r := bufio.NewReaderSize(opened, 64<<10)
	if start, err := r.Peek(len(utf8BOM)); err == nil && bytes.Equal(start, utf8BOM) {
		r.Discard(len(utf8BOM)) // some editors and spreadsheets write it
	}
	if start, _ := r.Peek(2); isUTF16(start) { // otherwise every line would be a problem
		s.sendProblem(f, checkText(f.Path, start, 1))
		return
	}
	if start, _ := r.Peek(64 << 10); f.format == ".csv" {
		if problem := checkLineEnds(f.Path, start); problem != nil {
			s.sendProblem(f, problem)
			return
		}
	}
	divide := s.splitLines
	if f.format == ".csv" {
		divide = s.splitCSV
	}
	if !divide(f, r) {
		s.sendProblem(f, emptyFileProblem(f))
	}
}

func (s splitter) sendProblem(f *file, problem *schema.Problem) bool {
	return s(Batch{file: f, problems: []schema.Problem{*problem}})
}

// splitLines sends batches of whole lines of NDJSON, and reports whether the file has any content.
func (s splitter) splitLines(f *file, r *bufio.Reader) (found bool) {
	var buf []byte // reused for each batch
	rest := 0      // length of the incomplete last line in buf
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
			problem := newProblem(codes.TooLarge, f.Path, schema.Pos{Line: line}, fmt.Sprintf("the line is longer than %d MiB", maxLine>>20), "write one record on each line")
			if found = true; !s.sendProblem(f, problem) {
				return true
			}
			rest, line = 0, line+1
			if err = skipLine(r); err == io.EOF {
				return true
			}
		}
		if err != nil {
			s.sendProblem(f, unreadableProblem(f.Path, err))
			return true
		}
	}
}

// skipLine reads to the end of the current line, which may have any length.
func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
