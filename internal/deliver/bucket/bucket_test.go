package bucket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
	"stele/release"
)

func TestMain(m *testing.M) { os.Exit(buckettest.Run(m)) }

// quick are options with which a request that fails is repeated at once.
var quick = Options{Pause: time.Millisecond}

func open(t testing.TB, address string, opt Options) *Bucket {
	t.Helper()
	b := must.Get(Open(t.Context(), address, opt))(t)
	t.Cleanup(func() { b.Close() })
	return b
}

func put(t testing.TB, b *Bucket, key, text string) {
	t.Helper()
	must.Do(t, b.Put(t.Context(), key, strings.NewReader(text), int64(len(text)), Head{Type: "text/plain"}))
}

// TestStores: what the rest of the package builds on holds for each store.
func TestStores(t *testing.T) {
	buckettest.Each(t, func(t *testing.T, address string) {
		b, ctx := open(t, address, quick), t.Context()
		must.Get(b.Probe(ctx))(t)
		for o, err := range b.List(ctx, "") {
			t.Errorf("the probe left %s, %v", o.Key, err)
		}
		if _, _, err := b.Read(ctx, "absent", 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("an absent object: %v", err)
		}
		if _, err := b.Stat(ctx, "absent"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("an absent object is described: %v", err)
		}
		write := func(text string, when condition) error {
			head := Head{Type: "text/plain", Caching: "no-cache"}
			return b.put(ctx, "a/one", strings.NewReader(text), int64(len(text)), head, when)
		}
		must.Do(t, write("first", condition{absent: true}))
		if err := write("second", condition{absent: true}); !errors.Is(err, ErrConflict) {
			t.Errorf("created twice: %v", err)
		}
		data, is, err := b.Read(ctx, "a/one", 100)
		if err != nil || string(data) != "first" {
			t.Fatalf("read %q, %v", data, err)
		}
		if _, _, err := b.Read(ctx, "a/one", 4); err == nil {
			t.Error("more was read than allowed")
		}
		if err := write("third", condition{tag: b.objects.wrongTag()}); !errors.Is(err, ErrConflict) {
			t.Errorf("replaced by one who did not know it: %v", err)
		}
		if err := write("fourth", condition{tag: is.tag}); err != nil {
			t.Error(err)
		}
		if err := write("fifth", condition{tag: is.tag}); !errors.Is(err, ErrConflict) {
			t.Errorf("replaced by one who knew its former state: %v", err)
		}
		err = b.put(ctx, "gone", strings.NewReader(""), 0, Head{Type: "text/plain"}, condition{tag: is.tag})
		if !errors.Is(err, ErrConflict) {
			t.Errorf("an absent one replaced: %v", err)
		}
		put(t, b, "a/two", "0123456789")
		file := must.Get(os.Create(filepath.Join(t.TempDir(), "range")))(t)
		defer file.Close()
		if _, err := b.ReadRange(ctx, "a/two", 3, 4, file); err != nil {
			t.Error(err)
		}
		if got, _ := io.ReadAll(io.NewSectionReader(file, 3, 10)); string(got) != "3456" {
			t.Errorf("a range is %q", got)
		}
		var keys []string
		for o, err := range b.List(ctx, "a/") {
			must.Do(t, err)
			if o.Modified.IsZero() {
				t.Errorf("%s has no time", o.Key)
			}
			keys = append(keys, o.Key)
		}
		if !slices.Equal(keys, []string{"a/one", "a/two"}) {
			t.Errorf("it lists %q", keys)
		}
		for range 2 { // the second time it is not there
			if err := b.Remove(ctx, "a/one"); err != nil {
				t.Error(err)
			}
		}
		if o, err := b.Stat(ctx, "a/two"); err != nil || o.Size != 10 {
			t.Errorf("described as %+v, %v", o, err)
		}
	})
}

