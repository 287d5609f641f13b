//go:build linux

package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"stele/internal/deliver/library"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

var noWindow = http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}

// TestHTTP2NoWindow: a client that asks for much and has no room for it does not make the server
// hold it, if the release is served from files. When there is room, all comes whole.
func TestHTTP2NoWindow(t *testing.T) {
	const asked = 20
	for _, window := range []int{0, 1} {
		withHTTP2(t, Options{Memory: 1}, func(t *testing.T, s *Server) {
			p := greet(t, s, true, http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(window)})
			defer p.Close()
			for range asked {
				p.get("/evidence/evd-big/")
			}
			p.send()
			most := int64(maxWaits + asked*1024)
			if window == 0 {
				most = asked * 1024 // of the requests alone
			}
			if held := s.held.Load(); held == 0 || held > most {
				t.Errorf("with a window of %d, %d pages hold %d bytes, and may hold %d", window, asked, held, most)
			}
			h := p.listen(t)
			for id := uint32(1); id < 2*asked; id += 2 {
				if st := h.streams[id]; st == nil || st.status != "200" || st.ended {
					t.Fatalf("stream %d: %v", id, st)
				}
				p.framer.WriteWindowUpdate(id, 1<<20)
			}
			p.framer.WriteWindowUpdate(0, 1<<30)
			p.send()
			want := string(specimen.Numbers(128 << 10))
			h = p.listen(t)
			for id := uint32(1); id < 2*asked; id += 2 {
				if st := h.streams[id]; !st.ended || string(st.body) != want {
					t.Errorf("stream %d has %d bytes, ended %t", id, len(st.body), st.ended)
				}
			}
			if held := s.held.Load(); held != 0 {
				t.Errorf("%d bytes are still held", held)
			}
		})
	}
}

// TestHTTP2HeldByAll: where all connections together hold too much, those that have room for an
// answer get it, and others wait.
func TestHTTP2HeldByAll(t *testing.T) {
	withHTTP2(t, Options{Memory: 1}, func(t *testing.T, s *Server) {
		s.held.Add(maxWaitsAll)
		defer s.held.Add(-maxWaitsAll)
		p := greet(t, s, true, wide)
		defer p.Close()
		p.framer.WriteWindowUpdate(0, 1<<30)
		id := p.get("/evidence/evd-big/")
		p.send()
		if st := p.listen(t).streams[id]; st == nil || !st.ended || st.status != "200" {
			t.Errorf("a client with room: %v", st)
		}
		p = greet(t, s, true, noWindow)
		defer p.Close()
		first, second := p.get("/evidence/evd-big/"), p.get("/evidence/evd-big/")
		p.send()
		h := p.listen(t)
		if st := h.streams[first]; st == nil || st.status != "200" || len(st.body) > 0 {
			t.Errorf("the first that waits: %v", st)
		}
		if st := h.streams[second]; st == nil || st.reset == nil || *st.reset != http2.ErrCodeRefusedStream {
			t.Errorf("the second that waits: %v", st)
		}
	})
}

// TestHTTP2LargeRequestsWait: what is kept of requests whose answers wait has an end, too.
func TestHTTP2LargeRequestsWait(t *testing.T) {
	withHTTP2(t, Options{Memory: 1}, func(t *testing.T, s *Server) {
		p := greet(t, s, true, noWindow)
		defer p.Close()
		for range 40 { // in less than the idle time
			p.get("/evidence/evd-big/", "Accept: "+strings.Repeat("x", 10_000))
			p.send()
		}
		if held := s.held.Load(); held > maxKept {
			t.Errorf("%d bytes are held", held)
		}
		refused := 0
		for _, st := range p.listen(t).streams {
			if st.reset != nil && *st.reset == http2.ErrCodeRefusedStream {
				refused++
			}
		}
		if refused < 20 {
			t.Errorf("%d of 40 are refused", refused)
		}
	})
}

