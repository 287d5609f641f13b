package serve

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/http1"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
)

// TestWrap: where a handler is put around the plain one, every request is the handler's, also what
// the lane would answer.
func TestWrap(t *testing.T) {
	l := openSpecimen(t, Options{})
	wrap := func(plain http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path == "/added" {
				fmt.Fprint(w, "added")
				return
			}
			w.Header().Set("Wrapped", "yes")
			plain.ServeHTTP(w, q)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		k := converse(t, l, Options{Wrap: wrap}, []byte(ofClient("chromium", specimen.Plain)+ofClient("chromium", "/added")))
		if len(k.replies) != 2 || k.fast != 0 || !strings.Contains(k.replies[0], "\nwrapped: yes\n") ||
			!strings.HasSuffix(k.replies[1], "added") {
			t.Errorf("%d took the lane; the replies are %q", k.fast, k.replies)
		}
	})
}

// TestLaneAgreesOnDisk: files that stay on disk are sent as those in memory are, whole and in part,
// and are let go.
func TestLaneAgreesOnDisk(t *testing.T) {
	for _, name := range []string{"release", "release.zip"} {
		l := openShelved(t, filepath.Join(t.TempDir(), name), Options{})
		if answered(l, specimen.Large, "").File == nil {
			t.Fatal("the large file was read into memory")
		}
		for _, path := range specimenPaths {
			k := expectSame(t, l, []byte(get(path)+head(path)+get(path, "Accept-Encoding: br")+get(path, "Range: bytes=-1000")+get(path, "Range: bytes=70000-")))
			if len(k.replies) != 5 || k.fast != 5 {
				t.Errorf("%s: %d replies, %d of the lane", path, len(k.replies), k.fast)
			}
		}
		large := expectSame(t, l, []byte(get(specimen.Large))).replies[0]
		if !strings.HasSuffix(large, string(specimen.Numbers(300<<10))) {
			t.Error("the large file is another one")
		}
		if n := library.ForTest(l).Holds(); n != 1 {
			t.Errorf("%d hold the library", n)
		}
		open := library.ForTest(l).OpenFiles()
		for range 50 {
			expectSame(t, l, []byte(get("/evidence/evd-big/")+get("/evidence/evd-congo-outbreak/")+get("/signals/sig-congo-outbreak/")))
		}
		if library.ForTest(l).OpenFiles() != open {
			t.Errorf("%s: %d files were open, then %d", name, open, library.ForTest(l).OpenFiles())
		}
	}
}

// TestLaneAgreesAtRandom puts requests together at random, right ones and slightly wrong ones.
func TestLaneAgreesAtRandom(t *testing.T) {
	rounds := 2000
	switch {
	case race.Enabled:
		rounds = 50
	case testing.Short():
		rounds = 200
	}
	random := rand.New(rand.NewPCG(1, 2))
	fast, requests := int64(0), 0
	for _, opt := range []Options{{}, {Memory: 1}} {
		l := openSpecimen(t, opt)
		for range rounds / 2 {
			stream, n := randomStream(random, l)
			k := expectSame(t, l, stream...)
			fast, requests = fast+k.fast, requests+n
			if t.Failed() {
				return
			}
		}
	}
	if fast < int64(requests)/4 || fast > int64(requests)*3/4 {
		t.Errorf("the lane answered %d of %d requests, which tests one side only", fast, requests)
	}
}

// randomStream is a stream of requests in pieces, and how many requests there are.
func randomStream(random *rand.Rand, l *library.Library) (pieces [][]byte, requests int) {
	var b strings.Builder
	requests = 1 + random.IntN(4)
	for range requests {
		b.WriteString(randomRequest(random, l))
	}
	stream := []byte(b.String())
	if random.IntN(8) == 0 && len(stream) > 0 { // one byte is another
		stream[random.IntN(len(stream))] = "\x00\t\n\r :,/;=%\x7f\xffaZ0"[random.IntN(16)]
	}
	if random.IntN(3) == 0 {
		at := random.IntN(len(stream) + 1)
		return [][]byte{stream[:at], stream[at:]}, requests
	}
	return [][]byte{stream}, requests
}

func randomRequest(random *rand.Rand, l *library.Library) string {
	if random.IntN(12) == 0 {
		// how much is too large for net/http depends on what it has read before
		if request := pick(random, odd); len(request) < http1.UsualRoom {
			return request
		}
	}
	path := pick(random, specimenPaths)
	var lines []string
	for range random.IntN(5) {
		name := pick(random, slices.Sorted(maps.Keys(specimen.FieldValues)))
		lines = append(lines, header(l, path, name, pick(random, specimen.FieldValues[name])))
	}
	if random.IntN(4) == 0 {
		lines = append(lines, pick(random, []string{
			"Cookie: a", "User-Agent:", "Connection: keep-alive", "Connection: close", "Content-Length: 0", "Host: y", "X-Any: b", "Sec-Any: c", " folded", "accept: text/html", "RANGE:bytes=1-1",
		}))
	}
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	if random.IntN(3) == 0 {
		return head(path, lines...)
	}
	return get(path, lines...)
}

func pick(random *rand.Rand, from []string) string { return from[random.IntN(len(from))] }

// FuzzLane sends any bytes to both servers, cut in two somewhere.
func FuzzLane(f *testing.F) {
	l, large := openSpecimen(f, Options{}), openSpecimen(f, Options{Memory: 1})
	for name := range clients {
		f.Add([]byte(ofClient(name, specimen.Record)+ofClient(name, "/nothing")), uint16(0), false)
	}
	for _, request := range odd {
		if len(request) < 1000 {
			f.Add([]byte(request), uint16(0), true)
		}
	}
	for name, values := range specimen.FieldValues {
		for _, value := range values {
			f.Add([]byte(get(specimen.Record, header(l, specimen.Record, name, value))), uint16(20), false)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint16, onDisk bool) {
		if len(stream) > 6<<10 {
			return
		}
		at := min(int(cut), len(stream))
		from := l
		if onDisk {
			from = large
		}
		expectSame(t, from, stream[:at], stream[at:])
	})
}
