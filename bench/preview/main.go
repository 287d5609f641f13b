//go:build linux

// Preview measures how long a publisher waits for a page after a file is saved, while `stele serve`
// shows a large folder of records, and how much memory that takes.
//
//	go run ./bench/preview
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"stele/bench/corpus"
	"stele/bench/page"
	"stele/bench/trial"
)

func main() {
	log.SetFlags(0)
	statistics := flag.Int("statistics", 363_308, "how many statistics, in one CSV file")
	signals := flag.Int("signals", 1000, "how many signals, in a YAML file each")
	rounds := flag.Int("rounds", 5, "how often a file is saved")
	program := flag.String("program", "", "this binary of stele, and not one that is built now")
	write := flag.Bool("write", false, "put the table into "+page.Path)
	flag.Parse()
	err := page.Run("preview", *write, func() error { return run(*program, *statistics, *signals, *rounds) })
	if err != nil {
		log.Fatal(err)
	}
}

func run(program string, statistics, signals, rounds int) error {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if program == "" {
		if program, err = trial.Build(dir); err != nil {
			return err
		}
	}
	folder := filepath.Join(dir, "records")
	if err := corpus.WriteStatistics(folder, statistics, signals); err != nil {
		return err
	}
	const address = "127.0.0.1:18473"
	c := exec.Command(program, "serve", folder, "--quiet", "--listen", address)
	c.Stderr = os.Stderr
	started := time.Now()
	if err := c.Start(); err != nil {
		return err
	}
	defer func() {
		c.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		c.Wait()
	}()
	first, err := await(started, "http://"+address+"/", "")
	if err != nil {
		return err
	}
	var took []time.Duration
	file := filepath.Join(folder, "records", "signals", "000", "0.yaml")
	for i := range rounds {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		title := fmt.Sprintf("Saved for the %dth time", i)
		lines := bytes.Split(text, []byte("\n"))
		for n, line := range lines {
			if bytes.HasPrefix(line, []byte("title:")) {
				lines[n] = []byte("title: " + title)
			}
		}
		saved := time.Now()
		if err := os.WriteFile(file, bytes.Join(lines, []byte("\n")), 0o644); err != nil {
			return err
		}
		waited, err := await(saved, "http://"+address+"/signals/sig-bench-0000000/", title)
		if err != nil {
			return err
		}
		took = append(took, waited)
	}
	peak, err := peakOf(c.Process.Pid)
	if err != nil {
		return err
	}
	fmt.Printf("%d statistics in one CSV file and %d signals in YAML, %d cores, %s;\nmedian of %d saves\n\n",
		statistics, signals, runtime.NumCPU(), runtime.Version(), rounds)
	fmt.Println("| | required | measured |")
	fmt.Println("|---|---:|---:|")
	fmt.Printf("| first page after the start | | %.1f s |\n", first.Seconds())
	fmt.Printf("| page after a save | ≤ 3 s | %.1f s |\n", trial.Median(took).Seconds())
	fmt.Printf("| peak memory | ≤ 1024 MiB | %d MiB |\n", peak>>20)
	return nil
}

// await asks for a page until it has a text, and says how long that took.
func await(since time.Time, address, text string) (time.Duration, error) {
	for time.Since(since) < 10*time.Minute {
		if r, err := http.Get(address); err == nil {
			data, err := io.ReadAll(r.Body)
			r.Body.Close()
			if err == nil && r.StatusCode == http.StatusOK && strings.Contains(string(data), text) {
				return time.Since(since), nil
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return 0, fmt.Errorf("%s did not come to have %q", address, text)
}

// peakOf is the most memory that a process had, in bytes.
func peakOf(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("no peak in the status of process %d", pid)
}
