//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// slowClients holds many clients that read a byte now and then, and looks how fast others are.
func slowClients(ctx context.Context, p *place, s settings, r *section) error {
	stele, err := p.serve(ctx, false, manyPlaces, p.zips[0])
	if err != nil {
		return err
	}
	defer stele.stop()
	before := speed(ctx, stele.address, p.paths, s.flood)
	conns := make([]net.Conn, 0, s.slow)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range s.slow {
		c, err := net.Dial("tcp", stele.address)
		if err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("Only %d slow clients could be held: %v.", len(conns), err))
			break
		}
		c.(*net.TCPConn).SetReadBuffer(4096) // else it takes all at once
		conns = append(conns, c)
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", p.largest)
	}
	reading, stop := context.WithCancel(ctx)
	var held atomic.Int64
	var group sync.WaitGroup
	group.Go(func() {
		one := make([]byte, 1)
		for reading.Err() == nil {
			n := int64(0)
			for _, c := range conns {
				c.SetReadDeadline(time.Now().Add(5 * time.Second))
				if _, err := c.Read(one); err == nil {
					n++
				}
			}
			held.Store(n)
			select {
			case <-reading.Done():
			case <-time.After(time.Second):
			}
		}
	})
	meanwhile := speed(ctx, stele.address, p.paths, s.flood)
	stop()
	group.Wait()
	t := trial{What: "slow clients", Tried: held.Load(), Of: fmt.Sprintf("clients held, others at %.0f %% of their speed (%s instead of %s requests a second)", 100*meanwhile/before, thousands(int64(meanwhile)),
		thousands(int64(before)))}
	t.Goal, t.Met = "10,000, others at 90 %", held.Load() >= 10_000 && meanwhile >= 0.9*before
	if lost := int64(len(conns)) - held.Load(); lost > 0 {
		t.Wrong = append(t.Wrong, fmt.Sprintf("%d of them were cut", lost))
	}
	r.Trials = append(r.Trials, t)
	return nil
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
