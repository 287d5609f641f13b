//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// formsClient is a browser without a screen that is signed in to the forms of a folder.
type formsClient struct {
	*testing.T
	http.Client
	root string
}

func openForms(t *testing.T, folder string) *formsClient {
	t.Helper()
	r := must.Get(runAs(folder, nil, "edit", "--listen", "127.0.0.1:0"))(t)
	t.Cleanup(r.kill)
	c := &formsClient{T: t}
	c.Jar = must.Get(cookiejar.New(nil))(t)
	page := c.ask(http.MethodGet, r.url, nil)
	prefix := regexp.MustCompile(`url=(/\w+/)`).FindStringSubmatch(page)
	if prefix == nil {
		t.Fatalf("not signed in: %s", page)
	}
	host, _, _ := strings.Cut(r.url, "/.stele/")
	c.root = host + prefix[1] + ".stele/edit/"
	return c
}

func (c *formsClient) ask(method, address string, form url.Values) string {
	c.Helper()
	r := must.Get(http.NewRequest(method, address, strings.NewReader(form.Encode())))(c.T)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+r.URL.Host)
	answer := must.Get(c.Do(r))(c.T)
	defer answer.Body.Close()
	return string(must.Get(io.ReadAll(answer.Body))(c.T))
}

func (c *formsClient) get(at string) string {
	c.Helper()
	return c.ask(http.MethodGet, c.root+at, nil)
}

// save sends a form and presses Save it.
func (c *formsClient) save(at string, form url.Values) string {
	c.Helper()
	form.Set("do", "save")
	page := c.ask(http.MethodPost, c.root+at, form)
	token := regexp.MustCompile(`name="@proposal" value="(\w+)"`).FindStringSubmatch(page)
	if token == nil {
		return page
	}
	return c.ask(http.MethodPost, c.root+"save", url.Values{"@proposal": {token[1]}})
}

// until asks for a page until it has a text.
func (c *formsClient) until(at, text string) {
	c.Helper()
	page := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if page = c.get(at); strings.Contains(page, text) {
			return
		}
	}
	c.Fatalf("%s never has %q: %s", at, text, page)
}

// TestLongEditWithoutStore: the forms know what is published when the store cannot be reached, wait
// for nothing, and delete nothing that may be published. A store to which this machine has not
// published gets no request before the user agrees.
func TestLongEditWithoutStore(t *testing.T) {
	long.Only(t)
	s := buckettest.S3(t)
	s.Address(t, "records")
	dir := memoryDir(t)
	folder := filepath.Join(dir, "folder")
	stele(t, "init", folder)
	var asked, hang, hanging atomic.Int64
	proxy := httptest.NewServer(buckettest.Proxy(s.Host, func(r *http.Request) {
		asked.Add(1)
		if hang.Load() != 0 {
			hanging.Add(1)
			<-r.Context().Done()
			hanging.Add(-1)
		}
	}, nil))
	defer proxy.Close()
	path := filepath.Join(folder, "stele.yaml")
	text := strings.ReplaceAll(string(must.Get(os.ReadFile(path))(t)), "https://data.example.org", "https://records.example.net")
	text += fmt.Sprintf("publish:\n  bucket: %s\n", s.Through("records", strings.TrimPrefix(proxy.URL, "http://")))
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))

	const public, draft = "record/sig-example-rise", "record/sig-written-here"
	c := openForms(t, folder)
	if page := c.get(public); asked.Load() != 0 || !strings.Contains(page, "has not published there before") {
		t.Fatalf("a store that only the settings name got %d requests: %s", asked.Load(), page)
	}
	stele(t, "publish", folder, "--yes", "--first")
	c = openForms(t, folder)
	c.until(public, "This record is published")
	c.save("new/signal", url.Values{"@id": {"sig-written-before"}, "title": {"Before"}, "@draft": {"true"}, "@hold": {"1"}})

	hang.Store(1)
	c = openForms(t, folder)
	page := c.get(public)
	if !strings.Contains(page, "This record is published") || strings.Contains(page, "/remove") {
		t.Errorf("while the store hangs: %s", page)
	}
	page = c.save("new/signal", url.Values{"@id": {"sig-written-here"}, "title": {"Here"}, "@draft": {"true"}, "@hold": {"1"}})
	if !strings.Contains(page, "Saved in the folder") {
		t.Errorf("%s", page)
	}
	for _, at := range []string{draft, "", public + "/correct", draft + "/change", public} {
		c.get(at)
	}
	if hanging.Load() != 1 {
		t.Errorf("%d requests hang: pages waited until the first one was given up", hanging.Load())
	}
	signals := filepath.Join(folder, "records/signals")
	other := string(must.Get(os.ReadFile(filepath.Join(signals, "sig-example-rise.yaml")))(t))
	other = strings.Replace(other, "id: sig-example-rise", "id: sig-from-elsewhere", 1)
	must.Do(t, os.WriteFile(filepath.Join(signals, "sig-from-elsewhere.yaml"), []byte(other), 0o644))
	c.until("record/sig-from-elsewhere", "it is locked")
	if page := c.save("record/sig-from-elsewhere/remove", url.Values{}); strings.Contains(page, "Saved") {
		t.Errorf("%s", page)
	}
	if _, err := os.Stat(filepath.Join(signals, "sig-from-elsewhere.yaml")); err != nil {
		t.Error(err)
	}
}

// TestKeyFile: the key is in a file that its user alone can read, and that a later run removes.
func TestKeyFile(t *testing.T) {
	home := t.TempDir()
	left := must.Get(keyFile(home, "http://127.0.0.1:1/?key=A"))(t)
	file := must.Get(keyFile(home, "http://127.0.0.1:1/?key=B&x"))(t)
	info := must.Get(os.Stat(file))(t)
	data := string(must.Get(os.ReadFile(file))(t))
	if info.Mode().Perm() != 0o600 || !strings.Contains(data, "key=B&amp;x") || strings.HasPrefix(filepath.Base(file), ".") {
		t.Errorf("%s %v %s", file, info.Mode(), data)
	}
	if _, err := os.Stat(left); err == nil {
		t.Errorf("%s is left", left)
	}
}
