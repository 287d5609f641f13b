package clients_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"stele/internal/testkit/hostile"
)

// service serves a release, and the one after it, as hosts do that are broken, busy, being updated
// or ill-meant. Each reader has an address of its own for each trick, /{reader}/{trick}, because
// most tricks depend on what was asked before.
type service struct {
	first, second string // folders

	mu    sync.Mutex
	asked map[string]int
}

// askedFor returns how often a reader asked for a file at the address of a trick. What it asked for
// by its digest counts as by-hash.
func (s *service) askedFor(reader, trick, name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[reader+"/"+trick+"/"+name]
}

// question is a request: what for, how often that was asked for, and how often the manifest was.
type question struct {
	*http.Request
	host          *service
	name          string
	times         int
	manifestTimes int
}

// ServeHTTP plays the trick that the address names.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 3)
	if len(parts) < 3 {
		http.NotFound(w, r)
		return
	}
	q := question{Request: r, host: s, name: parts[2]}
	counted := q.name
	if q.byHash() {
		counted = "by-hash"
	}
	address := parts[0] + "/" + parts[1] + "/"
	s.mu.Lock()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[address+counted]++
	s.asked[address+"each "+q.name]++
	q.times, q.manifestTimes = s.asked[address+"each "+q.name], s.asked[address+manifest]
	s.mu.Unlock()
	if change, ok := manifests[parts[1]]; ok {
		if q.name == manifest {
			w.Write(change(q.read(s.first)))
			return
		}
		q.send(w, s.first)
		return
	}
	play, ok := tricks[parts[1]]
	if !ok {
		http.Error(w, "no such trick", http.StatusNotImplemented)
		return
	}
	play(w, q)
}

const manifest = "manifest.json"

func (q question) byHash() bool { return strings.HasPrefix(q.name, "by-hash/") }

// read returns a file, or nil. It is for loopback alone: names are not looked at.
func (q question) read(dir string) []byte {
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(q.name)))
	if err != nil {
		return nil
	}
	return data
}

// send sends a file as it is.
func (q question) send(w http.ResponseWriter, dir string) {
	data := q.read(dir)
	if data == nil {
		problem(w, http.StatusNotFound)
		return
	}
	w.Write(data)
}

