package library

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stele/internal/base/compress"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// follow lets one revision of the specimen follow another and waits until everything is made.
func follow(t *testing.T, opt Options, revisions ...int) (libraries []*Library) {
	t.Helper()
	opt.Dictionaries = true
	var past Past
	for i, n := range revisions {
		l := openLibrary(t, specimen.Revision(t, n), opt, nil)
		libraries = append(libraries, l)
		if i > 0 {
			past.Follow(libraries[i-1], l)
			past.making.Wait()
		}
		t.Cleanup(func() {
			if err := l.Close(); err != nil || l.holds.Load() != 0 {
				t.Errorf("revision %d is not closed: %v", n, err)
			}
		})
	}
	return libraries
}

func digestOf(l *Library) release.Digest {
	return l.release.Manifest.File(specimen.Signals[1:]).SHA256
}

// available is a header that says that a client has a dictionary.
func available(sum release.Digest) string {
	return ":" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// reply is an answer that was read.
type reply struct {
	status int
	header http.Header
	data   []byte
}

func replyTo(t *testing.T, l *Library, r Request) reply {
	t.Helper()
	var a Answer
	l.Answer(&r, &a, new(Scratch))
	got := reply{status: a.Status, header: http.Header{}}
	for line := range strings.SplitSeq(string(a.Shared)+string(a.Own)+string(a.Extra), "\r\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			got.header.Add(name, value)
		}
	}
	if a.Size > 0 {
		got.data = make([]byte, a.Size)
		if err := a.ReadAt(got.data, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.LetGo(); err != nil {
		t.Fatal(err)
	}
	return got
}

const everyCoding = "gzip, br, dcz"

// TestAgainstDictionary: who has the collection of one of the last two releases gets what differs,
// if it can take that; everybody else gets what they always get.
func TestAgainstDictionary(t *testing.T) {
	libraries := follow(t, Options{}, 1, 2, 3, 4)
	now := libraries[3]
	whole := replyTo(t, now, Request{Method: "GET", Path: specimen.Signals, AcceptEncoding: everyCoding})
	plain := replyTo(t, now, Request{Method: "GET", Path: specimen.Signals})
	if got := plain.header.Get("Use-As-Dictionary"); got != `match="`+specimen.Signals+`"` {
		t.Errorf("Use-As-Dictionary: %s", got)
	}
	for i, want := range []bool{false, true, true, false} { // the last is what is served
		sum := digestOf(libraries[i])
		got := replyTo(t, now, Request{
			Method: "GET", Path: specimen.Signals, AcceptEncoding: everyCoding, AvailableDictionary: available(sum),
		})
		if got.status != 200 || got.header.Get("Vary") != "Accept-Encoding, Available-Dictionary" {
			t.Errorf("release %d: %d, Vary: %s", i, got.status, got.header.Get("Vary"))
		}
		if !want {
			if got.header.Get("Content-Encoding") != whole.header.Get("Content-Encoding") || !bytes.Equal(got.data, whole.data) {
				t.Errorf("release %d: %d bytes as %s", i, len(got.data), got.header.Get("Content-Encoding"))
			}
			continue
		}
		if got.header.Get("Content-Encoding") != "dcz" || len(got.data) > len(whole.data)/worthOfAgainst {
			t.Errorf("release %d: %d bytes as %s", i, len(got.data), got.header.Get("Content-Encoding"))
		}
		if digest := sha256.Sum256(got.data); got.header.Get("Repr-Digest") != "sha-256="+available(digest) {
			t.Errorf("release %d: Repr-Digest: %s", i, got.header.Get("Repr-Digest"))
		}
		if got.header.Get("Use-As-Dictionary") == "" || got.header.Get("ETag") == whole.header.Get("ETag") {
			t.Errorf("release %d: %v", i, got.header)
		}
		dictionary := replyTo(t, libraries[i], Request{Method: "GET", Path: specimen.Signals})
		again, err := compress.AgainstDictionary(plain.data, dictionary.data, sum)
		if err != nil || !bytes.Equal(got.data, again) {
			t.Errorf("release %d: it was made of something else, %v", i, err)
		}
	}
}

// TestAgainstDictionaryIsAskedFor goes through the headers of requests.
func TestAgainstDictionaryIsAskedFor(t *testing.T) {
	libraries := follow(t, Options{}, 1, 2)
	now, has := libraries[1], available(digestOf(libraries[0]))
	for _, c := range []struct{ accepts, has, want string }{
		{everyCoding, has, "dcz"},
		{everyCoding, " " + has + "\t", "dcz"},
		{"dcz", has, "dcz"},
		{"DCZ;q=0.1", has, "dcz"},
		{"br, dcz;q=0.9", has, "br"},
		{"br;q=0.9, dcz", has, "dcz"},
		{"identity;q=0, dcz", has, "dcz"},
		{"dcz;q=0, br", has, "br"},
		{"br", has, "br"},
		{"*", has, "zstd"},
		{"", has, ""},
		{"dcb, br", has, "br"},
		{everyCoding, "", "br"},
		{everyCoding, available(release.Digest{}), "br"},
		{everyCoding, strings.Trim(has, ":"), "br"},
		{everyCoding, has[:len(has)-1], "br"},
		{everyCoding, has + ", " + has, "br"},
		{everyCoding, ":" + strings.Repeat("!", 44) + ":", "br"},
		{everyCoding, ":" + strings.Repeat("A", 44) + ":", "br"}, // 33 bytes
		{everyCoding, ":" + strings.Repeat("=", 44) + ":", "br"},
	} {
		r := Request{Method: "GET", Path: specimen.Signals, AcceptEncoding: c.accepts, AvailableDictionary: c.has}
		got := replyTo(t, now, r)
		if got.status != 200 || got.header.Get("Content-Encoding") != c.want {
			t.Errorf("Accept-Encoding %q, Available-Dictionary %q: %d as %q, want %q", c.accepts, c.has, got.status, got.header.Get("Content-Encoding"), c.want)
		}
	}
	other := Request{Method: "GET", Path: specimen.Record, AcceptEncoding: everyCoding, AvailableDictionary: has}
	others := replyTo(t, now, other)
	if others.header.Get("Use-As-Dictionary") != "" || others.header.Get("Vary") != "Accept-Encoding" ||
		others.header.Get("Content-Encoding") == "dcz" {
		t.Errorf("a record: %v", others.header)
	}
}

// TestAgainstDictionaryInParts: heads, parts and conditions are those of what is sent.
func TestAgainstDictionaryInParts(t *testing.T) {
	libraries := follow(t, Options{}, 1, 2)
	now := libraries[1]
	r := Request{
		Method: "GET", Path: specimen.Signals, AcceptEncoding: everyCoding,
		AvailableDictionary: available(digestOf(libraries[0])),
	}
	whole := replyTo(t, now, r)
	tag := whole.header.Get("ETag")
	head := r
	head.Method = "HEAD"
	if got := replyTo(t, now, head); got.status != 200 || !maps.EqualFunc(got.header, whole.header, slices.Equal) {
		t.Errorf("the head alone: %d, %v, and with the body %v", got.status, got.header, whole.header)
	}
	none := Request{Method: "GET", Path: specimen.Signals, AcceptEncoding: "identity;q=0", AvailableDictionary: r.AvailableDictionary}
	if got := replyTo(t, now, none); got.status != 406 || got.header.Get("Vary") != "Accept-Encoding, Available-Dictionary" {
		t.Errorf("nothing that the client takes: %d, %v", got.status, got.header)
	}
	part := r
	part.Range, part.IfRange = "bytes=10-19", tag
	if got := replyTo(t, now, part); got.status != 206 || !bytes.Equal(got.data, whole.data[10:20]) ||
		got.header.Get("Content-Range") != fmt.Sprintf("bytes 10-19/%d", len(whole.data)) {
		t.Errorf("a part: %d, %v", got.status, got.header)
	}
	part.IfRange = replyTo(t, now, Request{Method: "GET", Path: specimen.Signals, AcceptEncoding: "br"}).header.Get("ETag")
	if got := replyTo(t, now, part); got.status != 200 || !bytes.Equal(got.data, whole.data) {
		t.Errorf("a part of something else: %d", got.status)
	}
	unknown := openLibrary(t, specimen.Revision(t, 2), Options{Dictionaries: true}, nil) // the server was restarted
	for _, c := range []struct {
		name string
		l    *Library
		r    Request
		tag  string
		want int
	}{
		{"against the same", now, r, tag, 304},
		{"against none", now, Request{AcceptEncoding: "br"}, tag, 304},
		{"after a restart", unknown, r, tag, 304},
		{"weak, in a list", unknown, r, `"other", W/` + tag, 304},
		{"of another file", now, r, `"AAAAAAAAAAAAAAAAAAAAAAAA` + tag[25:], 200},
		{"of another release", libraries[0], Request{AcceptEncoding: everyCoding}, tag, 200},
		{"cut", now, Request{AcceptEncoding: "br"}, tag[:len(tag)-2] + `"`, 200},
		{"with something else in it", now, Request{AcceptEncoding: "br"}, tag[:len(tag)-2] + `!"`, 200},
	} {
		c.r.Method, c.r.Path, c.r.IfNoneMatch = "GET", specimen.Signals, c.tag
		got := replyTo(t, c.l, c.r)
		if got.status != c.want {
			t.Errorf("%s: %d, want %d", c.name, got.status, c.want)
		}
		if c.want == 304 && (got.header.Get("ETag") != tag || got.header.Get("Vary") != "Accept-Encoding, Available-Dictionary") {
			t.Errorf("%s: %v", c.name, got.header)
		}
	}
	wrong := r
	wrong.IfMatch = `"other"`
	if got := replyTo(t, now, wrong); got.status != 412 {
		t.Errorf("If-Match of something else: %d", got.status)
	}
}

// TestDictionariesAllocateNothing: nor do requests, whether they say what a client has or not.
func TestDictionariesAllocateNothing(t *testing.T) {
	libraries := follow(t, Options{}, 1, 2)
	for _, has := range []string{"", available(digestOf(libraries[0])), available(release.Digest{}), "nonsense"} {
		r := Request{Method: "GET", Path: specimen.Signals, AcceptEncoding: everyCoding, AvailableDictionary: has}
		var a Answer
		var d Scratch
		n := testing.AllocsPerRun(100, func() {
			libraries[1].Answer(&r, &a, &d)
			a.LetGo() // others hold it
		})
		if n != 0 || a.Status != statusOK {
			t.Errorf("Available-Dictionary %q: %v allocations for a %d", has, n, a.Status)
		}
	}
}

// TestNoDictionaries: nothing of it is said where it is not asked for, and where a collection is
// too large for the memory.
func TestNoDictionaries(t *testing.T) {
	for name, opt := range map[string]Options{
		"plain HTTP": {}, "little memory": {Dictionaries: true, Memory: 1 << 10},
	} {
		l := openLibrary(t, specimen.Revision(t, 1), opt, nil)
		got := replyTo(t, l, Request{Method: "GET", Path: specimen.Signals, AcceptEncoding: everyCoding})
		if got.header.Get("Use-As-Dictionary") != "" || got.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %v", name, got.header)
		}
	}
}

// TestPastIsBounded: of each collection the last two are remembered, and no more bytes than may be.
func TestPastIsBounded(t *testing.T) {
	var p Past
	for i := range 5 {
		for _, path := range []string{"a", "b"} {
			e := earlierCollection{path: path, sum: release.Digest{byte(i)}, data: make([]byte, 10)}
			p.earlier = append(p.earlier, e)
		}
		p.forget()
	}
	for i, e := range p.earlier {
		if e.sum[0] != byte(3+i/2) {
			t.Errorf("%d: %v", i, e.sum[0])
		}
	}
	if len(p.earlier) != 4 {
		t.Errorf("%d are remembered", len(p.earlier))
	}
	p.earlier = append(p.earlier, earlierCollection{path: "c", data: make([]byte, maxRemembered)})
	p.forget()
	if len(p.earlier) != 1 || p.earlier[0].path != "c" {
		t.Errorf("%d are remembered, with one that is as large as all may be", len(p.earlier))
	}
}

// TestPastOfManyReleases: when releases follow each other more quickly than anything can be made,
// the last one gets all of it, and none before it stays open.
func TestPastOfManyReleases(t *testing.T) {
	var past Past
	var libraries []*Library
	for n := range 8 {
		l := openLibrary(t, specimen.Revision(t, n%4), Options{Dictionaries: true}, nil)
		if libraries = append(libraries, l); n > 0 {
			past.Follow(libraries[n-1], l)
			if err := libraries[n-1].Close(); err != nil { // as a server does
				t.Fatal(err)
			}
		}
	}
	past.making.Wait()
	for n, l := range libraries[:7] {
		if l.holds.Load() != 0 {
			t.Errorf("release %d is still open", n)
		}
	}
	now := libraries[7]
	for n, want := range map[int]string{4: "br", 5: "dcz", 6: "dcz"} {
		got := replyTo(t, now, Request{
			Method: "GET", Path: specimen.Signals, AcceptEncoding: everyCoding,
			AvailableDictionary: available(digestOf(libraries[n])),
		})
		if got.header.Get("Content-Encoding") != want {
			t.Errorf("who has release %d gets the last one as %s, want %s", n, got.header.Get("Content-Encoding"), want)
		}
	}
	if all := now.against.Load(); len(*all) != maxEarlier {
		t.Errorf("%d were made, want %d", len(*all), maxEarlier)
	}
	past.Stop()
	other := openLibrary(t, specimen.Revision(t, 5), Options{Dictionaries: true}, nil)
	if err := past.learn(past.newest.Load(), past.earlier); err != nil || other.against.Load() != nil {
		t.Errorf("something is made after the end: %v", err)
	}
	if err := errors.Join(now.Close(), other.Close()); err != nil {
		t.Error(err)
	}
}

// TestPastThatIsDamaged: what is not what it was is not used.
func TestPastThatIsDamaged(t *testing.T) {
	libraries := follow(t, Options{}, 1)
	now := openLibrary(t, specimen.Revision(t, 2), Options{Dictionaries: true}, nil)
	var p Past
	if err := p.remember(libraries[0]); err != nil {
		t.Fatal(err)
	}
	for i := range p.earlier {
		p.earlier[i].sum[0] ^= 1
	}
	p.newest.Store(now)
	if err := p.learn(now, p.earlier); err == nil || !strings.Contains(err.Error(), "damaged") || now.against.Load() != nil {
		t.Errorf("a damaged past is used: %v", err)
	}
	if now.holds.Load() != 1 {
		t.Error("the library is held for ever")
	}
}
