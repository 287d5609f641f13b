package serve

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
)

// inBubble runs a test against a server, in a bubble in which time passes only while all wait.
func inBubble(t *testing.T, opt Options, test func(*testing.T, *Server)) {
	t.Helper()
	l := openSpecimen(t, opt)
	synctest.Test(t, func(t *testing.T) { test(t, New(l, opt)) })
}

// replies are those that a client has got, and whether the server has ended the connection.
func (p *patron) replies() (list []string, over bool) {
	stream, over := p.got()
	return divide(stream), over
}

// wraps lead to the lanes, and to net/http.
var wraps = []func(http.Handler) http.Handler{nil, plainly}

// TestIdleTime: a connection is closed when nothing came for the idle time, and not while something
// comes now and then.
func TestIdleTime(t *testing.T) {
	times := []time.Duration{time.Second, 3 * time.Second, 20 * time.Second, time.Minute}
	if race.Enabled { // the same is done whatever the time
		times = times[:1]
	}
	for _, idle := range times {
		for _, wrap := range wraps {
			inBubble(t, Options{IdleTime: idle, Wrap: wrap}, func(t *testing.T, s *Server) {
				defer stop(t, s)
				p := visit(s)
				for i := range 20 {
					request := get(specimen.Plain)
					if i > 0 {
						request = head(specimen.Plain) // which has no body whose sending renews anything
					}
					p.Write([]byte(request))
					synctest.Wait()
					if list, over := p.replies(); over || len(list) != i+1 {
						t.Fatalf("idle time %v, net/http %v: %d replies to %d requests; over: %v", idle, wrap != nil, len(list), i+1, over)
					}
					time.Sleep(idle / 2)
				}
				time.Sleep(2 * idle)
				synctest.Wait()
				if _, over := p.replies(); !over {
					t.Errorf("idle time %v, net/http %v: the connection is still open", idle, wrap != nil)
				}
				expectEmpty(t, s)
			})
		}
	}
}

// TestTooLargeEnds: a client that sends too much sees at once that nothing more comes than the
// answer, and has time to stop sending.
func TestTooLargeEnds(t *testing.T) {
	for _, opt := range []Options{{}, {Wrap: plainly}} {
		inBubble(t, opt, func(t *testing.T, s *Server) {
			defer stop(t, s)
			p := visit(s)
			// which nobody reads to the end
			go p.Write([]byte(get("/", "Cookie: "+strings.Repeat("a", 100_000))))
			synctest.Wait()
			if list, over := p.replies(); !over || len(list) != 1 || !strings.HasPrefix(list[0], "HTTP/1.1 431 ") {
				t.Errorf("%d replies came; over: %v", len(list), over)
			}
		})
	}
}

// TestSlowReader: a client that takes long for a large file gets all of it, as long as it goes on
// reading; one that is stuck is left.
func TestSlowReader(t *testing.T) {
	for _, opt := range []Options{{}, {Wrap: plainly}} {
		inBubble(t, opt, func(t *testing.T, s *Server) {
			defer stop(t, s)
			here := connect(s)
			here.Write([]byte(get(specimen.Large)))
			total, part := 0, make([]byte, 8<<10)
			for total < 300<<10 {
				time.Sleep(time.Second) // two thirds of a minute for the whole
				n, err := here.Read(part)
				if err != nil {
					t.Fatalf("after %d bytes: %v", total, err)
				}
				total += n
			}
			for _, request := range []string{get(specimen.Large), get(specimen.Plain), head(specimen.Plain)} {
				connect(s).Write([]byte(request))
			}
			time.Sleep(5 * time.Minute)
			expectEmpty(t, s)
		})
	}
}

// TestShutdown: what is being sent is finished, what waits is let go, and nothing new is begun.
func TestShutdown(t *testing.T) {
	for _, opt := range []Options{{}, {Memory: 1}, {Wrap: plainly}} {
		inBubble(t, opt, func(t *testing.T, s *Server) {
			waiting, begun, fresh := visit(s), visit(s), visit(s)
			waiting.say([]byte(get(specimen.Plain)))
			begun.say([]byte("GET /plain.txt HT"))
			here := connect(s)
			here.Write([]byte(get(specimen.Large) + get(specimen.Plain)))
			busy := &patron{wire: here}
			go func() {
				time.Sleep(10 * time.Second)
				busy.take()
			}()
			synctest.Wait()
			started := time.Now()
			stop(t, s)
			if took := time.Since(started); took < 9*time.Second || took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			// its time for sending a head is up, too
			if list, over := begun.replies(); !over || len(list) > 0 && !strings.HasPrefix(list[0], "HTTP/1.1 408 ") {
				t.Errorf("a request that never came whole got %q; over: %v", list, over)
			}
			for p, want := range map[*patron]int{waiting: 1, fresh: 0} {
				if list, over := p.replies(); !over || len(list) != want {
					t.Errorf("a connection that waited has %d replies, want %d; over: %v: %q", len(list), want, over, list)
				}
			}
			if list, over := busy.replies(); !over || len(list) == 0 ||
				!strings.HasSuffix(list[0], string(specimen.Numbers(300<<10))) {
				t.Errorf("what was being sent was not finished: %d replies came; over: %v", len(list), over)
			}
		})
	}
}

// TestShutdownOfStuckClients: those that do not read are cut off when the time is up.
func TestShutdownOfStuckClients(t *testing.T) {
	for _, opt := range []Options{{}, {Memory: 1}, {Wrap: plainly}} {
		inBubble(t, opt, func(t *testing.T, s *Server) {
			here := connect(s)
			here.Write([]byte(get(specimen.Large)))
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			if err := s.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			if ctx.Err() == nil {
				t.Errorf("%+v: it did not wait for the client", opt)
			}
			expectEmpty(t, s)
		})
	}
}

// TestAskWhileStopped: a request that comes too late for the library gets an answer, and does not
// ask for ever.
func TestAskWhileStopped(t *testing.T) {
	inBubble(t, Options{Memory: 1}, func(t *testing.T, s *Server) {
		stop(t, s)
		var a library.Answer
		s.Ask(&library.Request{Method: "GET", Path: specimen.Plain}, &a, new(library.Scratch))
		if a.Status != 503 {
			t.Errorf("the status is %d", a.Status)
		}
	})
}

// TestStopDoesNotWait: a client that has begun to ask for something, and one that has not, do not
// hold up a stop.
func TestStopDoesNotWait(t *testing.T) {
	for _, wrap := range wraps {
		inBubble(t, Options{Wrap: wrap}, func(t *testing.T, s *Server) {
			silent, half := visit(s), visit(s)
			defer silent.Close()
			defer half.Close()
			half.say([]byte("GET / HTTP/1.1\r\nHo"))
			half.say([]byte("st: x\r\nUser-Agent: "))
			begun := time.Now()
			stop(t, s)
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("net/http %v: it took %v", wrap != nil, took)
			}
		})
	}
}
