//go:build !race

package compiler_test

import (
	"os"
	"strings"
	"testing"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// unreadable is a release in memory, one scratch file of which can be written and not read.
type previousError struct {
	*memory
	number, asked int
}

func (u *previousError) Scratch() (*os.File, error) {
	u.mu.Lock()
	u.asked++
	is := u.asked == u.number
	u.mu.Unlock()
	f, err := os.CreateTemp("", "stele-test-")
	if err != nil || !is {
		return f, removed(f, err)
	}
	name := f.Name()
	if err := f.Close(); err != nil {
		return nil, err
	}
	f, err = os.OpenFile(name, os.O_WRONLY, 0)
	return f, removed(f, err)
}

func removed(f *os.File, err error) error {
	if err != nil {
		return err
	}
	return os.Remove(f.Name())
}

// TestUnreadableScratch: whichever scratch file cannot be read, a build ends with an error in words
// and without a manifest.
func TestUnreadableScratch(t *testing.T) {
	race.LeaveOut(t, "one goroutine builds at a time")
	before := makeRelease(t, figures(t, 100, 1, "2026-01-10"), compiler.Options{Date: "2026-02-01", NoVariants: true})
	folder := figures(t, 100, 2, "2026-02-02")
	failed := 0
	for number := 1; ; number++ {
		w := &previousError{memory: newMemory(), number: number}
		outcome, err := compiler.Build(t.Context(), folder, w, compiler.Options{
			Date: "2026-02-02", Previous: before.Release, NoVariants: true, Memory: 100_000, Workers: 1,
		})
		if err != nil {
			failed++
			if !strings.Contains(err.Error(), "scratch") && !strings.Contains(err.Error(), "bad file descriptor") {
				t.Errorf("scratch file %d: %v", number, err)
			}
			if w.files["manifest.json"] != nil {
				t.Errorf("scratch file %d: there is a manifest", number)
			}
		}
		if w.asked < number {
			must.Do(t, err)
			if outcome.Manifest == nil {
				t.Fatal("no release")
			}
			break
		}
	}
	if failed < 3 {
		t.Errorf("only %d scratch files were read", failed)
	}
}