func problem(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"status":%d,"title":%q}`, status, http.StatusText(status))
}

// altered is a file with another byte in it.
func altered(data []byte) []byte {
	data = bytes.Clone(data)
	if len(data) > 20 {
		data[len(data)-20] ^= 1
	}
	return data
}

// cut sends half of a file, and ends the connection.
func cut(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.Write(data[:len(data)/2])
	panic(http.ErrAbortHandler)
}

const page = "<!doctype html><title>Welcome</title><p>Nothing is here, and the status is 200."

// limited is where what has no end ends, so that a test does.
const limited = 64 << 20

// A trick is what a host does with a request.
type trick func(http.ResponseWriter, question)

// plain sends what is asked for.
func plain(w http.ResponseWriter, q question) { q.send(w, q.host.first) }

// fails answers with a status, and with header lines.
func fails(status int, header ...string) trick {
	return func(w http.ResponseWriter, _ question) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		problem(w, status)
	}
}

// when plays a trick with some requests, and else sends what is asked for.
func when(some func(question) bool, play trick) trick {
	return func(w http.ResponseWriter, q question) {
		if some(q) {
			play(w, q)
			return
		}
		plain(w, q)
	}
}

func isFile(q question) bool   { return q.name != manifest }
func isFirst(q question) bool  { return q.times == 1 }
func isSingle(q question) bool { return strings.HasPrefix(q.name, "api/v1/signals/") }

// isLater reports whether a request comes after the manifest was read.
func isLater(q question) bool { return q.name != manifest || q.manifestTimes > 1 }

func sendAltered(w http.ResponseWriter, q question) { w.Write(altered(q.read(q.host.first))) }
func sendHalf(w http.ResponseWriter, q question)    { cut(w, q.read(q.host.first)) }
func sendSecond(w http.ResponseWriter, q question)  { q.send(w, q.host.second) }

// tricks are what hosts do, by name.
var tricks = map[string]trick{
	"plain":           plain,
	"without-by-hash": when(question.byHash, fails(http.StatusNotFound)),
	"page-for-missing": func(w http.ResponseWriter, q question) {
		if data := q.read(q.host.first); data != nil && !q.byHash() {
			w.Write(data)
			return
		}
		io.WriteString(w, page)
	},
	"compressed": func(w http.ResponseWriter, q question) {
		data := q.read(q.host.first)
		switch {
		case data == nil || q.byHash():
			problem(w, http.StatusGone)
		case strings.Contains(q.Header.Get("Accept-Encoding"), "gzip"):
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			z.Write(data)
			z.Close()
		default:
			w.Write(data)
		}
	},
	"altered":         when(isFile, sendAltered),
	"altered-by-hash": when(question.byHash, sendAltered),
	"cut":             when(isFile, sendHalf),
	"cut-once":        when(isFirst, sendHalf),
	"endless": func(w http.ResponseWriter, q question) {
		plain(w, q)
		if q.name != manifest {
			io.CopyN(w, hostile.Zeros{}, limited) // until nobody reads any more
		}
	},
	"bomb": when(isFile, func(w http.ResponseWriter, q question) {
		if q.byHash() {
			problem(w, http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.CopyN(z, hostile.Zeros{}, limited)
		z.Close()
	}),
	"busy":      fails(http.StatusServiceUnavailable),
	"busy-once": when(isFirst, fails(http.StatusTooManyRequests, "Retry-After", "0")),
	"busy-until-past": when(isFirst, fails(http.StatusServiceUnavailable,
		"Retry-After", time.Unix(0, 0).UTC().Format(http.TimeFormat))),
	"busy-for-long": fails(http.StatusServiceUnavailable, "Retry-After", "3600"),
	"forbidden":     fails(http.StatusForbidden),
	"stalled": when(isFile, func(w http.ResponseWriter, q question) {
		w.Header().Set("Content-Length", "1000000")
		w.Write([]byte("{"))
		http.NewResponseController(w).Flush()
		select {
		case <-q.Context().Done():
		case <-time.After(time.Minute):
		}
	}),
	"leads-away": func(w http.ResponseWriter, q question) {
		_, port, _ := strings.Cut(q.Host, ":")
		http.Redirect(w, q.Request, "http://localhost:"+port+strings.Replace(q.URL.Path, "leads-away", "plain", 1), http.StatusFound)
	},
	"leads-to-a-file": func(w http.ResponseWriter, q question) {
		w.Header().Set("Location", "file:///etc/hostname")
		w.WriteHeader(http.StatusFound)
	},
	"leads-within": func(w http.ResponseWriter, q question) {
		http.Redirect(w, q.Request, strings.Replace(q.URL.Path, "leads-within", "plain", 1), http.StatusPermanentRedirect)
	},
	"leads-in-a-circle": func(w http.ResponseWriter, q question) {
		http.Redirect(w, q.Request, q.URL.Path, http.StatusFound)
	},
	"password": when(func(q question) bool {
		user, password, _ := q.BasicAuth()
		return user != "reader" || password != "open:sesame"
	}, fails(http.StatusUnauthorized)),
	"key": when(func(q question) bool { return q.Header.Get("X-Key") != "open-sesame" }, fails(http.StatusForbidden)),
	// the next release comes when the manifest is asked for again
	"next": when(func(q question) bool { return q.manifestTimes > 1 }, sendSecond),
	// and here it comes right after the manifest was read
	"updated-meanwhile": when(isLater, sendSecond),
	"updated-without-by-hash": when(isLater, func(w http.ResponseWriter, q question) {
		if q.byHash() {
			problem(w, http.StatusNotFound)
			return
		}
		sendSecond(w, q)
	}),
	// whoever asks again must say what it has
	"not-modified": func(w http.ResponseWriter, q question) {
		w.Header().Set("ETag", `"the-first"`)
		switch {
		case q.name != manifest || q.times == 1:
			plain(w, q)
		case q.Header.Get("If-None-Match") == `"the-first"`:
			w.WriteHeader(http.StatusNotModified)
		default:
			problem(w, http.StatusBadRequest)
		}
	},
	"all-gone":       when(isFile, fails(http.StatusGone)),
	"single-gone":    when(isSingle, fails(http.StatusGone)),
	"single-altered": when(isSingle, sendAltered),
	// an update that cannot be taken
	"next-is-damaged": when(func(q question) bool { return q.name == manifest && q.times > 1 },
		func(w http.ResponseWriter, q question) { w.Write(altered(q.read(q.host.second))[:1000]) }),
}

// manifests are what hosts make of the manifest, by name; all else they send as it is.
var manifests = map[string]func([]byte) []byte{
	"manifest-empty":   func([]byte) []byte { return nil },
	"manifest-page":    func([]byte) []byte { return []byte(page) },
	"manifest-other":   func([]byte) []byte { return []byte(`{"name":"something else"}`) },
	"manifest-list":    func([]byte) []byte { return []byte(`[]`) },
	"manifest-deep":    func([]byte) []byte { return bytes.Repeat([]byte("["), 1<<20) },
	"manifest-endless": func([]byte) []byte { return bytes.Repeat([]byte(" "), 17<<20) },
	"manifest-newer": func(data []byte) []byte {
		return bytes.Replace(data, []byte("stele-release/"), []byte("stele-release/9"), 1)
	},
	"manifest-nan": func(data []byte) []byte {
		return bytes.Replace(data, []byte(`"count": `), []byte(`"count": NaN, "count_": `), 1)
	},
	"manifest-path":   edited(func(m, file map[string]any) { file["path"] = "../secret" }),
	"manifest-size":   edited(func(m, file map[string]any) { file["size"] = -1 }),
	"manifest-digest": edited(func(m, file map[string]any) { file["sha256"] = "0" }),
	"manifest-twice":  edited(func(m, file map[string]any) { m["files"] = append(m["files"].([]any), file) }),
	"manifest-unlisted": edited(func(m, file map[string]any) {
		m["kinds"].([]any)[0].(map[string]any)["collection"] = "api/v1/nothing.json"
	}),
	"manifest-single": edited(func(m, file map[string]any) {
		m["kinds"].([]any)[0].(map[string]any)["single"] = "../{signal_id}"
	}),
	"manifest-id":        edited(func(m, file map[string]any) { m["release"] = "../x" }),
	"manifest-id-line":   edited(func(m, file map[string]any) { m["release"] = "x\n" }),
	"manifest-date-line": edited(func(m, file map[string]any) { m["date"] = "2026-03-01\n" }),
}

// edited changes a manifest, which has a first file.
func edited(change func(m, file map[string]any)) func([]byte) []byte {
	return func(data []byte) []byte {
		var m map[string]any
		if json.Unmarshal(data, &m) != nil {
			return nil
		}
		change(m, m["files"].([]any)[0].(map[string]any))
		data, _ = json.Marshal(m) // it was JSON
		return data
	}
}
