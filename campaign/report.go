//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// report is what was tried and what was found: the sections that there are, in the order of parts.
type report []*section

// section is what one part of the campaign has found. It is kept as JSON.
type section struct {
	Part    string
	Began   time.Time
	Took    time.Duration
	Load    [2]float64 // of the machine, over a minute, when it began and ended
	Machine string
	Cores   int
	Each    time.Duration `json:",omitempty"` // flood
	Floods  []flooded     `json:",omitempty"`
	Trials  []trial       `json:",omitempty"`
	Notes   []string      `json:",omitempty"` // what was left out, and why

	Unfinished []string `json:",omitempty"` // what the campaign itself could not do
}

// flooded is what an attack did to an ordinary client and to a server.
type flooded struct {
	Attack, Sent string
	Stele, Nginx measured
}

// measured is how a server stood an attack. The zero value says that it was not asked.
type measured struct {
	Tried      int64
	Rest, P99  time.Duration // the slowest hundredth of the ordinary client, before and meanwhile
	AtRest     int64         // memory
	Most       int64
	Asked, Bad int64 // of the ordinary client
}

// trial is something that was tried often.
type trial struct {
	What  string
	Tried int64
	Of    string   // what was counted
	Wrong []string `json:",omitempty"` // what was found, each
	Goal  string   `json:",omitempty"`
	Met   bool     `json:",omitempty"`
}

func newSection(name string) *section {
	return &section{
		Part: name, Began: time.Now().UTC().Truncate(time.Second),
		Load: [2]float64{load()}, Machine: machine(), Cores: runtime.NumCPU(),
	}
}

func (r *section) end() *section {
	r.Took, r.Load[1] = time.Since(r.Began).Round(time.Second), load()
	return r
}

// keep writes a section into its file.
func (r *section) keep(folder string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, r.Part+".json"), append(data, '\n'), 0o644)
}

// readReport reads the sections that are kept.
func readReport(folder string) (r report, err error) {
	for _, part := range parts {
		data, err := os.ReadFile(filepath.Join(folder, part.name+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		s := new(section)
		if err = errors.Join(err, json.Unmarshal(data, s)); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
		r = append(r, s)
	}
	return r, nil
}

const (
	maxP99    = 50 * time.Millisecond
	maxGrowth = 2
)

func (m measured) meetsGoals() bool {
	return m.P99 < maxP99 && m.Most < maxGrowth*m.AtRest && m.Bad == 0
}

// wrong is what was found.
func (r report) wrong() (list []string) {
	for _, s := range r {
		for _, t := range s.Trials {
			for _, w := range t.Wrong {
				list = append(list, t.What+": "+w)
			}
		}
		for _, f := range s.Floods {
			if f.Stele.Bad > 0 {
				list = append(list, fmt.Sprintf("%s: %d of %d ordinary requests failed", f.Attack, f.Stele.Bad, f.Stele.Asked))
			}
		}
	}
	return list
}

// missed are the goals that were not reached.
func (r report) missed() (list []string) {
	for _, s := range r {
		for _, f := range s.Floods {
			if f.Stele.P99 >= maxP99 {
				list = append(list, fmt.Sprintf("%s: p99 of the ordinary client is %s, the goal is below %s", f.Attack, ms(f.Stele.P99), ms(maxP99)))
			}
			if f.Stele.Most >= maxGrowth*f.Stele.AtRest {
				list = append(list, fmt.Sprintf("%s: memory grew from %s to %s, the goal is below %d times", f.Attack, mb(f.Stele.AtRest), mb(f.Stele.Most), maxGrowth))
			}
		}
		for _, t := range s.Trials {
			if t.Goal != "" && !t.Met {
				list = append(list, fmt.Sprintf("%s: the goal is %s; it was %s %s", t.What, t.Goal, thousands(t.Tried), t.Of))
			}
		}
	}
	return list
}

// leftOut is what was not run, or not to its end.
func (r report) leftOut() (list []string) {
	for _, part := range parts {
		i := slices.IndexFunc(r, func(s *section) bool { return s.Part == part.name })
		if i < 0 {
			list = append(list, "The part \""+part.name+"\" was not run.")
			continue
		}
		list = append(append(list, r[i].Notes...), r[i].Unfinished...)
	}
	return list
}

// markdown is the page.
func (r report) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, `# The campaign

Stele was attacked from all sides. This page says what was tried, how often, and what was found. It
was written by `+"`make campaign`"+`, which runs everything again; that takes hours, and each setting
can be made smaller. The parts can also be run one by one, at different hours.

`)
	list(&b, "Found", r.wrong(), "Nothing was found wrong.")
	list(&b, "Goals that were not reached", r.missed(), "All goals of the parts that were run were reached.")
	list(&b, "Left out", r.leftOut(), "Nothing was left out.")
	r.floodTable(&b)
	r.trialTable(&b)
	r.runTable(&b)
	return b.Bytes()
}

