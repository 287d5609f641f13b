//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
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
		DisableCompression: true,
	}}
}

// once asks once, and compares.
func (o *ordinary) once(client *http.Client, path string) {
	err := o.expect(client, path)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
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

// during does something for a while.
func during(ctx context.Context, last time.Duration, do func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, last)
	defer cancel()
	do(ctx)
}
