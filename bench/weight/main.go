//go:build unix

// Weight measures the weight of Stele: compile time, size, start time, and memory.
//
//	go run ./bench/weight             seconds
//	go run ./bench/weight -compile    also compiles everything with an empty cache: minutes
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

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
		if err := compileFromNothing(dir, row); err != nil {
			return err
		}
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

// compileFromNothing compiles and links the program with an empty cache, and measures each library.
// Modules are downloaded before.
func compileFromNothing(dir string, row func(what, measured, name string)) error {
	if _, err := trial.Run(exec.Command("go", "mod", "download")); err != nil {
		return err
	}
	graph := filepath.Join(dir, "graph.json")
	c := exec.Command("go", "build", "-debug-actiongraph", graph, "-o", filepath.Join(dir, "from-nothing"), "./cmd/stele")
	c.Env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"))
	took, err := trial.Run(c)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(graph)
	if err != nil {
		return err
	}
	var actions []struct {
		Package         string
		CmdUser, CmdSys time.Duration
	}
	if err := json.Unmarshal(text, &actions); err != nil {
		return err
	}
	out, err := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}} {{with .Module}}{{.Path}}{{else}}the standard library{{end}}`, "./cmd/stele").Output()
	if err != nil {
		return err
	}
	libraries, times := map[string]string{}, map[string]time.Duration{}
	for line := range strings.Lines(string(out)) {
		pkg, library, _ := strings.Cut(strings.TrimSpace(line), " ")
		libraries[pkg] = library
	}
	for _, a := range actions {
		times[libraries[a.Package]] += a.CmdUser + a.CmdSys
	}
	row("compiling from nothing: CPU time", fmt.Sprintf("%.0f s", took.CPU.Seconds()), "")
	byTime := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Compare(times[b], times[a]) })
	for _, library := range byTime[:min(len(byTime), 5)] {
		row("of which "+library, fmt.Sprintf("%.1f s", times[library].Seconds()), "")
	}
	return nil
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
