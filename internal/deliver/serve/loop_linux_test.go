package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/http1"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
)

// onLoopback lets a server serve until the test ends.
func onLoopback(t *testing.T, l *library.Library, opt Options) (s *Server, address string) {
	t.Helper()
	l.Retain() // the test closes it too
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	s = New(l, opt)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return s, listener.Addr().String()
}

// monologue sends pieces, says that nothing more comes, and gives back all that was answered.
func monologue(address string, pieces [][]byte) ([]byte, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	for _, piece := range pieces {
		if _, err := conn.Write(piece); err != nil {
			break // the server has had enough; what it has said counts
		}
	}
	conn.(*net.TCPConn).CloseWrite() // so has it if this fails
	got, err := io.ReadAll(conn)
	return got, err
}

// TestLoopAgrees: what is sent over a real connection gets the same answers from a loop and from
// net/http. A connection that was reset counts only as far as both answered it: the system throws
// away what a client has not read yet.
func TestLoopAgrees(t *testing.T) {
	l := openSpecimen(t, Options{})
	s, fast := onLoopback(t, l, Options{})
	_, reference := onLoopback(t, l, Options{Wrap: plainly})
	random := rand.New(rand.NewPCG(3, 4))
	streams := make(chan [][]byte)
	var visitors sync.WaitGroup
	var resets, all int
	var mu sync.Mutex
	for range 16 { // because net/http gives bad clients half a second
		visitors.Go(func() {
			for pieces := range streams {
				got, failed := monologue(fast, pieces)
				want, failedThere := monologue(reference, pieces)
				reset := errors.Is(failed, syscall.ECONNRESET) || errors.Is(failedThere, syscall.ECONNRESET)
				mu.Lock()
				all++
				if reset {
					resets++
				}
				mu.Unlock()
				if !reset && (failed != nil || failedThere != nil) {
					t.Errorf("%.600q: %v, %v", pieces, failed, failedThere)
				}
				lane, plain := talk{replies: divide(got)}, talk{replies: divide(want)}
				if d := difference(lane, plain); d != "" && !reset && !hasEmptyLines(pieces) {
					t.Errorf("%.600q: %s", pieces, d)
				}
			}
		})
	}
	for name := range clients {
		streams <- [][]byte{[]byte(ofClient(name, specimen.Record) + ofClient(name, specimen.Large) + ofClient(name, "/nothing"))}
	}
	for _, request := range odd {
		streams <- [][]byte{[]byte(get(specimen.Plain) + request)}
	}
	rounds := 1000
	if testing.Short() {
		rounds = 300
	}
	for range rounds {
		pieces, _ := randomStream(random, l)
		streams <- pieces
	}
	close(streams)
	visitors.Wait()
	if s.metrics.lanes[laneFast].Load() < int64(rounds/2) || s.metrics.lanes[laneReference].Load() < int64(rounds/10) {
		t.Errorf("the loop answered %d requests, and gave %d to net/http: one side is hardly tested", s.metrics.lanes[laneFast].Load(), s.metrics.lanes[laneReference].Load())
	}
	if resets > all/10 {
		t.Errorf("%d of %d connections were reset", resets, all)
	}
}

// TestLoopSendsOn: a client that asks for much before it reads anything gets all of it, in order:
// what is small, what is large, and what comes from a file.
func TestLoopSendsOn(t *testing.T) {
	l := openSpecimenAt(t, t.TempDir()+"/release.zip", Options{})
	s, address := onLoopback(t, l, Options{AccessLog: true})
	conn := must.Get(net.Dial("tcp", address))(t)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	// so that answers do not fit into the connection
	must.Do(t, conn.(*net.TCPConn).SetReadBuffer(128<<10))
	paths := []string{specimen.Large, specimen.Record, "/nothing", specimen.Middle, specimen.Plain, "/evidence/evd-big/"}
	rounds := 200
	if race.Enabled {
		rounds = 50
	}
	asked := make(chan error, 1)
	go func() {
		for range rounds {
			for _, path := range paths {
				if _, err := io.WriteString(conn, get(path)); err != nil {
					asked <- err
					return
				}
			}
		}
		asked <- nil
	}()
	in := bufio.NewReader(conn)
	for i := range rounds * len(paths) {
		path := paths[i%len(paths)]
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
		if err := expectAnswer(l, path, response.StatusCode, body); err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
	}
	if err := <-asked; err != nil {
		t.Error(err)
	}
	if n := s.metrics.lanes[laneReference].Load(); n > 0 {
		t.Errorf("net/http answered %d", n)
	}
}

