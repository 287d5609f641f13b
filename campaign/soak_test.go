//go:build linux

// Package campaign lets everything run at once for an hour, as only a long run finds what grows and
// what meets seldom: make campaign. Tests of the packages kill builds and let their system calls
// fail.
package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/client"
	"stele/internal/disk/store"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
	"stele/internal/testkit/witnesstest"
	"stele/record"
)

var (
	releases = flag.Int("releases", 0, "how many releases are published")
	last     = flag.Duration("last", 0, "how long that takes at least")
)

const (
	soakPoll = 2 * time.Second // how often servers, mirrors and clients ask
	// within which a copy must have a release that is out: a poll, what fetching takes on a machine
	// that everything shares, and a start after a kill
	soakLate = time.Minute
)

// soak is a publisher who signs with two witnesses and pushes to a bucket that loses answers, a
// rival who pushes a redacting release once more meanwhile, servers, mirrors and clients that
// follow it, some by a host that spoils what it passes on, and somebody who kills any of them.
type soak struct {
	*testing.T
	program string // stele
	dir     string
	folder  string // of the records
	policy  string // the file with the keys of log and witnesses
	bucket  string // its address, where answers are lost
	liar    string // the same, where answers are also spoilt
	random  *rand.Rand
	follows []*follower
	lost    atomic.Int64 // answers
	spoilt  atomic.Int64 // answers
	asked   atomic.Int64 // answers
	killed  int64

	mu     sync.Mutex
	served map[answer]bool // what was served
	known  map[answer]bool // what releases have
	late   time.Duration   // the longest that it took until all had a release
	memory []int64         // of the server that is never killed, after each release
}

// answer is the content that an address had.
type answer struct {
	path   string
	sha256 [sha256.Size]byte
}

// follower is a process that keeps up with releases.
type follower struct {
	name             string
	args             []string
	at               func() (release string, err error) // which release it has
	verify           []string                           // a command that makes sure of it; nil for none
	spare            bool                               // whether it is never killed
	has              atomic.Value                       // the release of a client that is part of this process
	address          string                             // of a server
	*process.Process                                    // nil for such a one
}

// TestSoak: every answer is whole and of one release, every copy is signed and whole and soon of
// the newest release, and memory does not grow.
func TestSoak(t *testing.T) {
	if *releases == 0 {
		t.Skip("make campaign runs it, for an hour")
	}
	dir := t.TempDir()
	k := &soak{
		T: t, program: filepath.Join(dir, "stele"), dir: dir, folder: filepath.Join(dir, "folder"), policy: filepath.Join(dir, "policy.txt"),
		random: rand.New(rand.NewPCG(3, 4)), served: map[answer]bool{}, known: map[answer]bool{},
	}
	k.must("go", "build", "-ldflags=-s -w", "-o", k.program, "stele/cmd/stele")
	k.prepare()
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer func() {
		stop()
		group.Wait()
		k.judge()
	}()
	servers := []string{k.follows[0].base(), k.follows[1].base(), k.follows[2].base()}
	for i := range 2 {
		group.Go(func() { k.ask(ctx, servers, i) })
		f := &follower{name: fmt.Sprint("client-", i), spare: true}
		f.at = func() (string, error) { return fmt.Sprint(f.has.Load()), nil }
		k.follows = append(k.follows, f)
		group.Go(func() {
			if err := k.read(ctx, servers[0], f); err != nil && ctx.Err() == nil {
				t.Errorf("%s: %v", f.name, err)
			}
		})
	}
	began := time.Now()
	for i := range *releases {
		t.Log("release", i+1)
		k.round(i)
		time.Sleep(time.Until(began.Add(*last * time.Duration(i+1) / time.Duration(*releases))))
	}
}

