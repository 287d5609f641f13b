//go:build unix

package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/internal/base/layout"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// TestInterrupted interrupts builds that wait for the release before, which comes from a slow
// address: for its first file, and for one that is read while the new release is made. It says so,
// ends with 2 and leaves nothing behind.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it makes releases")
	}
	before := newBuilds(t, memoryDir(t), "public").target
	for _, target := range []string{"public", "release.zip"} {
		t.Run(target, func(t *testing.T) {
			b := newBuilds(t, memoryDir(t), target)
			for _, slow := range []string{"manifest.json", "signals.json"} {
				for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
					b.interrupt(before, slow, signal)
				}
			}
			b.restore()
		})
	}
}

// interrupt interrupts a build when it asks for a file of the release before.
func (b *builds) interrupt(before, slow string, signal os.Signal) {
	b.t.Helper()
	asked, answered := make(chan struct{}, 100), make(chan struct{})
	files := http.FileServer(http.Dir(before))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/"+layout.ByHashFolder) { // so that files are asked for by name
			http.NotFound(w, r)
			return
		}
		if path.Base(r.URL.Path) == slow {
			asked <- struct{}{}
			<-answered
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	defer close(answered)

	cmd := exec.Command("stele", append(b.args(b.now), "--previous", server.URL, "--first=false")...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must.Do(b.t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-asked:
		must.Do(b.t, cmd.Process.Signal(signal))
		b.failed(<-ended, out.Bytes(), "interrupted: "+b.target+" is unchanged\n")
	case err := <-ended:
		b.t.Fatalf("it did not ask for %s: %v\n%s", slow, err, &out)
	}
}

// TestLongInterruptedAnywhere interrupts builds at points that are spread over the time that one
// takes: each ends as if nothing had been, or with the new release.
func TestLongInterruptedAnywhere(t *testing.T) {
	long.Only(t)
	b := newBuilds(t, memoryDir(t), "public")
	b.pages, b.variants = true, true
	start := time.Now()
	if out, err := exec.Command("stele", b.args(b.now)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(start)
	b.restore()
	const runs = 8
	for i := range runs {
		cmd := exec.Command("stele", b.args(b.now)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		must.Do(t, cmd.Start())
		timer := time.AfterFunc(took*time.Duration(i)/runs, func() { cmd.Process.Signal(syscall.SIGINT) })
		err := cmd.Wait()
		timer.Stop()
		var exit *exec.ExitError
		// before it had begun, or when it was done
		signaled := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled()
		switch _, isNew := b.check(); {
		case (err == nil || signaled) && isNew:
			b.alone()
			b.restore()
		case signaled:
		default:
			b.failed(err, out.Bytes(), "interrupted: "+b.target+" is unchanged\n")
		}
	}
}
