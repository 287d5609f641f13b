//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ordinary is a client like any other, who asks for something now and then, and compares.
type ordinary struct {
	base  string
	roots []string // folders of the releases that answers may be of
	paths []string

	asked, bad int64
	first      error // that went wrong
	mixed      error // an answer that was whole and of no release
}

const (
	pause     = 10 * time.Millisecond
	keepsConn = 10 // requests
)

// ask asks for a while.
func (o *ordinary) ask(ctx context.Context, last time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, last)
	defer cancel()
	client := &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if i%keepsConn == 0 {
			client.CloseIdleConnections()
		}
		o.asked++
		if err := o.expect(client, o.paths[i*97%len(o.paths)]); err != nil {
			o.bad++
			if o.first == nil {
				o.first = err
			}
		}
	}
}

func (o *ordinary) expect(client *http.Client, path string) error {
	answer, err := client.Get(o.base + strings.TrimSuffix(path, "index.html"))
	if err != nil {
		return err
	}
	defer answer.Body.Close() // it was only read
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, answer.Status)
	}
	is := func(root string) bool {
		want, err := os.ReadFile(filepath.Join(root, path))
		return err == nil && string(want) == string(body)
	}
	if !slices.ContainsFunc(o.roots, is) {
		err = fmt.Errorf("%s: %d bytes of no release", path, len(body))
		o.mixed = err
	}
	return err
}
