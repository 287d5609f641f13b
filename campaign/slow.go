//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// slowClients holds many clients that read a byte now and then, and looks how fast others are, with
// Stele and with nginx.
func slowClients(ctx context.Context, p *testbed, s settings, r *section) error {
	stele, err := p.serve(ctx, false, manyConnections, p.zips[0])
	if err != nil {
		return err
	}
	ours, err := beside(ctx, stele, p, s)
	stele.stop()
	if err != nil {
		return err
	}
	t := trial{What: "slow clients", Tried: ours.held, Of: "clients held, " + ours.String()}
	t.Goal, t.Met = "10,000, others at 90 %", ours.held >= 10_000 && ours.meanwhile >= 0.9*ours.before
	if lost := ours.clients - ours.held; lost > 0 {
		t.Wrong = append(t.Wrong, fmt.Sprintf("%d of them were cut", lost))
	}
	if s.nginx && p.nginx != "" {
		nginx, err := p.serveNginx(ctx, false, 2*manyConnections) // it does not divide them evenly
		if err != nil {
			return err
		}
		theirs, err := beside(ctx, nginx, p, s)
		nginx.stop()
		if err != nil {
			return err
		}
		t.Of += fmt.Sprintf("; nginx: %s held, %s", thousands(theirs.held), theirs)
	}
	r.Trials = append(r.Trials, t)
	return nil
}

// slowed is what slow clients do to others.
type slowed struct {
	clients, held     int64
	before, meanwhile float64 // requests a second of others
	memory            int64   // that the system used for connections
}

func (s slowed) String() string {
	return fmt.Sprintf("others at %.0f %% of their speed (%s instead of %s requests a second), %d MB in the system's buffers",
		100*s.meanwhile/s.before, thousands(int64(s.meanwhile)), thousands(int64(s.before)), s.memory>>20)
}

// beside measures a server with slow clients and without.
func beside(ctx context.Context, server *server, p *testbed, s settings) (result slowed, err error) {
	result.before = speed(ctx, server.address, p.paths, s.flood)
	conns := make([]net.Conn, 0, s.slow)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	// before it connects: what a client has taken in, but not read, is its own affair
	small := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		failed := raw.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		})
		return errors.Join(err, failed)
	}}
	for range s.slow {
		c, err := small.DialContext(ctx, "tcp", server.address)
		if err != nil {
			return result, fmt.Errorf("only %d slow clients could connect: %w", len(conns), err)
		}
		conns = append(conns, c)
		if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", p.largest); err != nil {
			return result, err
		}
	}
	result.clients = int64(len(conns))
	reading, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		one := make([]byte, 1)
		for reading.Err() == nil {
			result.held = 0
			for _, c := range conns {
				c.SetReadDeadline(time.Now().Add(5 * time.Second))
				if _, err := c.Read(one); err == nil {
					result.held++
				}
			}
			select {
			case <-reading.Done():
			case <-time.After(time.Second):
			}
		}
	})
	result.meanwhile = speed(ctx, server.address, p.paths, s.flood)
	result.memory, err = socketMemory()
	stop()
	group.Wait()
	return result, err
}

// socketMemory is how much memory the system uses for TCP, of all programs.
func socketMemory() (int64, error) {
	text, err := os.ReadFile("/proc/net/sockstat")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "TCP:" {
			pages, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
			return pages * int64(os.Getpagesize()), err
		}
	}
	return 0, errors.New("/proc/net/sockstat has no line for TCP")
}

// speed is how many requests a second some busy clients get answered.
func speed(ctx context.Context, address string, paths []string, last time.Duration) float64 {
	var answered atomic.Int64
	began := time.Now()
	during(ctx, last, func(ctx context.Context) {
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					return
				}
				defer conn.Close()
				in := bufio.NewReader(conn)
				for n := i; ctx.Err() == nil; n++ {
					fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", paths[n%len(paths)])
					answer, err := http.ReadResponse(in, nil)
					if err != nil {
						return
					}
					if _, err := io.Copy(io.Discard, answer.Body); err != nil {
						return
					}
					answered.Add(1)
				}
			})
		}
		group.Wait()
	})
	return float64(answered.Load()) / time.Since(began).Seconds()
}
