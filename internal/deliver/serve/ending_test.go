package serve

import (
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
