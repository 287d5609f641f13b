// Package buckettest starts real object stores on this machine, for tests: versitygw speaks S3,
// fake-gcs-server Google Cloud Storage, Azurite Azure Blob Storage. Each is a program of others, of
// a module file or an npm folder of its own. Where one cannot be had the test is left out, but not
// where CI is set.
package buckettest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/cors"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/signer"

	"stele/internal/deliver/bucket/sharedkey"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
	"stele/tools/programs"
)

// Store is a running store.
type Store struct {
	Host    string            // and port
	Website string            // host and port of the buckets as websites, or ""
	Dir     string            // where versitygw stores the objects of a bucket, in a folder with its name
	env     map[string]string // environment variables for this process
	address func(bucket, host string) string
	make    func(bucket string) error
}

// Address makes a bucket and returns its URL.
func (s *Store) Address(t testing.TB, bucket string) string {
	t.Helper()
	must.Do(t, s.make(bucket))
	return s.address(bucket, s.Host)
}

// Named returns the URL of an existing bucket.
func (s *Store) Named(bucket string) string { return s.address(bucket, s.Host) }

// Through returns the URL of a bucket behind a proxy.
func (s *Store) Through(bucket, proxy string) string { return s.address(bucket, proxy) }

// All are the stores, by the names of their programs.
var All = map[string]func(testing.TB) *Store{"versitygw": S3, "fake-gcs-server": Google, "azurite": Azure}

// Each runs a test with a folder as the bucket, and with all stores that can run.
func Each(t *testing.T, test func(t *testing.T, address string)) {
	t.Run("folder", func(t *testing.T) { test(t, Folder(t)) })
	for name := range All {
		t.Run(name, func(t *testing.T) {
			s := Shared(t, name)
			buckets++
			test(t, s.Address(t, fmt.Sprint("records-", buckets)))
		})
	}
}

// Shared returns a store that is started once for all tests of a package, which must use Run.
func Shared(t testing.TB, name string) *Store {
	t.Helper()
	if shared[name] == nil {
		shared[name] = All[name](sharing{t})
	}
	shared[name].set(t)
	return shared[name]
}

var (
	shared  = map[string]*Store{} // by name
	buckets int                   // that Each made in them
	ends    []func()              // what ends them
)

// Run runs the tests of a package, and ends the stores that they shared.
func Run(m *testing.M) (code int) {
	code = m.Run()
	for _, end := range slices.Backward(ends) {
		end()
	}
	return code
}

// sharing is a test whose store outlives it.
type sharing struct{ testing.TB }

func (sharing) Cleanup(end func()) { ends = append(ends, end) }

func (sharing) Setenv(string, string) {} // each test does that

func (s sharing) TempDir() string {
	dir, err := os.MkdirTemp("", "stele-test-")
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// set lets this process find the store until the test ends.
func (s *Store) set(t testing.TB) {
	for key, value := range s.env {
		t.Setenv(key, value)
	}
}

// Folder is the address of an empty folder, in memory where the system has such, because each
// object is brought to disk.
func Folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "stele-test-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return "file://" + filepath.ToSlash(dir)
}

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
	program := process.Install(t, "versitygw", programs.S3.Get)
	s := &Store{Dir: t.TempDir(), Host: process.FreeAddress(), Website: process.FreeAddress()}
	cmd := exec.Command(program, "--port", s.Host, "--region", "us-east-1", "--quiet",
		"--website", s.Website, "--website-domain", SiteDomain, "posix", s.Dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	process.Run(t, cmd, s.Host)
	s.env = map[string]string{
		"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_EC2_METADATA_DISABLED": "true",
	}
	s.set(t)
	s.address = func(bucket, host string) string {
		return fmt.Sprintf("s3://%s?region=us-east-1&use_path_style=true&endpoint=http://%s", bucket, host)
	}
	s.make = func(bucket string) error { return os.Mkdir(filepath.Join(s.Dir, bucket), 0o755) }
	return s
}

