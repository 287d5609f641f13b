//go:build linux

// Push measures what it takes to publish to a bucket and to serve from there, with versitygw on the
// same machine as the store: the first push and one after a hundredth of the records changed, with
// files at public addresses and without; how long it takes until three servers serve a release; the
// start of a server with an empty cache; and what a request costs from a bucket's cache and from a
// zip.
//
//	go run ./bench/push        some five minutes
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"stele/bench/corpus"
	"stele/bench/page"
	"stele/bench/trial"
	"stele/tools/stores"
)

func main() {
	log.SetFlags(0)
	records := flag.Int("records", 100_000, "how many signals there are")
	poll := flag.Duration("poll", time.Second, "how often servers ask for the pointer")
	write := flag.Bool("write", false, "put the tables into "+page.Path)
	flag.Parse()
	if err := page.Run("push", *write, func() error { return run(*records, *poll) }); err != nil {
		log.Fatal(err)
	}
}

// bench is what the measurements share.
type bench struct {
	dir     string
	stele   string // the program
	store   string // host and port of the store
	poll    time.Duration
	records int
	started []*exec.Cmd
}

func run(records int, poll time.Duration) (err error) {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	b := &bench{dir: dir, poll: poll, records: records}
	defer func() {
		for _, c := range b.started {
			c.Process.Signal(syscall.SIGTERM)
			c.Wait() // it was told to end
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	if b.stele, err = trial.Build(dir); err != nil {
		return err
	}
	if err := b.startStore(); err != nil {
		return err
	}
	if err := b.makeReleases(); err != nil {
		return err
	}
	fmt.Printf("%d signals, records only; %d cores, %s; versitygw 1.8.0 beside it\n\n",
		records, runtime.NumCPU(), runtime.Version())
	if err := b.pushes(); err != nil {
		return err
	}
	if err := b.follow(); err != nil {
		return err
	}
	return b.serve()
}

// startStore starts versitygw with two buckets.
func (b *bench) startStore() error {
	program, err := stores.S3(os.Stderr)
	if err != nil {
		return err
	}
	if b.store, err = freePort(); err != nil {
		return err
	}
	for _, bucket := range []string{"packs", "site"} {
		if err := os.MkdirAll(filepath.Join(b.dir, "store", bucket), 0o755); err != nil {
			return err
		}
	}
	const key, secret = "stele-bench-access", "stele-bench-secret-key"
	c := exec.Command(program, "--port", b.store, "--region", "us-east-1", "--quiet", "posix", filepath.Join(b.dir, "store"))
	c.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+key, "ROOT_SECRET_KEY="+secret)
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_EC2_METADATA_DISABLED": "true"} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return b.start(c, b.store)
}

func (b *bench) address(bucket string) string {
	return fmt.Sprintf("s3://%s?region=us-east-1&use_path_style=true&endpoint=http://%s", bucket, b.store)
}

// start starts a program and waits until it listens.
func (b *bench) start(c *exec.Cmd, host string) error {
	if err := c.Start(); err != nil {
		return err
	}
	b.started = append(b.started, c)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if conn, err := net.Dial("tcp", host); err == nil {
			return conn.Close()
		}
	}
	return fmt.Errorf("%s does not listen at %s", c.Path, host)
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// makeReleases builds a release and two after it, with another hundredth of the signals changed in
// each.
func (b *bench) makeReleases() error {
	folder := filepath.Join(b.dir, "folder")
	if err := corpus.Write(folder, b.records); err != nil {
		return err
	}
	for n, date := range []string{"2026-11-14", "2026-11-15", "2026-11-16"} {
		args := []string{"build", folder, "-o", b.zip(n), "--without=derived", "--quiet", "--date", date}
		if n > 0 {
			if err := change(folder, n, date); err != nil {
				return err
			}
			args = append(args, "--previous", b.zip(n-1))
		}
		if _, err := b.run(args...); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) zip(n int) string { return filepath.Join(b.dir, fmt.Sprintf("release-%d.zip", n)) }

var version = regexp.MustCompile(`"version":(\d+),`)

// change edits every hundredth signal.
func change(folder string, n int, date string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "records", "signals", "*.ndjson"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no signals: %w", err)
	}
	i := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := strings.SplitAfter(string(data), "\n")
		for at, line := range lines {
			if i++; i%100 != n || line == "" {
				continue
			}
			line = version.ReplaceAllStringFunc(line, func(text string) string {
				v, _ := strconv.Atoi(version.FindStringSubmatch(text)[1]) // it is a number
				return fmt.Sprintf(`"version":%d,`, v+1)
			})
			lines[at] = strings.NewReplacer(`"updated_date":"2026-11-01"`, `"updated_date":"`+date+`"`,
				"in a district whose", "by a count that was corrected, in a district whose").Replace(line)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// result is what a run of the program took and said.
type result struct {
	wall, cpu time.Duration
	says      string
}

func (b *bench) run(args ...string) (result, error) {
	c := exec.Command(b.stele, args...)
	begin := time.Now()
	out, err := c.CombinedOutput()
	r := result{wall: time.Since(begin), says: string(out)}
	if err != nil {
		return r, fmt.Errorf("stele %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	r.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return r, nil
}

var asked = regexp.MustCompile(`([0-9.]+) MB sent; (\d+) requests that write or list, (\d+) that read, (\d+) that delete`)

func (b *bench) pushes() error {
	fmt.Println("| push | writes and lists | reads | deletes | sent | time | CPU |\n|---|---:|---:|---:|---:|---:|---:|")
	for _, c := range []struct {
		name, bucket string
		args         []string
	}{{"packs alone", "packs", nil}, {"with `--site`", "site", []string{"--site"}}} {
		for n, name := range []string{"the first", "after 1 %"} {
			r, err := b.run(append([]string{"push", b.zip(n), b.address(c.bucket)}, c.args...)...)
			if err != nil {
				return err
			}
			m := asked.FindStringSubmatch(r.says)
			if m == nil {
				return fmt.Errorf("the program says\n%s", r.says)
			}
			fmt.Printf("| %s, %s | %s | %s | %s | %s MB | %.1f s | %.1f s |\n",
				c.name, name, m[2], m[3], m[4], m[1], r.wall.Seconds(), r.cpu.Seconds())
		}
	}
	return nil
}

// server is a server that runs.
type server struct {
	cmd         *exec.Cmd
	host, admin string
}

func (b *bench) startServer(args ...string) (*server, error) {
	host, err := freePort()
	if err != nil {
		return nil, err
	}
	admin, err := freePort()
	if err != nil {
		return nil, err
	}
	c := exec.Command(b.stele, append(append([]string{"serve"}, args...), "--listen", host, "--admin", admin)...)
	s := &server{c, host, admin}
	return s, b.start(c, host)
}

func (b *bench) startFollower(n int) (*server, error) {
	return b.startServer(b.address("packs"), "--cache", filepath.Join(b.dir, fmt.Sprintf("cache-%d", n)), "--poll", b.poll.String())
}

// date is the day of the release that a server serves.
func (s *server) date() (string, error) {
	response, err := http.Get("http://" + s.host + "/manifest.json")
	if err != nil {
		return "", err
	}
	defer response.Body.Close() // it was only read
	lines := bufio.NewScanner(io.LimitReader(response.Body, 4<<10))
	for lines.Scan() {
		if date, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), `"date": "`); ok {
			return date[:len("2006-01-02")], nil
		}
	}
	return "", errors.New("the manifest has no date")
}

// follow measures the start of a server and the way of a release to three of them.
func (b *bench) follow() error {
	var servers []*server
	var starts []time.Duration
	for n := range 3 {
		begin := time.Now()
		s, err := b.startFollower(n)
		if err != nil {
			return err
		}
		if _, err := s.date(); err != nil {
			return err
		}
		starts = append(starts, time.Since(begin))
		servers = append(servers, s)
	}
	before, err := servers[0].measure("stele_bucket_fetched_bytes_total")
	if err != nil {
		return err
	}
	begin := time.Now()
	if _, err := b.run("push", b.zip(2), b.address("packs")); err != nil {
		return err
	}
	pushed := time.Now()
	for _, s := range servers {
		if err := s.await("2026-11-16"); err != nil {
			return err
		}
	}
	last := time.Now()
	fmt.Println("\n| | |\n|---|---:|")
	fmt.Printf("| start of a server with an empty cache, to its first answer (median of 3) | %.1f s |\n", trial.Median(starts).Seconds())
	fmt.Printf("| a push after 1 %%, while three servers follow | %.1f s |\n", pushed.Sub(begin).Seconds())
	fmt.Printf("| from then until the last of three servers serves it, `--poll %s` | %.1f s |\n", b.poll, last.Sub(pushed).Seconds())
	after, err := servers[0].measure("stele_bucket_fetched_bytes_total")
	if err != nil {
		return err
	}
	info, err := os.Stat(b.zip(2))
	if err != nil {
		return err
	}
	fmt.Printf("| what each of them fetches of the pack of %.1f MB | %.1f MB |\n", float64(info.Size())/1e6, (after-before)/1e6)
	return nil
}

// await waits until a server has the release of a day.
func (s *server) await(day string) error {
	for {
		date, err := s.date()
		if err != nil || date == day {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// measure is a number that a server tells of itself.
func (s *server) measure(name string) (float64, error) {
	response, err := http.Get("http://" + s.admin + "/metrics")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close() // it was only read
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("the server does not tell %s", name)
}

// serve compares what a request costs from a bucket's cache and from a zip.
func (b *bench) serve() error {
	follower, err := b.startFollower(3)
	if err != nil {
		return err
	}
	local, err := b.startServer(b.zip(2))
	if err != nil {
		return err
	}
	const requests = 20_000
	var costs [2][]time.Duration
	for range 5 { // in turns, because the machine has its moods
		for i, s := range []*server{follower, local} {
			cost, err := b.ask(s, requests)
			if err != nil {
				return err
			}
			costs[i] = append(costs[i], cost)
		}
	}
	fmt.Printf("| CPU time of a request for a record, from a bucket's cache (median of 5 × %d) | %.2f µs |\n", requests, micros(costs[0]))
	fmt.Printf("| the same from a zip | %.2f µs |\n", micros(costs[1]))
	return nil
}

func micros(all []time.Duration) float64 { return float64(trial.Median(all).Nanoseconds()) / 1000 }

// ask sends requests for single records over one connection, and returns the CPU time that each
// took the server.
func (b *bench) ask(s *server, requests int) (time.Duration, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	before, err := cpuOf(s.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	for n := range requests {
		response, err := client.Get(fmt.Sprintf("http://%s/api/v1/signals/sig-bench-%07d.json", s.host, n*7919%b.records))
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			return 0, err
		}
		if response.StatusCode != http.StatusOK {
			return 0, errors.New(response.Status)
		}
	}
	after, err := cpuOf(s.cmd.Process.Pid)
	return (after - before) / time.Duration(requests), err
}

// cpuOf is the CPU time that a process took so far.
func cpuOf(pid int) (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, errors.New("/proc has another form here")
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	const tick = 10 * time.Millisecond
	return time.Duration(user+system) * tick, errors.Join(err1, err2)
}
