package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode"
	"unicode/utf8"

	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// outputOf runs the command and returns all that it writes.
func outputOf(t *testing.T, args ...string) (text string, code int) {
	t.Helper()
	c := exec.Command("stele", args...)
	c.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME=")
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		t.Error(err)
		return "", -1
	}
	return string(out), c.ProcessState.ExitCode()
}

// starterRelease builds a release of the starter folder, and returns where both are.
func starterRelease(t *testing.T, options ...string) (folder, public string) {
	t.Helper()
	dir := t.TempDir()
	folder, public = filepath.Join(dir, "folder"), filepath.Join(dir, "public")
	stele(t, "init", folder, "--address", "https://records.example.org")
	stele(t, append([]string{"build", folder, "-o", public, "-q", "--date", "2026-03-01"}, options...)...)
	return folder, public
}

// TestNewerFormat: whatever would read a release of a newer version of the program refuses it.
func TestNewerFormat(t *testing.T) {
	race.LeaveOut(t, "it runs commands on what their rooms do")
	folder, public := starterRelease(t, "--without=derived", "--without=variants")
	older := filepath.Join(t.TempDir(), "older")
	stele(t, "build", folder, "-o", older, "-q", "--date", "2026-03-01", "--without=derived", "--without=variants")
	path := filepath.Join(public, "manifest.json")
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(data, []byte(`"stele-release/3"`)) {
		t.Fatalf("%v: %.200s", err, data)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte("stele-release/3"), []byte("stele-release/4"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(public)))
	defer server.Close()
	none, key := filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "signer.key")
	stele(t, "key", "new", "data.example.org", "-o", key)
	for _, args := range [][]string{
		{"verify", public},
		{"verify", server.URL},
		{"build", folder, "-o", public},
		{"build", folder, "-o", none, "--previous", public},
		{"build", folder, "-o", none, "--previous", server.URL},
		{"check", folder, "--previous", server.URL},
		{"diff", public, folder},
		{"diff", server.URL, folder},
		{"show", "sig-example-rise", public},
		{"show", "sig-example-rise", server.URL},
		{"restore", public, "-o", none, "--as-of", "2026-03-01"},
		{"restore", server.URL, "-o", none, "--as-of", "2026-03-01"},
		{"reproduce", public, folder},
		{"sign", public, "--key", key},
		{"mirror", server.URL, none},
		{"mirror", server.URL, older},
		{"push", public, "file://" + t.TempDir()},
		{"serve", public, "--listen", "127.0.0.1:0"},
	} {
		if text, code := outputOf(t, args...); code == 0 || !strings.Contains(text, "the release has format 4") {
			t.Errorf("stele %q ends with %d:\n%s", args, code, text)
		}
	}
}

// steering is text that would steer a terminal: with escapes, C1 codes and marks that turn the
// direction.
const steering = "\x1b[31mEVIL\x1b]0;title\x07\u009b\u202e\u2066"

