//go:build linux

// Serve measures the CPU time of `stele serve` per request, compared with nginx, h2o, lighttpd and
// Caddy, which serve the same release from its folder, and with an older build of Stele.
//
// Every server has one core and the load generator another, over loopback, with 64 connections. The
// servers are measured in turn, in one run, because machines are noisy. It needs Debian's packages
// nginx, libnginx-mod-http-brotli-static, h2o, lighttpd, lighttpd-mod-openssl, caddy, wrk and
// nghttp2-client.
//
//	go run ./bench/serve              about eight minutes
//	go run ./bench/serve -old BINARY  with an older build of Stele among the servers
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"stele/bench/trial"
)

// The cores.
const (
	serverCore = "0"
	loadCore   = "1"
)

// load is a sort of request that is repeated.
type load struct {
	name, path string
	accept     string // Accept-Encoding
	unchanged  bool   // send the entity tag of the first answer
	random     bool   // request random records
	streams    int    // HTTP/2 streams over TLS on a connection; 0 for HTTP/1.1
	secure     bool   // HTTP/1.1 over TLS
}

const (
	oneRecord  = "api/v1/signals/sig-bench-0000000.json"
	collection = "api/v1/signals.json"
)

var cases = []load{
	{name: "one record of 1.2 kB", path: oneRecord},
	{name: "random records", path: oneRecord, random: true},
	{name: "collection, gzip", path: collection, accept: "gzip"},
	{name: "304", path: oneRecord, unchanged: true},
	{name: "404", path: "api/v1/signals/sig-benhc-0000000.json"},
	{name: "collection of 1.2 MB", path: collection},
	{name: "one record, HTTP/1.1 over TLS", path: oneRecord, secure: true},
	{name: "one record, HTTP/2 over TLS, 1 stream", path: oneRecord, streams: 1},
	{name: "one record, HTTP/2 over TLS, 32 streams", path: oneRecord, streams: 32},
}

func main() {
	rounds := flag.Int("rounds", 3, "how often each is run")
	length := flag.Duration("time", 2*time.Second, "how long each run takes")
	only := flag.String("only", "", "run only the cases whose name this regular expression matches")
	old := flag.String("old", "", "let this older binary serve too, what it builds of the same records")
	trial.Main("serve", func(dir, program string) error {
		return run(dir, program, *old, *rounds, *length, regexp.MustCompile(*only))
	})
}

