package bulk

import (
	"bufio"
	"io"

	"stele/internal/render"
	"stele/record"
)

// writeNDJSON writes the records as they are, one on each line.
func writeNDJSON(w io.Writer, e render.Records, k *record.Kind) error {
	lines := bufio.NewWriterSize(w, 256<<10)
	for line, err := range e.Collection(k) {
		if err != nil {
			return err
		}
		lines.Write(line)
		lines.WriteByte('\n') // errors stay until Flush
	}
	return lines.Flush()
}