// TestHTTP2StalledStream: a stream on which nothing moves ends, although the client asks for other
// things all the time, and lets its release go. One on which something moves stays.
func TestHTTP2StalledStream(t *testing.T) {
	l := openSpecimenAt(t, filepath.Join(t.TempDir(), "release.zip"), Options{Memory: 1})
	l.Retain() // the test closes it too
	next := openSpecimen(t, Options{})
	synctest.Test(t, func(t *testing.T) {
		opt := Options{Memory: 1}.withDefaults()
		s := New(l, opt)
		defer stop(t, s)
		p := greet(t, s, true, noWindow)
		defer p.Close()
		p.framer.WriteWindowUpdate(0, 1<<30)
		stalled, slow := p.get(specimen.Large), p.get(specimen.Large)
		p.send()
		must.Do(t, s.Swap(next))
		if n := library.ForTest(l).Holds(); n != 3 {
			t.Fatalf("%d hold the old release", n)
		}
		for range 6 {
			time.Sleep(opt.IdleTime / 4)
			p.framer.WriteWindowUpdate(slow, maxFrame)
			p.get("/nothing")
			p.send()
		}
		h := p.listen(t)
		if st := h.streams[stalled]; st.reset == nil || *st.reset != http2.ErrCodeCancel {
			t.Errorf("the stream that stands still: %v", st)
		}
		if st := h.streams[slow]; st.reset != nil || len(st.body) != 6*maxFrame {
			t.Errorf("the slow one has %d bytes, and was reset with %v", len(st.body), st.reset)
		}
		if n := library.ForTest(l).Holds(); n != 2 {
			t.Errorf("%d hold the old release", n)
		}
		for range 4 * int(opt.OldTime/opt.IdleTime) { // it goes on until the old release has had its time
			time.Sleep(opt.IdleTime / 4)
			p.framer.WriteWindowUpdate(slow, maxFrame/2)
			p.get("/nothing")
			p.send()
		}
		if n := library.ForTest(l).Holds(); n != 1 {
			t.Errorf("%d hold the old release", n)
		}
	})
}

// TestOldReleases: after many swaps, only the last releases may be sent from.
func TestOldReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(library.Blank(nil, library.Options{}), Options{})
		defer stop(t, s)
		var leases []*library.Lease
		for range 12 {
			leases = append(leases, s.Library().Lease())
			must.Do(t, s.Swap(library.Blank(nil, library.Options{})))
		}
		expect := func(ended int) {
			t.Helper()
			for i, l := range leases {
				if l.Ended() != (i < ended) {
					t.Errorf("lease %d of %d ended: %t", i, len(leases), l.Ended())
				}
			}
		}
		expect(0)
		time.Sleep(s.options.IdleTime + time.Second)
		expect(len(leases) - maxLeases)
		time.Sleep(s.options.OldTime)
		expect(len(leases))
		if s.Library().Lease().Ended() {
			t.Error("the release that is served has ended")
		}
	})
}