// OpenWebsite lets a bucket be a web site, which scripts of all sites may read.
func (s *Store) OpenWebsite(t testing.TB, bucket string) {
	t.Helper()
	c, err := minio.New(s.Host, &minio.Options{
		Creds: credentials.NewStaticV4(accessKey, secretKey, ""), Region: "us-east-1", BucketLookup: minio.BucketLookupPath,
	})
	must.Do(t, err)
	website := `<WebsiteConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
		<IndexDocument><Suffix>index.html</Suffix></IndexDocument>
		<ErrorDocument><Key>404.html</Key></ErrorDocument>
	</WebsiteConfiguration>`
	sum := sha256.Sum256([]byte(website))
	to := "http://" + s.Host + "/" + bucket + "?website="
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, to, strings.NewReader(website))
	must.Do(t, err)
	request.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:])) // for which the library has no words
	response, err := http.DefaultClient.Do(signer.SignV4(*request, accessKey, secretKey, "", "us-east-1"))
	must.Do(t, err)
	defer response.Body.Close() // it was only read
	if response.StatusCode != http.StatusOK {
		t.Fatalf("make a web site: %s", response.Status)
	}
	err = c.SetBucketCors(t.Context(), bucket, cors.NewConfig([]cors.Rule{{
		AllowedMethod: []string{"GET", "HEAD"}, AllowedOrigin: []string{"*"}, ExposeHeader: []string{"ETag"},
	}}))
	must.Do(t, err)
	policy := `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::` + bucket + `/*"}]}`
	must.Do(t, c.SetBucketPolicy(t.Context(), bucket, policy))
}

// Google starts fake-gcs-server. It skips the test unless make test-all runs it, because compiling
// that server takes longer than all tests that use it.
func Google(t testing.TB) *Store {
	t.Helper()
	if os.Getenv(long.Variable) == "" {
		t.Skip("make test-all runs this test")
	}
	program := process.Install(t, "fake-gcs-server", programs.Google.Get)
	s := &Store{Host: process.FreeAddress()}
	host, port, _ := strings.Cut(s.Host, ":")
	cmd := exec.Command(program, "-scheme", "http", "-host", host, "-port", port, "-backend", "memory", "-log-level", "error",
		"-public-host", s.Host, "-external-url", "http://"+s.Host)
	process.Run(t, cmd, s.Host)
	s.env = map[string]string{"STORAGE_EMULATOR_HOST": s.Host}
	s.set(t)
	s.address = func(bucket, _ string) string { return "gs://" + bucket }
	s.make = func(bucket string) error {
		return checkMade(http.Post("http://"+s.Host+"/storage/v1/b", "application/json", strings.NewReader(`{"name":"`+bucket+`"}`)))
	}
	return s
}

// Azure starts Azurite.
func Azure(t testing.TB) *Store {
	t.Helper()
	modules := process.Install(t, "Azurite", programs.Azurite.Get)
	s := &Store{Host: process.FreeAddress()}
	host, port, _ := strings.Cut(s.Host, ":")
	cmd := exec.Command("node", filepath.Join(modules, "azurite", "dist", "src", "blob", "main.js"), "--silent", "--skipApiVersionCheck",
		"--disableTelemetry", "--inMemoryPersistence", "--blobHost", host, "--blobPort", port)
	process.Run(t, cmd, s.Host)
	s.env = map[string]string{"AZURE_STORAGE_ACCOUNT": azureAccount, "AZURE_STORAGE_KEY": azureKey}
	s.set(t)
	s.address = func(bucket, host string) string {
		return fmt.Sprintf("azblob://%s?protocol=http&localemu=true&domain=%s", bucket, host)
	}
	s.make = func(bucket string) error {
		key, err := base64.StdEncoding.DecodeString(azureKey)
		if err != nil {
			return err
		}
		request, err := http.NewRequest(http.MethodPut, "http://"+s.Host+"/"+azureAccount+"/"+bucket+"?restype=container", nil)
		if err != nil {
			return err
		}
		signer := &sharedkey.Transport{Account: azureAccount, Key: key, Base: http.DefaultTransport}
		return checkMade(signer.RoundTrip(request))
	}
	return s
}

// checkMade reports a bucket that was not made.
func checkMade(answer *http.Response, err error) error {
	if err == nil && answer.StatusCode >= 300 {
		err = errors.New(answer.Status)
	}
	if answer != nil {
		err = errors.Join(err, answer.Body.Close())
	}
	return err
}

// Proxy passes requests on to a store. change may change each of them before that; cut may say that
// a request gets no answer: 1 before it reached the store, 2 afterwards. Both may be nil.
func Proxy(host string, change func(*http.Request), cut func(*http.Request) int) http.Handler {
	pass := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", host
			r.Out.Host = r.In.Host // which is part of signatures
			if change != nil {
				change(r.Out)
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
