// Package buckettest starts real object stores on this machine, for tests: versitygw speaks S3,
// fake-gcs-server Google Cloud Storage, Azurite Azure Blob Storage. Each is a program of others, of
// a module file or an npm folder of its own. Where one cannot be had the test is left out, but not
// where CI is set.
package buckettest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"

	"stele/tools/npm"
)

// Store is a store that runs.
type Store struct {
	Name    string // of the program
	Host    string // and port
	Website string // host and port of the buckets as web sites; "" if it has none
	dir     string
	address func(bucket, host string) string
	make    func(bucket string) error
}

// Address makes a bucket and returns its address.
func (s *Store) Address(t testing.TB, bucket string) string {
	t.Helper()
	if err := s.make(bucket); err != nil {
		t.Fatal(err)
	}
	return s.address(bucket, s.Host)
}

// Through is the address of a bucket behind a proxy.
func (s *Store) Through(bucket, proxy string) string { return s.address(bucket, proxy) }

// All are the stores, by the names of their programs.
var All = map[string]func(testing.TB) *Store{"versitygw": S3, "fake-gcs-server": Google, "azurite": Azure}

// SiteDomain is the domain of the web sites of buckets: that of a bucket is BUCKET.site.test.
const SiteDomain = "site.test"

// Keys of the stores, which nobody else knows or needs.
const (
	accessKey = "stele-test-access"
	secretKey = "stele-test-secret-key"
	// the account and the key that Azurite's documentation names
	azureAccount = "devstoreaccount1"
	azureKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// S3 starts versitygw, and lets this process have its keys.
func S3(t testing.TB) *Store {
	t.Helper()
	program := build(t, "s3", "github.com/versity/versitygw/cmd/versitygw")
	s := &Store{Name: "versitygw", dir: t.TempDir(), Host: freePort(t), Website: freePort(t)}
	cmd := exec.Command(program, "--port", s.Host, "--region", "us-east-1", "--quiet",
		"--website", s.Website, "--website-domain", SiteDomain, "posix", s.dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	start(t, cmd, s.Host)
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	s.address = func(bucket, host string) string {
		return fmt.Sprintf("s3://%s?region=us-east-1&use_path_style=true&endpoint=http://%s", bucket, host)
	}
	s.make = func(bucket string) error { return os.Mkdir(filepath.Join(s.dir, bucket), 0o755) }
	return s
}

// Google starts fake-gcs-server.
func Google(t testing.TB) *Store {
	t.Helper()
	program := build(t, "gcs", "github.com/fsouza/fake-gcs-server")
	s := &Store{Name: "fake-gcs-server", dir: t.TempDir(), Host: freePort(t)}
	host, port, _ := strings.Cut(s.Host, ":")
	cmd := exec.Command(program, "-scheme", "http", "-host", host, "-port", port, "-backend", "memory", "-log-level", "error",
		"-public-host", s.Host, "-external-url", "http://"+s.Host)
	start(t, cmd, s.Host)
	t.Setenv("STORAGE_EMULATOR_HOST", s.Host)
	s.address = func(bucket, _ string) string { return "gs://" + bucket }
	s.make = func(bucket string) error {
		response, err := http.Post("http://"+s.Host+"/storage/v1/b", "application/json", strings.NewReader(`{"name":"`+bucket+`"}`))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("make a bucket: %s", response.Status)
		}
		return nil
	}
	return s
}

// Azure starts Azurite.
func Azure(t testing.TB) *Store {
	t.Helper()
	var said bytes.Buffer
	modules, err := npm.Azurite(&said)
	if err != nil {
		leaveOut(t, "Azurite", fmt.Errorf("%w\n%s", err, said.Bytes()))
	}
	s := &Store{Name: "azurite", dir: t.TempDir(), Host: freePort(t)}
	host, port, _ := strings.Cut(s.Host, ":")
	cmd := exec.Command("node", filepath.Join(modules, "azurite", "dist", "src", "blob", "main.js"), "--silent", "--skipApiVersionCheck",
		"--disableTelemetry", "--inMemoryPersistence", "--blobHost", host, "--blobPort", port)
	start(t, cmd, s.Host)
	t.Setenv("AZURE_STORAGE_ACCOUNT", azureAccount)
	t.Setenv("AZURE_STORAGE_KEY", azureKey)
	s.address = func(bucket, host string) string {
		return fmt.Sprintf("azblob://%s?protocol=http&localemu=true&domain=%s", bucket, host)
	}
	s.make = func(bucket string) error {
		key, err := azblob.NewSharedKeyCredential(azureAccount, azureKey)
		if err != nil {
			return err
		}
		client, err := azblob.NewClientWithSharedKeyCredential("http://"+s.Host+"/"+azureAccount, key, nil)
		if err != nil {
			return err
		}
		_, err = client.CreateContainer(context.Background(), bucket, nil)
		return err
	}
	return s
}

// building is held by whoever builds, so that one program is built once.
var building sync.Mutex

// build compiles a tool of a module file, once for each set of versions.
func build(t testing.TB, mod, pkg string) (program string) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the program of others")
	}
	building.Lock()
	defer building.Unlock()
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "..", "..")
	sums, err := os.ReadFile(filepath.Join(root, "tools", mod+".sum"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(pkg)
	dir := filepath.Join(cache, "stele-tests", fmt.Sprintf("%s-%.6x", name, sha256.Sum256(append(sums, runtime.Version()...))))
	program = filepath.Join(dir, name)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	part := fmt.Sprintf("%s.%d", program, os.Getpid())
	cmd := exec.Command("go", "build", "-modfile="+filepath.Join("tools", mod+".mod"), "-o", part, pkg)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		leaveOut(t, name, fmt.Errorf("%w\n%s", err, out))
	}
	if err := os.Rename(part, program); err != nil {
		t.Fatal(err)
	}
	return program
}

func leaveOut(t testing.TB, name string, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s cannot be had: %v", name, err)
	}
	t.Skipf("%s cannot be had: %v", name, err)
}

// freePort is an address of this machine that nobody listens at.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a program until the test ends, and waits until it listens.
func start(t testing.TB, cmd *exec.Cmd, host string) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the program of others")
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
	})
	for deadline := time.Now().Add(30 * time.Second); ; {
		c, err := net.Dial("tcp", host)
		if err == nil {
			c.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s: %v\n%s", cmd.Path, err, said.Bytes())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen at %s", cmd.Path, host)
		}
	}
}

// Proxy passes requests on to a store. change may change each of them before that; cut may say that
// a request gets no answer: 1 before it reached the store, 2 afterwards. Both may be nil.
func Proxy(host string, change func(*http.Request), cut func(*http.Request) int) http.Handler {
	pass := &httputil.ReverseProxy{
		Director: func(r *http.Request) { // the host that was asked for stays: it is part of signatures
			r.URL.Scheme, r.URL.Host = "http", host
			if change != nil {
				change(r)
			}
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		when := 0
		if cut != nil {
			when = cut(r)
		}
		if when == 2 {
			pass.ServeHTTP(httptest.NewRecorder(), r)
		}
		if when == 0 {
			pass.ServeHTTP(w, r)
			return
		}
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			c.Close()
		}
	})
}
