package serve

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"stele/internal/deliver/library"
	"stele/internal/disk/store"
)

// TestManyAtOnce: clients that ask at the same time, in the lane and through net/http, while the
// library is exchanged, all get what they asked for.
func TestManyAtOnce(t *testing.T) {
	path, opt := filepath.Join(t.TempDir(), "release"), Options{Memory: 1}
	l := openSpecimenAt(t, path, opt)
	l.Hold() // the test closes it too
	s := New(l, opt)
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 0))
			for range 5 {
				if err := askAround(connect(s), random, l); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		r, closer, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Swap(openLibrary(t, r, opt, closer)); err != nil {
			t.Error(err)
		}
	}
	clients.Wait()
	if err := s.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	for lane, n := range laneNames {
		if s.metrics.lanes[lane].Load() == 0 {
			t.Errorf("no request took the %s lane", n)
		}
	}
}

// askAround asks for some things on one connection, and ends it.
func askAround(conn wire, random *rand.Rand, l *library.Library) error {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for i := range 20 {
		path := pick(random, specimenPaths)
		sent := path
		if i == 15 {
			sent += "?from=here" // for net/http, and all that follow
		}
		conn.Write([]byte(get(sent)))
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", sent, err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return fmt.Errorf("%s: %w", sent, err)
		}
		if err := expectAnswer(l, path, response.StatusCode, body); err != nil {
			return err
		}
	}
	return nil
}

// expectAnswer compares with what a library says by itself.
func expectAnswer(l *library.Library, path string, status int, body []byte) error {
	var a library.Answer
	l.Answer(&library.Request{Method: http.MethodGet, Path: path}, &a, new(library.Scratch))
	want := make([]byte, a.Size)
	err := a.ReadAt(want, 0)
	if a.Size == 0 {
		err = nil
	}
	if status != a.Status || !bytes.Equal(body, want) {
		return fmt.Errorf("%s: %d with %d bytes, want %d with %d", path, status, len(body), a.Status, len(want))
	}
	if err == nil {
		err = a.LetGo()
	}
	return err
}
