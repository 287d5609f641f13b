//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"stele/bench/corpus"
	"stele/bench/trial"
)

// hugoFiles are the templates of a Hugo site with a page and a JSON file for each record, and lists
// of all.
var hugoFiles = map[string]string{
	"config.toml": "baseURL = 'https://data.example.org/'\ntitle = 'Benchmark'\ndisableKinds = ['taxonomy', 'term']\n" +
		"[outputs]\npage = ['HTML', 'JSON']\nsection = ['HTML', 'JSON', 'RSS']\nhome = ['HTML']\n",
	"layouts/_default/baseof.html": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title></head>` +
		`<body><header><a href="/">Benchmark</a></header><main>{{block "main" .}}{{end}}</main></body></html>`,
	"layouts/_default/single.html": `{{define "main"}}<h1>{{.Title}}</h1><p>{{.Params.summary}}</p><p>{{.Params.observation}}</p>` +
		`<section><h2>What is claimed</h2><p>{{.Params.claim_boundary.statement}}</p></section>` +
		`<ul>{{range .Params.source_links}}<li><a href="{{.url}}">{{.role}}</a></li>{{end}}</ul>` +
		`<table>{{range $name, $value := .Params}}<tr><th>{{$name}}</th><td>{{$value}}</td></tr>{{end}}</table>{{end}}`,
	"layouts/_default/single.json": `{{.Params | jsonify}}`,
	"layouts/_default/list.html": `{{define "main"}}<h1>{{.Title}}</h1><ul>{{range .RegularPages}}` +
		`<li><a href="{{.RelPermalink}}">{{.Title}}</a></li>{{end}}</ul>{{end}}`,
	"layouts/_default/list.json": `[{{range $i, $p := .RegularPages}}{{if $i}},{{end}}{{$p.Params | jsonify}}{{end}}]`,
	"layouts/index.html":         `{{define "main"}}<a href="signals/">Signals</a>{{end}}`,
}

// writeHugo makes a Hugo site of the signals that corpus.Write writes.
func writeHugo(dir string, signals int) error {
	put := func(name, text string) error {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(text), 0o644)
	}
	for name, text := range hugoFiles {
		if err := put(name, text); err != nil {
			return err
		}
	}
	for i := range signals {
		var signal map[string]any
		if err := json.Unmarshal([]byte(corpus.Signal(i)), &signal); err != nil {
			return err
		}
		delete(signal, "kind") // Hugo has another meaning for it
		text, err := json.MarshalIndent(signal, "", " ")
		if err != nil {
			return err
		}
		if err := put(fmt.Sprintf("content/signals/%d.md", i), string(text)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// besideHugo builds the same signals with Hugo and with Stele, in turn, and prints a table.
func besideHugo(dir, program string, signals, rounds int) error {
	said, err := exec.Command("hugo", "version").Output()
	if err != nil {
		return fmt.Errorf("missing hugo (Debian package hugo): %w", err)
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(string(said), "hugo v"), "+")
	records, site := filepath.Join(dir, "beside"), filepath.Join(dir, "hugo")
	if err := corpus.Write(records, signals); err != nil {
		return err
	}
	if err := writeHugo(site, signals); err != nil {
		return err
	}
	build := func(flags ...string) []string {
		return append([]string{program, "build", records, "-q", "--date", "2026-11-15", "--first", "-o", filepath.Join(dir, "out")}, flags...)
	}
	names := []string{
		"Hugo " + version + ": a page and a JSON file for each signal",
		"Stele without what Hugo does not make: `--without=variants --downloads none`",
		"Stele",
	}
	args := [][]string{
		{"hugo", "--quiet", "-s", site, "-d", filepath.Join(dir, "out")}, build("--without=variants", "--downloads", "none"), build(),
	}
	list := make([]contender, len(args))
	for round := range rounds {
		for i := range args {
			i := (i + round) % len(args) // each is the first in some round
			if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
				return err
			}
			list[i].program = args[i][0]
			if err := list[i].measure(args[i][1:]); err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
		}
	}
	fmt.Printf("\n| building %d signals | CPU time | of Hugo's | peak memory | of Hugo's |\n|---|---:|---:|---:|---:|\n", signals)
	hugo := list[0]
	for i, c := range list {
		fmt.Printf("| %s | %.2f s | %.2f | %d MB | %.2f |\n", names[i], trial.Median(c.cpu),
			trial.Median(c.cpu)/trial.Median(hugo.cpu), c.peak/1e6, float64(c.peak)/float64(hugo.peak))
	}
	return nil
}