func (r report) trialTable(b *bytes.Buffer) {
	fmt.Fprint(b, "## What else was tried\n\n| what | how often | wrong | goal |\n|---|---:|---:|---|\n")
	for _, s := range r {
		for _, t := range s.Trials {
			goal := t.Goal
			switch {
			case goal != "" && t.Met:
				goal += ": reached"
			case goal != "":
				goal += ": **not reached**"
			}
			fmt.Fprintf(b, "| %s | %s %s | %d | %s |\n", t.What, thousands(t.Tried), t.Of, len(t.Wrong), goal)
		}
	}
	b.WriteString("\n")
}

// runTable says when everything was run, and how busy the machine was.
func (r report) runTable(b *bytes.Buffer) {
	fmt.Fprint(b, `## When

"load" is how many processes of the machine wanted to run, over a minute, when the part began and
when it ended. Where it began above a half, something else was running, too.

| part | began | took | load | machine |
|---|---|---:|---:|---|
`)
	for _, s := range r {
		fmt.Fprintf(b, "| %s | %s | %s | %.1f → %.1f | %s, %d cores |\n", s.Part, s.Began.Format("2 January 2006, 15:04 UTC"), s.Took, s.Load[0], s.Load[1], s.Machine, s.Cores)
	}
}

func list(b *bytes.Buffer, title string, items []string, none string) {
	fmt.Fprintf(b, "## %s\n\n", title)
	if len(items) == 0 {
		fmt.Fprintf(b, "%s\n\n", none)
		return
	}
	for _, line := range items {
		b.WriteString(wrapped("- "+line, "  "))
	}
	b.WriteString("\n")
}

// wrapped breaks a text into lines.
func wrapped(text, indent string) string {
	const width = 100
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		if i > 0 && at+1+len(word) > width {
			b.WriteString("\n" + indent)
			at = len(indent)
		} else if i > 0 {
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String() + "\n"
}

func (r report) floodTable(b *bytes.Buffer) {
	if !slices.ContainsFunc(r, func(s *section) bool { return len(s.Floods) > 0 }) {
		return
	}
	fmt.Fprint(b, `## Floods

Each comes from a process of its own, of low priority, because in earnest it would come from
elsewhere. Beside it an ordinary client asks for pages and records 100 times a second, on
connections that it keeps for ten requests. "p99" is what the slowest hundredth of its requests
took, at rest and meanwhile; "memory" is the resident memory of the server, at rest and at most.

| attack | for | sent | p99 | memory | failed | nginx: p99 | nginx: memory | goals |
|---|---:|---:|---:|---:|---:|---:|---:|---|
`)
	for _, s := range r {
		for _, f := range s.Floods {
			goals := "reached"
			if !f.Stele.meetsGoals() {
				goals = "**not reached**"
			}
			nginx := []string{"", ""}
			if f.Nginx.Asked > 0 {
				nginx = []string{ms(f.Nginx.Rest) + " → " + ms(f.Nginx.P99), mb(f.Nginx.AtRest) + " → " + mb(f.Nginx.Most)}
				if f.Nginx.Bad > 0 {
					nginx[0] += fmt.Sprintf(", %d failed", f.Nginx.Bad)
				}
			}
			fmt.Fprintf(b, "| %s | %s | %s %s | %s → %s | %s → %s | %d of %d | %s | %s | %s |\n", f.Attack, s.Each, thousands(f.Stele.Tried), f.Sent,
				ms(f.Stele.Rest), ms(f.Stele.P99), mb(f.Stele.AtRest), mb(f.Stele.Most), f.Stele.Bad, f.Stele.Asked,
				nginx[0], nginx[1], goals)
		}
	}
	b.WriteString("\n")
}

// load is how many processes wanted to run, over the last minute.
func load() float64 {
	text, _ := os.ReadFile("/proc/loadavg") // which Linux has
	first, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseFloat(first, 64)
	return n
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

func mb(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// machine is what the processor calls itself.
func machine() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}
