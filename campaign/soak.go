//go:build linux

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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
	"time"

	"stele/client"
	"stele/internal/disk/store"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/process"
	"stele/internal/testkit/witnesstest"
	"stele/record"
	"stele/tools/stores"
)

const (
	soakPoll = 2 * time.Second // how often servers, mirrors and clients ask
	// within which a copy must have a release that is out: a poll, what fetching takes on a machine
	// that everything shares, and a start after a kill
	soakLate = time.Minute
)

// soak lets everything run at once for an hour: a publisher who signs with two witnesses and
// pushes to a bucket that loses answers, a rival who pushes a redacting release once more
// meanwhile, servers, mirrors and clients that follow it, some by a host that spoils what it
// passes on, and somebody who kills any of them. Every answer must be whole and of one release,
// every copy signed and whole and soon of the newest release, and memory must not grow.
type soak struct {
	program string // stele
	ctx     context.Context
	dir     string
	folder  string // of the records
	policy  string // the file with the keys of log and witnesses
	bucket  string // its address, where answers are lost
	liar    string // the same, where answers are also spoilt
	random  *rand.Rand
	follows []*follower
	lost    atomic.Int64 // answers
	spoilt  atomic.Int64 // answers
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
	has              *atomic.Value                      // the release of a client that is part of this process
	address          string                             // of a server
	*process.Process                                    // nil for such a one
}

// soakFor lets everything run for as long as it takes to publish some releases, and says what is
// wrong.
func soakFor(
	ctx context.Context, dir, program string, last time.Duration, releases int,
) (wrong []string, err error) {
	k := &soak{
		program: program, ctx: ctx, dir: dir, folder: filepath.Join(dir, "folder"), policy: filepath.Join(dir, "policy.txt"),
		random: rand.New(rand.NewPCG(3, 4)), served: map[answer]bool{}, known: map[answer]bool{},
	}
	end, err := k.prepare()
	defer end()
	if err != nil {
		return nil, err
	}
	asked := k.run(last, releases, func(what string) {
		k.mu.Lock()
		defer k.mu.Unlock()
		wrong = append(wrong, what)
	})
	fmt.Printf("%d followers, %d kills, %d lost, %d spoilt, %d checked answers, all had each release within %v, a server has %d MB\n",
		len(k.follows), k.killed, k.lost.Load(), k.spoilt.Load(), asked, k.late.Round(time.Second),
		slices.Max(append(k.memory, 0))>>20)
	return wrong, ctx.Err()
}

// run publishes releases while others ask for them, and returns how many answers there were.
func (k *soak) run(last time.Duration, releases int, wrong func(string)) int64 {
	ctx, stop := context.WithCancel(k.ctx)
	var group sync.WaitGroup
	var asked atomic.Int64
	servers := []string{k.follows[0].base(), k.follows[1].base(), k.follows[2].base()}
	for i := range 2 {
		group.Go(func() { k.ask(ctx, servers, i, &asked) })
		f := &follower{name: fmt.Sprint("client-", i), spare: true, has: new(atomic.Value)}
		f.at = func() (string, error) { return fmt.Sprint(f.has.Load()), nil }
		k.follows = append(k.follows, f)
		group.Go(func() {
			if err := k.read(ctx, servers[0], f); err != nil && ctx.Err() == nil {
				wrong(fmt.Sprintf("%s: %v", f.name, err))
			}
		})
	}
	began := time.Now()
	for i := 0; i < releases && ctx.Err() == nil; i++ {
		if err := k.round(i); err != nil {
			wrong(fmt.Sprintf("release %d: %v", i+1, err))
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(began.Add(last * time.Duration(i+1) / time.Duration(releases)))):
		}
	}
	stop()
	group.Wait()
	k.judge(wrong)
	return asked.Load()
}

