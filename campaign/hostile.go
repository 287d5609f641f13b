//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	hostileMemory = 1 << 30 // what a command may take before it is stopped
	hostileTime   = time.Minute
	takenForGood  = "it was taken for good"
)

// hostileReleases offers damaged zips to a server that has a good one, and to verify. The good one
// must stay.
func hostileReleases(ctx context.Context, p *testbed, s settings, r *section) error {
	good, err := os.ReadFile(p.zips[0]) // so that it does not matter if damage does no harm
	if err != nil {
		return err
	}
	live := filepath.Join(p.dir, "offered.zip")
	if err := putInPlace(p.zips[0], live); err != nil {
		return err
	}
	stele, err := p.serve(ctx, false, manyConnections, live)
	if err != nil {
		return err
	}
	defer stele.stop()
	random := rand.New(rand.NewPCG(3, 4))
	t := trial{What: "damaged releases", Of: "zips"}
	bad := filepath.Join(p.dir, "bad.zip")
	client := newOrdinary(stele, p)
	ordinary := newClient()
	rest := stele.memory()
	for i := range s.zips {
		data, how := damage(random, good, i)
		if err := os.WriteFile(bad, data, 0o644); err != nil {
			return err
		}
		if err := putInPlace(bad, live); err != nil {
			return err
		}
		if err := stele.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Wrong = append(t.Wrong, fmt.Sprintf("%s: the server ended: %.2000s", how, stele.says.String()))
			break
		}
		if i%9 == 0 {
			if why := p.limited(ctx, "verify", bad); why != "" && (why != takenForGood || !mayBeHarmless(i)) {
				t.Wrong = append(t.Wrong, how+": verify: "+why)
			}
		}
		client.once(ordinary, p.paths[i%len(p.paths)])
		t.Tried++
		if !stele.runs() {
			t.Wrong = append(t.Wrong, fmt.Sprintf("%s: the server ended: %.2000s", how, stele.says.String()))
			break
		}
		if m := stele.memory(); m > rest+hostileMemory {
			t.Wrong = append(t.Wrong, fmt.Sprintf("%s: memory is %s", how, mb(m)))
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if client.bad > 0 {
		t.Wrong = append(t.Wrong, fmt.Sprintf("%d of %d ordinary requests failed, the first with: %v", client.bad, client.asked, client.first))
	}
	r.Trials = append(r.Trials, t)
	return nil
}

// damage changes a zip in one way that does not leave it what it was.
func damage(random *rand.Rand, good []byte, i int) (data []byte, how string) {
	data = bytes.Clone(good)
	directory := bytes.Index(data, []byte("PK\x01\x02"))
	entries := bytes.Split(data[directory:], []byte("PK\x01\x02"))
	at := directory // of some entry of the directory
	for _, e := range entries[1 : 1+random.IntN(len(entries)-1)] {
		at += 4 + len(e)
	}
	switch i % 8 {
	case 0:
		n := random.IntN(len(data))
		return data[:n], fmt.Sprintf("cut after %d bytes", n)
	case 1:
		n := directory + random.IntN(len(data)-directory)
		data[n] ^= byte(1 + random.IntN(255))
		return data, fmt.Sprintf("byte %d of the directory", n-directory)
	case 2:
		n := random.IntN(directory)
		data[n] ^= byte(1 + random.IntN(255))
		return data, fmt.Sprintf("byte %d", n)
	case 3:
		binary.LittleEndian.PutUint32(data[at+24:], 0xfffffffe) // its size
		binary.LittleEndian.PutUint32(data[at+20:], 0xfffffffe)
		return data, "a size of four gigabytes"
	case 4:
		binary.LittleEndian.PutUint32(data[at+42:], random.Uint32())
		return data, "an offset that is none"
	case 5:
		binary.LittleEndian.PutUint16(data[at+10:], 8)
		return data, "stored, and said to be deflated"
	case 6:
		copy(data[at+46:], "../../../../")
		return data, "a name that leads out"
	}
	binary.LittleEndian.PutUint16(data[at+28:], uint16(random.IntN(1<<16)))
	return data, "a name of another length"
}

// mayBeHarmless reports whether the damage may lie where it changes nothing, such as in a date.
func mayBeHarmless(i int) bool { return i%8 == 1 || i%8 == 2 }

// limited runs a command with little memory and time, and says how it broke them, or crashed. That
// it fails is right.
func (p *testbed) limited(ctx context.Context, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, hostileTime)
	defer cancel()
	var says lines
	c := exec.Command(p.program, args...)
	c.Stdout, c.Stderr = &says, &says
	if err := c.Start(); err != nil {
		return err.Error()
	}
	s := &server{cmd: c, ended: make(chan struct{})}
	go func() {
		c.Wait()
		close(s.ended)
	}()
	for {
		select {
		case <-s.ended:
			if before, _, crashed := strings.Cut(says.String(), "goroutine "); crashed {
				return "a crash: " + strings.TrimSpace(before)
			}
			if c.ProcessState.Success() {
				return takenForGood
			}
			return ""
		case <-ctx.Done():
			c.Process.Kill()
			<-s.ended
			return fmt.Sprintf("it did not end within %v", hostileTime)
		case <-time.After(20 * time.Millisecond):
			if m := s.memory(); m > hostileMemory {
				c.Process.Kill()
				<-s.ended
				return "it took " + mb(m)
			}
		}
	}
}

