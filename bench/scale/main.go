//go:build unix

// Scale measures what many statistics take: checking and building them, starting to serve them, and
// one indicator in one area for a query engine that has only the address of its Parquet.
//
//	go run ./bench/scale -records 400000,1000000      half an hour, and 5 GB of disk
//	go run ./bench/scale -old BINARY
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"stele/bench/corpus"
	"stele/bench/page"
	"stele/bench/trial"
	"stele/internal/base/layout"
	"stele/internal/disk/store"
)

func main() {
	log.SetFlags(0)
	records := flag.String("records", "400000,1000000", "how many statistics, one number after the other")
	old := flag.String("old", "", "let this older binary do the same, in turn")
	write := flag.Bool("write", false, "put the table into "+page.Path)
	flag.Parse()
	if err := page.Run("scale", *write, func() error { return run(strings.Split(*records, ","), *old) }); err != nil {
		log.Fatal(err)
	}
}

func run(sizes []string, old string) error {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := trial.Build(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%d cores, %s; fifty-one indicators in 249 areas\n\n", runtime.NumCPU(), runtime.Version())
	fmt.Print("| statistics | | CPU | peak memory | bytes |\n|---:|---|---:|---:|---:|\n")
	for _, size := range sizes {
		count, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		if err := corpus.WriteFigures(filepath.Join(dir, size), count); err != nil {
			return err
		}
		if old != "" {
			if _, err := build(old, dir, size, ", before"); err != nil {
				return err
			}
		}
		path, err := build(program, dir, size, "")
		if err != nil {
			return err
		}
		if err := serve(program, path, size); err != nil {
			return err
		}
		if err := query(path, size); err != nil {
			return err
		}
		os.Remove(path)
	}
	return nil
}

// row prints what a run took.
func row(size, what string, u trial.Usage, bytes int64) {
	fmt.Printf("| %s | %s | %.1f s | %d MB | %d |\n", size, what, u.CPU.Seconds(), u.Peak/1e6, bytes)
}

// build measures checking and building, and returns where the release is.
func build(program, dir, size, suffix string) (path string, err error) {
	folder := filepath.Join(dir, size)
	u, err := trial.Run(exec.Command(program, "check", "--quiet", folder))
	if err != nil {
		return "", err
	}
	row(size, "check"+suffix, u, 0)
	path = filepath.Join(dir, "release.zip")
	os.Remove(path)
	if u, err = trial.Run(exec.Command(program, "build", folder, "-o", path, "--first", "--quiet")); err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	row(size, "build"+suffix, u, info.Size())
	return path, nil
}

// serve measures what a server takes until it answers. It verifies the release first.
func serve(program, path, size string) error {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return err
	}
	cmd := exec.Command(program, "serve", path, "--listen", address)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	for deadline := start.Add(10 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get("http://" + address + "/")
		if err == nil {
			answer.Body.Close()
			break
		} else if time.Now().After(deadline) {
			return err
		}
	}
	took := time.Since(start)
	cpu, err1 := trial.CPU(cmd.Process.Pid)
	memory, err2 := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	cmd.Process.Kill()
	cmd.Wait() // it was killed
	if err1 != nil || err2 != nil {
		return fmt.Errorf("%w %w", err1, err2)
	}
	_, peak, _ := strings.Cut(string(memory), "VmHWM:")
	kilobytes, _ := strconv.Atoi(strings.Fields(peak)[0])
	row(size, fmt.Sprintf("serve, until it answers: %.1f s", took.Seconds()), trial.Usage{
		CPU:  cpu,
		Peak: int64(kilobytes) << 10,
	}, 0)
	return nil
}

// query adds up what an engine reads of the largest part: the footer, and of the groups that may
// have an area the columns that it wants.
func query(path, size string) error {
	r, done, err := store.Open(path)
	if err != nil {
		return err
	}
	defer done()
	list, err := r.ReadFile(layout.PartsPath, 1<<20)
	if err != nil {
		return err
	}
	rows, err := csv.NewReader(bytes.NewReader(list)).ReadAll()
	if err != nil {
		return err
	}
	largest, most := "", int64(0)
	for _, part := range rows[1:] {
		if n, _ := strconv.ParseInt(part[3], 10, 64); n > most {
			largest, most = part[1], n
		}
	}
	data, err := r.ReadFile(largest, most)
	if err != nil {
		return err
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	footer := int64(binary.LittleEndian.Uint32(data[len(data)-8:]))
	read := footer + 8
	for _, g := range file.Metadata().RowGroups {
		column := map[string]int{}
		for i, c := range g.Columns {
			column[strings.Join(c.MetaData.PathInSchema, ".")] = i
		}
		s := g.Columns[column["ref_area"]].MetaData.Statistics
		if string(s.MinValue) > "FRA" || string(s.MaxValue) < "FRA" {
			continue
		}
		for _, name := range []string{"ref_area", "time_period", "value", "unit"} {
			read += g.Columns[column[name]].MetaData.TotalCompressedSize
		}
	}
	row(size, fmt.Sprintf("one area of an indicator, with a footer of %d", footer), trial.Usage{}, read)
	return nil
}