// prepare starts everything. end ends what was started, whether all was or not.
func (k *soak) prepare() (end func(), err error) {
	var ends []func()
	end = func() {
		for _, f := range k.follows {
			if f.Process != nil {
				f.Stop()
			}
		}
		for i := range ends {
			ends[len(ends)-1-i]()
		}
	}
	if err := os.MkdirAll(k.dir, 0o755); err != nil {
		return end, err
	}
	host, stop, err := k.startStore()
	if err != nil {
		return end, err
	}
	ends = append(ends, stop)
	losing := httptest.NewServer(buckettest.Proxy(host, nil, k.lose))
	site := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(k.dir, "store", "records"))))
	lying := httptest.NewServer(spoil(buckettest.Proxy(host, nil, k.lose), &k.spoilt))
	ends = append(ends, losing.Close, site.Close, lying.Close)
	address := func(host string) string {
		return "s3://records?region=us-east-1&use_path_style=true&endpoint=http://" + host
	}
	k.bucket, k.liar = address(strings.TrimPrefix(losing.URL, "http://")), address(strings.TrimPrefix(lying.URL, "http://"))
	stop, err = k.startWitnesses()
	ends = append(ends, stop)
	if err != nil {
		return end, err
	}
	if err := k.makeRecords(); err != nil {
		return end, err
	}
	if _, err := k.stele("publish", k.folder, "--yes", "--first", "--downloads", "none", "--date", day(0)); err != nil {
		return end, err
	}
	if _, err := k.learn(-1); err != nil {
		return end, err
	}
	if err := k.startServers(); err != nil {
		return end, err
	}
	return end, k.startMirrors(site.URL)
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

func (k *soak) startStore() (host string, stop func(), err error) {
	program, err := stores.S3(os.Stderr)
	if err != nil {
		return "", nil, err
	}
	host = process.FreeAddress()
	folder := filepath.Join(k.dir, "store")
	if err := os.MkdirAll(filepath.Join(folder, "records"), 0o755); err != nil {
		return "", nil, err
	}
	const key, secret = "stele-campaign-access", "stele-campaign-secret"
	for name, value := range map[string]string{
		"ROOT_ACCESS_KEY": key, "ROOT_SECRET_KEY": secret, "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret,
		"AWS_EC2_METADATA_DISABLED": "true", "XDG_STATE_HOME": filepath.Join(k.dir, "state"),
	} {
		if err := os.Setenv(name, value); err != nil {
			return "", nil, err
		}
	}
	s, err := start(k.ctx, host, program, "--port", host, "--region", "us-east-1", "--quiet", "posix", folder)
	if err != nil {
		return "", nil, err
	}
	return host, func() { s.Stop() }, nil
}

// startWitnesses makes the key of the log and starts two witnesses, both of which must cosign.
func (k *soak) startWitnesses() (stop func(), err error) {
	var ends []func()
	stop = func() {
		for _, end := range ends {
			end()
		}
	}
	if _, err := k.stele("key", "new", "data.example.org", "-o", k.key()); err != nil {
		return stop, err
	}
	log, err := os.ReadFile(k.key() + ".pub")
	if err != nil {
		return stop, err
	}
	program, err := stores.Witness(os.Stderr)
	if err != nil {
		return stop, err
	}
	policy := "log " + strings.TrimSpace(string(log)) + "\n"
	for _, name := range []string{"one", "two"} {
		w, end, err := witnesstest.Start(program, k.dir, name, string(log))
		if err != nil {
			return stop, err
		}
		ends = append(ends, end)
		policy += fmt.Sprintf("witness %s %s %s\n", name, w.Key, w.URL)
	}
	return stop, os.WriteFile(k.policy, []byte(policy+"group all all one two\nquorum all\n"), 0o644)
}

func (k *soak) key() string { return filepath.Join(k.dir, "signer.key") }

// references is how many records there are to retract and redact.
const references = 60

