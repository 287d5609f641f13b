package library

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/internal/testkit/specimen"
)

const (
	sampleTag  = `"tag"`
	sampleTime = "Sun, 01 Mar 2026 12:00:00 GMT" // specimen.Modified
	earlier    = "Sun, 01 Mar 2026 11:59:59 GMT"
	later      = "Sun, 01 Mar 2026 12:00:01 GMT"
)

// truths is RFC 9110, section 13.2.2, as a table. Each condition is there and true (y), there and
// false (n), there and no date (x), or not there (-). Several letters stand for several rows.
var truths = []struct {
	ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince string
	want                                                     int
}{
	{"n", "ynx-", "yn-", "ynx-", 412}, // step 1; then nothing else matters
	{"-", "n", "yn-", "ynx-", 412},    // step 2, which is left out if there is an If-Match
	{"y", "ynx-", "n", "ynx-", 304},   // step 3; then If-Modified-Since does not matter
	{"-", "yx-", "n", "ynx-", 304},
	{"y", "ynx-", "y", "ynx-", 0},
	{"-", "yx-", "y", "ynx-", 0},
	{"y", "ynx-", "-", "n", 304}, // step 4, which is left out if there is an If-None-Match
	{"-", "yx-", "-", "n", 304},
	{"y", "ynx-", "-", "yx-", 0},
	{"-", "yx-", "-", "yx-", 0},
}

// What makes each condition true, false, or no date.
var (
	tagsForMatch     = map[byte][]string{'y': {sampleTag, "*", `"a", "tag"`}, 'n': {`"a"`, `W/"tag"`, "tag"}, '-': {""}}
	timesUnmodified  = map[byte][]string{'y': {sampleTime, later}, 'n': {earlier}, 'x': {"then"}, '-': {""}}
	tagsForNoneMatch = map[byte][]string{'y': {`"a"`, "tag"}, 'n': {sampleTag, "*", `W/"tag"`, `"a",W/"tag"`}, '-': {""}}
	timesModified    = map[byte][]string{'y': {earlier}, 'n': {sampleTime}, 'x': {"then"}, '-': {""}}
)

// TestPreconditions tries every row of the table with every value, and that there is a row for
// every case. net/http's file server agrees.
func TestPreconditions(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range truths {
		for _, m := range []byte(row.ifMatch) {
			for _, u := range []byte(row.ifUnmodifiedSince) {
				for _, n := range []byte(row.ifNoneMatch) {
					for _, s := range []byte(row.ifModifiedSince) {
						name := string([]byte{m, u, n, s})
						if seen[name] {
							t.Errorf("the table has %s twice", name)
						}
						seen[name] = true
						for _, c := range combine(tagsForMatch[m], timesUnmodified[u], tagsForNoneMatch[n],
							timesModified[s]) {
							if got := c.evaluate([]byte(sampleTag), specimen.Modified); got != row.want {
								t.Errorf("%s, %+v: %d, want %d", name, c, got, row.want)
							}
							if got := judgedByFileServer(c); got != row.want {
								t.Errorf("%s, %+v: net/http says %d, want %d", name, c, got, row.want)
							}
						}
					}
				}
			}
		}
	}
	if want := 3 * 4 * 3 * 4; len(seen) != want {
		t.Errorf("the table has %d cases of %d", len(seen), want)
	}
}

func combine(matches, unmodified, noneMatches, modified []string) (all []Conditions) {
	for _, m := range matches {
		for _, u := range unmodified {
			for _, n := range noneMatches {
				for _, s := range modified {
					all = append(all, Conditions{m, u, n, s})
				}
			}
		}
	}
	return all
}

