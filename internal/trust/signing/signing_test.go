package signing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/mod/sumdb/note"

	"stele/internal/base/layout"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/release"
)

// publisher signs one release after another, as a publisher would.
type publisher struct {
	t     *testing.T
	keys  []string
	state []byte
	files fstest.MapFS
	n     int
}

const origin = "data.example.org"

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	return &publisher{t: t, keys: []string{newKey(t, origin)}, files: fstest.MapFS{}}
}

func newKey(t *testing.T, name string) string {
	t.Helper()
	private, _, err := NewKey(name)
	must.Do(t, err)
	return private
}

func public(t *testing.T, private string) string {
	t.Helper()
	key := must.Get(PublicKey(private))(t)
	return key
}

// build makes the next release, with the log of the one before beside it.
func (p *publisher) build() {
	p.t.Helper()
	p.n++
	m := &release.Manifest{
		Format: layout.Format, Release: fmt.Sprintf("%012d", p.n), BaseURL: "https://data.example.org",
		Date: day(p.n),
	}
	if p.n > 1 {
		m.Previous = &release.Previous{Release: fmt.Sprintf("%012d", p.n-1), Date: day(p.n - 1)}
	}
	data := must.Get(m.Encode())(p.t)
	delete(p.files, layout.ProofPath)
	p.files[layout.ManifestPath] = &fstest.MapFile{Data: data}
}

// day is the date of a release.
func day(n int) string { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }

func (p *publisher) manifest() []byte { return p.files[layout.ManifestPath].Data }

// sign signs the release at hand and writes what that makes.
func (p *publisher) sign(opt SignOptions) (*Signature, error) {
	p.t.Helper()
	opt.State = p.state
	opt.SaveState = func(state []byte) error {
		p.state = state
		return nil
	}
	if opt.Keys == nil {
		opt.Keys = p.keys
	}
	s, err := Sign(p.t.Context(), FS(p.files), p.manifest(), opt)
	if err != nil {
		return nil, err
	}
	p.state = s.State
	for _, path := range s.Remove {
		delete(p.files, path)
	}
	for _, f := range s.Files {
		p.files[f.Path] = &fstest.MapFile{Data: f.Data}
	}
	return s, nil
}

func (p *publisher) publish(opt SignOptions) {
	p.t.Helper()
	p.build()
	must.Get(p.sign(opt))(p.t)
}

// seen is a memory of a checkpoint.
func (p *publisher) seen(checkpoint []byte) Seen {
	p.t.Helper()
	s := Seen{filepath.Join(p.t.TempDir(), "seen")}
	must.Do(p.t, s.write(&Verified{Checkpoint: checkpoint, keys: p.policy().keys}))
	return s
}

func (p *publisher) policy() *Policy { return parsedPolicy(p.t, public(p.t, p.keys[0])) }

func parsedPolicy(t *testing.T, text string) *Policy {
	t.Helper()
	policy := must.Get(ParsePolicy(text))(t)
	return policy
}

func (p *publisher) verify(opt VerifyOptions) (*Verified, error) {
	p.t.Helper()
	if opt.Policy == nil {
		opt.Policy = p.policy()
	}
	return Verify(p.t.Context(), FS(p.files), p.manifest(), opt)
}

// copied is a publisher with a copy of the files and the state: a backup, or a second machine.
func (p *publisher) copied() *publisher {
	c := *p
	c.files = maps.Clone(p.files)
	return &c
}

