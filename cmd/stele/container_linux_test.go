package main

import (
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"stele/internal/testkit/acmetest"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// TestLongContainer runs the root folder of the container, as its user and with nothing else to
// see: it reads a release from a bucket and from a service, both over TLS, and serves the bucket,
// also at a domain.
func TestLongContainer(t *testing.T) {
	long.Only(t)
	if os.Getuid() != 0 {
		t.Skip("only root can run a program in a root folder of its own")
	}
	recipe := must.Get(os.ReadFile("../../deploy/Containerfile"))(t)
	text := string(recipe)
	if !strings.Contains(text, "\nRUN sh deploy/image.sh /image\n") || !strings.Contains(text, "\nFROM scratch\nCOPY --from=build /image /\n") {
		t.Fatal("the container is not what deploy/image.sh makes")
	}
	var entry []string
	must.Do(t, json.Unmarshal(regexp.MustCompile(`(?m)^ENTRYPOINT (.*)$`).FindSubmatch(recipe)[1], &entry))

	_, public := starterRelease(t)
	s := buckettest.S3(t)
	store := httptest.NewTLSServer(buckettest.Proxy(s.Host, nil, nil))
	defer store.Close()
	service := httptest.NewTLSServer(http.FileServer(http.Dir(public)))
	defer service.Close()
	certificates := filepath.Join(t.TempDir(), "certificates.pem")
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: store.Certificate().Raw})
	must.Do(t, os.WriteFile(certificates, authority, 0o644))
	root := must.Get(os.MkdirTemp("", "stele-container-"))(t) // others cannot enter the folder of a test
	t.Cleanup(func() { os.RemoveAll(root) })
	build := exec.Command("sh", "deploy/image.sh", root, certificates)
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	if out, code := outputOf(t, "push", public, s.Address(t, "records")); code != 0 {
		t.Fatal(out)
	}
	address := strings.Replace(s.Named("records"), "http://"+s.Host, store.URL, 1)
	inside := func(c *exec.Cmd) {
		c.Path, c.Args[0], c.Err, c.Dir = entry[0], entry[0], nil, "/"
		c.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		c.Env = []string{"AWS_ACCESS_KEY_ID=" + os.Getenv("AWS_ACCESS_KEY_ID"), "AWS_SECRET_ACCESS_KEY=" + os.Getenv("AWS_SECRET_ACCESS_KEY")}
	}
	for _, where := range []string{address, service.URL} {
		c := exec.Command(entry[0], "verify", where)
		inside(c)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("verify %s: %v\n%s", where, err, out)
		}
	}
	r := must.Get(run("/", inside, address, "--cache", "/var/cache/stele", "--listen", "127.0.0.1:0"))(t)
	defer r.kill()
	answer := must.Get(http.Get(r.url + "/manifest.json"))(t)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Error(answer.Status)
	}
	r.kill()
	agents := must.Get(runAs("/", inside, "mcp", address, "--listen", "127.0.0.1:0"))(t)
	answer = must.Get(http.Get(agents.url + "server.json"))(t)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Error(answer.Status)
	}
	agents.kill()

	plain, secure := freeAddress(t), freeAddress(t)
	issuer := acmetest.Start(t, acmetest.Options{HTTP: plain, TLS: secure})
	r = must.Get(run("/", inside, address, "--cache", "/var/cache/stele", "--domain", "data.example.org",
		"--listen", secure, "--redirect", plain, "--acme-directory", issuer.Directory))(t)
	defer r.kill()
	must.Do(t, r.await(&r.err, regexp.MustCompile("using the new certificate for new connections")))
	conn := must.Get(tls.Dial("tcp", secure, &tls.Config{RootCAs: issuer.Roots, ServerName: "data.example.org"}))(t)
	conn.Close()
}
