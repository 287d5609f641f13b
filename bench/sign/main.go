//go:build unix

// Sign measures what signatures cost: `stele sign` after a build of the sample, and verifying a log
// of ten thousand releases.
//
//	go run ./bench/sign        some five minutes, most of them for signing ten thousand releases
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing/fstest"
	"time"

	"stele/bench/page"
	"stele/bench/trial"
	"stele/internal/base/layout"
	"stele/internal/trust/signing"
	"stele/release"
)

// origin is the name of the log.
const origin = "data.example.org"

// What has to be reached.
const (
	mostToSign   = 50 * time.Millisecond
	mostToVerify = 100 * time.Millisecond
)

func main() {
	log.SetFlags(0)
	releases := flag.Int("releases", 10_000, "how many releases the log has")
	rounds := flag.Int("rounds", 9, "how often each is run")
	write := flag.Bool("write", false, "put the table into "+page.Path)
	flag.Parse()
	if err := page.Run("sign", *write, func() error { return run(*releases, *rounds) }); err != nil {
		log.Fatal(err)
	}
}

func run(releases, rounds int) error {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	signed, err := signSample(dir, rounds)
	if err != nil {
		return err
	}
	many, verified, err := longLog(releases, rounds)
	if err != nil {
		return err
	}
	fmt.Printf("%d cores, %s; medians of %d runs, CPU time\n\n", runtime.NumCPU(), runtime.Version(), rounds)
	fmt.Println("| | required | measured | reached |\n|---|---:|---:|---|")
	row("stele sign, the sample in a folder, whole command", mostToSign, signed)
	row(fmt.Sprintf("signing release %d of a log", releases+1), mostToSign, many)
	row(fmt.Sprintf("verifying a log of %d releases", releases), mostToVerify, verified)
	return nil
}

func row(name string, most, took time.Duration) {
	reached := "yes"
	if took > most {
		reached = "**no**"
	}
	fmt.Printf("| %s | ≤ %d ms | %.1f ms | %s |\n", name, most.Milliseconds(), float64(took.Microseconds())/1000, reached)
}

// signSample builds the sample and signs it, each time from a log without it.
func signSample(dir string, rounds int) (time.Duration, error) {
	stele, err := trial.Build(dir)
	if err != nil {
		return 0, err
	}
	public, key := filepath.Join(dir, "public"), filepath.Join(dir, "key")
	for _, args := range [][]string{
		{stele, "build", "sample", "-o", public, "--quiet"},
		{stele, "key", "new", origin, "-o", key},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	var took []time.Duration
	for range rounds {
		for _, name := range []string{"log", layout.ProofPath} {
			if err := os.RemoveAll(filepath.Join(public, name)); err != nil {
				return 0, err
			}
		}
		c := exec.Command(stele, "sign", public, "--key", key, "--no-state")
		if out, err := c.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("stele sign: %w\n%s", err, out)
		}
		took = append(took, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	return trial.Median(took), nil
}

// longLog signs one release after another, and verifies the last.
func longLog(releases, rounds int) (sign, verify time.Duration, err error) {
	private, public, err := signing.NewKey(origin)
	if err != nil {
		return 0, 0, err
	}
	policy, err := signing.ParsePolicy(public)
	if err != nil {
		return 0, 0, err
	}
	ctx, files := context.Background(), fstest.MapFS{}
	var last []byte
	var signed, verifying []time.Duration
	for n := range releases + rounds {
		if n%1000 == 0 {
			log.Printf("%d releases are signed", n)
		}
		if last, err = manifest(n); err != nil {
			return 0, 0, err
		}
		start := cpu()
		s, err := signing.Sign(ctx, signing.FS(files), last, signing.SignOptions{Keys: []string{private}})
		if err != nil {
			return 0, 0, err
		}
		if n >= releases {
			signed = append(signed, cpu()-start)
		}
		for _, path := range s.Remove {
			delete(files, path)
		}
		for _, f := range s.Files {
			files[f.Path] = &fstest.MapFile{Data: f.Data}
		}
	}
	for range rounds {
		start := cpu()
		if _, err := signing.Verify(ctx, signing.FS(files), last, signing.VerifyOptions{Policy: policy}); err != nil {
			return 0, 0, err
		}
		verifying = append(verifying, cpu()-start)
	}
	return trial.Median(signed), trial.Median(verifying), nil
}

// manifest is that of the release of that number.
func manifest(n int) ([]byte, error) {
	day := func(n int) string { return time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }
	m := &release.Manifest{Format: layout.Format, Release: fmt.Sprintf("%012x", n), BaseURL: "https://" + origin, Date: day(n)}
	if n > 0 {
		m.Previous = &release.Previous{Release: fmt.Sprintf("%012x", n-1), Date: day(n - 1)}
	}
	return m.Encode()
}
