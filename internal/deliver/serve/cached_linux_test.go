package serve

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

// forgotten lets the system forget what it has of a file, and reports whether it did.
func forgotten(t *testing.T, path string) bool {
	t.Helper()
	f := must.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer f.Close()
	must.Do(t, f.Sync())
	must.Do(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
	return library.IsUncached(f, 0, 1)
}

// TestColdFile: a large file that has to come from the disk comes whole, and the loop does not wait
// for it.
func TestColdFile(t *testing.T) {
	at := filepath.Join(t.TempDir(), "release")
	opt := Options{Memory: 1}
	l := openSpecimenAt(t, at, opt)
	l.Retain() // the test closes it too
	path := at + specimen.Large
	if !forgotten(t, path) {
		t.Skip("this file system does not say what it has in memory")
	}
	b := answered(l, specimen.Large, "").Body
	here, there, err := pair()
	must.Do(t, err)
	defer unix.Close(here)
	defer unix.Close(there)
	f := sending{Reply: exchange.Reply{Answer: library.Answer{Body: b}}}
	if _, err := f.send(there); err != library.ErrWouldBlock {
		t.Errorf("sending says %v", err)
	}
	f.warm = true
	if _, err := f.send(there); err != nil || f.Sent == 0 {
		t.Errorf("sending when it is warm: %d bytes, %v", f.Sent, err)
	}

	s := New(l, opt)
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	go s.Serve(listener)
	defer s.Shutdown(context.Background())
	want := must.Get(os.ReadFile(path))(t)
	for range 3 {
		forgotten(t, path)
		answer, err := http.Get("http://" + listener.Addr().String() + specimen.Large)
		must.Do(t, err)
		got, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// pair are the two ends of a connection that do not wait.
func pair() (here, there int, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	return ends[0], ends[1], err
}
