package preview

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/testkit/must"

	"github.com/fsnotify/fsnotify"
)

// told lets a watcher run on changes that a test makes up, in a bubble in which time passes only
// while all wait. It answers with the times at which the folder was read, and with the error that
// ended it.
func told(
	t *testing.T,
	dir string,
	tell func(events chan<- fsnotify.Event, errs chan<- error),
) (read []time.Duration, err error) {
	t.Helper()
	w, err := newWatcher(dir, func() []string { return []string{"stele.yaml", "records", "look/brand.css"} })
	must.Do(t, err)
	synctest.Test(t, func(t *testing.T) {
		events, errs := make(chan fsnotify.Event), make(chan error)
		w.Events, w.Errors = events, errs
		ctx, end := context.WithCancel(t.Context())
		started, ended := time.Now(), make(chan error, 1)
		go func() { ended <- w.run(ctx, func() { read = append(read, time.Since(started)) }) }()
		tell(events, errs)
		time.Sleep(time.Hour)
		end()
		err = <-ended
	})
	if w.WatchList() != nil {
		t.Error("the folder is still watched")
	}
	return read, err
}

// TestSettle: what an editor does in several steps is taken together, and read once it has been
// quiet for a while.
func TestSettle(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "records", "signals", "a.yaml")
	read, err := told(t, dir, func(events chan<- fsnotify.Event, errs chan<- error) {
		for _, op := range []fsnotify.Op{fsnotify.Create, fsnotify.Write, fsnotify.Rename, fsnotify.Remove} {
			events <- fsnotify.Event{Name: path, Op: op}
			time.Sleep(quietTime - time.Millisecond)
		}
		time.Sleep(time.Second)
		errs <- fsnotify.ErrEventOverflow // something changed, but nobody can say what
	})
	last := 3 * (quietTime - time.Millisecond)
	if want := []time.Duration{last + quietTime, last + 2*quietTime + 999*time.Millisecond}; err != nil ||
		!slices.Equal(read, want) {
		t.Errorf("read after %v, want %v; %v", read, want, err)
	}
}

// TestWhatCounts: only what can change the release leads to another one.
func TestWhatCounts(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		path   string
		op     fsnotify.Op
		counts bool
	}{
		{"stele.yaml", fsnotify.Write, true},
		{"records", fsnotify.Remove, true},
		{"records/signals/deep/a.yaml", fsnotify.Write, true},
		{"records/signals/a.yaml", fsnotify.Chmod | fsnotify.Write, true},
		{"records/signals/a.yaml", fsnotify.Chmod, false},
		{"records/signals/.a.yaml.swp", fsnotify.Write, false},
		{"records/signals/a.yaml~", fsnotify.Create, false},
		{"records/signals/4913", fsnotify.Create, false},
		{"releases/manifest.json", fsnotify.Write, false},
		{"records.zip", fsnotify.Write, false},
		{"look/brand.css", fsnotify.Write, true},
		{"look/other.css", fsnotify.Write, false},
		{"../records/a.yaml", fsnotify.Write, false},
	} {
		read, err := told(t, dir, func(events chan<- fsnotify.Event, _ chan<- error) {
			events <- fsnotify.Event{Name: filepath.Join(dir, filepath.FromSlash(c.path)), Op: c.op}
		})
		if err != nil || (len(read) == 1) != c.counts {
			t.Errorf("%s of %s: read %d times; %v", c.op, c.path, len(read), err)
		}
	}
}

// TestWatchFails: a watcher that notices nothing any more says so and ends.
func TestWatchFails(t *testing.T) {
	broken := errors.New("the watch is broken")
	read, err := told(t, t.TempDir(), func(_ chan<- fsnotify.Event, errs chan<- error) { errs <- broken })
	if len(read) > 0 || !errors.Is(err, broken) {
		t.Errorf("read after %v; %v", read, err)
	}
}
