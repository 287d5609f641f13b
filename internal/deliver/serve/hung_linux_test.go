package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// TestStopWhileReadHangs: a server stops although somebody waits for a file that never comes.
func TestStopWhileReadHangs(t *testing.T) {
	asked, comes := make(chan struct{}), make(chan struct{})
	opt := Options{Refresh: func(*library.Library) bool {
		close(asked)
		<-comes
		return false
	}}
	dir := filepath.Join(t.TempDir(), "release")
	l := openShelved(t, dir, opt)
	specimen.Spoil(t, filepath.Join(dir, specimen.Pages[1]), 100)
	s := New(l, opt)
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	go s.Serve(listener)
	conn := dialTo(t, listener.Addr().String())
	fmt.Fprint(conn, get("/"+specimen.Pages[1]))
	<-asked
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stopping: %v", err)
	}
	close(comes)
	s.ours.Wait() // it ends after all
	if err := s.loops.stop(); err != nil {
		t.Error(err)
	}
}

// watchedPlace is a place of which somebody hears before it is opened.
type watchedPlace struct {
	*store.Source
	before func()
}

func (p watchedPlace) Open() (*release.Release, time.Time, func() error, error) {
	p.before()
	return p.Source.Open()
}

// TestHungRelease: a release whose disk hangs keeps nobody waiting. Others are answered from the
// one before, whoever misses a file of it is told so, and the follower can be stopped.
func TestHungRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "release.zip")
	openSpecimenAt(t, path, Options{})
	first, hangs, goOn := true, make(chan struct{}), make(chan struct{})
	place := watchedPlace{store.NewSource(path), func() {
		if !first {
			close(hangs)
			<-goOn
		}
		first = false
	}}
	f := must.Get(Follow(path, place, Options{IdleTime: 50 * time.Millisecond}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended, hangup := make(chan struct{}), make(chan os.Signal, 1)
	go func() {
		f.Run(ctx, hangup)
		close(ended)
	}()
	hangup <- os.Interrupt
	<-hangs
	old := f.server.Library()
	if f.refresh(old) {
		t.Error("there is another release")
	}
	var a library.Answer
	f.server.Ask(&library.Request{Method: http.MethodGet, Path: specimen.Record}, &a, new(library.Scratch))
	if a.Status != http.StatusOK {
		t.Errorf("answered %d", a.Status)
	}
	a.Release()
	cancel()
	<-ended // although it still hangs
	if err := f.server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	f.mu.Lock()
	looking := f.looking
	f.mu.Unlock()
	close(goOn)
	<-looking // it comes after all
	if f.server.Library() != old {
		t.Error("another release is served by a server that has stopped")
	}
}