// prepare starts everything.
func (k *soak) prepare() {
	k.Setenv("XDG_STATE_HOME", k.state())
	s3 := buckettest.S3(k)
	s3.Address(k, "records")
	serve := func(h http.Handler) string {
		s := httptest.NewServer(h)
		k.Cleanup(s.Close)
		return s.URL
	}
	losing := buckettest.Proxy(s3.Host, nil, k.lose)
	k.bucket = s3.Through("records", strings.TrimPrefix(serve(losing), "http://"))
	k.liar = s3.Through("records", strings.TrimPrefix(serve(spoil(losing, &k.spoilt)), "http://"))
	site := serve(http.FileServer(http.Dir(filepath.Join(s3.Dir, "records"))))
	ofCopy := serve(http.FileServer(http.Dir(filepath.Join(k.dir, "copy-0"))))
	k.startWitnesses()
	k.makeRecords()
	k.stele("publish", k.folder, "--yes", "--first", "--downloads", "none", "--date", day(0))
	k.learn(-1)
	k.startServers()
	k.startMirrors(k.follows[0].base(), k.follows[1].base(), k.liar, site, ofCopy)
}

// lose says which answers of the store are lost: one in two hundred, after the store has done what
// it was asked for, and as many requests.
func (k *soak) lose(*http.Request) int {
	n := rand.IntN(400)
	if n > 1 {
		return 0
	}
	k.lost.Add(1)
	return n + 1
}

// spoil is a host that changes a byte in one of a hundred files that it passes on.
func spoil(pass http.Handler, spoilt *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Query().Has("list-type") || rand.IntN(100) > 0 {
			pass.ServeHTTP(w, r)
			return
		}
		kept := httptest.NewRecorder()
		defer func() {
			if recover() != nil { // the answer was lost
				panic(http.ErrAbortHandler)
			}
		}()
		pass.ServeHTTP(kept, r)
		maps.Copy(w.Header(), kept.Header())
		w.WriteHeader(kept.Code)
		if body := kept.Body.Bytes(); len(body) > 0 {
			body[rand.IntN(len(body))] ^= 0x40
			spoilt.Add(1)
			w.Write(body) // if that fails, it is spoilt as well
		}
	})
}

// startWitnesses makes the key of the log and starts two witnesses, both of which must cosign.
func (k *soak) startWitnesses() {
	k.stele("key", "new", "data.example.org", "-o", k.key())
	log := string(must.Get(os.ReadFile(k.key() + ".pub"))(k))
	program := witnesstest.Program(k)
	policy := "log " + strings.TrimSpace(log) + "\n"
	for _, name := range []string{"one", "two"} {
		w, end, err := witnesstest.Start(program, k.dir, name, log)
		must.Do(k, err)
		k.Cleanup(end)
		policy += fmt.Sprintf("witness %s %s %s\n", name, w.Key, w.URL)
	}
	must.Do(k, os.WriteFile(k.policy, []byte(policy+"group all all one two\nquorum all\n"), 0o644))
}

func (k *soak) key() string { return filepath.Join(k.dir, "signer.key") }

func (k *soak) state() string { return filepath.Join(k.dir, "state") }

// references is how many records there are to retract and redact.
const references = 60

// makeRecords makes a folder of records, with some that are retracted or redacted later.
func (k *soak) makeRecords() {
	k.stele("init", k.folder, "--address", "https://records.example.org")
	for i := range references {
		text := fmt.Sprintf(`id: %[1]s
version: 1
title: Reference %[1]s
summary: The reference named %[1]s.
reference_note: It shows what is meant by %[1]s, in public.
illustrative: true
illustrates: [ref-example-poster]
source_links: [{url: "https://%[1]s.example.org/", role: primary}]
verification_date: 2026-02-01
source_updates: []
corrections: []
published_date: 2026-02-01
updated_date: 2026-02-01
x_patient: somebody who must not be named
`, reference(i))
		at := filepath.Join(k.folder, "records", "public-references", reference(i)+".yaml")
		must.Do(k, os.WriteFile(at, []byte(text), 0o644))
	}
	settings := filepath.Join(k.folder, "stele.yaml")
	text := fmt.Appendf(must.Get(os.ReadFile(settings))(k),
		"publish:\n  bucket: %q\n  site: true\n  key: %s\n  witnesses: %s\n", k.bucket, k.key(), k.policy)
	must.Do(k, os.WriteFile(settings, text, 0o644))
}