// judgedByFileServer is what net/http makes of preconditions.
func judgedByFileServer(c Conditions) int {
	q := httptest.NewRequest(http.MethodGet, "/", nil)
	for name, value := range map[string]string{
		"If-Match": c.IfMatch, "If-Unmodified-Since": c.IfUnmodifiedSince, "If-None-Match": c.IfNoneMatch, "If-Modified-Since": c.IfModifiedSince,
	} {
		if value != "" {
			q.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	w.Header().Set("ETag", sampleTag)
	http.ServeContent(w, q, "x.txt", specimen.Modified, strings.NewReader("content"))
	if w.Code == http.StatusOK {
		return 0
	}
	return w.Code
}

// TestRollback: who has a later release than the one that is served now gets the one that is.
func TestRollback(t *testing.T) {
	l := openSpecimen(t, Options{})
	for when, want := range map[string]int{sampleTime: 304, later: 200, earlier: 200} {
		var a Answer
		r := Request{Method: http.MethodGet, Path: specimen.Plain, Conditions: Conditions{IfModifiedSince: when}}
		l.Answer(&r, &a, new(Scratch))
		if a.Status != want {
			t.Errorf("If-Modified-Since: %s is answered with %d, want %d", when, a.Status, want)
		}
	}
}

// TestNothingIsReflected: no header line of an answer has anything in it that a client made up.
func TestNothingIsReflected(t *testing.T) {
	const own = "made-up"
	for name, l := range map[string]*Library{
		"in memory": openSpecimen(t, Options{}), "on disk": openShelved(t, filepath.Join(t.TempDir(), "release"), Options{}),
	} {
		var a Answer
		l.Answer(&Request{Method: http.MethodGet, Path: specimen.Plain}, &a, new(Scratch))
		tag := regexp.MustCompile(`ETag: "([^"]+)"`).FindSubmatch(a.Own)[1]
		if err := a.Release(); err != nil {
			t.Error(err)
		}
		for _, made := range []string{"%s", "%[2]s%[1]s", "%[2]s.\r%[1]s00000", "%[2]s\r\nX-%[1]s: 1", "%[2]s.%[1]s00000"} {
			value := `"` + fmt.Sprintf(made, own, tag) + `"`
			for _, r := range []Request{
				{Conditions: Conditions{IfNoneMatch: value}},
				{Conditions: Conditions{IfNoneMatch: value + `, "` + string(tag) + `"`}},
				{Conditions: Conditions{IfMatch: value}},
				{Accept: value, AcceptEncoding: value, Range: value, IfRange: value},
			} {
				r.Method, r.Path = http.MethodGet, specimen.Plain
				l.Answer(&r, &a, new(Scratch))
				if head := string(a.Shared) + string(a.Own) + string(a.Extra); strings.Contains(head, own) {
					t.Errorf("%s: %+v is answered with %q", name, r, head)
				}
				if err := a.Release(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// FuzzPreconditions: net/http's file server judges in the same way, but for an asterisk among tags,
// which it takes for one that stands alone, and for files that are older than the client's.
func FuzzPreconditions(f *testing.F) {
	for _, row := range truths {
		for _, c := range combine(tagsForMatch[row.ifMatch[0]], timesUnmodified[row.ifUnmodifiedSince[0]],
			tagsForNoneMatch[row.ifNoneMatch[0]], timesModified[row.ifModifiedSince[0]]) {
			f.Add(c.IfMatch, c.IfUnmodifiedSince, c.IfNoneMatch, c.IfModifiedSince)
		}
	}
	f.Fuzz(func(t *testing.T, ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince string) {
		c := Conditions{ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince}
		for _, value := range []string{ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince} {
			if value != trim(value) ||
				strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return // cannot come in a header
			}
			if strings.Contains(value, "*") && value != "*" {
				return
			}
		}
		if t, err := http.ParseTime(ifModifiedSince); err == nil && t.After(specimen.Modified) {
			return
		}
		if got, want := c.evaluate([]byte(sampleTag), specimen.Modified), judgedByFileServer(c); got != want {
			t.Errorf("%+v: %d, net/http says %d", c, got, want)
		}
	})
}
