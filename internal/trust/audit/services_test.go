package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/internal/deliver/bucket"
	"stele/internal/deliver/push"
	"stele/internal/testkit/buckettest"
	"stele/internal/trust/audit"
)

// TestOthers: the same release behind the servers of others gets what is known of them.
func TestOthers(t *testing.T) {
	everything := audit.Options{All: true, Methods: true}
	for name, c := range map[string]struct {
		serve func(*testing.T) (address string, dial http.RoundTripper)
		want  []string
	}{
		"nginx": {nginx, []string{
			"HTTP-405 fail: a method is refused with 405, and without Allow",
			"HTTP-CORS warn: Access-Control-Allow-Origin does not let other sites read it",
		}},
		"python": {python, []string{
			"HTTP-206 warn: a request for a part gets the whole",
			"HTTP-CORS warn: Access-Control-Allow-Origin does not let other sites read it",
		}},
		"bucket": {website, []string{
			"HTTP-206 warn: a request for a part gets the whole",
			"HTTP-304 warn: what did not change is answered 200 OK",
			`HTTP-ENCODING warn: it is sent as "aws-chunked" to readers who accept identity only`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			opt := everything
			var address string
			address, opt.Transport = c.serve(t)
			_, got := auditedAt(t, address, opt)
			if slices.Sort(got); !slices.Equal(got, c.want) {
				t.Errorf("found\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// program finds a program of others. Without it the test is left out, but not where CI is set.
func program(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short: it needs " + name)
	}
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip(err)
	}
	return path
}

// start starts a server, waits until it can be reached, and ends it with the test.
func start(t *testing.T, address, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(program(t, name), args...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM) // which may have ended
		cmd.Wait()                          // as it likes
		if t.Failed() {
			t.Log(output.String())
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil {
			c.Close()
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func nginx(t *testing.T) (string, http.RoundTripper) {
	address, dir := freeAddress(t), t.TempDir()
	user := ""
	if os.Getuid() == 0 {
		user = "user root;" // who alone may read the folder of a test
	}
	config := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(`daemon off; worker_processes 1; %[1]s pid %[2]s/pid; error_log stderr;
events { worker_connections 64; }
http {
  access_log off; client_body_temp_path %[2]s; proxy_temp_path %[2]s; fastcgi_temp_path %[2]s; uwsgi_temp_path %[2]s; scgi_temp_path %[2]s;
  types { application/json json; text/html html; }
  gzip on; gzip_types application/json; gzip_vary on;
  server { listen %[3]s; root %[4]s; }
}
`, user, dir, address, publicDir(t))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	start(t, address, "nginx", "-p", dir, "-e", "stderr", "-c", config)
	return "http://" + address, nil
}

func python(t *testing.T) (string, http.RoundTripper) {
	address := freeAddress(t)
	host, port, _ := net.SplitHostPort(address) // it was joined by net
	start(t, address, "python3", "-m", "http.server", port, "--bind", host, "-d", publicDir(t))
	return "http://" + address, nil
}

// website is the web site of a bucket that the release was pushed to.
func website(t *testing.T) (string, http.RoundTripper) {
	s := buckettest.S3(t)
	b, err := bucket.Open(t.Context(), s.Address(t, "records"), bucket.Options{Pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := push.Push(t.Context(), b, publicDir(t), push.Options{Keep: 1, Site: true}); err != nil {
		t.Fatal(err)
	}
	s.OpenWebsite(t, "records")
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Website)
	}
	return "http://records." + buckettest.SiteDomain, &http.Transport{DialContext: dial, DisableCompression: true}
}