// TestLoopReadsFiles: what has to be read from files, because the release is larger than memory, is
// answered by the loop too, one after the other as it was asked for.
func TestLoopReadsFiles(t *testing.T) {
	for _, name := range []string{"release", "release.zip"} {
		l := openShelved(t, filepath.Join(t.TempDir(), name), Options{})
		s, address := onLoopback(t, l, Options{})
		conn := must.Get(net.Dial("tcp", address))(t)
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(time.Minute))
		rounds := 20
		if race.Enabled {
			rounds = 5
		}
		asked := make(chan error, 1)
		go func() {
			var err error
			for i := range rounds * len(specimenPaths) {
				if _, err = io.WriteString(conn, get(specimenPaths[i%len(specimenPaths)])); err != nil {
					break
				}
			}
			asked <- err
		}()
		in := bufio.NewReader(conn)
		for i := range rounds * len(specimenPaths) {
			response, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("answer %d: %v", i, err)
			}
			body, err := io.ReadAll(response.Body)
			if err == nil {
				err = expectAnswer(l, specimenPaths[i%len(specimenPaths)], response.StatusCode, body)
			}
			if err != nil {
				t.Fatalf("answer %d: %v", i, err)
			}
		}
		if err := <-asked; err != nil {
			t.Error(err)
		}
		if n := s.metrics.lanes[laneReference].Load(); n > 0 {
			t.Errorf("net/http answered %d", n)
		}
	}
}

// TestLoopLetsGo: nothing of a release stays in memory because somebody who asked for it is still
// connected.
func TestLoopLetsGo(t *testing.T) {
	old, gone := library.Blank(nil, library.Options{}), make(chan struct{})
	runtime.AddCleanup(&answered(old, "/", "").Own[0], func(gone chan struct{}) { close(gone) }, gone)
	s, address := onLoopback(t, old, Options{})
	conn := must.Get(net.Dial("tcp", address))(t)
	defer conn.Close()
	fmt.Fprint(conn, get("/"))
	if response, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil ||
		response.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", response, err)
	}
	must.Do(t, s.Swap(library.Blank(nil, library.Options{})))
	old = nil
	late := time.After(time.Minute)
	for {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-late:
			t.Fatal("it is still there")
		default:
		}
	}
}

// TestLoopAnswersBeforeItStops: what a client has asked for before the server stops is answered,
// and what it asks for in vain does not spoil that.
func TestLoopAnswersBeforeItStops(t *testing.T) {
	s := New(openSpecimen(t, Options{}), Options{HeaderBytes: 1 << 10})
	pair := must.Get(unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0))(t)
	defer unix.Close(pair[1])
	l := must.Get(newLoop(s.sharedState))(t)
	defer l.close()
	s.addConn()
	s.room <- struct{}{}
	l.addClient(&client{fd: pair[0], counted: newLimitedConn(s.sharedState, nil)})
	// more than is read at a time
	asked := strings.Repeat(head(specimen.Plain), 2*http1.UsualRoom/len(head(specimen.Plain)))
	must.Get(unix.Write(pair[1], []byte(asked)))(t)
	stopped := make(chan error, 1)
	go func() { stopped <- s.Shutdown(context.Background()) }()
	for !s.stopping.Load() {
		runtime.Gosched()
	}
	l.wakeWith(func() {})
	l.runChanges()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	var got []byte
	for part := make([]byte, 64<<10); ; {
		n := must.Get(unix.Read(pair[1], part))(t)
		if n == 0 {
			break
		}
		got = append(got, part[:n]...)
	}
	if n := bytes.Count(got, []byte("HTTP/1.1 200 OK\r\n")); n == 0 {
		t.Errorf("no answer: %q", got)
	}
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
		err = a.Release()
	}
	return err
}
