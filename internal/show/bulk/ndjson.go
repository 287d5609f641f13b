package bulk

import (
	"bufio"
	"io"

	"stele/internal/compile/render"
	"stele/record"
)

// ndjson writes the records as they are, one on each line.
type ndjson struct{ *bufio.Writer }

func newNDJSON(w io.Writer, _ render.Records, _ *record.Kind) (rowWriter, error) {
	return ndjson{bufio.NewWriterSize(w, 256<<10)}, nil
}

func (n ndjson) add(line []byte, _ []cell) error {
	n.Write(line)
	return n.WriteByte('\n') // which tells of the error before
}

func (ndjson) flush() error { return nil }

func (n ndjson) close() error { return n.Flush() }
