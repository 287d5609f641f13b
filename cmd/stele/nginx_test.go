//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestBehindNginx: nginx, which runs as another user, reaches the unix socket as the documentation
// has it, with the mode that lets in others, and not with the one that does not.
func TestBehindNginx(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it needs nginx")
	}
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("there is no nginx")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can let nginx run as another user")
	}
	worker, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("there is no user nobody")
	}
	dir, err := os.MkdirTemp("", "stele-nginx-") // others cannot enter the folder of a test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	release := filepath.Join(dir, "release.zip")
	if out, err := exec.Command("stele", "build", "../../sample", "--without=derived", "--without=variants", "-q", "-o", release).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for mode, want := range map[string]int{"666": http.StatusOK, "660": http.StatusBadGateway} {
		socket := filepath.Join(dir, mode+".sock")
		r, err := run(dir, nil, release, "--listen", "unix:"+socket, "--socket-mode", mode)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.kill)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(dir, mode+".conf")
		if err := os.WriteFile(config, []byte(fmt.Sprintf(`daemon off; worker_processes 1; user %s %s; pid %s/%s.pid; error_log /dev/null;
events { worker_connections 64; }
http {
  access_log off;
  upstream stele { server unix:%s; keepalive 64; }
  server {
    listen %s;
    location / {
      proxy_pass http://stele;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
    }
  }
}
`, worker.Username, groupOf(t, worker), dir, mode, socket, address)), 0o644); err != nil {
			t.Fatal(err)
		}
		start(t, exec.Command(nginx, "-p", dir, "-c", config))
		for range 3 { // the second on a connection that is there
			answer := patientlyGet(t, "http://"+address+"/manifest.json")
			if answer.StatusCode != want {
				t.Errorf("with mode %s, nginx answers %s", mode, answer.Status)
			}
		}
	}
}

// groupOf is the name of a user's group.
func groupOf(t *testing.T, u *user.User) string {
	t.Helper()
	group, err := user.LookupGroupId(u.Gid)
	if err != nil {
		t.Fatal(err)
	}
	return group.Name
}

// start starts a program, and ends it with the test.
func start(t *testing.T, c *exec.Cmd) {
	t.Helper()
	var says strings.Builder
	c.Stdout, c.Stderr = &says, &says
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
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