func reference(i int) string { return fmt.Sprintf("ref-soak-%02d", i) }

// day is the date of a release.
func day(i int) string { return time.Date(2026, 2, 10+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }

// command is one that ends with the test.
func (k *soak) command(args ...string) *exec.Cmd {
	return exec.CommandContext(k.Context(), args[0], args[1:]...)
}

// run runs a command.
func (k *soak) run(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

// must runs a command that must not fail.
func (k *soak) must(args ...string) {
	k.Helper()
	must.Do(k, k.run(k.command(args...)))
}

// stele runs the program, which must not fail.
func (k *soak) stele(args ...string) {
	k.Helper()
	k.must(append([]string{k.program}, args...)...)
}

// again runs the program until it ends well: answers of the store may be lost beyond what it
// repeats.
func (k *soak) again(args ...string) {
	k.Helper()
	var err error
	for range 5 {
		if err = k.run(k.command(append([]string{k.program}, args...)...)); err == nil {
			return
		}
	}
	k.Fatal(err)
}

// startServers starts three servers that follow the bucket. Nobody kills the first.
func (k *soak) startServers() {
	for i := range 3 {
		name, host, of := fmt.Sprint("server-", i), process.FreeAddress(), k.bucket
		if i == 2 {
			of = k.liar
		}
		k.follow(&follower{
			name: name, spare: i == 0, address: host,
			args: []string{
				k.program, "serve", of, "--cache", filepath.Join(k.dir, name), "--key", k.policy,
				"--seen", filepath.Join(k.dir, "seen-"+name), "--poll", soakPoll.String(), "--listen", host, "-q",
			},
			at: func() (string, error) { return servedBy("http://" + host) },
		})
	}
}

// startMirrors starts ten mirrors by five ways: of a server that is never killed and of one that
// is, of the bucket, of its files on a plain web server, and of a copy on a plain web server.
// Nobody kills the first, which is copied.
func (k *soak) startMirrors(ways ...string) {
	for i := range 10 {
		name := fmt.Sprint("copy-", i)
		at, only := filepath.Join(k.dir, name), "records"
		switch {
		case i == 0:
			only = "all"
		case i%3 == 0:
			at, only = at+".zip", "all"
		}
		f := &follower{
			name: name, spare: i == 0,
			args: []string{
				k.program, "mirror", ways[i%len(ways)], at, "--only", only, "--key", k.policy,
				"--seen", filepath.Join(k.dir, "seen-"+name), "--watch=" + soakPoll.String(), "-q",
			},
			at:     func() (string, error) { return copiedTo(at) },
			verify: []string{k.program, "verify", at, "--key", k.policy, "--seen", filepath.Join(k.dir, "verified-"+name)},
		}
		k.follow(f)
		if i == 0 { // others begin when it is there
			k.await(f, "")
		}
	}
}

// follow starts a follower.
func (k *soak) follow(f *follower) {
	if f.Process == nil {
		k.follows = append(k.follows, f)
	}
	f.Process = process.Run(k, k.command(f.args...), f.address)
}

// servedBy is the release that is at an address.
func servedBy(base string) (string, error) {
	body, status, err := get(base + "/manifest.json")
	if err != nil || status != http.StatusOK {
		return "", fmt.Errorf("%s: %d, %w", base, status, err)
	}
	var manifest struct{ Release string }
	err = json.Unmarshal(body, &manifest)
	return manifest.Release, err
}

// copiedTo is the release in a folder or a zip.
func copiedTo(at string) (string, error) {
	r, closeIt, err := store.Open(at)
	if err != nil {
		return "", err
	}
	defer closeIt() // it was only read
	return r.Manifest.Release, nil
}

func get(address string) (body []byte, status int, err error) {
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(address)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close() // it was only read
	body, err = io.ReadAll(response.Body)
	return body, response.StatusCode, err
}

// await waits until a follower has a release; "" for any.
func (k *soak) await(f *follower, id string) {
	k.Helper()
	var has, said string
	var err error
	for began := time.Now(); time.Since(began) < soakLate; time.Sleep(100 * time.Millisecond) {
		if has, err = f.at(); err == nil && (has == id || id == "") {
			return
		}
		if f.Process != nil && !f.Runs() {
			k.Fatalf("%s ended: %s", f.name, f.Said())
		}
	}
	if f.Process != nil {
		said = f.Said()
	}
	k.Fatalf("%s has release %q after %v and not %s (%v): %s", f.name, has, soakLate, id, err, said)
}

// round changes something and publishes it, while this and that is killed. Then everybody must have
// it.
func (k *soak) round(i int) {
	before := must.Get(servedBy(k.follows[0].base()))(k)
	k.change(i)
	k.publish(i)
	began := time.Now()
	for range 2 {
		k.killOne()
	}
	id := k.learn(i)
	if id == before {
		k.Fatalf("%s is still the newest release", id)
	}
	for _, f := range k.follows {
		k.await(f, id)
	}
	k.late = max(k.late, time.Since(began))
	if f := k.follows[3+i%10]; f.verify != nil {
		k.must(f.verify...)
	}
	k.memory = append(k.memory, must.Get(memoryOf(k.follows[0].Cmd.Process.Pid))(k))
}

// base is the address of a server.
func (f *follower) base() string { return "http://" + f.address }

// change edits, retracts, redacts, verifies again; every tenth round changes nothing but goes back.
func (k *soak) change(i int) {
	var args []string
	switch id := reference(i % references); i % 5 {
	case 0:
		args = []string{"retract", id, "--summary", "It was withdrawn."}
	case 1:
		args = []string{"redact", id, "--member", "/x_patient", "--reason", "A person was named."}
	case 2:
		args = []string{"reverify", "ref-example-poster"}
	default:
		args = []string{"revise", "sig-example-rise", "--set", fmt.Sprint("title=Title ", i)}
	}
	c := k.command(append([]string{k.program}, append(args, "--date", day(i+1))...)...)
	c.Dir = k.folder
	must.Do(k, k.run(c))
}

// publish publishes, and is killed in every second round at some moment and run again. Every tenth
// release goes back: it is built on the one before the newest.
func (k *soak) publish(i int) {
	args := []string{"publish", k.folder, "--yes", "--downloads", "none", "--date", day(i + 1)}
	if i%10 == 9 {
		k.goBack(i)
		return
	}
	if i%2 == 1 {
		c := k.command(append([]string{k.program}, args...)...)
		must.Do(k, c.Start())
		timer := time.AfterFunc(time.Duration(k.random.Float64()*8*float64(time.Second)), func() { c.Process.Kill() })
		if c.Wait() != nil { // killed, or done
			k.killed++
		}
		timer.Stop()
	}
	if i%5 == 2 { // the release before redacts, and is pushed once more meanwhile
		rival := k.command(k.program, "push", k.copyOf(i-1), k.bucket, "--site", "-q")
		must.Do(k, rival.Start())
		defer rival.Wait() // it may win, be refused, or find nothing to do
	}
	k.again(args...)
}

// goBack builds on the release before the newest, and gives up the newest. What publish remembers
// of that one is removed, as it asks for.
func (k *soak) goBack(i int) {
	newest := must.Get(copiedTo(k.copyOf(i - 1)))(k)
	before, next := k.copyOf(i-2), filepath.Join(k.dir, "next")
	must.Do(k, os.RemoveAll(next))
	k.stele("build", k.folder, "-o", next, "--previous", before, "--key", k.key(), "--witness", k.policy,
		"--rollback-from", newest, "--downloads", "none", "--date", day(i+1), "-q")
	k.again("push", next, k.bucket, "--fork", "--site", "-q")
	must.Do(k, os.RemoveAll(filepath.Join(k.state(), "stele", "publish")))
}

// killOne kills a follower that may be killed, and starts it again.
func (k *soak) killOne() {
	f := k.follows[k.random.IntN(len(k.follows))]
	if !f.spare {
		f.Kill()
		k.killed++
		k.follow(f)
	}
}

// copyOf is where a copy of a release is kept, for as long as somebody may go back to it.
func (k *soak) copyOf(i int) string { return filepath.Join(k.dir, fmt.Sprintf("release-%d", (i+3)%3)) }

// learn copies the release that is out, and keeps what it has at its addresses.
func (k *soak) learn(i int) (id string) {
	must.Do(k, os.RemoveAll(k.copyOf(i)))
	k.again("mirror", k.bucket, k.copyOf(i), "--only", "all", "--key", k.policy, "-q")
	r, closeIt, err := store.Open(k.copyOf(i))
	must.Do(k, err)
	defer closeIt() // it was only read
	k.mu.Lock()
	defer k.mu.Unlock()
	for f := range r.Manifest.Each() {
		k.known[answer{"/" + f.Path, f.SHA256}] = true
	}
	return r.Manifest.Release
}

// ask asks the servers for everything, now and then.
func (k *soak) ask(ctx context.Context, servers []string, person int) {
	random := rand.New(rand.NewPCG(5, uint64(person)))
	for ctx.Err() == nil {
		base := servers[random.IntN(len(servers))]
		manifest, status, err := get(base + "/manifest.json")
		if err != nil || status != http.StatusOK {
			time.Sleep(100 * time.Millisecond) // it was killed
			continue
		}
		paths := strings.Split(string(manifest), `"path": "`)[1:]
		for range 50 {
			path, _, _ := strings.Cut(paths[random.IntN(len(paths))], `"`)
			body, status, err := get(base + "/" + path)
			if err != nil || status != http.StatusOK { // killed, or gone with the next release
				continue
			}
			k.asked.Add(1)
			k.mu.Lock()
			k.served[answer{"/" + path, sha256.Sum256(body)}] = true
			k.mu.Unlock()
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// read reads all references again and again with the client, which verifies them.
func (k *soak) read(ctx context.Context, from string, f *follower) error {
	policy, err := os.ReadFile(k.policy)
	if err != nil {
		return err
	}
	opt := client.Options{Key: string(policy), Seen: filepath.Join(k.dir, "seen-"+f.name)}
	c, err := client.Open(ctx, from, opt)
	if err != nil {
		return err
	}
	defer c.Close() // it only read
	for ctx.Err() == nil {
		n := 0
		for found, err := range client.All[record.PublicReference](ctx, c) {
			if err != nil {
				return err
			}
			if found.Record != nil && found.ID == string(found.Record.ID) {
				n++
			}
		}
		if n != references+1 {
			return fmt.Errorf("release %s has %d references, and there are %d", c.Manifest().Release, n, references+1)
		}
		f.has.Store(c.Manifest().Release)
		select {
		case <-ctx.Done():
		case <-time.After(soakPoll):
		}
		if _, err := c.Update(ctx); err != nil {
			return err
		}
	}
	return nil
}

// judge finds what was served and is in no release, and memory that grows.
func (k *soak) judge() {
	for a := range k.served {
		if !k.known[a] {
			k.Errorf("%s was served with the SHA-256 %s, which no release has", a.path, hex.EncodeToString(a.sha256[:8]))
		}
	}
	if n := len(k.memory); n >= 12 {
		early, late := slices.Max(k.memory[n/4:n/2]), slices.Max(k.memory[3*n/4:])
		if late > early+early/4+16<<20 {
			k.Errorf("a server had %d MB in the second quarter, and has %d MB in the last", early>>20, late>>20)
		}
	}
	k.Logf("%d followers, %d kills, %d lost, %d spoilt, %d checked answers, all had each release within %v, a server has %d MB",
		len(k.follows), k.killed, k.lost.Load(), k.spoilt.Load(), k.asked.Load(), k.late.Round(time.Second),
		slices.Max(append(k.memory, 0))>>20)
}

// memoryOf is the memory of a process that is its own, in bytes.
func memoryOf(pid int) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	var kilobytes int64
	_, rest, _ := strings.Cut(string(data), "RssAnon:")
	_, err = fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10, err
}