// TestLongNothingSteersTheTerminal: whatever a service answers, it does not reach the terminal raw.
func TestLongNothingSteersTheTerminal(t *testing.T) {
	long.Only(t)
	folder, public := starterRelease(t, "--without=derived", "--without=variants")
	data := must.Get(os.ReadFile(filepath.Join(public, "manifest.json")))(t)
	escaped := must.Get(json.Marshal(steering))(t)
	evil := strings.Trim(string(escaped), `"`)
	member := func(name, value string) string {
		from := strings.Index(string(data), `"`+name+`": "`)
		to := from + len(name) + 5 + strings.IndexByte(string(data[from+len(name)+5:]), '"')
		return answer("200 OK", string(data[:from])+`"`+name+`": "`+value+string(data[to:]))
	}
	answers := map[string]string{
		"a reason":             "HTTP/1.1 500 " + steering + "\r\nContent-Length: 0\r\n\r\n",
		"a reason of 404":      "HTTP/1.1 404 " + steering + "\r\nContent-Length: 0\r\n\r\n",
		"no status":            "HTTP/1.1 " + steering + "\r\n\r\n",
		"no HTTP":              steering + "\r\n\r\n",
		"a header's name":      "HTTP/1.1 200 OK\r\n" + steering + ": a\r\n\r\n",
		"an encoding":          "HTTP/1.1 200 OK\r\nContent-Encoding: " + steering + "\r\nContent-Length: 0\r\n\r\n",
		"a length":             "HTTP/1.1 200 OK\r\nContent-Length: " + steering + "\r\n\r\n",
		"an address":           "HTTP/1.1 302 Found\r\nLocation: https://" + steering + "/\r\nContent-Length: 0\r\n\r\n",
		"another host":         "HTTP/1.1 302 Found\r\nLocation: https://a.example/%1b[31m\u202e\r\nContent-Length: 0\r\n\r\n",
		"a path of an address": "HTTP/1.1 302 Found\r\nLocation: /" + steering + "\r\nContent-Length: 0\r\n\r\n",
		"no JSON":              answer("200 OK", steering),
		"a text as JSON":       answer("200 OK", `"`+evil+`"`),
		"a wrong type":         answer("200 OK", `{"`+evil+`":1,"files":"`+evil+`"}`),
	}
	for _, name := range []string{"format", "release", "date", "title", "base_url", "publisher", "kind", "collection", "single", "path", "sha256"} {
		answers["the member "+name] = member(name, evil)
	}
	var all sync.WaitGroup
	places := make(chan struct{}, 16) // most of the time they wait before they ask again
	for name, text := range answers {
		url := rawServer(t, text)
		for _, args := range [][]string{
			{"verify", url},
			{"audit", url},
			{"show", "sig-example-rise", url},
			{"mirror", url, filepath.Join(t.TempDir(), "copy")},
			{"diff", url, folder},
			{"build", folder, "-o", filepath.Join(t.TempDir(), "next"), "--previous", url},
		} {
			places <- struct{}{}
			all.Go(func() {
				out, code := outputOf(t, args...)
				if code == 0 && args[0] != "audit" { // the specification gives no shapes
					t.Errorf("%s: stele %q succeeds:\n%q", name, args[0], out)
				}
				if strings.ContainsFunc(out, steers) {
					t.Errorf("%s: stele %s writes %q", name, args[0], out)
				}
				<-places
			})
		}
	}
	all.Wait()
}

func steers(r rune) bool {
	return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError
}

