package serve

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs a test against a server, in a bubble in which time passes only while all wait.
func inBubble(t *testing.T, opt Options, test func(*testing.T, *Server)) {
	t.Helper()
	l := openSpecimen(t, opt)
	synctest.Test(t, func(t *testing.T) { test(t, New(l, opt)) })
}

// count is how many replies a client has got.
func (p *patron) count() int { return len(divide(p.got.Bytes())) }

// TestIdleTime: a connection is closed when nothing came for the idle time, and not while something comes now and then.
func TestIdleTime(t *testing.T) {
	for _, idle := range []time.Duration{3 * time.Second, 20 * time.Second, time.Minute} {
		for _, noLane := range []bool{false, true} {
			inBubble(t, Options{IdleTime: idle, NoLane: noLane}, func(t *testing.T, s *Server) {
				defer stop(t, s)
				p := visit(s)
				for i := range 20 {
					p.Write([]byte(get(specimenPlain)))
					synctest.Wait()
					if p.over || p.count() != i+1 {
						t.Fatalf("idle time %v, no lane %v: over %v after %d requests", idle, noLane, p.over, p.count())
					}
					time.Sleep(idle / 2)
				}
				time.Sleep(2 * idle)
				synctest.Wait()
				if !p.over {
					t.Errorf("idle time %v, no lane %v: the connection is still open", idle, noLane)
				}
				expectEmpty(t, s)
			})
		}
	}
}

// TestSlowReader: a client that takes long for a large file gets all of it, as long as it goes on reading; one that is stuck is left.
func TestSlowReader(t *testing.T) {
	for _, opt := range []Options{{}, {NoLane: true}} {
		inBubble(t, opt, func(t *testing.T, s *Server) {
			defer stop(t, s)
			here, there := newWire()
			s.room <- struct{}{}
			go s.welcome(&counted{Conn: there, server: s})
			here.Write([]byte(get(specimenLarge)))
			total, part := 0, make([]byte, 8<<10)
			for total < 300<<10 {
				time.Sleep(time.Second) // two thirds of a minute for the whole
				n, err := here.Read(part)
				if err != nil {
					t.Fatalf("after %d bytes: %v", total, err)
				}
				total += n
			}
			here.Write([]byte(get(specimenLarge)))
			time.Sleep(5 * time.Minute)
			expectEmpty(t, s)
		})
	}
}

// TestShutdown: what is being sent is finished, what waits is let go, and nothing new is begun.
func TestShutdown(t *testing.T) {
	for _, opt := range []Options{{}, {Memory: 1}, {NoLane: true}} {
		inBubble(t, opt, func(t *testing.T, s *Server) {
			waiting, begun, fresh := visit(s), visit(s), visit(s)
			waiting.say([]byte(get(specimenPlain)))
			begun.say([]byte("GET /plain.txt HT"))
			here, there := newWire()
			s.room <- struct{}{}
			go s.welcome(&counted{Conn: there, server: s})
			here.Write([]byte(get(specimenLarge) + get(specimenPlain)))
			var got bytes.Buffer
			go func() {
				time.Sleep(10 * time.Second)
				got.ReadFrom(here) // ends with the connection
			}()
			synctest.Wait()
			started := time.Now()
			stop(t, s)
			if took := time.Since(started); took < 9*time.Second || took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			if !waiting.over || waiting.count() != 1 || !begun.over || begun.count() != 0 || !fresh.over {
				t.Errorf("connections that waited are open, or got something: %q %q", waiting.got.Bytes(), begun.got.Bytes())
			}
			if replies := divide(got.Bytes()); len(replies) == 0 || !bytes.HasSuffix([]byte(replies[0]), numbers(300<<10)) {
				t.Errorf("what was being sent was not finished: %d bytes came", got.Len())
			}
		})
	}
}

// TestShutdownOfStuckClients: those that do not read are cut off when the time is up.
func TestShutdownOfStuckClients(t *testing.T) {
	for _, opt := range []Options{{}, {Memory: 1}, {NoLane: true}} {
		inBubble(t, opt, func(t *testing.T, s *Server) {
			here, there := newWire()
			s.room <- struct{}{}
			go s.welcome(&counted{Conn: there, server: s})
			here.Write([]byte(get(specimenLarge)))
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

// TestAskWhileStopped: a request that comes too late for the library gets an answer, and does not ask for ever.
func TestAskWhileStopped(t *testing.T) {
	inBubble(t, Options{Memory: 1}, func(t *testing.T, s *Server) {
		stop(t, s)
		var a answer
		s.ask(&request{method: "GET", path: specimenPlain}, &a)
		if a.status != 503 {
			t.Errorf("the status is %d", a.status)
		}
	})
}