// makeRecords makes a folder of records, with some that are retracted or redacted later.
func (k *soak) makeRecords() error {
	if _, err := k.stele("init", k.folder); err != nil {
		return err
	}
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
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			return err
		}
	}
	settings, err := os.OpenFile(filepath.Join(k.folder, "stele.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(settings, "publish:\n  bucket: %q\n  site: true\n  key: %s\n  witnesses: %s\n", k.bucket, k.key(), k.policy)
	return errors.Join(err, settings.Close())
}

func reference(i int) string { return fmt.Sprintf("ref-soak-%02d", i) }

// day is the date of a release.
func day(i int) string { return time.Date(2026, 2, 10+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }

// stele runs a command that must not fail.
func (k *soak) stele(args ...string) (string, error) {
	return output(k.ctx, append([]string{k.program}, args...)...)
}

// startServers starts three servers that follow the bucket. Nobody kills the first.
func (k *soak) startServers() error {
	for i := range 3 {
		name, host, of := fmt.Sprint("server-", i), process.FreeAddress(), k.bucket
		if i == 2 {
			of = k.liar
		}
		f := &follower{
			name: name, spare: i == 0, address: host,
			args: []string{
				k.program, "serve", of, "--cache", filepath.Join(k.dir, name), "--key", k.policy,
				"--seen", filepath.Join(k.dir, "seen-"+name), "--poll", soakPoll.String(), "--listen", host, "-q",
			},
			at: func() (string, error) { return servedBy("http://" + host) },
		}
		if err := k.follow(f); err != nil {
			return err
		}
	}
	return nil
}

// startMirrors starts ten mirrors by five ways: of a server that is never killed and of one that
// is, of the bucket, of its files on a plain web server, and of a copy on a plain web server.
// Nobody kills the first, which is copied.
func (k *soak) startMirrors(site string) error {
	ofCopy := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(k.dir, "copy-0"))))
	context.AfterFunc(k.ctx, ofCopy.Close)
	ways := []string{k.follows[0].base(), k.follows[1].base(), k.liar, site, ofCopy.URL}
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
		err := k.follow(f)
		if err == nil && i == 0 { // others begin when it is there
			err = k.await(f, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// follow starts a follower.
func (k *soak) follow(f *follower) (err error) {
	if f.Process == nil {
		k.follows = append(k.follows, f)
	}
	f.Process, err = start(k.ctx, f.address, f.args...)
	return err
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
func (k *soak) await(f *follower, id string) error {
	var has string
	var err error
	for began := time.Now(); time.Since(began) < soakLate; time.Sleep(100 * time.Millisecond) {
		if has, err = f.at(); err == nil && (has == id || id == "") {
			return nil
		}
		if f.Process != nil && !f.Runs() {
			return fmt.Errorf("%s ended: %s", f.name, f.Said())
		}
	}
	said := ""
	if f.Process != nil {
		said = f.Said()
	}
	return fmt.Errorf("%s has release %q after %v and not %s (%v): %s", f.name, has, soakLate, id, err, said)
}

// round changes something and publishes it, while this and that is killed. Then everybody must have
// it.
func (k *soak) round(i int) error {
	before, err := servedBy(k.follows[0].base())
	if err != nil {
		return err
	}
	if err := k.change(i); err != nil {
		return err
	}
	if err := k.publish(i); err != nil {
		return err
	}
	began := time.Now()
	for range 2 {
		if err := k.killOne(); err != nil {
			return err
		}
	}
	id, err := k.learn(i)
	if err != nil {
		return err
	}
	if id == before {
		return fmt.Errorf("%s is still the newest release", id)
	}
	for _, f := range k.follows {
		if err := k.await(f, id); err != nil {
			return err
		}
	}
	k.late = max(k.late, time.Since(began))
	if f := k.follows[3+i%10]; f.verify != nil {
		if _, err := output(k.ctx, f.verify...); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	resident, err := memoryOf(k.follows[0].Cmd.Process.Pid)
	k.memory = append(k.memory, resident)
	return err
}

// base is the address of a server.
func (f *follower) base() string { return "http://" + f.address }

// change edits, retracts, redacts, verifies again; every tenth round changes nothing but goes back.
func (k *soak) change(i int) error {
	var args []string
	switch id := reference(i % references); i % 5 {
	case 0:
		args = []string{"retract", id, "--summary", "It was withdrawn.", "--date", day(i + 1)}
	case 1:
		args = []string{"redact", id, "--member", "/x_patient", "--reason", "A person was named.", "--date", day(i + 1)}
	case 2:
		args = []string{"reverify", "ref-example-poster", "--date", day(i + 1)}
	default:
		args = []string{"revise", "sig-example-rise", "--set", fmt.Sprint("title=Title ", i), "--date", day(i + 1)}
	}
	c := exec.CommandContext(k.ctx, k.program, args...)
	c.Dir = k.folder
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// publish publishes, and is killed in every second round at some moment and run again. Every tenth
// release goes back: it is built on the one before the newest.
func (k *soak) publish(i int) error {
	args := []string{"publish", k.folder, "--yes", "--downloads", "none", "--date", day(i + 1)}
	if i%10 == 9 {
		return k.goBack(i)
	}
	if i%2 == 1 {
		c := exec.CommandContext(k.ctx, k.program, args...)
		if err := c.Start(); err != nil {
			return err
		}
		timer := time.AfterFunc(time.Duration(k.random.Float64()*8*float64(time.Second)), func() { c.Process.Kill() })
		if c.Wait() != nil { // killed, or done
			k.killed++
		}
		timer.Stop()
	}
	if i%5 == 2 { // the release before redacts, and is pushed once more meanwhile
		rival := exec.CommandContext(k.ctx, k.program, "push", k.copyOf(i-1), k.bucket, "--site", "-q")
		if err := rival.Start(); err != nil {
			return err
		}
		defer rival.Wait() // it may win, be refused, or find nothing to do
	}
	return k.again(args...)
}

// again runs a command until it ends well: answers of the store may be lost beyond what it repeats.
func (k *soak) again(args ...string) (err error) {
	for range 5 {
		if _, err = k.stele(args...); err == nil {
			return nil
		}
	}
	return err
}

// goBack builds on the release before the newest, and gives up the newest.
func (k *soak) goBack(i int) error {
	newest, err := copiedTo(k.copyOf(i - 1))
	if err != nil {
		return err
	}
	before, next := k.copyOf(i-2), filepath.Join(k.dir, "next")
	if err := os.RemoveAll(next); err != nil {
		return err
	}
	_, err = k.stele("build", k.folder, "-o", next, "--previous", before, "--key", k.key(), "--witness", k.policy,
		"--rollback-from", newest, "--downloads", "none", "--date", day(i+1), "-q")
	if err != nil {
		return err
	}
	return k.again("push", next, k.bucket, "--fork", "--site", "-q")
}

// killOne kills a follower that may be killed, and starts it again.
func (k *soak) killOne() error {
	f := k.follows[k.random.IntN(len(k.follows))]
	if f.spare {
		return nil
	}
	f.Kill()
	k.killed++
	return k.follow(f)
}

// copyOf is where a copy of a release is kept, for as long as somebody may go back to it.
func (k *soak) copyOf(i int) string { return filepath.Join(k.dir, fmt.Sprintf("release-%d", (i+3)%3)) }

// learn copies the release that is out, and keeps what it has at its addresses.
func (k *soak) learn(i int) (id string, err error) {
	if err := os.RemoveAll(k.copyOf(i)); err != nil {
		return "", err
	}
	if err := k.again("mirror", k.bucket, k.copyOf(i), "--only", "all", "--key", k.policy, "-q"); err != nil {
		return "", err
	}
	r, closeIt, err := store.Open(k.copyOf(i))
	if err != nil {
		return "", err
	}
	defer closeIt() // it was only read
	k.mu.Lock()
	defer k.mu.Unlock()
	for f := range r.Manifest.Each() {
		k.known[answer{"/" + f.Path, f.SHA256}] = true
	}
	return r.Manifest.Release, nil
}

// ask asks the servers for everything, now and then.
func (k *soak) ask(ctx context.Context, servers []string, person int, asked *atomic.Int64) {
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
			asked.Add(1)
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
func (k *soak) judge(wrong func(string)) {
	for a := range k.served {
		if !k.known[a] {
			wrong(fmt.Sprintf("%s was served with the SHA-256 %s, which no release has", a.path, hex.EncodeToString(a.sha256[:8])))
		}
	}
	if n := len(k.memory); n >= 12 {
		early, late := slices.Max(k.memory[n/4:n/2]), slices.Max(k.memory[3*n/4:])
		if late > early+early/4+16<<20 {
			wrong(fmt.Sprintf("a server had %d MB in the second quarter, and has %d MB in the last", early>>20, late>>20))
		}
	}
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
