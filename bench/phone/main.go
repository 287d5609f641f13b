//go:build unix

// Phone measures with Lighthouse how a page of each sort does on a simulated phone, in a release
// that has the sample and the 63,277 statistics of examples/immunization.
//
//	go run ./bench/phone
//	go run ./bench/phone /graph/ /changes/     these pages only
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"stele/bench/page"
	"stele/bench/trial"
	"stele/tools/npm"
)

// sorts is a page of each sort.
var sorts = []string{
	"/", "/search/?q=measles", "/evidence/", "/graph-edges/", "/changes/", "/graph/", "/labels/", "/developers/",
	"/healthcare-statistics/", "/healthcare-statistics/mcv1/", "/healthcare-statistics/mcv1/areas/GBR/",
	"/healthcare-statistics/measles_cases/", "/signals/sig-samoa-coverage-gap/", "/evidence/evd-mmr-one-dose/",
	"/evidence/evd-paper-of-1998/", "/proof/clm-one-dose-protects/", "/source-objects/src-who-gho/",
	"/entities/ent-measles/", "/recommendations/rec-reminders/", "/decision-views/dec-reminders/",
}

// leastPerformance is what is asked for; of the others it is 100.
const leastPerformance = 95

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 3, "how often each page is opened")
	at := flag.String("at", "", "measure the pages of the server at this address, and not of a release that is built now")
	write := flag.Bool("write", false, "put the table into "+page.Path)
	flag.Parse()
	paths := flag.Args()
	if len(paths) == 0 {
		paths = sorts
	}
	if err := page.Run("phone", *write, func() error { return run(*at, paths, *rounds) }); err != nil {
		log.Fatal(err)
	}
}

func run(at string, paths []string, rounds int) error {
	modules, err := npm.Lighthouse(os.Stderr)
	if err != nil {
		return err
	}
	if at == "" {
		var stop func()
		if at, stop, err = serve(); err != nil {
			return err
		}
		defer stop()
	}
	fmt.Printf("Lighthouse %s, medians of %d runs\n\n", npm.LighthouseVersion, rounds)
	fmt.Println("| page | performance | least of the others | largest paint | blocked | moved |")
	fmt.Println("|---|---:|---:|---:|---:|---:|")
	for _, path := range paths {
		var list []result
		for range rounds {
			r, err := lighthouse(modules, at+path)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			list = append(list, r)
		}
		printRow(path, list)
	}
	return nil
}

// serve builds the release and serves it.
func serve() (address string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return "", nil, err
	}
	stop = func() { os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			stop()
		}
	}()
	program, err := trial.Build(dir)
	if err != nil {
		return "", nil, err
	}
	folder, release := filepath.Join(dir, "folder"), filepath.Join(dir, "release")
	if err := writeFolder(folder); err != nil {
		return "", nil, err
	}
	if _, err := trial.Run(exec.Command(program, "build", folder, "-o", release, "--quiet")); err != nil {
		return "", nil, err
	}
	const listen = "127.0.0.1:18474"
	server := exec.Command(program, "serve", release, "--quiet", "--listen", listen)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		server.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		server.Wait()
		os.RemoveAll(dir)
	}
	return "http://" + listen, stop, await("http://" + listen)
}

// await waits until a server answers.
func await(address string) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		response, err := http.Get(address)
		if err == nil {
			return response.Body.Close()
		}
		if time.Now().After(end) {
			return err
		}
	}
}

// result is what Lighthouse says of a page.
type result struct {
	Categories map[string]struct{ Score float64 }
	Audits     map[string]struct{ NumericValue float64 }
}

// lighthouse opens a page as on a phone, as it does if nothing else is asked for.
func lighthouse(modules, address string) (r result, err error) {
	c := exec.Command(filepath.Join(modules, ".bin", "lighthouse"), address, "--quiet", "--output=json",
		"--only-categories=performance,accessibility,best-practices,seo",
		"--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage")
	var complaints bytes.Buffer
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		return r, fmt.Errorf("%w\n%s", err, complaints.Bytes())
	}
	return r, json.Unmarshal(out, &r)
}

func printRow(path string, list []result) {
	score := func(name string) int {
		return int(100*median(list, func(r result) float64 { return r.Categories[name].Score }) + 0.5)
	}
	value := func(name string) float64 {
		return median(list, func(r result) float64 { return r.Audits[name].NumericValue })
	}
	others := min(score("accessibility"), score("best-practices"), score("seo"))
	reached := ""
	if score("performance") < leastPerformance || others < 100 {
		reached = "**no**: "
	}
	fmt.Printf("| %s`%s` | %d | %d | %.1f s | %.0f ms | %.3f |\n", reached, path, score("performance"), others,
		value("largest-contentful-paint")/1000, value("total-blocking-time"), value("cumulative-layout-shift"))
}

func median(list []result, of func(r result) float64) float64 {
	var values []float64
	for _, r := range list {
		values = append(values, of(r))
	}
	return trial.Median(values)
}
