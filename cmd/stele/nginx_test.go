//go:build linux

package main

import (
	"context"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/internal/testkit/must"
)

// start starts a program, and ends it with the test.
func start(t *testing.T, c *exec.Cmd) {
	t.Helper()
	var says strings.Builder
	c.Stdout, c.Stderr = &says, &says
	must.Do(t, c.Start())
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM) // which may have ended
		if err := c.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", c.Path, err, says.String())
		}
	})
}

// patientlyGet asks until somebody listens, who has something to say.
func patientlyGet(t *testing.T, url string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		must.Do(t, err)
		answer, err := http.DefaultClient.Do(q)
		if err == nil {
			io.Copy(io.Discard, answer.Body) // what it says does not matter
			answer.Body.Close()
			return answer
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
