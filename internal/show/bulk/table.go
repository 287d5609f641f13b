package bulk

import (
	"fmt"
	"iter"
	"sync"
	"sync/atomic"

	"stele/internal/compile/render"
	"stele/internal/trust/standing"
	"stele/record"
)

// rowWriter writes the records of a kind in one format.
type rowWriter interface {
	// add writes a record, given as JSON and as cells. Both are valid until flush returns.
	add(line []byte, cells []cell) error
	// flush writes what add has buffered.
	flush() error
	close() error
}

// table writes a file with the records of a kind.
type table struct {
	name    string // of the file
	open    func() (rowWriter, error)
	batches chan *batch
	err     error
}

// rows reads the records of a kind that are to be written.
type rows struct {
	e      render.Records
	k      *record.Kind
	lines  iter.Seq2[[]byte, error]
	number func(i int) int // index of the record in line i, if the kind has standings
}

// write reads the records once for all tables. One goroutine reads and splits them, and one
// goroutine per table writes them.
func (r *rows) write(tables ...*table) error {
	if len(tables) == 0 {
		return nil
	}
	var writing sync.WaitGroup
	for _, t := range tables {
		t.batches = make(chan *batch, 2)
		writing.Go(t.write)
	}
	err := r.sendBatches(tables)
	for _, t := range tables {
		close(t.batches)
	}
	writing.Wait()
	for _, t := range tables {
		if err == nil {
			err = t.err
		}
	}
	return err
}

// sendBatches passes the records to tables in batches.
func (r *rows) sendBatches(tables []*table) error {
	idle := sync.Pool{New: func() any { return &batch{row: newRow(r.e, r.k)} }}
	b := idle.Get().(*batch)
	pass := func() error {
		if err := b.parse(); err != nil {
			return err
		}
		b.idle = &idle
		b.readers.Store(int32(len(tables)))
		for _, t := range tables {
			t.batches <- b
		}
		b = idle.Get().(*batch)
		return nil
	}
	n := 0
	for line, err := range r.lines {
		if err != nil {
			return err
		}
		if r.k.HasNode() {
			b.standings = append(b.standings, r.e.Standing(r.k, r.number(n)))
			n++
		}
		if b.add(line); len(b.ends) == 256 || len(b.bytes) > 256<<10 {
			if err := pass(); err != nil {
				return err
			}
		}
	}
	return pass()
}

// write writes the batches that t receives. After an error, it only releases them.
func (t *table) write() {
	w, err := t.open()
	for b := range t.batches {
		if err == nil {
			err = b.write(w)
		}
		b.release()
	}
	if err == nil {
		err = w.close()
	}
	if err != nil {
		t.err = fmt.Errorf("%s: %w", t.name, err)
	}
}

// batch is a group of records that several tables read at once. The last reader releases its memory
// for reuse.
type batch struct {
	row   *row
	bytes []byte // lines, one after the other
	ends  []int  // of the lines
	all   []cell // of all lines, one per column
	// of each line; nil if the kind has none
	standings []standing.Entry
	idle      *sync.Pool
	readers   atomic.Int32
}

func (b *batch) add(line []byte) {
	b.bytes = append(b.bytes, line...)
	b.ends = append(b.ends, len(b.bytes))
}

// parse splits all records of the batch into cells.
func (b *batch) parse() error {
	for i := range b.ends {
		if err := b.row.read(b.line(i)); err != nil {
			return err
		}
		if b.standings != nil {
			b.row.setStanding(b.standings[i])
		}
		if b.row.hasNames {
			b.row.fillAreaName()
		}
		b.all = append(b.all, b.row.cells...)
	}
	return nil
}

func (b *batch) line(i int) []byte {
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.bytes[start:b.ends[i]]
}

func (b *batch) cells(i int) []cell {
	columns := len(b.row.columns)
	return b.all[i*columns : (i+1)*columns]
}

// release records that one reader has finished. The last call releases the batch for reuse.
func (b *batch) release() {
	if b.readers.Add(-1) == 0 {
		b.bytes, b.ends, b.all, b.standings = b.bytes[:0], b.ends[:0], b.all[:0], b.standings[:0]
		b.idle.Put(b)
	}
}

func (b *batch) write(w rowWriter) error {
	for i := range b.ends {
		if err := w.add(b.line(i), b.cells(i)); err != nil {
			return err
		}
	}
	return w.flush()
}
