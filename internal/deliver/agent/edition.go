package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"stele/client"
	"stele/internal/base/layout"
	"stele/internal/base/parallel"
	"stele/internal/disk/scratch"
	"stele/internal/show/search"
	"stele/release"
)

// edition is a release with data derived from it. It is immutable.
type edition struct {
	c      *client.Client
	using  sync.RWMutex // read-locked while a request is answered
	closed bool
	stored *stored // files that were downloaded beforehand; nil for none

	once   sync.Mutex
	files  map[string]release.File // for search and figures, not in the manifest
	finder *search.Finder
	graph  *graph
}

// close closes the edition after its last answer.
func (s *edition) close() error {
	s.using.Lock()
	defer s.using.Unlock()
	s.closed = true
	return errors.Join(s.c.Close(), s.stored.close())
}

// lockEdition returns the current edition, read-locked.
func (s *Server) lockEdition() *edition {
	for {
		if e := s.current.Load(); e.using.TryRLock() {
			if !e.closed {
				return e
			}
			e.using.RUnlock()
		}
	}
}

// isReplaced reports whether a newer release has replaced e. It makes Follow check at once, and
// waits briefly.
func (s *Server) isReplaced(ctx context.Context, e *edition) bool {
	const patience, pause = 3 * time.Second, 20 * time.Millisecond
	looked := s.looked.Load()
	select {
	case s.wake <- struct{}{}:
	default: // another request did
	}
	for end := time.Now().Add(patience); s.looked.Load() == looked && time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(pause)
	}
	return s.current.Load() != e
}

// Load downloads all files that answers need, so that no answer waits for the service.
func (s *Server) Load(ctx context.Context) error { return s.current.Load().load(ctx, nil) }

// Follow looks for a newer release at intervals of every until ctx ends, and then closes the
// server. If load is set, each release is downloaded before it is used. Only one goroutine may call
// Follow.
func (s *Server) Follow(ctx context.Context, every time.Duration, load bool) error {
	for {
		select {
		case <-ctx.Done():
			return s.current.Load().close()
		case <-s.wake:
		case <-time.After(every):
		}
		switch err := s.switchToNext(ctx, load); {
		case err == nil:
			s.unknown.Store(nil)
		case ctx.Err() == nil:
			why := oneLine(err.Error())
			s.unknown.Store(&why)
		}
		s.looked.Add(1)
	}
}

// switchToNext switches to the next release if there is one.
func (s *Server) switchToNext(ctx context.Context, load bool) error {
	before := s.current.Load()
	c, err := before.c.Next(ctx)
	if c == nil || err != nil {
		return err
	}
	e := &edition{c: c}
	if load {
		if err := e.load(ctx, before.stored); err != nil {
			return errors.Join(err, e.close())
		}
	}
	s.current.Store(e)
	return before.close()
}

// load downloads the files that answers need. It copies the files that earlier contains instead of
// downloading them.
func (s *edition) load(ctx context.Context, earlier *stored) error {
	err := s.c.Fetch(ctx, func(path string) bool {
		return !layout.IsDownload(path) && !strings.HasPrefix(path, layout.HistoryFolder) &&
			!strings.HasPrefix(path, layout.DeltaFolder)
	})
	if err != nil {
		return err
	}
	r := s.c.Release(ctx)
	if r.Local() { // in a folder or a zip
		return nil
	}
	if _, err := s.findListed(r, layout.ManifestPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	kept, err := newStored()
	if err != nil {
		return err
	}
	chosen := func(yield func(release.File, error) bool) {
		for _, f := range s.files {
			rest, isFigure := strings.CutPrefix(f.Path, layout.FigureFolder)
			if isOfArea := isFigure && strings.Contains(rest, "/"); !isOfArea && !yield(f, nil) {
				return
			}
		}
	}
	const atOnce = 8
	err = parallel.Each(ctx, atOnce, chosen, func(ctx context.Context, f release.File) error {
		data, err := earlier.findSame(f)
		if data == nil && err == nil {
			data, err = s.readFile(s.c.Release(ctx), f.Path)
		}
		if err != nil {
			return err
		}
		return kept.addFile(f, data)
	})
	if err != nil {
		return errors.Join(err, kept.close())
	}
	s.stored = kept
	return nil
}

// stored contains small files of a service in a temporary file. A nil stored is empty.
type stored struct {
	mu   sync.Mutex
	on   *os.File
	end  int64
	span map[string]span
}

type span struct {
	at, size int64
	sum      release.Digest
}

func newStored() (*stored, error) {
	on, err := scratch.New("", "stele-agent-*")
	return &stored{on: on, span: map[string]span{}}, err
}

func (s *stored) addFile(f release.File, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.on.WriteAt(data, s.end); err != nil {
		return err
	}
	s.span[f.Path] = span{s.end, f.Size, f.SHA256}
	s.end += f.Size
	return nil
}

// readFile returns a file, or nil if it is not stored.
func (s *stored) readFile(path string) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	at, ok := s.span[path] // complete before it is read
	if !ok {
		return nil, nil
	}
	data := make([]byte, at.size)
	_, err := s.on.ReadAt(data, at.at)
	return data, err
}

// findSame returns the stored file with the path and the digest of f, or nil.
func (s *stored) findSame(f release.File) ([]byte, error) {
	if s == nil || s.span[f.Path].sum != f.SHA256 {
		return nil, nil
	}
	return s.readFile(f.Path)
}

func (s *stored) close() error {
	if s == nil {
		return nil
	}
	return s.on.Close() // the file has no name
}
