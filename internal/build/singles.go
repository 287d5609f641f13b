package build

import (
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"stele/internal/compress"
	"stele/record"
)

// singlePath is the path of the file of one record.
func singlePath(k *record.Kind, id string) string {
	before, after, _ := strings.Cut(k.Single.Path[1:], "{")
	return before + id + after[strings.IndexByte(after, '}')+1:]
}

// Linker is a Writer that can take over a file from the previous release without copying it, and takes files from several goroutines.
type Linker interface {
	Link(path, from string) bool
}

// singles writes the files of single records while records are still read, where their order does not matter: making files is most of the
// work of writing a folder. For a zip, where order matters, it does nothing.
type singles struct {
	b     *builder
	early bool
	queue chan single
	done  sync.WaitGroup
	once  sync.Once
	mu    sync.Mutex
	err   error
}

type single struct {
	path     string
	data     []byte
	variants [3][]byte
	from     string // the same file in the previous release, or ""
}

func (b *builder) newSingles() *singles {
	s := &singles{b: b}
	if _, s.early = b.w.(Linker); !s.early {
		return s
	}
	s.queue = make(chan single, 1024)
	for range runtime.GOMAXPROCS(0) {
		s.done.Go(func() {
			for one := range s.queue {
				if s.failed(nil) == nil {
					s.failed(s.write(one))
				}
			}
		})
	}
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
	if !s.early || k.Single.Path == "" {
		return
	}
	one := single{path: singlePath(k, id), data: p.data, variants: p.variants}
	if same && s.b.opt.PreviousDir != "" {
		one.from = filepath.Join(s.b.opt.PreviousDir, filepath.FromSlash(one.path))
	}
	s.queue <- one
}

func (s *singles) write(one single) error {
	if one.from == "" || !s.b.previous.untouched(one.from, int64(len(one.data))) || !s.b.w.(Linker).Link(one.path, one.from) {
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

// close waits until all is written.
func (s *singles) close() error {
	s.once.Do(func() {
		if s.queue != nil {
			close(s.queue)
		}
	})
	s.done.Wait()
	return s.failed(nil)
}
