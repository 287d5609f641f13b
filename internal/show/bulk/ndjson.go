package bulk

import (
	"bufio"
	"io"

	"stele/internal/compile/render"
	"stele/record"
)

// ndjson writes each record on a line of its own.
type ndjson struct{ *bufio.Writer }

func newNDJSON(w io.Writer, _ render.Records, _ *record.Kind) (rowWriter, error) {
	return ndjson{bufio.NewWriterSize(w, 256<<10)}, nil
}

func (n ndjson) add(line []byte, _ []cell) error {
	n.Write(line)
	return n.WriteByte('\n') // returns earlier errors too
}

func (ndjson) flush() error { return nil }

func (n ndjson) close() error { return n.Flush() }