func run(dir, program, old string, rounds int, length time.Duration, only *regexp.Regexp) (err error) {
	if runtime.NumCPU() < 2 {
		return errors.New("this takes two cores: one for the server, one for the load")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	servers, err := startAll(ctx, dir, program, old)
	defer func() {
		for _, s := range servers {
			err = errors.Join(err, s.stop())
		}
	}()
	if err != nil {
		return err
	}
	fmt.Printf("%d records, 64 connections, a core for the server and one for the load, %s;\nmedians of %d runs of %s in turn\n\n",
		records, runtime.Version(), rounds, length)
	fmt.Println("| case | nginx | best other | Stele | of nginx | of the best | of the older |\n|---|---:|---:|---:|---:|---:|---:|")
	for _, c := range cases {
		if !only.MatchString(c.name) {
			continue
		}
		if err := race(ctx, dir, servers, c, rounds, length); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// race measures all servers in turn, several times, and prints the time per request.
func race(ctx context.Context, dir string, servers []*server, c load, rounds int, length time.Duration) error {
	took := make([][]float64, len(servers)) // microseconds per request, by round
	for round := range rounds + 1 {
		for i := range servers { // each is the first in some round
			n := (i + round) % len(servers)
			cpu, err := measure(ctx, dir, servers, n, c, length)
			if err != nil {
				return fmt.Errorf("%s: %w", servers[n].name, err)
			}
			if round > 0 { // caches are filled in the first
				took[n] = append(took[n], cpu)
			}
		}
	}
	fmt.Println(c.row(servers, took))
	return nil
}

// row returns a row of the table: nginx, the best of the others, and Stele with its ratios to these
// and to an older build. A ratio is the median of those of all rounds.
func (c load) row(servers []*server, took [][]float64) string {
	of := func(name string) int {
		return slices.IndexFunc(servers, func(s *server) bool { return s.name == name })
	}
	stele, nginx, best := of("Stele"), of("nginx"), -1
	for _, o := range others[1:] {
		n := of(o.name)
		if c.accept != "" && o.name == "lighttpd" { // it does not compress
			continue
		}
		if best < 0 || trial.Median(took[n]) < trial.Median(took[best]) {
			best = n
		}
	}
	ratio := func(other int) string {
		if other < 0 {
			return ""
		}
		ratios := slices.Clone(took[stele])
		for i := range ratios {
			ratios[i] /= took[other][i]
		}
		return fmt.Sprintf("%.2f", trial.Median(ratios))
	}
	return fmt.Sprintf("| %s | %.1f µs | %s, %.1f µs | %.1f µs | %s | %s | %s |", c.name,
		trial.Median(took[nginx]), servers[best].name, trial.Median(took[best]), trial.Median(took[stele]),
		ratio(nginx), ratio(best), ratio(of("older Stele")))
}

// measure measures one server while the others are stopped, and returns the microseconds of CPU
// time per request.
func measure(
	ctx context.Context, dir string, servers []*server, n int, c load, length time.Duration,
) (cpu float64, err error) {
	for i, s := range servers {
		if err := s.hold(i != n); err != nil {
			return 0, err
		}
	}
	args, err := c.command(servers[n], dir, length)
	if err != nil {
		return 0, err
	}
	before, err := servers[n].cpu()
	if err != nil {
		return 0, err
	}
	out, err := exec.CommandContext(ctx, "taskset", append([]string{"-c", loadCore}, args...)...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", args[0], err, out)
	}
	after, err := servers[n].cpu()
	if err != nil {
		return 0, err
	}
	counted := answered.FindSubmatch(out)
	if counted == nil {
		return 0, fmt.Errorf("%s does not count requests:\n%s", args[0], out)
	}
	requests, err := strconv.Atoi(string(counted[1]) + string(counted[2]))
	if err != nil || requests == 0 {
		return 0, fmt.Errorf("%d requests were answered: %w\n%s", requests, err, out)
	}
	return float64((after - before).Microseconds()) / float64(requests), nil
}

// answered matches the number of answered requests in the output of wrk and h2load.
var answered = regexp.MustCompile(`(\d+) requests in|(\d+) succeeded`)

// anyRecord makes wrk request random records.
const anyRecord = `request = function() return wrk.format("GET", string.format("/api/v1/signals/sig-bench-%%07d.json", math.random(0, %d))) end`

// command returns the load generator with its arguments.
func (c load) command(s *server, dir string, length time.Duration) ([]string, error) {
	seconds := strconv.Itoa(int(length.Seconds()))
	if c.streams > 0 {
		// With a duration instead of a number, h2load sometimes does not end.
		number := strconv.Itoa(20_000 * int(length.Seconds()))
		return []string{"h2load", "-t1", "-c64", "-m" + strconv.Itoa(c.streams), "-n" + number, "https://" + s.secure + "/" + c.path}, nil
	}
	url := "http://" + s.plain + "/" + c.path
	if c.secure {
		url = "https://" + s.secure + "/" + c.path
	}
	args := []string{"wrk", "-t1", "-c64", "-d" + seconds + "s", url}
	if c.accept != "" {
		args = append(args, "-H", "Accept-Encoding: "+c.accept)
	}
	if c.unchanged {
		r, err := http.Head(url)
		if err != nil {
			return nil, err
		}
		r.Body.Close()
		args = append(args, "-H", "If-None-Match: "+r.Header.Get("ETag"))
	}
	if c.random {
		script := filepath.Join(dir, "any.lua")
		if err := os.WriteFile(script, fmt.Appendf(nil, anyRecord, records-1), 0o600); err != nil {
			return nil, err
		}
		args = append(args, "-s", script)
	}
	return args, nil
}

// cpu returns the CPU time of a server and its workers.
func (s *server) cpu() (total time.Duration, err error) {
	for _, pid := range s.pids() {
		cpu, err := trial.CPU(pid)
		if err != nil {
			return 0, err
		}
		total += cpu
	}
	return total, nil
}
