//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is what was tried and what was found.
type report struct {
	settings settings
	began    time.Time
	took     time.Duration
	floods   []flooded
	trials   []trial
	notes    []string // what was left out, and why

	unfinished []string // what the campaign itself could not do
}

// flooded is what an attack did to an ordinary client and to a server.
type flooded struct {
	attack, sent string
	stele, nginx measured
}

// measured is how a server stood an attack. The zero value says that it was not asked.
type measured struct {
	tried      int64
	rest, p99  time.Duration // the slowest hundredth of the ordinary client, before and meanwhile
	atRest     int64         // memory
	most       int64
	asked, bad int64 // of the ordinary client
}

// trial is something that was tried often.
type trial struct {
	what  string
	tried int64
	of    string   // what was counted
	wrong []string // what was found, each
	goal  string
	met   bool
}

const (
	maxP99    = 50 * time.Millisecond
	maxGrowth = 2
)

func (m measured) meetsGoals() bool {
	return m.p99 < maxP99 && m.most < maxGrowth*m.atRest && m.bad == 0
}

// wrong is what was found.
func (r *report) wrong() (list []string) {
	for _, t := range r.trials {
		for _, w := range t.wrong {
			list = append(list, t.what+": "+w)
		}
	}
	for _, f := range r.floods {
		if f.stele.bad > 0 {
			list = append(list, fmt.Sprintf("%s: %d of %d ordinary requests failed", f.attack, f.stele.bad, f.stele.asked))
		}
	}
	return list
}

// missed are the goals that were not reached.
func (r *report) missed() (list []string) {
	for _, f := range r.floods {
		if f.stele.p99 >= maxP99 {
			list = append(list, fmt.Sprintf("%s: p99 of the ordinary client is %s, the goal is below %s", f.attack, ms(f.stele.p99), ms(maxP99)))
		}
		if f.stele.most >= maxGrowth*f.stele.atRest {
			list = append(list, fmt.Sprintf("%s: memory grew from %s to %s, the goal is below %d times", f.attack, mb(f.stele.atRest), mb(f.stele.most), maxGrowth))
		}
	}
	for _, t := range r.trials {
		if t.goal != "" && !t.met {
			list = append(list, fmt.Sprintf("%s: the goal is %s; %d %s were tried", t.what, t.goal, t.tried, t.of))
		}
	}
	return list
}

// markdown is the page.
func (r *report) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# The campaign

Stele was attacked from all sides. This page says what was tried, how often, and what was found. It
was written by `+"`make campaign`"+`, which runs everything again; its settings are hours long, and each
can be made shorter.

Run on %s, %s, %d cores, for %s.

`, r.began.UTC().Format("2 January 2006"), machine(), runtime.NumCPU(), r.took.Round(time.Second))
	section(&b, "Found", r.wrong(), "Nothing was found wrong.")
	section(&b, "Goals that were not reached", r.missed(), "All goals were reached.")
	section(&b, "Left out", append(slices.Clone(r.notes), r.unfinished...), "Nothing was left out.")
	if len(r.floods) > 0 {
		r.floodTable(&b)
	}
	if len(r.trials) > 0 {
		fmt.Fprint(&b, "## What else was tried\n\n| what | how often | wrong | goal |\n|---|---:|---:|---|\n")
		for _, t := range r.trials {
			goal := t.goal
			switch {
			case goal != "" && t.met:
				goal += ": reached"
			case goal != "":
				goal += ": not reached"
			}
			fmt.Fprintf(&b, "| %s | %s %s | %d | %s |\n", t.what, thousands(t.tried), t.of, len(t.wrong), goal)
		}
	}
	return b.Bytes()
}

func section(b *bytes.Buffer, title string, list []string, none string) {
	fmt.Fprintf(b, "## %s\n\n", title)
	if len(list) == 0 {
		fmt.Fprintf(b, "%s\n\n", none)
		return
	}
	for _, line := range list {
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

func (r *report) floodTable(b *bytes.Buffer) {
	fmt.Fprintf(b, `## Floods

Each lasts %s and comes from a process of its own, of low priority, because in earnest it would come
from elsewhere. Beside it an ordinary client asks for pages and records 100 times a second, on
connections that it keeps for ten requests. "p99" is what the slowest hundredth of its requests
took, at rest and meanwhile; "memory" is the resident memory of the server, at rest and at most.

| attack | sent | p99 | memory | failed | nginx: p99 | nginx: memory | goals |
|---|---:|---:|---:|---:|---:|---:|---|
`, r.settings.flood)
	for _, f := range r.floods {
		goals := "reached"
		if !f.stele.meetsGoals() {
			goals = "**not reached**"
		}
		nginx := []string{"", ""}
		if f.nginx.asked > 0 {
			nginx = []string{ms(f.nginx.rest) + " → " + ms(f.nginx.p99), mb(f.nginx.atRest) + " → " + mb(f.nginx.most)}
			if f.nginx.bad > 0 {
				nginx[0] += fmt.Sprintf(", %d failed", f.nginx.bad)
			}
		}
		fmt.Fprintf(b, "| %s | %s %s | %s → %s | %s → %s | %d of %d | %s | %s | %s |\n", f.attack, thousands(f.stele.tried), f.sent,
			ms(f.stele.rest), ms(f.stele.p99), mb(f.stele.atRest), mb(f.stele.most), f.stele.bad, f.stele.asked,
			nginx[0], nginx[1], goals)
	}
	b.WriteString("\n")
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