// TestLarge: what is sent in parts comes back whole, and keeps conditions.
func TestLarge(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16+1)
	buckettest.Each(t, func(t *testing.T, address string) {
		b, ctx := open(t, address, quick), t.Context()
		for _, want := range []error{nil, ErrConflict} {
			head, absent := Head{Type: "application/zip"}, condition{absent: true}
			if err := b.put(ctx, "large", bytes.NewReader(data), int64(len(data)), head, absent); !errors.Is(err, want) {
				t.Fatalf("%v, not %v", err, want)
			}
		}
		got, _, err := b.Read(ctx, "large", int64(len(data)))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes came back, %v", len(got), err)
		}
	})
}

// pack is one that cannot be fetched.
func pack(name string) *Pack {
	p := &Pack{Release: name, Date: "2026-01-01", Size: 1}
	p.Path = PiecePath(p.Release, p.SHA256, PackSuffix)
	return p
}

// rounds is how often rivals meet: more with STELE_LONG.
func rounds() int {
	if os.Getenv("STELE_LONG") != "" {
		return 50
	}
	return 3
}

// TestRivals: of eight who publish at the same time one wins each round, the others learn it, and
// no serial is left out.
func TestRivals(t *testing.T) {
	buckettest.Each(t, func(t *testing.T, address string) {
		const rivals = 8
		buckets := make([]*Bucket, rivals)
		for i := range buckets {
			buckets[i] = open(t, address, quick)
		}
		for round := range rounds() {
			state, err := buckets[0].Pointer(t.Context())
			must.Do(t, err)
			var wait sync.WaitGroup
			outcomes := make([]error, rivals)
			for i, b := range buckets {
				wait.Go(func() {
					_, outcomes[i] = b.Swap(t.Context(), state, Pointer{Current: pack(fmt.Sprintf("r%d-%d", round, i))})
				})
			}
			wait.Wait()
			now, err := buckets[1].Pointer(t.Context())
			if err != nil || now.Serial != int64(round+1) {
				t.Fatalf("round %d: the serial is %+v, %v", round, now.Pointer, err)
			}
			winners := 0
			for i, err := range outcomes {
				switch {
				case err == nil && now.Current.Release == fmt.Sprintf("r%d-%d", round, i):
					winners++
				case !errors.Is(err, ErrConflict):
					t.Errorf("round %d: rival %d ended with %v", round, i, err)
				}
			}
			if winners != 1 {
				t.Fatalf("round %d has %d winners", round, winners)
			}
		}
	})
}

// ignoring is a store that takes conditions and does not keep them.
type ignoring struct{ objects }

func (s ignoring) put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head, _ condition) error {
	return s.objects.put(ctx, key, body, size, head, condition{})
}

// TestIgnoredConditions: a store that keeps no conditions is refused, unless there is one writer.
func TestIgnoredConditions(t *testing.T) {
	b := open(t, buckettest.Folder(t), quick)
	b.objects = ignoring{b.objects}
	if _, err := b.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "--single-writer") {
		t.Errorf("the probe ends with %v", err)
	}
	for o := range b.List(t.Context(), "") {
		t.Errorf("the probe left %s", o.Key)
	}
	b.options.SingleWriter = true
	if _, err := b.Probe(t.Context()); err != nil {
		t.Error(err)
	}
	state := must.Get(b.Swap(t.Context(), State{}, Pointer{Current: pack("one")}))(t)
	if _, err := b.Swap(t.Context(), State{}, Pointer{Current: pack("two")}); !errors.Is(err, ErrConflict) {
		t.Errorf("one writer overwrote what it did not know: %v", err)
	}
	if _, err := b.Swap(t.Context(), state, Pointer{Current: pack("three")}); err != nil {
		t.Error(err)
	}
}

