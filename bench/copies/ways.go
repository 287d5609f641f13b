//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/bench/trial"
	"stele/internal/disk/store"
	"stele/record"
	"stele/release"
)

// way is a way to send what changed in a collection.
type way struct {
	name        string
	bytes       int64
	make, apply time.Duration // 0 where it is no step of its own
	missing     string        // the program that it needs, if it is not there
}

func (w *way) print(whole int64) {
	if w.missing != "" {
		fmt.Printf("| %s | left out: %s is not installed | | | |\n", w.name, w.missing)
		return
	}
	took := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	fmt.Printf("| %s | %d | %.1f %% | %s | %s |\n", w.name, w.bytes, 100*float64(w.bytes)/float64(whole), took(w.make), took(w.apply))
}

// compare measures all ways on the collection of signals, as it was and as it is.
func compare(p *published, dir string) ([]way, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	whole, delta, err := unpack(p, dir)
	if err != nil {
		return nil, err
	}
	ways := []way{{name: "whole, br", bytes: whole}, {name: "Stele: the delta, br", bytes: delta}}
	for _, w := range []struct {
		name     string
		programs []string
		measure  func(dir string, w *way) error
	}{
		{"zsync, blocks of 2 kB", []string{"zsyncmake", "zsync"}, zsync},
		{"casync, chunks of 16 kB", []string{"casync"}, casync},
		{"zstd --patch-from, level 3", []string{"zstd"}, zstd},
		{"xdelta3", []string{"xdelta3"}, xdelta},
	} {
		one := way{name: w.name}
		for _, program := range w.programs {
			if _, err := exec.LookPath(program); err != nil {
				one.missing = program
			}
		}
		if one.missing == "" {
			os.Remove(filepath.Join(dir, "out.json")) // zsync would make use of it
			if err := w.measure(dir, &one); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if err := sameFile(filepath.Join(dir, "new.json"), filepath.Join(dir, "out.json")); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			log.Printf("%s: %d bytes", one.name, one.bytes)
		}
		ways = append(ways, one)
	}
	return ways, nil
}

// unpack writes the collections to old.json and new.json, and returns the size of the new one as
// br, and of the delta.
func unpack(p *published, dir string) (whole, delta int64, err error) {
	for _, u := range []struct{ zip, name string }{{p.old, "old.json"}, {p.new, "new.json"}} {
		r, closeRelease, err := store.Open(u.zip)
		if err != nil {
			return 0, 0, err
		}
		defer closeRelease()
		k := r.Manifest.Kind(record.KindSignal)
		if err := copyOut(r, k.Collection, filepath.Join(dir, u.name)); err != nil {
			return 0, 0, err
		}
		if u.zip == p.old { // which has no variants
			continue
		}
		whole = inBrotli(r.Manifest.File(k.Collection))
		for _, d := range k.Deltas {
			delta += inBrotli(r.Manifest.File(d.Path))
		}
	}
	if delta == 0 {
		return 0, 0, errors.New("the release has no delta of the signals")
	}
	return whole, delta, nil
}

func inBrotli(f *release.File) int64 {
	i := slices.IndexFunc(f.Variants, func(v release.Variant) bool { return v.Encoding == "br" })
	return f.Variants[i].Size
}

func copyOut(r *release.Release, path, to string) error {
	in, err := r.Files.Open(path)
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func sameFile(a, b string) error {
	var sums [2][]byte
	for i, path := range []string{a, b} {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		sums[i] = sum.Sum(nil)
	}
	if !bytes.Equal(sums[0], sums[1]) {
		return errors.New("it makes something else")
	}
	return nil
}

// tool runs a program in a folder. What proxies there are is no matter: all of it stays on this
// machine.
func tool(dir, name string, args ...string) (time.Duration, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.Contains(strings.ToLower(v), "_proxy=") })
	u, err := trial.Run(cmd)
	return u.CPU, err
}

func sizes(dir string, names ...string) (n int64, err error) {
	for _, name := range names {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return 0, err
		}
		n += info.Size()
	}
	return n, nil
}

