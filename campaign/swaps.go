//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// swaps exchanges the release again and again while clients ask for everything. Every answer must
// be whole and of one release.
func swaps(ctx context.Context, p *testbed, s settings) ([]trial, error) {
	live := filepath.Join(p.dir, "live.zip")
	if err := putInPlace(p.zips[0], live); err != nil {
		return nil, err
	}
	stele, err := p.serve(ctx, live)
	if err != nil {
		return nil, err
	}
	defer stele.stop()
	want, err := p.expected()
	if err != nil {
		return nil, err
	}
	var checked atomic.Int64
	t := trial{what: "swaps under load"}
	wrong := t.faults()
	asking, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for asking.Err() == nil {
				if err := askMany(asking, stele.address, p.paths, want, i, &checked); err != nil {
					wrong(err.Error())
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
	done := 0
	for ; ctx.Err() == nil && (done < s.swaps || checked.Load() < s.answers); done++ {
		if err := putInPlace(p.zips[(done+1)%2], live); err != nil {
			stop()
			return nil, err
		}
		err := stele.cmd.Process.Signal(syscall.SIGHUP)
		if err == nil {
			err = awaitSwap(ctx, stele.address, want, (done+1)%2)
		}
		if err != nil {
			wrong(fmt.Sprintf("swap %d: %v\n%s", done, err, stele.says.String()))
			break
		}
		s.letAsk(ctx, done, &checked)
	}
	stop()
	group.Wait()
	t.tried, t.of = int64(done), fmt.Sprintf("swaps, %d answers checked", checked.Load())
	return []trial{t}, ctx.Err()
}

// faults takes what is wrong, from several goroutines, and keeps the first.
func (t *trial) faults() func(what string) {
	var mu sync.Mutex
	return func(what string) {
		mu.Lock()
		defer mu.Unlock()
		if len(t.wrong) < 50 {
			t.wrong = append(t.wrong, what)
		}
	}
}

// letAsk waits until enough answers were checked for so many swaps: loading releases must not take
// the time that asking needs.
func (s settings) letAsk(ctx context.Context, swaps int, checked *atomic.Int64) {
	for each := s.answers / int64(max(s.swaps, 1)); ctx.Err() == nil && checked.Load() < int64(swaps)*each; {
		time.Sleep(10 * time.Millisecond)
	}
}

// putInPlace puts a file in another's place in one step.
func putInPlace(from, to string) error {
	next := to + ".next"
	if err := os.Remove(next); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(next, data, 0o644); err != nil {
		return err
	}
	return os.Rename(next, to)
}

// expected are the bytes of each address in both releases.
func (p *testbed) expected() (map[string][2][]byte, error) {
	want := map[string][2][]byte{}
	for _, path := range append([]string{"/manifest.json"}, p.paths...) {
		var both [2][]byte
		for i := range both {
			var err error
			if both[i], err = os.ReadFile(filepath.Join(p.releases[i], path)); err != nil {
				return nil, err
			}
		}
		want[path] = both
	}
	return want, nil
}

// awaitSwap waits until a release is served.
func awaitSwap(ctx context.Context, address string, want map[string][2][]byte, which int) error {
	client := newClient()
	defer client.CloseIdleConnections()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		answer, err := client.Get("http://" + address + "/manifest.json")
		if err != nil {
			return err
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			return err
		}
		if bytes.Equal(body, want["/manifest.json"][which]) || ctx.Err() != nil {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("the release was not taken")
}

// askMany asks on one connection, some requests at once, and checks every answer.
func askMany(ctx context.Context, address string, paths []string, want map[string][2][]byte, from int,
	checked *atomic.Int64,
) error {
	const atOnce = 16
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 64<<10)
	for i := from * 131; ctx.Err() == nil; i += atOnce {
		var all strings.Builder
		for j := range atOnce {
			fmt.Fprintf(&all, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", paths[(i+j)%len(paths)])
		}
		conn.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.WriteString(conn, all.String()); err != nil {
			return err
		}
		for j := range atOnce {
			path := paths[(i+j)%len(paths)]
			answer, err := http.ReadResponse(in, nil)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			body, err := io.ReadAll(answer.Body)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if err := whole(answer, body, want[path]); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			checked.Add(1)
			if answer.Close { // a connection has a largest number of requests; the rest is asked on another
				return nil
			}
		}
	}
	return nil
}

// whole makes sure that an answer is of one release, with the tag of its bytes.
func whole(answer *http.Response, body []byte, want [2][]byte) error {
	if answer.StatusCode != http.StatusOK || !bytes.Equal(body, want[0]) && !bytes.Equal(body, want[1]) {
		return fmt.Errorf("%s with %d bytes of neither release", answer.Status, len(body))
	}
	sum := sha256.Sum256(body)
	if tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`; answer.Header.Get("ETag") != tag {
		return fmt.Errorf("the tag is %s, of its bytes it would be %s", answer.Header.Get("ETag"), tag)
	}
	return nil
}
