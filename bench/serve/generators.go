//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A measure is what one run of a load generator saw.
type measure struct {
	requests int
	rate     float64 // a second
	p50, p99 time.Duration
	failed   int // connections that broke, and answers that did not come in time
}

// generate asks a server for as long as a run takes, with wrk, or with h2load where there is TLS.
func (c *load) generate(
	ctx context.Context,
	s *server,
	dir, condition string,
	records int,
	length time.Duration,
) (measure, error) {
	if c.secure {
		return c.h2load(ctx, s, dir, length)
	}
	return c.wrk(ctx, s, dir, condition, records, length)
}

// wrkScript prints what wrk saw in one line. A random load has its requests made beforehand.
const wrkScript = `
%s
function done(summary, latency, requests)
  local e = summary.errors
  print(string.format("measured %%d %%d %%d %%d %%d %%d", summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))
end
`

const randomRequests = `
local all = {}
function init(args)
  for i = 0, %d - 1 do all[#all + 1] = wrk.format("GET", string.format("/api/v1/signals/sig-bench-%%07d.json", i)) end
end
function request() return all[math.random(#all)] end
`

func (c *load) wrk(
	ctx context.Context,
	s *server,
	dir, condition string,
	records int,
	length time.Duration,
) (m measure, err error) {
	random := ""
	if c.random {
		random = fmt.Sprintf(randomRequests, records)
	}
	script := filepath.Join(dir, "wrk.lua")
	if err := os.WriteFile(script, fmt.Appendf(nil, wrkScript, random), 0o600); err != nil {
		return m, err
	}
	args := []string{
		"-c",
		loadCore,
		"wrk",
		"-t1",
		"-c" + strconv.Itoa(connections),
		"-d" + strconv.Itoa(int(length.Seconds())) + "s",
		"--timeout",
		"10s",
		"-s",
		script,
	}
	for _, h := range c.headers(condition) {
		args = append(args, "-H", h)
	}
	out, err := exec.CommandContext(ctx, "taskset", append(args, c.url(s))...).CombinedOutput()
	if err != nil {
		return m, fmt.Errorf("wrk: %w\n%s", err, out)
	}
	_, line, _ := strings.Cut(string(out), "measured ")
	var duration, p50, p99, wrong int64
	if _, err := fmt.Sscan(line, &m.requests, &duration, &p50, &p99, &wrong, &m.failed); err != nil || m.requests == 0 {
		return m, fmt.Errorf("wrk says something else: %w\n%s", err, out)
	}
	switch {
	case c.status >= 400 && wrong == 0:
		return m, fmt.Errorf("%s answered %s with no error", s.name, c.name)
	case c.status < 400: // a peer that has too many files open, for instance
		m.requests -= int(wrong)
		m.failed += int(wrong)
	}
	m.rate = float64(m.requests) / (float64(duration) / 1e6)
	m.p50, m.p99 = time.Duration(p50)*time.Microsecond, time.Duration(p99)*time.Microsecond
	return m, nil
}

// warmUp is how long h2load runs before it counts, in seconds: it opens its connections meanwhile.
const warmUp = "1"

func (c *load) h2load(ctx context.Context, s *server, dir string, length time.Duration) (m measure, err error) {
	logFile := filepath.Join(dir, "h2load.log")
	protocol, args := "http/1.1", []string{"--h1"}
	if c.streams > 0 {
		protocol, args = "h2", []string{"-m" + strconv.Itoa(c.streams)}
	}
	args = append(args, "-t1", "-c"+strconv.Itoa(connections), "-D"+strconv.Itoa(int(length.Seconds())), "--warm-up-time="+warmUp,
		"--tls13-ciphers=TLS_AES_128_GCM_SHA256", "--log-file="+logFile, c.url(s))
	out, err := runH2load(ctx, logFile, length, args)
	if err != nil {
		return m, fmt.Errorf("h2load: %w\n%s", err, out)
	}
	for _, needed := range []string{"Application protocol: " + protocol + "\n", "Cipher: TLS_AES_128_GCM_SHA256\n"} {
		if !strings.Contains(string(out), needed) {
			return m, fmt.Errorf("h2load does not say %q\n%s", needed, out)
		}
	}
	times, wrong, err := readLog(logFile, c.status)
	if err != nil {
		return m, err
	}
	if len(times) == 0 || wrong > 0 {
		return m, fmt.Errorf("%d answers and %d errors\n%s", len(times), wrong, out)
	}
	_, line, _ := strings.Cut(string(out), "succeeded, ")
	var errored, late int
	if _, err := fmt.Sscanf(line, "%d failed, %d errored, %d timeout", &m.failed, &errored, &late); err != nil {
		return m, fmt.Errorf("h2load says something else: %w\n%s", err, out)
	}
	m.failed += errored + late
	slices.Sort(times)
	m.requests, m.rate = len(times), float64(len(times))/length.Seconds()
	m.p50, m.p99 = times[len(times)/2], times[len(times)*99/100]
	return m, nil
}

// runH2load runs h2load. Now and then it misses its end and goes on for ever; then it is run again.
func runH2load(ctx context.Context, logFile string, length time.Duration, args []string) (out []byte, err error) {
	for range 3 {
		if err := os.RemoveAll(logFile); err != nil { // it would be added to
			return nil, err
		}
		limited, cancel := context.WithTimeout(ctx, length+20*time.Second)
		out, err = exec.CommandContext(limited, "taskset", append([]string{"-c", loadCore, "h2load"}, args...)...).CombinedOutput()
		late := limited.Err() != nil && ctx.Err() == nil
		cancel()
		if !late {
			break
		}
		log.Print("h2load did not end, and is run again")
	}
	return out, err
}

// readLog takes the times of requests from a log of h2load: when it began, status and microseconds
// on each line.
func readLog(path string, status int) (times []time.Duration, wrong int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 || len(fields[1]) < 3 {
			continue // one that had no answer when the time was over
		}
		if fields[1] != strconv.Itoa(status) {
			wrong++
			continue
		}
		n, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return nil, 0, err
		}
		times = append(times, time.Duration(n)*time.Microsecond)
	}
	return times, wrong, nil
}
