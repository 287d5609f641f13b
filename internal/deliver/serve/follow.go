package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"stele/internal/deliver/library"
	"stele/release"
)

// Place is where a server looks for releases: a folder, a zip or a bucket. Its methods are not safe
// for concurrent use.
type Place interface {
	// Changed reports whether the place has another release than the one that was last opened,
	// valid or not. The error is fs.ErrNotExist if it has none.
	Changed() (bool, error)
	// Open opens the current release. modified is when it was written; closer closes it.
	Open() (r *release.Release, modified time.Time, closer func() error, err error)
	// Served is called when the release that was last opened is served, and Refused with the reason
	// if it is not.
	MarkServed()
	MarkRefused(reason error)
	// GaveUp reports whether, according to the place, the publisher gave up a release on purpose.
	GaveUp(release string) bool
}

// Follower serves the release of a place, and switches to the next one.
type Follower struct {
	name    string // of the place, for logs
	place   Place  // used only while looking
	options Options
	server  *Server

	mu      sync.Mutex
	looking chan struct{} // closed when the current look ends; nil if none is running
}

// Follow opens the release of a place and returns a follower with a server for it.
func Follow(name string, place Place, opt Options) (*Follower, error) {
	f := &Follower{name: name, place: place, options: opt.withDefaults()}
	f.options.Refresh = f.refresh
	opened, err := f.load()
	if err != nil {
		return nil, err
	}
	f.server = New(opened, f.options)
	f.place.MarkServed()
	return f, nil
}

func (f *Follower) Server() *Server { return f.server }

// Run checks for a new release every second, and whenever hangup receives, until ctx ends. A check
// usually takes one file system call. Run does not wait for a disk that hangs.
func (f *Follower) Run(ctx context.Context, hangup <-chan os.Signal) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for again := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case <-hangup:
			again = true
		}
		looking, mine := f.startLook(again)
		if !mine {
			continue // the running look has the same purpose
		}
		again = false
		select {
		case <-looking:
		case <-ctx.Done():
			return
		}
	}
}

// Look checks whether the place has another release, and switches to it. If that release cannot be
// served, Look logs the reason and continues with the old one. If again is true, Look opens the
// release even if it has not changed.
func (f *Follower) Look(again bool) {
	for {
		looking, mine := f.startLook(again)
		if <-looking; mine {
			return
		}
	}
}

// startLook starts to look for a release unless that is already running. mine is true if this call
// started it. looking is closed when it ends, which may be never.
func (f *Follower) startLook(again bool) (looking <-chan struct{}, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.looking != nil {
		return f.looking, false
	}
	ended := make(chan struct{})
	f.looking = ended
	go func() {
		defer func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.looking = nil
			close(ended)
		}()
		f.look(again)
	}()
	return ended, true
}

func (f *Follower) look(again bool) {
	changed, err := f.place.Changed()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) || again { // between two releases the file may be missing for a moment
			f.options.Log.Error("cannot look for a new release; serving the previous one", "path", f.name, "error", err)
		}
		return
	}
	if !again && !changed {
		return
	}
	was := f.server.Library().Release().Release
	opened, err := f.load()
	if err != nil {
		if errors.As(err, new(library.PanicError)) {
			f.server.metrics.panics.Add(1)
		}
		f.options.Log.Error("new release refused; serving the previous one", "path", f.name, "serving", was, "error", err)
		return
	}
	if f.server.stopping.Load() { // the server stopped meanwhile
		if err := opened.Close(); err != nil {
			f.options.Log.Warn("cannot close a release", "release", opened.Release().Release, "error", err)
		}
		return
	}
	if err := f.server.Swap(opened); err != nil {
		f.options.Log.Warn("cannot close the previous release", "release", was, "error", err)
	}
	f.place.MarkServed()
	f.options.Log.Info("serving a new release", "release", opened.Release().Release, "date", opened.Release().Date, "before", was)
}

// load opens the current release. If it is replaced while it is read, load opens its successor.
func (f *Follower) load() (*library.Library, error) {
	for {
		began := time.Now()
		opened, err := f.open()
		if err == nil {
			f.options.Status.setServed(time.Since(began))
			return opened, nil
		}
		f.options.Status.setRefusal(err)
		if changed, lookErr := f.place.Changed(); lookErr != nil || !changed {
			return nil, err
		}
	}
}

func (f *Follower) open() (*library.Library, error) {
	var r *release.Release
	var modified time.Time
	var closer func() error
	err := library.CatchPanic(func() (err error) {
		r, modified, closer, err = f.place.Open()
		return err
	})
	if err != nil {
		return nil, err
	}
	opened, err := library.Open(r, modified, f.options.Library(), closer)
	if err != nil {
		f.place.MarkRefused(err)
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return opened, nil
}

// refresh looks for a new release because a file of the old release is missing. It waits at most
// for the idle time, and not at all while the server stops.
func (f *Follower) refresh(l *library.Library) bool {
	if f.server == nil {
		return false
	}
	patience := time.After(f.options.IdleTime)
	for mine := false; !mine && f.server.Library() == l; {
		var looking <-chan struct{}
		looking, mine = f.startLook(false) // an earlier look may have found the old release
		select {
		case <-looking:
		case <-patience:
			return false
		case <-f.server.closing:
			return false
		}
	}
	return f.server.Library() != l
}

// Guard is a place that refuses releases that Verify refuses. It also refuses a release that does
// not follow the served release and gives no reason.
type Guard struct {
	Place
	Fork bool // whether any release may follow any other
	// Verify checks the signature of a release, and returns the releases that its log gave up. It
	// may be nil.
	Verify func(r *release.Release) (gaveUp []string, err error)

	opened  *release.Manifest // the release last opened
	serving *release.Manifest // the release being served, or nil
}

// Open opens the current release and checks it.
func (g *Guard) Open() (r *release.Release, modified time.Time, closer func() error, err error) {
	r, modified, closer, err = g.Place.Open()
	if err != nil {
		return nil, modified, nil, err
	}
	if err := g.check(r); err != nil {
		g.MarkRefused(err)
		return nil, modified, nil, errors.Join(err, closer())
	}
	g.opened = r.Manifest
	return r, modified, closer, nil
}

func (g *Guard) check(r *release.Release) (err error) {
	var gaveUp []string
	if g.Verify != nil {
		if gaveUp, err = g.Verify(r); err != nil {
			return err
		}
	}
	if g.serving == nil || g.Fork {
		return nil
	}
	follows, meant, err := r.Follows(g.serving.Release)
	meant = meant || g.GaveUp(g.serving.Release)
	if err != nil || follows || meant || slices.Contains(gaveUp, g.serving.Release) {
		return err
	}
	return forkError{fmt.Errorf("release %s of %s does not follow release %s of %s, which is being served, and gives no reason. "+
		"Build it again on that release; to serve it anyway, restart the server, or use --fork",
		r.Manifest.Release, r.Manifest.Date, g.serving.Release, g.serving.Date)}
}

// MarkServed records that the release opened last is now being served.
func (g *Guard) MarkServed() {
	g.serving = g.opened
	g.Place.MarkServed()
}
