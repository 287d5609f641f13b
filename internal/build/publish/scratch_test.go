//go:build !race

package publish_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/build/publish"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// unreadable is a release in memory, one scratch file of which can be written and not read.
type unreadable struct {
	*memory
	number, asked int
}

func (u *unreadable) Scratch() (*os.File, error) {
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
// and without a manifest. Lists go to scratch files, because there is next to no memory.
func TestUnreadableScratch(t *testing.T) {
	race.Unwatched(t, "one goroutine builds at a time")
	many := func(version int, day string) fstest.MapFS {
		folder := figures(t, 1000, version, day)
		for _, area := range []string{"ITA", "ESP"} {
			text := string(folder["records/healthcare-statistics/many.ndjson"].Data)
			text = strings.NewReplacer(`"FRA"`, `"`+area+`"`, `"sta-`, `"sta-`+area+`-of-the-tests-`).Replace(text)
			folder["records/healthcare-statistics/"+area+".ndjson"] = &fstest.MapFile{Data: []byte(text)}
		}
		return folder
	}
	folder := many(1, "2026-01-10")
	before := makeRelease(t, folder, publish.Options{Date: "2026-02-01", NoVariants: true})
	folder = many(2, "2026-02-02")
	failed, memory := 0, false
	for number := 1; ; number++ {
		w := &unreadable{memory: newMemory(), number: number}
		outcome, err := publish.Build(t.Context(), folder, w, publish.Options{
			Date: "2026-02-02", Previous: before.Release, NoVariants: true, Memory: 100_000, Workers: 1,
		})
		if err != nil {
			failed, memory = failed+1, memory || strings.Contains(err.Error(), "a scratch file cannot be read")
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
	if failed < 3 || !memory {
		t.Errorf("%d scratch files could not be read, that of lists: %v", failed, memory)
	}
}