// zsync reads what it lacks over HTTP, by ranges.
func zsync(dir string, w *way) (err error) {
	wire, err := newWire()
	if err != nil {
		return err
	}
	defer wire.close()
	l, err := net.Listen("unix", wire.socket)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: ranges(dir)}
	go server.Serve(l) // ends with Close
	defer server.Close()
	w.make, err = tool(dir, "zsyncmake", "-b", "2048", "-u", wire.address()+"/new.json", "-o", "new.zsync", "new.json")
	if err != nil {
		return err
	}
	w.apply, err = tool(dir, "zsync", "-q", "-i", "old.json", "-o", "out.json", wire.address()+"/new.zsync")
	w.bytes = wire.received.Load()
	return err
}

// ranges serves a file of a folder in parts, as nginx does: zsync reads several parts at once only
// where a line break stands before the first, which Go's own server does not send.
func ranges(dir string) http.Handler {
	whole := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list, several := strings.CutPrefix(r.Header.Get("Range"), "bytes=")
		if !several || !strings.Contains(list, ",") {
			whole.ServeHTTP(w, r)
			return
		}
		f, err := os.Open(filepath.Join(dir, filepath.Base(r.URL.Path)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer f.Close() // it was only read
		info, err := f.Stat()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		const boundary = "00000000000000000001"
		var body bytes.Buffer
		for part := range strings.SplitSeq(list, ",") {
			var from, to int64
			if _, err := fmt.Sscanf(part, "%d-%d", &from, &to); err != nil || to < from || to >= info.Size() {
				http.Error(w, "bad range", http.StatusRequestedRangeNotSatisfiable)
				return
			}
			fmt.Fprintf(&body, "\r\n--%s\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes %d-%d/%d\r\n\r\n", boundary, from, to, info.Size())
			if _, err := io.Copy(&body, io.NewSectionReader(f, from, to-from+1)); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		fmt.Fprintf(&body, "\r\n--%s--\r\n", boundary)
		w.Header().Set("Content-Type", "multipart/byteranges; boundary="+boundary)
		w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
		w.WriteHeader(http.StatusPartialContent)
		w.Write(body.Bytes()) // the client will say if it fails
	})
}

// casync reads chunks that it lacks, each from a file of its own.
func casync(dir string, w *way) (err error) {
	const store = "chunks.castr"
	made := func(name string) (time.Duration, int64, error) {
		cpu, err := tool(dir, "casync", "make", "--store="+store, "--chunk-size=16384", name+".caibx", name+".json")
		if err != nil {
			return 0, 0, err
		}
		size := int64(0)
		err = filepath.WalkDir(filepath.Join(dir, store), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil {
				size += info.Size()
			}
			return err
		})
		return cpu, size, err
	}
	_, before, err := made("old")
	if err != nil {
		return err
	}
	var after int64
	if w.make, after, err = made("new"); err != nil {
		return err
	}
	index, err := sizes(dir, "new.caibx")
	if err != nil {
		return err
	}
	w.bytes = after - before + index
	w.apply, err = tool(dir, "casync", "extract", "--store="+store, "--seed=old.json", "new.caibx", "out.json")
	return err
}

func zstd(dir string, w *way) (err error) {
	if w.make, err = tool(dir, "zstd", "-q", "-f", "-3", "--long=28", "--patch-from=old.json", "new.json", "-o", "new.patch"); err != nil {
		return err
	}
	if w.bytes, err = sizes(dir, "new.patch"); err != nil {
		return err
	}
	w.apply, err = tool(dir, "zstd", "-q", "-f", "-d", "--long=28", "--patch-from=old.json", "new.patch", "-o", "out.json")
	return err
}

func xdelta(dir string, w *way) (err error) {
	const window = "536870912" // or it sees no more of the old file than 64 MiB
	if w.make, err = tool(dir, "xdelta3", "-q", "-f", "-e", "-9", "-B", window, "-s", "old.json", "new.json", "new.vcdiff"); err != nil {
		return err
	}
	if w.bytes, err = sizes(dir, "new.vcdiff"); err != nil {
		return err
	}
	w.apply, err = tool(dir, "xdelta3", "-q", "-f", "-d", "-B", window, "-s", "old.json", "new.vcdiff", "out.json")
	return err
}