// TestStrippedConditions: a proxy that leaves out conditions is found.
func TestStrippedConditions(t *testing.T) {
	s := buckettest.Google(t)
	s.Address(t, "records")
	proxy := httptest.NewServer(buckettest.Proxy(s.Host, func(r *http.Request) {
		q := r.URL.Query()
		q.Del("ifGenerationMatch")
		r.URL.RawQuery = q.Encode()
	}, nil))
	defer proxy.Close()
	host := strings.TrimPrefix(proxy.URL, "http://")
	t.Setenv("STORAGE_EMULATOR_HOST", host)
	b := open(t, s.Through("records", host), quick)
	if _, err := b.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "--single-writer") {
		t.Errorf("the probe ends with %v", err)
	}
}

// lossy is a store whose first answers to writes are lost.
type lossy struct {
	objects
	left *int
}

func (s lossy) put(ctx context.Context, key string, body io.ReaderAt, size int64, head Head, when condition) error {
	err := s.objects.put(ctx, key, body, size, head, when)
	if *s.left > 0 {
		*s.left--
		return io.ErrUnexpectedEOF
	}
	return err
}

// TestLostAnswers: whose pointer was written and whose answer was lost has won.
func TestLostAnswers(t *testing.T) {
	for lost := range 2 {
		b := open(t, buckettest.Folder(t), quick)
		left := lost
		b.objects = lossy{b.objects, &left}
		if _, err := b.Probe(t.Context()); err != nil {
			t.Errorf("%d lost: the probe: %v", lost, err)
		}
		left = lost
		state, err := b.Swap(t.Context(), State{}, Pointer{Current: pack("one")})
		if err != nil || state.Serial != 1 {
			t.Fatalf("%d lost: %+v, %v", lost, state, err)
		}
		left = lost
		if state, err = b.Swap(t.Context(), state, Pointer{Current: pack("two")}); err != nil || state.Serial != 2 {
			t.Errorf("%d lost: %+v, %v", lost, state, err)
		}
	}
}

// TestAddresses: what is no address is told so, and credentials in one are not repeated.
func TestAddresses(t *testing.T) {
	for _, bad := range []string{
		"https://example.org", "s3://", "s3://user:hunter2@bucket", "s3://bucket/../x", "s3://bucket/a b", "gs://bucket?secret=hunter2x", "file://host/x", "file:///does/not/exist", "public",
		"s3://bucket?nonsense=1",
	} {
		b, err := Open(t.Context(), bad, Options{})
		if err == nil {
			t.Errorf("%s: opened as %s", bad, b.Name())
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v tells a secret", bad, err)
		}
	}
	for where, want := range map[string]bool{"s3://a": true, "gs://a": true, "azblob://a": true, "file:///a": true, "https://a": false, "a/b": false, `C:\a`: false} {
		if IsAddress(where) != want {
			t.Errorf("%s: %v", where, !want)
		}
	}
}

// answering is the address of a bucket whose store answers everything in one way.
func answering(t *testing.T, scheme string, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	switch scheme {
	case "s3":
		t.Setenv("AWS_ACCESS_KEY_ID", "id-hunter2")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-hunter2")
		return "s3://records?region=us-east-1&use_path_style=true&endpoint=" + server.URL
	case "gs":
		t.Setenv("STORAGE_EMULATOR_HOST", host)
		return "gs://records"
	}
	t.Setenv("AZURE_STORAGE_ACCOUNT", "account")
	t.Setenv("AZURE_STORAGE_KEY", strings.Repeat("hunter2", 4)) // which is Base64
	return "azblob://records?protocol=http&localemu=true&domain=" + host
}

