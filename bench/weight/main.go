//go:build unix

// Weight measures the weight of Stele: compile time, size, start time, and memory.
//
//	go run ./bench/weight             seconds
//	go run ./bench/weight -compile    also compiles everything with an empty cache: minutes
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"stele/bench/budget"
	"stele/bench/trial"
)

func main() {
	compile := flag.Bool("compile", false, "measure how long it takes to compile everything, with an empty cache")
	trial.Main("weight", func(dir, program string) error { return run(dir, program, *compile) })
}

func run(dir, program string, compile bool) error {
	most, err := budget.Read(".")
	if err != nil {
		return err
	}
	fmt.Printf("%d cores, %s\n\n", runtime.NumCPU(), runtime.Version())
	fmt.Println("| | measured | budget |\n|---|---:|---:|")
	row := func(what, measured, name string) {
		limit := ""
		if name != "" {
			limit = fmt.Sprint(most[name])
		}
		fmt.Printf("| %s | %s | %s |\n", what, measured, limit)
	}
	if compile {
		took, err := fromNothing(dir)
		if err != nil {
			return err
		}
		row("compiling from nothing: CPU time", fmt.Sprintf("%.0f s", took.CPU.Seconds()), "")
	}
	if err := measureProgram(program, row); err != nil {
		return err
	}
	for _, w := range budget.Weights {
		n, err := w.Count(".")
		if err != nil {
			return err
		}
		row(w.What, fmt.Sprint(n), w.Name)
	}
	return nil
}

// fromNothing compiles and links the program with an empty cache. Modules are downloaded before.
func fromNothing(dir string) (trial.Usage, error) {
	if _, err := trial.Run(exec.Command("go", "mod", "download")); err != nil {
		return trial.Usage{}, err
	}
	c := exec.Command("go", "build", "-o", filepath.Join(dir, "from-nothing"), "./cmd/stele")
	c.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"))
	return trial.Run(c)
}

// measureProgram measures the program of a plain go build, and its smallest run.
func measureProgram(path string, row func(what, measured, name string)) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	row("the program: bytes", fmt.Sprint(info.Size()), budget.Program)
	var peaks []int64
	for range 5 {
		u, err := trial.Run(exec.Command(path, "--version"))
		if err != nil {
			return err
		}
		peaks = append(peaks, u.Peak)
	}
	row("`stele --version`: peak memory", fmt.Sprintf("%.1f MB", float64(trial.Median(peaks))/1e6), "")
	return nil
}
