//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"stele/bench/corpus"
	"stele/bench/trial"
)

// openMillion measures how long `stele serve` takes until it answers from a zip of a million
// records, with all cores, and how much memory it has then. After that it serves random records out
// of them, with its one core.
func (b *bench) openMillion(ctx context.Context) error {
	const records = 1_000_000
	folder, zip := filepath.Join(b.place.dir, "million"), filepath.Join(b.place.dir, "million.zip")
	log.Print("building a release of a million records")
	if err := corpus.Write(folder, records); err != nil {
		return err
	}
	if err := build(b.place.program, folder, zip); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	info, err := os.Stat(zip)
	if err != nil {
		return err
	}
	var opening []time.Duration
	var opened int64
	for range b.rounds {
		took, resident, err := b.openZip(ctx, zip)
		if err != nil {
			return err
		}
		opening, opened = append(opening, took), max(opened, resident)
	}
	m, served, err := b.serveZip(ctx, zip, records)
	if err != nil {
		return err
	}
	took := trial.Median(opening)
	fmt.Println("| release | opened in | memory then | random records/s | p50 | p99 | memory then |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|")
	fmt.Printf(
		"| %d records, zip of %d MB | %.1f s | %d MiB | %.0f | %s | %s | %d MiB |\n\n",
		records,
		info.Size()/1e6,
		took.Seconds(),
		opened>>20,
		m.rate,
		milliseconds(m.p50),
		milliseconds(m.p99),
		served>>20,
	)
	return nil
}

// openZip starts a server and stops it when it answers.
func (b *bench) openZip(ctx context.Context, zip string) (took time.Duration, resident int64, err error) {
	port, err := freePort()
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	p, err := startProcess(ctx, "", at(port), "", b.place.program, "serve", zip, "--quiet", "--listen", at(port))
	if err != nil {
		return 0, 0, err
	}
	took = time.Since(start)
	_, resident, err = p.usage()
	return took, resident, errors.Join(err, p.stop())
}

// serveZip serves random records for as long as a run takes.
func (b *bench) serveZip(ctx context.Context, zip string, records int) (m measure, resident int64, err error) {
	port, err := freePort()
	if err != nil {
		return m, 0, err
	}
	p, err := startProcess(ctx, serverCore, at(port), "", b.place.program, "serve", zip, "--quiet", "--listen", at(port))
	if err != nil {
		return m, 0, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	c := &load{path: oneRecord, random: true, status: 200}
	m, err = c.generate(
		ctx,
		&server{name: "Stele", negotiate: true, processes: []*process{p}},
		b.place.dir,
		"",
		records,
		b.length,
	)
	if err != nil {
		return m, 0, err
	}
	_, resident, err = p.usage()
	return m, resident, err
}