// TestPermissions: who may not do something learns which permission is missing, and no credentials
// stand in any message.
func TestPermissions(t *testing.T) {
	for scheme, names := range map[string][]string{
		"s3": {"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket"},
		"gs": {"storage.objects.get", "storage.objects.create", "storage.objects.delete", "storage.objects.list"},
		"azblob": {
			"Storage Blob Data Reader", "Storage Blob Data Contributor", "Storage Blob Data Contributor", "Storage Blob Data Reader",
		},
	} {
		t.Run(scheme, func(t *testing.T) {
			b := open(t, answering(t, scheme, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusForbidden)
			}), quick)
			ctx := t.Context()
			_, _, get := b.Read(ctx, "x", 10)
			var list error
			for _, list = range b.List(ctx, "") {
			}
			all := []error{get, b.Put(ctx, "x", strings.NewReader("x"), 1, Head{Type: "text/plain"}), b.Remove(ctx, "x"), list}
			for i, err := range all {
				if err == nil || !strings.Contains(err.Error(), names[i]) || !errors.Is(err, fs.ErrPermission) {
					t.Errorf("%s is not named in: %v", names[i], err)
				}
				if err != nil && strings.Contains(err.Error(), "hunter2") {
					t.Errorf("it tells a secret: %v", err)
				}
			}
		})
	}
}

// TestNoBucket: a bucket that is not there is not an empty one.
func TestNoBucket(t *testing.T) {
	for name := range buckettest.All {
		t.Run(name, func(t *testing.T) {
			b := open(t, buckettest.Shared(t, name).Named("nowhere"), quick)
			_, err := b.Pointer(t.Context())
			if err == nil && name == "fake-gcs-server" { // which says the same of an absent object
				err = b.Put(t.Context(), "x", strings.NewReader("x"), 1, Head{Type: "text/plain"})
			}
			if err == nil || !strings.Contains(err.Error(), "bucket not found") {
				t.Error(err)
			}
		})
	}
}

// TestNoSecrets: a store that cannot be reached is named without what a token says.
func TestNoSecrets(t *testing.T) {
	b := open(t, buckettest.Folder(t), quick)
	reason := &url.Error{Op: "Put", URL: "https://a.blob.core.windows.net/c/k?sv=1&sig=hunter2", Err: io.ErrUnexpectedEOF}
	err := b.explain("put", "k", fmt.Errorf("again: %w", reason))
	if strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "a.blob.core.windows.net/c/k") || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// TestSlowStore: a store that says nothing is given up.
func TestSlowStore(t *testing.T) {
	for _, scheme := range []string{"s3", "gs", "azblob"} {
		hang := make(chan struct{})
		b := open(t, answering(t, scheme, func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		}), Options{Pause: time.Millisecond, Patience: 50 * time.Millisecond})
		if _, err := b.Pointer(t.Context()); !errors.Is(err, errStalled) {
			t.Errorf("%s: %v", scheme, err)
		}
		close(hang)
	}
}

// TestEndlessAnswers: lists and texts of errors that never end are given up.
func TestEndlessAnswers(t *testing.T) {
	pages := map[string][3]string{ // a list that repeats itself, one of empty pages, and one without an end
		"s3": {
			"<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a</Key></Contents><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
			"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
			"<ListBucketResult><Contents>",
		},
		"gs": {`{"items":[{"name":"a"}],"nextPageToken":"t"}`, `{"nextPageToken":"t"}`, `{"items":[`},
		"azblob": {
			"<EnumerationResults><Blobs><Blob><Name>a</Name></Blob></Blobs><NextMarker>t</NextMarker></EnumerationResults>",
			"<EnumerationResults><Blobs></Blobs><NextMarker>t</NextMarker></EnumerationResults>",
			"<EnumerationResults><Blobs>",
		},
	}
	for scheme, bodies := range pages {
		for i, body := range append(bodies[:], "an error") {
			endless := func(w http.ResponseWriter, r *http.Request, text string) {
				for io.WriteString(w, text); r.Context().Err() == nil; io.WriteString(w, strings.Repeat(" ", 4<<10)) {
					w.(http.Flusher).Flush()
					time.Sleep(time.Millisecond)
				}
			}
			b := open(t, answering(t, scheme, func(w http.ResponseWriter, r *http.Request) {
				switch i {
				case 2:
					io.Copy(w, io.LimitReader(repeating(body+strings.Repeat(" ", 1<<20)), 1<<30)) // until nobody reads
				case 3:
					w.WriteHeader(http.StatusInternalServerError)
					endless(w, r, body)
				default:
					io.WriteString(w, body)
				}
			}), Options{Pause: time.Millisecond, Patience: 5 * time.Second})
			var err error
			for _, e := range b.List(t.Context(), "") {
				err = e
			}
			if err == nil {
				t.Errorf("%s: %q is taken for a list", scheme, body)
			}
		}
	}
}

