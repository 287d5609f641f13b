//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ordinary is a client like any other: some people at once who ask for something now and then.
type ordinary struct {
	base string
	root string // the release's folder, which says what must come
	// the folder of another release, of which answers may be as well
	either string
	paths  []string

	mu    sync.Mutex
	took  []time.Duration
	asked int64
	bad   int64
	first error // that went wrong
	mixed error // an answer that was whole and of no release
}

const (
	people    = 4
	pause     = 40 * time.Millisecond // of each, which makes 100 requests a second
	keepsConn = 10                    // requests
)

func newOrdinary(s *server, p *testbed) *ordinary {
	scheme := "http://"
	if s.secure {
		scheme = "https://"
	}
	return &ordinary{base: scheme + s.address, root: p.releases[0], paths: p.paths}
}

// ask asks until the context ends.
func (o *ordinary) ask(ctx context.Context) {
	var group sync.WaitGroup
	for person := range people {
		group.Go(func() {
			tick := time.NewTicker(pause)
			defer tick.Stop()
			client := newClient()
			for i := person; ; i++ {
				select {
				case <-ctx.Done():
					client.CloseIdleConnections()
					return
				case <-tick.C:
				}
				if i%keepsConn == 0 {
					client.CloseIdleConnections()
				}
				o.once(client, o.paths[(i*97+person*31)%len(o.paths)])
			}
		})
	}
	group.Wait()
}

func newClient() *http.Client {
	return &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{
		DisableCompression: true, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
}

// once asks once, and compares.
func (o *ordinary) once(client *http.Client, path string) {
	began := time.Now()
	err := o.expect(client, path)
	took := time.Since(began)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.took, o.asked = append(o.took, took), o.asked+1
	if err != nil {
		o.bad++
		if o.mixed == nil && errors.As(err, new(mixedError)) {
			o.mixed = err
		}
		if o.first == nil {
			o.first = err
		}
	}
}

func (o *ordinary) expect(client *http.Client, path string) error {
	answer, err := client.Get(o.base + strings.TrimSuffix(path, "index.html"))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, answer.Status)
	}
	for _, root := range []string{o.root, o.either} {
		if root == "" {
			continue
		}
		want, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return err
		}
		if string(body) == string(want) {
			return nil
		}
	}
	return mixedError{fmt.Sprintf("%s: %d bytes of no release", path, len(body))}
}

// mixedError says that an answer was good in form and wrong.
type mixedError struct{ what string }

func (e mixedError) Error() string { return e.what }

// p99 is what the slowest hundredth took, at least.
func (o *ordinary) p99() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.took) == 0 {
		return 0
	}
	slices.Sort(o.took)
	return o.took[len(o.took)*99/100]
}

// measure lets an attacker loose on a server, with an ordinary client beside it.
func measure(ctx context.Context, s *server, p *testbed, attack string, last time.Duration) (m measured, err error) {
	rest := min(last, 10*time.Second)
	before := newOrdinary(s, p)
	during(ctx, rest, before.ask)
	m.Rest, m.AtRest = before.p99(), s.memory()
	m.Most = m.AtRest
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	// in earnest, the attacker has another machine
	attacker := exec.CommandContext(ctx, "nice", "-n", "15", self, "-attack", attack, "-address", s.address, "-for", last.String())
	var said strings.Builder
	attacker.Stdout, attacker.Stderr = &said, os.Stderr
	if err := attacker.Start(); err != nil {
		return m, err
	}
	meanwhile := newOrdinary(s, p)
	done := make(chan struct{})
	go func() {
		defer close(done)
		during(ctx, last, meanwhile.ask)
	}()
	for watching := true; watching; {
		select {
		case <-done:
			watching = false
		case <-time.After(50 * time.Millisecond):
			m.Most = max(m.Most, s.memory())
		}
	}
	if err := attacker.Wait(); err != nil {
		return m, fmt.Errorf("the attacker: %w", err)
	}
	if m.Tried, err = strconv.ParseInt(strings.TrimSpace(said.String()), 10, 64); err != nil {
		return m, err
	}
	m.P99, m.Asked, m.Bad = meanwhile.p99(), meanwhile.asked, meanwhile.bad
	return m, nil
}

// during does something for a while.
func during(ctx context.Context, last time.Duration, do func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, last)
	defer cancel()
	do(ctx)
}