// TestOldReleaseIsCut: a body of a release that is too old is not sent on, in any lane.
func TestOldReleaseIsCut(t *testing.T) {
	for name, extra := range map[string]string{"lane": "", "net/http": "X-Unknown: 1\r\n"} {
		l := withLarge()
		s, address := onLoopback(t, l, Options{})
		conn := must.Get(net.Dial("tcp", address))(t)
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprintf(conn, "GET /large HTTP/1.1\r\nHost: a\r\n%s\r\n", extra)
		answer := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
		l.Lease().End()
		if n, err := io.Copy(io.Discard, answer.Body); err == nil || n == answer.ContentLength {
			t.Errorf("%s: all %d bytes of an old release came", name, n)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// broken puts files into a library that no release has, so that answering panics: one that has no
// form, one whose body is shorter than it says, and one whose header lines are none.
func broken(l *library.Library) *library.Library {
	of := library.ForTest(l)
	of.SetEmpty("formless")
	short := library.InMemory(make([]byte, 100_000))
	short.Data = short.Data[:50_000:50_000]
	of.SetFile("short", nil, short)
	of.SetFile("crooked", []byte("no header line"), library.InMemory([]byte("crooked")))
	return l
}

// TestPanics: a panic costs an answer or a connection. It is counted and logged, and others are
// served.
func TestPanics(t *testing.T) {
	for name, extra := range map[string]string{"loop": "", "net/http": "X-Unknown: 1\r\n"} {
		var logged []slog.Record
		opt := Options{Log: slog.New(memo{&logged})}
		s, address := onLoopback(t, broken(openSpecimen(t, opt)), opt)
		dial := func() net.Conn {
			conn := must.Get(net.Dial("tcp", address))(t)
			t.Cleanup(func() { conn.Close() })
			conn.SetDeadline(time.Now().Add(time.Minute))
			return conn
		}
		other := dial()
		for i, path := range []string{"/formless", "/short"} {
			conn := dial()
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\n%s\r\n", path, extra)
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			switch {
			case path == "/formless" && (err != nil || answer.StatusCode != http.StatusInternalServerError):
				t.Errorf("%s: %s: %v, %v", name, path, answer, err)
			case path == "/short" && err == nil:
				if n, err := io.Copy(io.Discard, answer.Body); err == nil {
					t.Errorf("%s: %s: all %d bytes came", name, path, n)
				}
			}
			if n := s.metrics.panics.Load(); n != int64(i+1) {
				t.Errorf("%s: %s: %d panics", name, path, n)
			}
			fmt.Fprint(other, get(specimen.Plain))
			answer, err = http.ReadResponse(bufio.NewReader(other), nil)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Fatalf("%s: another client: %v, %v", name, answer, err)
			}
			io.Copy(io.Discard, answer.Body)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if len(logged) == 0 || !strings.Contains(fmt.Sprint(logged[0].Message), "bug in the program") {
			t.Errorf("%s: the log says %v", name, logged)
		}
		if n := s.metrics.connections.Load(); n != 0 {
			t.Errorf("%s: %d connections are counted", name, n)
		}
	}
}

// TestHTTP2Panics: the same with HTTP/2, where one stream must not end others if it can be helped.
func TestHTTP2Panics(t *testing.T) {
	l := broken(openSpecimen(t, Options{}))
	synctest.Test(t, func(t *testing.T) {
		s := New(l, Options{})
		defer stop(t, s)
		p := greet(t, s, true, wide)
		defer p.Close()
		p.framer.WriteWindowUpdate(0, 1<<30)
		formless, short, good := p.get("/formless"), p.get("/short"), p.get(specimen.Large)
		p.send()
		h := p.listen(t)
		if st := h.streams[formless]; st == nil || st.status != "500" {
			t.Errorf("no form: %v", st)
		}
		if st := h.streams[short]; st == nil || st.reset == nil {
			t.Errorf("a short body: %v", st)
		}
		if st := h.streams[good]; st == nil || !st.ended || st.status != "200" || h.away != nil {
			t.Errorf("a good one: %v, %v", st, h.away)
		}
		p.get("/crooked")
		p.send()
		if h := p.listen(t); h.away == nil || h.away.ErrCode != http2.ErrCodeInternal || !h.over {
			t.Errorf("a broken head: %v, over %t", h.away, h.over)
		}
		if n := s.metrics.panics.Load(); n != 3 {
			t.Errorf("%d panics", n)
		}
		other := greet(t, s, true)
		defer other.Close()
		id := other.get(specimen.Plain)
		other.send()
		if st := other.listen(t).streams[id]; st == nil || st.status != "200" {
			t.Errorf("another client: %v", st)
		}
	})
}

// TestChangedInPlace: what is in memory is sent as it was checked, whatever becomes of its file.
func TestChangedInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "release.zip")
	l := openSpecimenAt(t, path, Options{})
	l.Retain() // the test closes it too
	s, address := onLoopback(t, l, Options{})
	f := must.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer f.Close()
	info := must.Get(f.Stat())(t)
	must.Get(f.WriteAt(bytes.Repeat([]byte("x"), int(info.Size())), 0))(t)
	for way, line := range map[string]string{"lane": "DNT: 1", "net/http": "X-Unknown: 1"} {
		conn := dialTo(t, address)
		conn.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprint(conn, get(specimen.Large, line))
		answer := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
		if body, err := io.ReadAll(answer.Body); err != nil || !bytes.Equal(body, specimen.Numbers(300<<10)) {
			t.Errorf("%s: %d bytes, which are not those that were checked; %v", way, len(body), err)
		}
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHeadInPieces: a head that comes byte by byte costs a loop no more than its bytes. It is
// answered where it is, and one that does not come to its end is told so.
func TestHeadInPieces(t *testing.T) {
	opt := Options{HeaderTime: 2 * time.Second} // for a machine that has much else to do
	s, address := onLoopback(t, openSpecimen(t, opt), opt)
	conn := dialTo(t, address)
	in := bufio.NewReader(conn)
	for _, head := range []string{get(specimen.Plain), get(specimen.Plain)} {
		for i := range len(head) {
			must.Get(io.WriteString(conn, head[i:i+1]))(t)
			time.Sleep(time.Millisecond) // so that each comes by itself
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer, err)
		}
		io.Copy(io.Discard, answer.Body) // if it fails, so does the next
	}
	const half = "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
	io.WriteString(conn, half) // if it fails, so does what follows
	over := make(chan struct{})
	go func() {
		defer close(over)
		for range time.Tick(50 * time.Millisecond) {
			if _, err := io.WriteString(conn, "a"); err != nil {
				return
			}
		}
	}()
	if answer, err := http.ReadResponse(in, nil); err != nil || answer.StatusCode != http.StatusRequestTimeout ||
		!answer.Close {
		t.Error(answer, err)
	}
	<-over
	if n := s.metrics.requests[http.StatusRequestTimeout].Load(); n != 1 {
		t.Errorf("%d were too slow", n)
	}
	if n := s.metrics.lanes[laneFast].Load(); n != 3 { // with the one that was too slow
		t.Errorf("%d were answered where they were", n)
	}
}
