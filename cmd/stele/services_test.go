package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"
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
	stele(t, "init", folder)
	stele(t, append([]string{"build", folder, "-o", public, "-q", "--date", "2026-03-01"}, options...)...)
	return folder, public
}

// TestNewerFormat: whatever would read a release of a newer version of the program refuses it.
func TestNewerFormat(t *testing.T) {
	folder, public := starterRelease(t, "--records-only", "--no-variants")
	older := filepath.Join(t.TempDir(), "older")
	stele(t, "build", folder, "-o", older, "-q", "--date", "2026-03-01", "--records-only", "--no-variants")
	path := filepath.Join(public, "manifest.json")
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(data, []byte(`"stele-release/2"`)) {
		t.Fatalf("%v: %.200s", err, data)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte("stele-release/2"), []byte("stele-release/3"), 1), 0o644); err != nil {
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
		if text, code := outputOf(t, args...); code == 0 || !strings.Contains(text, "made by a newer version of Stele: it has the format 3") {
			t.Errorf("stele %q ends with %d:\n%s", args, code, text)
		}
	}
}

// steering is text that would steer a terminal: with escapes, C1 codes and marks that turn the
// direction.
const steering = "\x1b[31mEVIL\x1b]0;title\x07\u009b\u202e\u2066"

// TestNothingSteersTheTerminal: whatever a service answers, it does not reach the terminal raw.
func TestNothingSteersTheTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("many commands")
	}
	folder, public := starterRelease(t, "--records-only", "--no-variants")
	data, err := os.ReadFile(filepath.Join(public, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	escaped, err := json.Marshal(steering)
	if err != nil {
		t.Fatal(err)
	}
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
			{"show", "sig-example-rise", url},
			{"mirror", url, filepath.Join(t.TempDir(), "copy")},
			{"diff", url, folder},
			{"build", folder, "-o", filepath.Join(t.TempDir(), "next"), "--previous", url},
		} {
			places <- struct{}{}
			all.Go(func() {
				out, code := outputOf(t, args...)
				if code == 0 {
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
