package publish

import (
	"errors"
	"sync"
	"time"

	"stele/internal/compress"
	"stele/record"
)

// Linker is a Writer that can take over a file from the previous release without copying it, in
// place of one that is there, if the file has a size and was not written to after a time, as make
// and rsync judge it. It takes files from several goroutines.
type Linker interface {
	Link(path, from string, size int64, until time.Time) bool
}

// singles writes the files of single records while records are still read and collections are made,
// where their order does not matter: making files is most of the work of writing a folder. For a
// zip, where order matters, it does nothing.
//
// One goroutine makes all files. The system holds a lock of the folder while it makes a file in it;
// a second one would wait for that most of the time, and keep a core busy with waiting.
type singles struct {
	b     *builder
	early bool
	batch []single // what is not handed over yet
	size  int      // of the data in it
	queue chan []single
	done  sync.WaitGroup
	once  sync.Once
	mu    sync.Mutex
	err   error
}

type single struct {
	path     string
	data     []byte
	variants [3][]byte
	same     bool // whether the previous release has it
}

// A batch is handed over when it has so many bytes, and so many of them may wait: the records in
// them are in memory.
const (
	batchSize    = 256 << 10
	batchesAhead = 256
)

func (b *builder) newSingles() *singles {
	s := &singles{b: b}
	if _, s.early = b.w.(Linker); !s.early {
		return s
	}
	s.queue = make(chan []single, batchesAhead)
	s.done.Go(func() {
		for batch := range s.queue {
			for i := range batch {
				if s.failed(nil) == nil {
					s.failed(s.write(&batch[i]))
				}
			}
		}
	})
	return s
}

// failed notes an error, and answers with the first one.
func (s *singles) failed(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	return s.err
}

// add hands over a record. same says that the previous release has it to the byte.
func (s *singles) add(kind int, id string, p *piece, same bool) {
	k := record.Kinds[kind]
	if !s.early || !k.HasSingle() {
		return
	}
	s.batch = append(s.batch, single{k.SinglePath(id)[1:], p.data, p.variants, same})
	for _, data := range [...][]byte{p.data, p.variants[0], p.variants[1], p.variants[2]} {
		s.size += len(data)
	}
	if s.size >= batchSize {
		s.handOver()
	}
}

func (s *singles) handOver() {
	s.queue <- s.batch
	s.batch, s.size = make([]single, 0, len(s.batch)), 0
}

func (s *singles) write(one *single) error {
	if !one.same || !s.b.takeOver(one.path, int64(len(one.data))) {
		if err := s.b.w.Put(one.path, one.data); err != nil {
			return err
		}
	}
	for i, data := range one.variants {
		if data == nil {
			continue
		}
		if err := s.b.w.Put(one.path+compress.Encodings[i].Suffix, data); err != nil {
			return err
		}
	}
	return nil
}

// allAdded says that no more are added.
func (s *singles) allAdded() {
	s.once.Do(func() {
		if s.early {
			s.handOver()
			close(s.queue)
		}
	})
}

// wait waits until all is written.
func (s *singles) wait() error {
	s.done.Wait()
	return s.failed(nil)
}

var errStopped = errors.New("the build was stopped")

// stop ends writing where the build ends before all is written.
func (s *singles) stop() {
	s.failed(errStopped)
	s.allAdded()
	s.done.Wait()
}