// repeating is a text again and again.
type repeating string

func (r repeating) Read(b []byte) (int, error) { return copy(b, r), nil }

// zeros is a large body.
type zeros struct{}

func (zeros) ReadAt(b []byte, _ int64) (int, error) { return len(b), nil }

// TestStallsInParts: a store that takes the beginning of a large object, and then says nothing or
// that it has nothing, is given up.
func TestStallsInParts(t *testing.T) {
	hang := make(chan struct{})
	for scheme, answer := range map[string]http.HandlerFunc{
		"s3": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				fmt.Fprint(w, "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>")
				return
			}
			<-hang
		},
		"gs": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://"+r.Host+"/session")
			if io.Copy(io.Discard, r.Body); r.Method == http.MethodPut {
				w.WriteHeader(http.StatusPermanentRedirect)
			}
		},
	} {
		t.Run(scheme, func(t *testing.T) {
			opt := Options{Pause: time.Millisecond, Patience: 100 * time.Millisecond}
			b := open(t, answering(t, scheme, answer), opt)
			ended := make(chan error, 1)
			go func() { ended <- b.Put(t.Context(), "large", zeros{}, maxWhole+1, Head{Type: "text/plain"}) }()
			select {
			case err := <-ended:
				if err == nil {
					t.Error("it says that the object is there")
				}
			case <-time.After(time.Minute):
				t.Error("it does not end")
			}
			if scheme == "s3" {
				close(hang)
			}
		})
	}
}