func TestSignAndVerify(t *testing.T) {
	p := newPublisher(t)
	seen := Seen{filepath.Join(t.TempDir(), "deep", "seen")}
	for n := range 20 {
		p.publish(SignOptions{})
		v, err := seen.Verify(t.Context(), FS(p.files), p.manifest(),
			VerifyOptions{Policy: p.policy(), Today: time.Date(2026, 1, n+11, 12, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatalf("release %d: %v", n, err)
		}
		if v.Index != int64(n) || v.Size != int64(n+1) || v.Days != 10 || v.Origin != origin || len(v.Keys) != 1 {
			t.Errorf("release %d: %+v", n, v)
		}
	}
	again, err := p.sign(SignOptions{})
	if err != nil || !again.Unchanged || len(again.Files) > 0 {
		t.Errorf("signed again: %+v, %v", again, err)
	}
}

// TestSignIsDeterministic: the same release and log give the same bytes, also where the first
// attempt was never published.
func TestSignIsDeterministic(t *testing.T) {
	p := newPublisher(t)
	p.publish(SignOptions{})
	p.build()
	lost := p.copied()
	first := must.Get(lost.sign(SignOptions{}))(t)
	p.state = first.State
	second := must.Get(p.sign(SignOptions{}))(t)
	if !bytes.Equal(first.Files[len(first.Files)-1].Data, second.Files[len(second.Files)-1].Data) {
		t.Error("two signatures of one release differ")
	}
	if _, err := p.verify(VerifyOptions{}); err != nil {
		t.Error(err)
	}
}

// renamed gives the release at hand another ID.
func (p *publisher) renamed(id string) {
	p.t.Helper()
	m := new(release.Manifest)
	must.Do(p.t, m.Decode(p.manifest()))
	m.Release = id
	data := must.Get(m.Encode())(p.t)
	p.files[layout.ManifestPath] = &fstest.MapFile{Data: data}
}

// TestSignedButNeverPublished: a signature that never left the machine is continued, not forked,
// and the log says so. Where it may have left the machine, that takes the publisher's word. Who has
// seen the release that was "never published" is not deceived.
func TestSignedButNeverPublished(t *testing.T) {
	p := newPublisher(t)
	p.publish(SignOptions{})
	lost := p.copied()
	lost.build()
	killed := errors.New("killed")
	_, err := lost.sign(SignOptions{Cosign: func(context.Context, *Log, []byte) ([]byte, error) { return nil, killed }})
	if !errors.Is(err, killed) {
		t.Fatal(err)
	}
	placed := lost.copied()
	must.Get(placed.sign(SignOptions{}))(t)
	saw := p.seen(placed.files[layout.CheckpointPath].Data)

	next := p.copied()
	next.build()
	next.renamed("abcdefabcdef")
	next.state = lost.state
	kept := next.copied()
	must.Get(next.sign(SignOptions{}))(t)
	v, err := next.verify(VerifyOptions{})
	if err != nil || v.Index != 2 || v.Entry.Break != Unpublished || len(v.Gaps) != 1 || !v.Gaps[0].Declared() {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := next.verify(VerifyOptions{Seen: saw}); err == nil || !strings.Contains(err.Error(), "verified here") {
		t.Errorf("who saw it: %v", err)
	}

	kept.state = placed.state
	if _, err := kept.sign(SignOptions{}); !errors.Is(err, errSuccessor) ||
		!strings.Contains(err.Error(), "abcdefabcdef") || !strings.Contains(err.Error(), "--rollback-from 000000000002") {
		t.Errorf("after it was in its place: %v", err)
	}
	if _, err := kept.sign(SignOptions{RollbackFrom: "000000000001"}); err == nil {
		t.Error("went back from another release than the newest")
	}
	must.Get(kept.sign(SignOptions{RollbackFrom: "000000000002"}))(t)
	if v, err := kept.verify(VerifyOptions{Seen: saw}); err != nil || v.Entry.Break != Rollback {
		t.Errorf("a rollback on purpose: %+v, %v", v, err)
	}
}

// TestReleasesFollow: a log whose newest release was not built on the one before it is refused,
// whoever signed it; an older gap is listed.
func TestReleasesFollow(t *testing.T) {
	p := newPublisher(t)
	p.publish(SignOptions{})
	p.publish(SignOptions{})
	v, err := p.verify(VerifyOptions{})
	must.Do(t, err)
	saw := p.seen(v.Checkpoint)
	log, err := readLog(t.Context(), FS(p.files), 2)
	must.Do(t, err)
	p.build()
	e, err := newReleaseEntry(p.manifest())
	must.Do(t, err)
	e.Previous = ""
	m := new(release.Manifest)
	must.Do(t, m.Decode(p.manifest()))
	m.Previous = nil
	data, err := m.Encode()
	must.Do(t, err)
	p.files[layout.ManifestPath] = &fstest.MapFile{Data: data}
	if e, err = newReleaseEntry(data); err != nil {
		t.Fatal(err)
	}
	forge := func() { // as a signer that does not look would
		t.Helper()
		must.Do(t, log.Append(e.Encode()))
		s := &signer{log: log, opt: SignOptions{Keys: p.keys}, from: log.Size() - 1, files: FS(p.files)}
		must.Do(t, s.readKeys())
		out := must.Get(s.sign(t.Context(), log.Size()-1))(t)
		for _, path := range out.Remove {
			delete(p.files, path)
		}
		for _, f := range out.Files {
			p.files[f.Path] = &fstest.MapFile{Data: f.Data}
		}
	}
	forge()
	if _, err := p.verify(VerifyOptions{}); !errors.Is(err, ErrRolledBack) {
		t.Errorf("the newest release does not follow: %v", err)
	}
	p.build()
	if e, err = newReleaseEntry(p.manifest()); err != nil {
		t.Fatal(err)
	}
	forge()
	if v, err := p.verify(VerifyOptions{}); err != nil || len(v.Gaps) != 1 || v.Gaps[0].Declared() {
		t.Errorf("an older gap: %+v, %v", v, err)
	}
	if _, err := p.verify(VerifyOptions{Seen: saw}); !errors.Is(err, ErrRolledBack) {
		t.Errorf("a gap since the log was seen: %v", err)
	}
}

// TestEveryByte flips every byte of what proves a release, in every way that one bit can flip and a
// few others: each is refused.
func TestEveryByte(t *testing.T) {
	race.LeaveOut(t, "verifies ten thousand times, in one goroutine")
	p := newPublisher(t)
	for range 3 {
		p.publish(SignOptions{})
	}
	policy := p.policy()
	flipped := 0
	masks := []byte{1, 255, 2, 4, 8, 16, 32, 64, 128}
	if testing.Short() {
		masks = masks[:2]
	}
	for path, f := range p.files {
		if path == layout.PolicyPath { // a convenience that nobody trusts
			continue
		}
		whole := f.Data
		for i := range whole {
			for _, mask := range masks {
				data := bytes.Clone(whole)
				data[i] ^= mask
				p.files[path] = &fstest.MapFile{Data: data}
				if _, err := p.verify(VerifyOptions{Policy: policy}); err == nil {
					t.Errorf("%s: byte %d with %#x is not noticed", path, i, mask)
				}
				flipped++
			}
		}
		p.files[path] = f
	}
	if _, err := p.verify(VerifyOptions{Policy: policy}); err != nil || flipped < 1_000*len(masks) {
		t.Errorf("%d flips; at last %v", flipped, err)
	}
}

// TestCutOff leaves out each file, and cuts each one short.
func TestCutOff(t *testing.T) {
	p := newPublisher(t)
	for range 3 {
		p.publish(SignOptions{})
	}
	policy := p.policy()
	for path, f := range maps.Clone(p.files) {
		if path == layout.PolicyPath || path == layout.ManifestPath {
			continue
		}
		delete(p.files, path)
		_, err := p.verify(VerifyOptions{Policy: policy})
		if !errors.Is(err, ErrUnsigned) && !errors.Is(err, errTruncated) {
			t.Errorf("without %s: %v", path, err)
		}
		for n := range f.Data {
			p.files[path] = &fstest.MapFile{Data: f.Data[:n]}
			if _, err := p.verify(VerifyOptions{Policy: policy}); err == nil {
				t.Errorf("%s cut to %d bytes is not noticed", path, n)
			}
		}
		p.files[path] = f
	}
}

func TestVerifyRefuses(t *testing.T) {
	p := newPublisher(t)
	for range 3 {
		p.publish(SignOptions{})
	}
	v := must.Get(p.verify(VerifyOptions{}))(t)
	fork := rewritten(t, p.keys, 4)
	must.Get(fork.sign(SignOptions{}))(t)
	cases := []struct {
		name   string
		change func(*publisher, *VerifyOptions)
		want   error
		says   string
	}{
		{"unsigned", func(p *publisher, _ *VerifyOptions) { delete(p.files, layout.ProofPath) }, ErrUnsigned, "not signed"},
		{"no log", func(p *publisher, _ *VerifyOptions) { delete(p.files, layout.CheckpointPath) }, errTruncated, "log/checkpoint is missing"},
		{"built again", func(p *publisher, _ *VerifyOptions) {
			p.files[layout.ManifestPath] = &fstest.MapFile{Data: append(bytes.Clone(p.manifest()), '\n')}
		}, ErrAltered, "not the one that was signed"},
		{"wrong key", func(_ *publisher, opt *VerifyOptions) {
			opt.Policy = parsedPolicy(t, public(t, newKey(t, origin)))
		}, ErrUntrusted, "not signed by a key that you trust"},
		{"wrong origin", func(_ *publisher, opt *VerifyOptions) {
			opt.Policy = parsedPolicy(t, public(t, newKey(t, "elsewhere.example")))
		}, ErrUntrusted, `"elsewhere.example"`},
		{"rollback", func(_ *publisher, opt *VerifyOptions) {
			bigger := p.copied()
			bigger.publish(SignOptions{})
			opt.Seen = p.seen(bigger.files[layout.CheckpointPath].Data)
		}, ErrRolledBack, "rolled back"},
		{"fork", func(q *publisher, opt *VerifyOptions) {
			opt.Seen = p.seen(v.Checkpoint)
			q.files = fork.files
		}, ErrForked, "was rewritten"},
		{"stale", func(_ *publisher, opt *VerifyOptions) {
			opt.MaxAge, opt.Today = 30, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
		}, ErrStale, "149 days old"},
		{"superseded", func(p *publisher, _ *VerifyOptions) {
			kept := maps.Clone(p.files)
			p.publish(SignOptions{})
			newer := maps.Clone(p.files)
			p.files = newer
			p.files[layout.ManifestPath] = kept[layout.ManifestPath]
			log := must.Get(readLog(t.Context(), FS(newer), 4))(t)
			proof := must.Get(log.proofOf(2, newer[layout.CheckpointPath].Data))(t)
			p.files[layout.ProofPath] = &fstest.MapFile{Data: proof}
		}, ErrRolledBack, "not the latest"},
	}
	texts := map[string]string{}
	for _, c := range cases {
		q := p.copied()
		var opt VerifyOptions
		c.change(q, &opt)
		_, err := q.verify(opt)
		if err == nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if earlier, ok := texts[err.Error()]; ok {
			t.Errorf("%s and %s say the same", c.name, earlier)
		}
		texts[err.Error()] = c.name
	}
}

// TestForkIsKept: the evidence of a fork goes to a file that proves it.
func TestForkIsKept(t *testing.T) {
	p := newPublisher(t)
	p.publish(SignOptions{})
	fork := newPublisher(t)
	fork.keys, fork.n = p.keys, 1
	fork.publish(SignOptions{})
	_, err := p.seen(p.files[layout.CheckpointPath].Data).Verify(t.Context(), FS(fork.files), fork.manifest(),
		VerifyOptions{Policy: fork.policy()})
	var e *ForkError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	data, err := os.ReadFile(e.Path)
	if err != nil || !bytes.Contains(data, p.files[layout.CheckpointPath].Data) ||
		!bytes.Contains(data, fork.files[layout.CheckpointPath].Data) {
		t.Errorf("%s, %v", data, err)
	}
	if !strings.Contains(e.Error(), e.Path) {
		t.Errorf("%v does not name the file", e)
	}
}

// TestSeen: a memory that knows more of a log is not overwritten by one who knows less, and another
// log of the same name has a memory of its own.
func TestSeen(t *testing.T) {
	p := newPublisher(t)
	p.publish(SignOptions{})
	before := p.copied()
	p.publish(SignOptions{})
	s := Seen{filepath.Join(t.TempDir(), "deep", "seen")}
	verify := func(q *publisher) (*Verified, error) {
		return s.Verify(t.Context(), FS(q.files), q.manifest(), VerifyOptions{Policy: q.policy()})
	}
	late, err := before.verify(VerifyOptions{Seen: s})
	must.Do(t, err)
	must.Get(verify(p))(t)
	if err := s.write(late); !errors.Is(err, ErrRolledBack) {
		t.Errorf("a reader that began earlier and ends later: %v", err)
	}
	if _, err := verify(before); !errors.Is(err, ErrRolledBack) {
		t.Errorf("an old copy: %v", err)
	}
	other := newPublisher(t)
	other.publish(SignOptions{})
	v, err := verify(other)
	if err != nil || len(v.Others) != 1 || v.Others[0] != keyNames(p.policy().keys)[0] {
		t.Errorf("another log of the same name: %+v, %v", v, err)
	}
	if _, err := verify(p); err != nil {
		t.Errorf("the first log again: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir, "*"+seenSuffix))
	if err != nil || len(left) != 2 {
		t.Fatalf("%v, %v", left, err)
	}
	must.Do(t, os.WriteFile(left[0], []byte("garbage"), 0o644))
	if _, err := verify(p); err == nil || !strings.Contains(err.Error(), left[0]) || !strings.Contains(err.Error(), "backup") {
		t.Errorf("a damaged memory: %v", err)
	}
}

// TestSeenAtOnce: of many readers with one memory, none sets it back.
func TestSeenAtOnce(t *testing.T) {
	p := newPublisher(t)
	s := Seen{filepath.Join(t.TempDir(), "seen")}
	var all []*Verified
	for range 16 {
		p.publish(SignOptions{})
		v := must.Get(p.verify(VerifyOptions{}))(t)
		all = append(all, v)
	}
	var wg sync.WaitGroup
	for _, v := range all {
		wg.Go(func() {
			if err := s.write(v); err != nil && !errors.Is(err, ErrRolledBack) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	seen, _, err := s.read(origin, p.policy().keys)
	if err != nil || len(seen) != 1 || seen[0].Size != 16 {
		t.Errorf("%v, %v", seen, err)
	}
}

// TestSignerRefusesToFork plays what would fork the log: a restored backup, a second signer, a
// history begun anew.
func TestSignerRefusesToFork(t *testing.T) {
	p := newPublisher(t)
	p.publish(SignOptions{})
	backup := p.copied()
	p.publish(SignOptions{})
	p.publish(SignOptions{})

	behind := p.copied()
	behind.files, behind.n = backup.files, backup.n // an old copy of the release, today's state
	behind.build()
	if _, err := behind.sign(SignOptions{}); !errors.Is(err, errSuccessor) {
		t.Errorf("an old copy: %v", err)
	}

	forked := p.copied()
	forked.files, forked.state, forked.n = maps.Clone(backup.files), backup.state, 10
	forked.build()
	m := new(release.Manifest)
	must.Do(t, m.Decode(forked.manifest()))
	m.Previous.Release = fmt.Sprintf("%012d", 1)
	data := must.Get(m.Encode())(t)
	forked.files[layout.ManifestPath] = &fstest.MapFile{Data: data}
	must.Get(forked.sign(SignOptions{}))(t)
	forked.state = p.state
	forked.build()
	if _, err := forked.sign(SignOptions{}); !errors.Is(err, errRewritten) {
		t.Errorf("beside the log of another signer: %v", err)
	}

	anew := p.copied()
	anew.files, anew.n = fstest.MapFS{}, 0
	anew.build()
	if _, err := anew.sign(SignOptions{}); !errors.Is(err, errSuccessor) {
		t.Errorf("begun anew: %v", err)
	}

	strange := p.copied()
	strange.n = 40
	strange.build()
	if _, err := strange.sign(SignOptions{}); !errors.Is(err, errSuccessor) {
		t.Errorf("a release that continues another: %v", err)
	}

	other := p.copied()
	other.build()
	if _, err := other.sign(SignOptions{Keys: []string{newKey(t, origin)}}); err == nil ||
		!strings.Contains(err.Error(), "another key") {
		t.Errorf("another key: %v", err)
	}
}

// TestRotation: a client that knows only the first key follows over three releases.
func TestRotation(t *testing.T) {
	p := newPublisher(t)
	first := p.policy()
	p.publish(SignOptions{})
	next := newKey(t, origin)
	p.build()
	if _, err := p.sign(SignOptions{Keys: []string{p.keys[0], next}}); err == nil || !strings.Contains(err.Error(), "--announce") {
		t.Fatalf("a new key without a word: %v", err)
	}
	must.Get(p.sign(SignOptions{Keys: []string{p.keys[0], next}, Announce: true}))(t)
	checkAll := func(when string) {
		t.Helper()
		for name, policy := range map[string]*Policy{"first": first, "next": parsedPolicy(t, public(t, next))} {
			if v, err := p.verify(VerifyOptions{Policy: policy}); err != nil {
				t.Errorf("%s, with the %s key: %v", when, name, err)
			} else if v.Index != v.Size-1 {
				t.Errorf("%s: %+v", when, v)
			}
		}
	}
	checkAll("announced")
	p.publish(SignOptions{Keys: []string{p.keys[0], next}})
	checkAll("signed by both")
	p.publish(SignOptions{Keys: []string{next}, Retire: public(t, p.keys[0])})
	checkAll("retired")
	p.publish(SignOptions{Keys: []string{next}})
	checkAll("signed by the next alone")
	if _, err := p.sign(SignOptions{Keys: []string{next}, Retire: public(t, next)}); err == nil {
		t.Error("the last key could retire")
	}

	// What a retired key signs is not believed any more, by those who have the log.
	thief := p.copied()
	thief.state = nil
	checkpoint := must.Get(parseSigned(p.files[layout.CheckpointPath].Data))(t)
	old := must.Get(ParseSigner(p.keys[0]))(t)
	data := must.Get(checkpoint.sign([]note.Signer{old}))(t)
	thief.files[layout.CheckpointPath] = &fstest.MapFile{Data: data}
	if _, err := thief.verify(VerifyOptions{Policy: first}); !errors.Is(err, ErrUntrusted) {
		t.Errorf("signed by a retired key: %v", err)
	}
}

// TestCarry: what is carried is all of the log, and the proof where the manifest stays as it is.
func TestCarry(t *testing.T) {
	p := newPublisher(t)
	if list, err := CopyLog(t.Context(), FS(p.files), nil); list != nil || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	p.publish(SignOptions{})
	p.publish(SignOptions{Keys: []string{p.keys[0], newKey(t, origin)}, Announce: true})
	same, err := CopyLog(t.Context(), FS(p.files), p.files[layout.ManifestPath].Data)
	if err != nil || len(same) != len(p.files)-1 || same[len(same)-1].Path != layout.ProofPath {
		t.Errorf("%v, %v", same, err)
	}
	list, err := CopyLog(t.Context(), FS(p.files), []byte("another"))
	must.Do(t, err)
	got := map[string]bool{layout.ProofPath: true, layout.ManifestPath: true}
	for _, f := range list {
		got[f.Path] = true
		if !bytes.Equal(f.Data, p.files[f.Path].Data) {
			t.Errorf("%s differs", f.Path)
		}
	}
	for path := range p.files {
		if !got[path] {
			t.Errorf("%s is not carried", path)
		}
	}
	paths, err := Paths(t.Context(), FS(p.files))
	if err != nil || len(paths) != len(p.files)-1 || !slices.IsSorted(paths) {
		t.Errorf("%v, %v", paths, err)
	}
}

// TestLargeClaims: what a log claims of its size takes no memory.
func TestLargeClaims(t *testing.T) {
	p := newPublisher(t)
	p.publish(SignOptions{})
	for _, size := range []string{"9223372036854775807", "1048577", "300"} {
		checkpoint := p.files[layout.CheckpointPath].Data
		p.files[layout.CheckpointPath] = &fstest.MapFile{Data: bytes.Replace(checkpoint, []byte("\n1\n"),
			[]byte("\n"+size+"\n"), 1)}
		if _, err := p.verify(VerifyOptions{}); err == nil {
			t.Errorf("a log of %s entries is believed", size)
		}
		checkpoint = p.files[layout.CheckpointPath].Data
		p.files[layout.CheckpointPath] = &fstest.MapFile{Data: bytes.Replace(checkpoint, []byte("\n"+size+"\n"),
			[]byte("\n1\n"), 1)}
	}
	p.files[layout.CheckpointPath] = &fstest.MapFile{Data: bytes.Repeat([]byte("x"), maxNote+1)}
	if _, err := p.verify(VerifyOptions{}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an endless checkpoint: %v", err)
	}
}
