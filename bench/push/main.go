//go:build linux

// Push measures what it takes to publish to a bucket and to serve from there, with versitygw on the
// same machine as the store: the first push and one after a hundredth of the records changed, with
// files at public addresses and without; how long it takes until three servers serve a release; and
// the start of a server with an empty cache.
//
//	go run ./bench/push        some five minutes
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"stele/bench/corpus"
	"stele/bench/page"
	"stele/bench/trial"
	"stele/internal/testkit/process"
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
	started []*process.Process
}

func run(records int, poll time.Duration) (err error) {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	b := &bench{dir: dir, poll: poll, records: records}
	defer func() {
		for _, c := range b.started {
			c.Stop()
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
	return b.follow()
}

// startStore starts versitygw with two buckets.
func (b *bench) startStore() error {
	program, err := stores.S3(os.Stderr)
	if err != nil {
		return err
	}
	b.store = process.FreeAddress()
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
	p, err := process.Start(c, host)
	if err == nil {
		b.started = append(b.started, p)
	}
	return err
}

// makeReleases builds a release and two after it, with another hundredth of the signals changed in
// each.
func (b *bench) makeReleases() error {
	folder := filepath.Join(b.dir, "folder")
	for n, date := range []string{"2026-11-14", "2026-11-15", "2026-11-16"} {
		if err := corpus.WriteEdited(folder, b.records, n, date); err != nil {
			return err
		}
		args := []string{"build", folder, "-o", b.zip(n), "--without=derived", "--quiet", "--date", date}
		if n > 0 {
			args = append(args, "--previous", b.zip(n-1))
		}
		if _, err := b.run(args...); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) zip(n int) string { return filepath.Join(b.dir, fmt.Sprintf("release-%d.zip", n)) }

func (b *bench) run(args ...string) (trial.Usage, error) {
	return trial.Run(exec.Command(b.stele, args...))
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
			m := asked.FindStringSubmatch(r.Said)
			if m == nil {
				return fmt.Errorf("the program says\n%s", r.Said)
			}
			fmt.Printf("| %s, %s | %s | %s | %s | %s MB | %.1f s | %.1f s |\n",
				c.name, name, m[2], m[3], m[4], m[1], r.Wall.Seconds(), r.CPU.Seconds())
		}
	}
	return nil
}

// server has the addresses of a server that runs.
type server struct{ host, admin string }

// startServer starts a server that follows the bucket.
func (b *bench) startServer(n int) (*server, error) {
	s := &server{process.FreeAddress(), process.FreeAddress()}
	cache := filepath.Join(b.dir, fmt.Sprintf("cache-%d", n))
	c := exec.Command(b.stele, "serve", b.address("packs"), "--cache", cache, "--poll", b.poll.String(),
		"--listen", s.host, "--admin", s.admin)
	return s, b.start(c, s.host)
}

// date is the day of the release that a server serves.
func (s *server) date() (string, error) {
	return find("http://"+s.host+"/manifest.json", `"date": "(\d{4}-\d\d-\d\d)`)
}

// fetched is how many bytes a server has fetched from the bucket.
func (s *server) fetched() (float64, error) {
	text, err := find("http://"+s.admin+"/metrics", `(?m)^stele_bucket_fetched_bytes_total (.*)$`)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(text, 64)
}

// find is what an answer has in the place of a group of an expression.
func find(address, expression string) (string, error) {
	response, err := http.Get(address)
	if err != nil {
		return "", err
	}
	defer response.Body.Close() // it was only read
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(expression).FindSubmatch(body)
	if found == nil {
		return "", fmt.Errorf("%s has no %s", address, expression)
	}
	return string(found[1]), nil
}

// follow measures the start of a server and the way of a release to three of them.
func (b *bench) follow() error {
	var servers []*server
	var starts []time.Duration
	for n := range 3 {
		begin := time.Now()
		s, err := b.startServer(n)
		if err != nil {
			return err
		}
		if _, err := s.date(); err != nil {
			return err
		}
		starts = append(starts, time.Since(begin))
		servers = append(servers, s)
	}
	before, err := servers[0].fetched()
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
	after, err := servers[0].fetched()
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