// TestHostilePointers: what a bucket says is not believed before it was looked at.
func TestHostilePointers(t *testing.T) {
	good := Pointer{Format: firstFormat, Serial: 1, Push: "x", Current: pack("one"), Kept: []Pack{*pack("zero")}}
	must.Get(decodePointer(encoded(t, good)))(t)
	for name, change := range map[string]func(*Pointer){
		"format":  func(p *Pointer) { p.Format = "other" },
		"serial":  func(p *Pointer) { p.Serial = 0 },
		"mark":    func(p *Pointer) { p.Push = "" },
		"nothing": func(p *Pointer) { p.Current = nil },
		"path":    func(p *Pointer) { p.Current.Path = "../../etc/passwd" },
		"release": func(p *Pointer) {
			p.Current.Release = "a/b"
			p.Current.Path = PiecePath("a/b", p.Current.SHA256, PackSuffix)
		},
		"size": func(p *Pointer) { p.Current.Size = -1 },
		"huge": func(p *Pointer) { p.Current.Size = 1 << 50 },
		"kept": func(p *Pointer) { p.Kept[0].Path = "x" },
		"many": func(p *Pointer) { p.Kept = slices.Repeat(p.Kept, MaxKept+1) },
		"sums": func(p *Pointer) { p.Sums = &Piece{Path: PiecePath("one", p.Current.SHA256, PackSuffix), Size: 1} },
		"base": func(p *Pointer) { p.Bases = []Piece{{Path: PackFolder + "../x.zip", Size: 1}} },
		"step": func(p *Pointer) {
			p.Increments = []Increment{{Piece: Piece{Path: PiecePath("one", release.Digest{1}, IncrementSuffix), Size: 1}}}
		},
		"step size": func(p *Pointer) {
			p.Increments = []Increment{{Piece: Piece{Path: PiecePath("one", release.Digest{}, IncrementSuffix)}}}
		},
	} {
		p := good
		current := *good.Current
		p.Current, p.Kept = &current, slices.Clone(good.Kept)
		change(&p)
		if _, err := decodePointer(encoded(t, p)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	b := open(t, buckettest.Folder(t), quick)
	for _, text := range []string{"", "{", "null", "[]", strings.Repeat("x", maxPointer+1)} {
		put(t, b, PointerPath, text)
		if _, err := b.Pointer(t.Context()); err == nil {
			t.Errorf("%.10q is taken", text)
		}
	}
}

// TestWays: a pack is had with as few bytes as can be, however increments go round, and a pointer
// takes over what its releases are made from and no more.
func TestWays(t *testing.T) {
	digest := func(n byte) release.Digest { return release.Digest{n} }
	whole := func(n byte, size int64) Pack {
		return Pack{Release: "r", Size: size, SHA256: digest(n), Path: PiecePath("r", digest(n), PackSuffix)}
	}
	step := func(from, to byte, size int64) Increment {
		sum := digest(100 + to)
		return Increment{From: digest(from), To: digest(to), Piece: Piece{PiecePath("r", sum, IncrementSuffix), size, sum}}
	}
	old := whole(1, 100)
	p := &Pointer{
		Current: &Pack{Release: "r", Size: 100, SHA256: digest(4)},
		Kept:    []Pack{{Release: "q", Size: 100, SHA256: digest(3)}},
		Bases:   []Piece{{old.Path, old.Size, old.SHA256}},
		Increments: []Increment{
			step(3, 4, 5), step(2, 3, 5), step(1, 2, 5), step(4, 1, 1), step(4, 3, 1), step(7, 8, 1),
		},
	}
	for name, c := range map[string]struct {
		here  []byte
		to    byte
		bytes int64
		steps int
		ok    bool
	}{
		"with nothing":        {nil, 4, 115, 3, true},
		"with the one before": {[]byte{3}, 4, 5, 1, true},
		"from far":            {[]byte{2, 1}, 4, 10, 2, true},
		"with it":             {[]byte{4}, 4, 0, 0, true},
		"with a stranger":     {[]byte{9}, 4, 115, 3, true},
		"back":                {[]byte{4}, 3, 1, 1, true},
		"nowhere":             {nil, 8, 0, 0, false},
	} {
		have := func(d release.Digest) bool { return slices.Contains(c.here, d[0]) }
		w, ok := p.planPack(digest(c.to), have, anyIncrement)
		if ok != c.ok || w.bytes != c.bytes || len(w.steps) != c.steps {
			t.Errorf("%s: %+v, %v", name, w, ok)
		}
	}
	if _, ok := p.planPack(digest(4), noPack, func(s *Increment) bool { return s.To != digest(2) }); ok {
		t.Error("it went by a step that it cannot go")
	}
	next := &Pointer{
		Current: &Pack{Release: "s", Size: 100, SHA256: digest(5)}, Kept: []Pack{*p.Current},
		Increments: []Increment{step(4, 5, 5)},
	}
	next.Succeed(p)
	if len(next.Bases) != 1 || len(next.Increments) != 6 { // all between the base and it
		t.Errorf("%+v", next)
	}
	fresh := whole(6, 100)
	last := &Pointer{Current: &fresh, Increments: []Increment{step(5, 6, 5)}}
	last.Succeed(next)
	if len(last.Bases) != 0 || len(last.Increments) != 0 {
		t.Errorf("%+v", last)
	}
}

func encoded(t testing.TB, p Pointer) []byte {
	t.Helper()
	return must.Get(json.Marshal(p))(t)
}

// FuzzPointer: whatever is taken has paths and sizes of the narrow form.
func FuzzPointer(f *testing.F) {
	f.Add(encoded(f, Pointer{Format: firstFormat, Serial: 1, Push: "x", Current: pack("one")}))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decodePointer(data)
		if err != nil {
			return
		}
		for _, path := range p.Paths() {
			if !strings.HasPrefix(path, PackFolder) || strings.Contains(path, "..") {
				t.Errorf("%q", path)
			}
		}
		for _, k := range p.Packs() {
			p.Has(k.SHA256)
			if k.Size < 1 {
				t.Errorf("%+v", k)
			}
		}
	})
}
