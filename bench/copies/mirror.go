//go:build unix

package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"stele/bench/trial"
)

// published are two releases, the second with the edits.
type published struct {
	program     string
	dir         string
	first, last string // folders of records
	old, new    string // zips; of the first, a copy of its records
}

// What of a release is built: all but downloads, of which a copy of the records knows nothing, or
// the records alone.
var (
	withPages   = []string{"--downloads", "none"}
	recordsOnly = []string{"--without=derived"}
)

// publish publishes signals, and again after they were edited.
func publish(program, dir string, signals int, parts []string) (*published, error) {
	p := &published{
		program: program, dir: dir,
		first: filepath.Join(dir, "first"), last: filepath.Join(dir, "last"),
		old: filepath.Join(dir, "old.zip"), new: filepath.Join(dir, "new.zip"),
	}
	for _, r := range []struct {
		folder, zip string
		signal      func(int) string
		flags       []string
	}{
		{p.first, p.old, signal, []string{"--first", "--date", "2026-11-14"}},
		{p.last, p.new, editedSignal, []string{"--previous", p.old, "--date", "2026-11-15"}},
	} {
		if err := writeFolder(r.folder, signals, r.signal); err != nil {
			return nil, err
		}
		if _, err := p.build(r.folder, r.zip, append(r.flags, parts...)...); err != nil {
			return nil, err
		}
		if r.zip == p.old {
			if err := p.keepRecords(r.zip); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// keepRecords puts a copy of its records in the place of a release. The next one can be built on
// that, and two with pages would take much of a disk.
func (p *published) keepRecords(zip string) error {
	wire, err := newWire()
	if err != nil {
		return err
	}
	defer wire.close()
	records := filepath.Join(p.dir, "records.zip")
	if _, err := p.copyTo(wire, zip, records); err != nil {
		return err
	}
	return os.Rename(records, zip)
}

func (p *published) build(folder, target string, flags ...string) (trial.Usage, error) {
	syscall.Sync() // so that no run pays for the one before
	args := append([]string{"build", folder, "--output", target, "--quiet"}, flags...)
	return trial.Run(exec.Command(p.program, args...))
}

// costOfDeltas is the CPU time of a build with deltas, as a share of one without.
func (p *published) costOfDeltas(rounds int) (row requirement, err error) {
	var with, without []time.Duration
	for range rounds { // in turn, because machines are noisy
		for _, b := range []struct {
			took  *[]time.Duration
			flags []string
		}{{&with, nil}, {&without, []string{"--without=deltas"}}} {
			target := filepath.Join(p.dir, "again.zip")
			flags := slices.Concat(recordsOnly, b.flags, []string{"--previous", p.old, "--date", "2026-11-15"})
			u, err := p.build(p.last, target, flags...)
			if err != nil {
				return row, err
			}
			if err := os.Remove(target); err != nil {
				return row, err
			}
			*b.took = append(*b.took, u.CPU)
			log.Printf("build %v: CPU %.2f s", b.flags, u.CPU.Seconds())
		}
	}
	ratio := trial.Median(with).Seconds() / trial.Median(without).Seconds()
	return requirement{
		"building with deltas: CPU time, of building without", fmt.Sprintf("≤ %.2f-fold", mostDeltas),
		fmt.Sprintf("%.3f-fold", ratio), ratio <= mostDeltas,
	}, nil
}

// mirror makes a copy of the first release and brings it up to date, and makes a new copy to
// compare with. Folders stay until the end, because on ext4 files are made slowly where many were
// deleted.
func (p *published) mirror(dir, target string, rounds int) (*updated, error) {
	wire, err := newWire()
	if err != nil {
		return nil, err
	}
	defer wire.close()
	u := &updated{}
	var cpu []time.Duration
	for round := range rounds {
		copied := filepath.Join(dir, strconv.Itoa(round), target)
		if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
			return nil, err
		}
		if _, err := p.copyTo(wire, p.old, copied); err != nil {
			return nil, err
		}
		before := wire.received.Load()
		took, err := p.copyTo(wire, p.new, copied)
		if err != nil {
			return nil, err
		}
		u.bytes, u.peak = wire.received.Load()-before, max(u.peak, took.Peak)
		cpu = append(cpu, took.CPU)
		log.Printf("update of %s: %d bytes, CPU %.2f s, %d MiB", target, u.bytes, took.CPU.Seconds(), took.Peak>>20)
	}
	u.cpu = trial.Median(cpu)
	before := wire.received.Load()
	if _, err := p.copyTo(wire, p.new, filepath.Join(dir, "whole.zip")); err != nil {
		return nil, err
	}
	u.whole = wire.received.Load() - before
	return u, os.Remove(filepath.Join(dir, "whole.zip"))
}

// linksAlone is the CPU time that the system takes for what an update of a folder cannot do
// without: it links as many files into another folder and removes the first.
func linksAlone(dir string, files int) (time.Duration, error) {
	old, now := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	if err := errors.Join(os.MkdirAll(old, 0o755), os.MkdirAll(now, 0o755)); err != nil {
		return 0, err
	}
	name := func(i int) string { return fmt.Sprintf("sig-bench-%07d.json", i) }
	for i := range files {
		if err := os.WriteFile(filepath.Join(old, name(i)), []byte(signal(0)), 0o644); err != nil {
			return 0, err
		}
	}
	syscall.Sync()
	before, err := cpuTime()
	if err != nil {
		return 0, err
	}
	for i := range files {
		if err := os.Link(filepath.Join(old, name(i)), filepath.Join(now, name(i))); err != nil {
			return 0, err
		}
	}
	if err := os.RemoveAll(old); err != nil {
		return 0, err
	}
	after, err := cpuTime()
	return after - before, err
}

// cpuTime is what this process took so far.
func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// copyTo makes or updates a copy of a release, which is served meanwhile.
func (p *published) copyTo(wire *wire, release, target string) (u trial.Usage, err error) {
	stop, err := wire.serve(exec.Command(p.program, "serve", release, "--listen", "unix:"+wire.socket, "--quiet"))
	if err != nil {
		return u, err
	}
	defer stop()
	syscall.Sync() // so that no run pays for the one before
	return trial.Run(exec.Command(p.program, "mirror", wire.address(), target, "--quiet"))
}

// growth is how much memory it takes at most to mirror that many records, and to update the copy.
func growth(program, dir string, records int) (most int64, err error) {
	p, err := publish(program, dir, records, recordsOnly)
	if err != nil {
		return 0, err
	}
	for _, done := range []string{p.first, p.last} { // it takes the room
		if err := os.RemoveAll(done); err != nil {
			return 0, err
		}
	}
	wire, err := newWire()
	if err != nil {
		return 0, err
	}
	defer wire.close()
	for _, release := range []string{p.old, p.new} {
		u, err := p.copyTo(wire, release, filepath.Join(dir, "copy.zip"))
		if err != nil {
			return 0, fmt.Errorf("%d records: %w", records, err)
		}
		log.Printf("%d records, %s: %.1f s, CPU %.1f s, %d MiB", records, filepath.Base(release), u.Wall.Seconds(), u.CPU.Seconds(), u.Peak>>20)
		most = max(most, u.Peak)
		if err := os.Remove(release); err != nil {
			return 0, err
		}
	}
	return most, nil
}
