//go:build unix

// Copies measures what a mirror of a bucket, and the commands that read its release, request and
// download after some records changed. The bucket is in versitygw, which speaks S3, and has no
// public files.
//
//	go run ./bench/copies
//	go run ./bench/copies -records 20000
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"stele/bench/corpus"
	"stele/bench/trial"
	"stele/internal/testkit/process"
	"stele/tools/programs"
)

func main() {
	records := flag.String("records", "20000,200000", "how many statistics, one number after the other")
	changes := flag.String("changes", "0,10,200,2000", "how many of them change between two releases")
	trial.Main("copies", func(dir, program string) error {
		fmt.Print("| statistics | changed | `check --previous` | `mirror` | `mirror`, again | `diff` with the records | `restore` |\n" +
			"|---:|---:|---:|---:|---:|---:|---:|\n")
		for size := range strings.SplitSeq(*records, ",") {
			b := &bench{dir: filepath.Join(dir, size), program: program, size: size}
			if err := b.run(strings.Split(*changes, ",")); err != nil {
				return err
			}
		}
		return nil
	})
}

type bench struct {
	dir, program, size, address string
	requests, bytes             atomic.Int64 // that the store answered
}

func (b *bench) run(changes []string) error {
	end, err := b.startStore()
	if err != nil {
		return err
	}
	defer end()
	count, err := strconv.Atoi(b.size)
	if err != nil {
		return err
	}
	edits := []int{}
	for n, change := range append([]string{"first"}, changes...) {
		if edit, err := strconv.Atoi(change); err == nil {
			edits = append(edits, edit)
		} else if n > 0 {
			return err
		}
		if err := corpus.WriteFigures(b.path("records"), count, edits...); err != nil {
			return err
		}
		fmt.Printf("| %s | %s |", b.size, change)
		for _, args := range b.commands(n == 0) {
			if err := b.measure(args); err != nil {
				return err
			}
		}
		fmt.Println()
		if err := os.RemoveAll(b.path("restored")); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// commands returns the commands that publish the next release, and those that read it in the order
// of the columns.
func (b *bench) commands(first bool) [][]string {
	folder, zip, mirrored := b.path("records"), b.path("release.zip"), b.path("copy")
	check := []string{"check", folder, "--previous", b.address, "--quiet"}
	build := []string{"build", folder, "-o", zip, "--quiet"} // on the release at the target
	if first {
		check, build = nil, append(build, "--first")
	}
	return [][]string{
		check, build,
		{"push", zip, b.address, "--quiet"},
		{"mirror", b.address, mirrored, "--quiet"},
		{"mirror", b.address, mirrored, "--quiet"},
		{"diff", b.address, folder},
		{"restore", b.address, "-o", b.path("restored"), "--quiet"},
	}
}

// key is the name and the secret of the only user of the store.
const key = "stele-bench"

// startStore starts a store with a bucket, and a proxy before it that counts answers.
func (b *bench) startStore() (end func(), err error) {
	store, err := programs.S3.Get(os.Stderr)
	if err != nil {
		return nil, err
	}
	objects := filepath.Join(b.dir, "store")
	if err := os.MkdirAll(filepath.Join(objects, "bench"), 0o755); err != nil {
		return nil, err
	}
	at := process.FreeAddress()
	cmd := exec.Command(store, "--port", at, "--region", "us-east-1", "--quiet", "posix", objects)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+key, "ROOT_SECRET_KEY="+key)
	p, err := process.Start(cmd, at)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: at})
		r.Out.Host = r.In.Host // which is part of signatures
	}, ModifyResponse: func(r *http.Response) error {
		if r.Request.Method == http.MethodGet || r.Request.Method == http.MethodHead {
			b.requests.Add(1)
			b.bytes.Add(max(r.ContentLength, 0))
		}
		return nil
	}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.Kill()
		return nil, err
	}
	go http.Serve(l, proxy)
	b.address = "s3://bench?region=us-east-1&use_path_style=true&endpoint=http://" + l.Addr().String()
	return func() { l.Close(); p.Kill() }, nil
}

// measure runs a command. If the command reads the release, it prints a cell with the requests and
// the bytes. The cell is empty without a command.
func (b *bench) measure(args []string) error {
	if args == nil {
		fmt.Print(" |")
		return nil
	}
	b.requests.Store(0)
	b.bytes.Store(0)
	cmd := exec.Command(b.program, args...)
	cmd.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID="+key, "AWS_SECRET_ACCESS_KEY="+key,
		"AWS_EC2_METADATA_DISABLED=true", "XDG_STATE_HOME="+filepath.Join(b.dir, "state"))
	if _, err := trial.Run(cmd); err != nil && args[0] != "diff" { // which reports differences
		return err
	}
	if args[0] != "build" && args[0] != "push" {
		fmt.Printf(" %d: %d |", b.requests.Load(), b.bytes.Load())
	}
	return nil
}
