package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/internal/testkit/acmetest"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/tools/programs"
)

// TestLongPutItOnline runs the commands of the page, each way to its end: to an address with HTTPS
// at port 443 that holds all of the release. nginx stands for the CDN and for the pages host, with
// the certificate of the first way.
func TestLongPutItOnline(t *testing.T) {
	long.Only(t)
	if _, err := programs.S3.Get(t.Output()); err != nil && os.Getenv("CI") == "" { // it cannot be compiled there
		t.Skip(err)
	}
	if !alone(t) {
		return
	}
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("there is no nginx")
	}
	authority := acmetest.Start(t, acmetest.Options{HTTP: ":80", TLS: ":443"})
	s := buckettest.S3(t)
	t.Setenv("SSL_CERT_FILE", authority.RootFile)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	page := &onlinePage{T: t, dir: memoryDir(t), bucket: s.Address(t, "measles"), authority: authority}
	page.read("../../docs/put-it-online.md")

	page.begin("machine")
	page.run("Your own machine", 0)
	page.run("Check what is online", 0)
	first := page.release()
	page.run("Your own machine", 1)
	must.Do(t, page.server.await(&page.server.err, regexp.MustCompile("serving a new release")))
	page.run("Check what is online", 0)
	if second := page.release(); second == first {
		t.Error("the first release is still there")
	}
	must.Do(t, page.server.signal(syscall.SIGTERM))
	if code, err := page.server.wait(); code != 0 || err != nil {
		t.Fatal(code, err)
	}
	kept, err := filepath.Glob(os.Getenv("HOME") + "/.local/state/stele/certificates/*/records.example.org.pem")
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}

	page.begin("bucket")
	page.run("A bucket with a CDN", 0)
	s.OpenWebsite(t, "measles")
	// versitygw sends the encoding that a file was sent to it in, as S3 itself does not
	end := page.front(nginx, kept[0], fmt.Sprintf(`proxy_cache cdn; proxy_cache_revalidate on; proxy_set_header Host measles.%s;
  proxy_hide_header Content-Encoding; proxy_pass http://%s;`, buckettest.SiteDomain, s.Website))
	page.run("Check what is online", 0)
	page.run("A bucket with a CDN", 1)
	end()

	page.begin("pages")
	end = page.front(nginx, kept[0], "root "+filepath.Join(page.at, "public")+";")
	for block := range 3 {
		page.run("A pages host", block)
	}
	page.run("Check what is online", 0)
	end()
}

// onlinePage is the page, and a folder in which its commands run.
type onlinePage struct {
	*testing.T
	sections  map[string][][]string // the blocks of commands of each
	dir, at   string
	bucket    string
	authority *acmetest.Authority
	server    *running
}

func (p *onlinePage) read(path string) {
	p.Helper()
	text := must.Get(os.ReadFile(path))(p)
	p.sections = map[string][][]string{}
	section, inside := "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch blocks := p.sections[section]; {
		case strings.HasPrefix(line, "## "):
			section = line[3:]
		case strings.HasPrefix(line, "```"):
			if inside = line == "```sh"; inside {
				p.sections[section] = append(blocks, nil)
			}
		case inside:
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], line)
		}
	}
}

// begin runs the first commands in a new folder.
func (p *onlinePage) begin(name string) {
	p.Helper()
	p.at = filepath.Join(p.dir, name)
	must.Do(p, os.Mkdir(p.at, 0o755))
	p.run("", 0)
}

// run runs a block of commands. A server goes on in the background, and asks the authority that is
// there.
func (p *onlinePage) run(section string, block int) {
	p.Helper()
	if len(p.sections[section]) <= block {
		p.Fatalf("the page has no block %d of commands in %q", block+1, section)
	}
	for _, line := range p.sections[section][block] {
		if folder, ok := strings.CutPrefix(line, "cd "); ok {
			p.at = filepath.Join(p.at, folder)
			continue
		}
		if args, ok := strings.CutPrefix(line, "stele serve "); ok {
			var err error
			p.server, err = run(p.at, nil, append(strings.Fields(args), "--acme-directory", p.authority.Directory)...)
			must.Do(p, err)
			p.Cleanup(p.server.kill)
			must.Do(p, p.server.await(&p.server.err, regexp.MustCompile("using the new certificate for new connections")))
			continue
		}
		c := exec.Command("sh", "-c", strings.ReplaceAll(line, "s3://measles", "'"+p.bucket+"'"))
		c.Dir = p.at
		if out, err := c.CombinedOutput(); err != nil {
			p.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
}

// release is the one that is online.
func (p *onlinePage) release() string {
	p.Helper()
	text, err := answerText("https://records.example.org/manifest.json", "")
	id := regexp.MustCompile(`"release": "(\w+)"`).FindStringSubmatch(text)
	if err != nil || id == nil {
		p.Fatalf("%v: %.500s", err, text)
	}
	return id[1]
}

// front lets nginx answer for the domain, until end.
func (p *onlinePage) front(nginx, certificate, does string) (end func()) {
	p.Helper()
	dir := p.TempDir()
	config := fmt.Sprintf(`daemon off; worker_processes 1; user root; pid nginx.pid; error_log stderr;
events { worker_connections 64; }
http {
  include /etc/nginx/mime.types;
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  proxy_cache_path %[1]s/cdn keys_zone=cdn:1m;
  server {
    listen 443 ssl;
    ssl_certificate %[2]s; ssl_certificate_key %[2]s;
    location / { %[3]s }
  }
}
`, dir, certificate, does)
	must.Do(p, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(config), 0o600))
	c := exec.Command(nginx, "-p", dir, "-c", "nginx.conf", "-e", "stderr")
	c.Stderr = p.Output()
	must.Do(p, c.Start())
	p.Cleanup(func() { c.Process.Kill() }) // it has ended, unless the test fails
	for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		_, err := answerText("https://records.example.org/manifest.json", "")
		if err == nil {
			break
		}
		if time.Now().After(until) {
			p.Fatal(err)
		}
	}
	return func() {
		c.Process.Signal(syscall.SIGTERM) // which may have ended
		if err := c.Wait(); err != nil {
			p.Error(err)
		}
	}
}