// peers are servers that a build may be told to compare with, and that mean no good.
var peers = map[string]http.HandlerFunc{
	"a manifest without end": func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"format":"stele-release/1","release":"`)
		for line := strings.Repeat("a", 64<<10); ; {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
	},
	"a length that is false": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "9223372036854775807")
		io.WriteString(w, `{"format":"stele-release/1"}`)
	},
	"a manifest of nothing": func(http.ResponseWriter, *http.Request) {},
	"a page":                func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!doctype html>") },
	"deep JSON":             func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("[", 10<<20)) },
	"an error":              func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	"redirects in a circle": func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, q.URL.Path+"x", http.StatusFound) },
	"a redirect to another port": func(w http.ResponseWriter, q *http.Request) {
		http.Redirect(w, q, "http://127.0.0.1:1/manifest.json", http.StatusFound)
	},
}

// idlers are such as let others wait.
var idlers = map[string]http.HandlerFunc{
	"bytes that drip": func(w http.ResponseWriter, q *http.Request) {
		for q.Context().Err() == nil {
			io.WriteString(w, " ")
			http.NewResponseController(w).Flush()
			time.Sleep(time.Second)
		}
	},
	"nothing, for ever": func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() },
}

// hostilePeers lets build and diff ask servers that mean no good.
func hostilePeers(ctx context.Context, p *testbed, s settings, r *section) error {
	t := trial{What: "hostile peers", Of: "peers, of build and of diff each"}
	all := maps.Clone(peers)
	if s.idlers {
		maps.Copy(all, idlers)
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	for name, handler := range all {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		peer := &http.Server{Handler: handler}
		go peer.Serve(l)
		defer peer.Close()
		address := "http://" + l.Addr().String()
		t.Tried++
		for command, args := range map[string][]string{
			"build": append(p.buildTo(filepath.Join(p.dir, "compared.zip"), "2026-11-15")[1:], "--previous", address),
			"diff":  {"diff", address, p.zips[0]},
		} {
			group.Go(func() {
				if why := p.limited(ctx, args...); why != "" {
					mu.Lock()
					defer mu.Unlock()
					t.Wrong = append(t.Wrong, fmt.Sprintf("%s, %s: %s", name, command, why))
				}
			})
		}
	}
	group.Wait()
	slices.Sort(t.Wrong)
	r.Trials = append(r.Trials, t)
	return nil
}