func answer(status, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

// rawServer answers every request with the same bytes.
func rawServer(t *testing.T, text string) (url string) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					io.WriteString(c, text)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// TestPageForWhatIsMissing: a host that answers with a page, and a status of 200, for what it does
// not have is read all the same. What it lacks is named.
func TestPageForWhatIsMissing(t *testing.T) {
	race.LeaveOut(t, "it runs commands on what their rooms do")
	folder, public := starterRelease(t, "--downloads", "none", "--without=by-hash")
	lacks := ""
	files := http.FileServer(http.Dir(public))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := os.Stat(filepath.Join(public, filepath.FromSlash(r.URL.Path)))
		if err != nil || lacks != "" && r.URL.Path == "/"+lacks {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, "<!DOCTYPE html>\n<title>Nothing here</title>\n")
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	dir := t.TempDir()
	copied, next := filepath.Join(dir, "copy"), filepath.Join(dir, "next")
	stele(t, "verify", server.URL)
	stele(t, "mirror", server.URL, copied, "--only", "all", "--without=by-hash")
	stele(t, "diff", public, copied)
	stele(t, "verify", copied)
	stele(t, "show", "sig-example-rise", server.URL)
	stele(t, "build", folder, "-o", next, "--previous", server.URL, "--date", "2026-03-02")
	stele(t, "verify", next)
	for _, lacks = range []string{"manifest.json", "api/v1/signals.json", "api/v1/changes.json"} {
		for _, args := range [][]string{
			{"verify", server.URL},
			{"mirror", server.URL, filepath.Join(dir, "none")},
		} {
			if out, code := outputOf(t, args...); code == 0 || !strings.Contains(out, lacks) {
				t.Errorf("without %s, stele %s ends with %d:\n%s", lacks, args[0], code, out)
			}
		}
	}
	if out, code := outputOf(t, "mirror", server.URL, filepath.Join(dir, "none"), "--key", "data.example.org+ed10556b+Aby0OIHZbi/GiVd9Rcqhu2fOls6OrtH7Rt7Mo122IsGM"); code == 0 || !strings.Contains(out, "not signed") {
		t.Errorf("what is not signed is copied, %d:\n%s", code, out)
	}
}

// TestPasswords: the user and the password in an address reach the service, and nothing else: no
// output, no file.
func TestPasswords(t *testing.T) {
	race.LeaveOut(t, "it runs commands on what their rooms do")
	folder, public := starterRelease(t, "--without=derived")
	var refuses atomic.Bool
	files := http.FileServer(http.Dir(public))
	var asked, elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if elsewhere.Add(1); r.Header.Get("Authorization") != "" {
			t.Error("the password goes to another host")
		}
		files.ServeHTTP(w, r)
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case user != "keyuser" || password != "pass word":
			t.Errorf("%s is asked for by %q with %q", r.URL.Path, user, password)
			w.WriteHeader(http.StatusUnauthorized)
		case refuses.Load():
			w.WriteHeader(http.StatusForbidden)
		case strings.HasPrefix(r.URL.Path, "/away/"):
			http.Redirect(w, r, other.URL+strings.TrimPrefix(r.URL.Path, "/away"), http.StatusFound)
		default:
			asked.Add(1)
			files.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	_, host, _ := strings.Cut(server.URL, "://")
	address := "http://keyuser:pass%20word@" + host
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	commands := [][]string{
		{"verify", address},
		{"mirror", address, in("copy")},
		{"mirror", address, in("copy")},
		{"mirror", address, in("copy.zip")},
		{"mirror", address, in("all"), "--only", "all"},
		{"diff", address, folder},
		{"show", "sig-example-rise", address},
		{"build", folder, "-o", in("next"), "--previous", address, "--date", "2026-03-02"},
		{"check", folder, "--previous", address},
		{"restore", address, "-o", in("restored"), "--as-of", "2026-03-01"},
		{"reproduce", address, folder},
		{"verify", address + "/away"},
		{"verify", address + "/away"},
		{"verify", address + "/none"},
		{"mirror", address + "/none", in("none")},
		{"verify", address + "?token=keyuser"},
		{"mirror", "http://keyuser:pass word", in("none")},
		{"mirror", "http://keyuser:pass%20word@127.0.0.1:1/%zz", in("none")},
		{"mirror", "http://keyuser:pass%20word@[::1", in("none")},
		{"mirror", "ftp://keyuser:pass%20word@example.org", in("none")},
		{"diff", "http://keyuser:pass%20word@", folder},
	}
	secret := func(where, text string) {
		t.Helper()
		for _, word := range []string{"keyuser", "pass%20word", "pass word", base64.StdEncoding.EncodeToString([]byte("keyuser:pass word"))} {
			if strings.Contains(text, word) {
				t.Errorf("%s has %q:\n%.500s", where, word, text)
			}
		}
	}
	for _, no := range []bool{false, true} {
		refuses.Store(no)
		for i, args := range commands {
			t.Setenv("STELE_FETCH_REDIRECTS", map[bool]string{true: "yes"}[i == 11])
			out, code := outputOf(t, args...)
			if secret(strings.Join(args, " "), out); i < 12 && no != (code == 2) {
				t.Errorf("stele %q ends with %d:\n%s", args, code, out)
			}
		}
	}
	if asked.Load() == 0 || elsewhere.Load() == 0 {
		t.Errorf("%d requests, %d elsewhere", asked.Load(), elsewhere.Load())
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		secret(path, string(data))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestBackOnTheSameDay: a copy that goes back is noticed, however many releases there were that day
// and whether or not there are deltas from them.
func TestBackOnTheSameDay(t *testing.T) {
	race.LeaveOut(t, "it runs commands on what their rooms do")
	folder, public := starterRelease(t, "--without=derived", "--without=variants", "--without=deltas")
	first := filepath.Join(t.TempDir(), "first")
	must.Do(t, os.CopyFS(first, os.DirFS(public)))
	settings := filepath.Join(folder, "stele.yaml")
	data := must.Get(os.ReadFile(settings))(t)
	for i := range 3 {
		text := regexp.MustCompile(`(?m)^title: .*$`).ReplaceAllString(string(data), fmt.Sprintf("title: Title %d", i))
		must.Do(t, os.WriteFile(settings, []byte(text), 0o644))
		stele(t, "build", folder, "-o", public, "-q", "--date", "2026-03-01", "--without=derived", "--without=variants", "--without=deltas")
	}
	var serves atomic.Value
	serves.Store(public)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.FileServer(http.Dir(serves.Load().(string))).ServeHTTP(w, r)
	}))
	defer server.Close()
	copied := filepath.Join(t.TempDir(), "copy")
	stele(t, "mirror", server.URL, copied)
	stele(t, "mirror", server.URL, copied)
	serves.Store(first)
	if out, code := outputOf(t, "mirror", server.URL, copied); code == 0 || !strings.Contains(out, "older than release") {
		t.Errorf("it ends with %d:\n%s", code, out)
	}
	stele(t, "diff", public, copied)
	stele(t, "mirror", server.URL, copied, "--allow-older")
	stele(t, "diff", first, copied)
}
