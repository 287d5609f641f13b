//go:build unix

// Scale measures large numbers of statistics: checking and building them, starting to serve them,
// and querying one indicator in one area from its Parquet file over HTTP.
//
//	go run ./bench/scale                      half an hour, and 25 GB of disk
//	go run ./bench/scale -records 400000 -old BINARY
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
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
	"stele/bench/trial"
	"stele/internal/base/layout"
	"stele/internal/disk/store"
	"stele/internal/testkit/process"
)

func main() {
	records := flag.String("records", "400000,1000000,10000000", "how many statistics, one number after the other")
	old := flag.String("old", "", "let this older binary do the same, in turn")
	trial.Main("scale", func(dir, program string) error {
		return run(dir, program, *old, strings.Split(*records, ","))
	})
}

func run(dir, program, old string, sizes []string) error {
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

// row prints the usage of a run.
func row(size, what string, u trial.Usage, bytes int64) {
	fmt.Printf("| %s | %s | %.1f s | %d MB | %d |\n", size, what, u.CPU.Seconds(), u.Peak/1e6, bytes)
}

// build measures checking and building, and returns the path of the release.
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

// serve measures a server until it answers. It verifies the release first.
func serve(program, path, size string) error {
	address := process.FreeAddress()
	start := time.Now()
	p, err := process.Start(exec.Command(program, "serve", path, "--listen", address), address)
	if err != nil {
		return err
	}
	answer, err := http.Get("http://" + address + "/")
	took := time.Since(start)
	memory, err2 := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid)) // without that of this program
	p.Kill()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	answer.Body.Close()
	u := trial.Used(p.ProcessState)
	_, peak, _ := strings.Cut(string(memory), "VmHWM:")
	kilobytes, err := strconv.ParseInt(strings.Fields(peak)[0], 10, 64)
	u.Peak = kilobytes << 10
	row(size, fmt.Sprintf("serve, until it answers: %.1f s", took.Seconds()), u, 0)
	return err
}

// query adds up what a query engine reads of the largest part: the footer, and the wanted columns
// of the row groups that may contain an area.
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
