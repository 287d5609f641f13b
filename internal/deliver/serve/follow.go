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

// Place is where a release lies, and where the next one will. Whoever follows it asks one question
// at a time.
type Place interface {
	// Changed reports whether something else lies there than what was opened last, good or bad. An
	// error that is fs.ErrNotExist says that nothing does.
	Changed() (bool, error)
	// Open opens what lies there now. modified is when it came to lie there; closer lets it go.
	Open() (r *release.Release, modified time.Time, closer func() error, err error)
	// Served and Refused say whether what was opened last is served, and if not, why.
	Served()
	Refused(reason error)
	// GaveUp reports whether the publisher gave a release up on purpose, as far as the place knows.
	GaveUp(release string) bool
}

// Follower serves the release at a place, and the next one when that lies there.
type Follower struct {
	name    string // of the place, for logs
	place   Place  // whoever looks has it
	options Options
	server  *Server

	mu      sync.Mutex
	looking chan struct{} // closed when the look that is under way ends; nil if none is
}

// Follow opens the release at a place and makes a server of it.
func Follow(name string, place Place, opt Options) (*Follower, error) {
	f := &Follower{name: name, place: place, options: opt.withDefaults()}
	f.options.Refresh = f.refresh
	opened, err := f.load()
	if err != nil {
		return nil, err
	}
	f.server = New(opened, f.options)
	f.place.Served()
	return f, nil
}

// Server returns what serves the release.
func (f *Follower) Server() *Server { return f.server }

// Run looks for a new release every second, and when hangup says so, until the context ends. A look
// is one question to the file system. One that waits for a disk that hangs is not waited for.
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
		looking, mine := f.begin(again)
		if !mine {
			continue // the next one will do what this was to
		}
		again = false
		select {
		case <-looking:
		case <-ctx.Done():
			return
		}
	}
}

// Look serves the release at the place, if it is not the one that was there. A release that cannot
// be served is refused, with the reason in the log, and the old one stays. again says to open it in
// any case.
func (f *Follower) Look(again bool) {
	for {
		looking, mine := f.begin(again)
		if <-looking; mine {
			return
		}
	}
}

// begin begins to look, unless somebody does already. looking is closed when the look ends, which
// may be never.
func (f *Follower) begin(again bool) (looking <-chan struct{}, mine bool) {
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
		if !errors.Is(err, fs.ErrNotExist) || again { // between two releases there may be none for a moment
			f.options.Log.Error("the release cannot be looked at; the one before stays", "path", f.name, "error", err)
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
		f.options.Log.Error("a new release was refused; the one before stays", "path", f.name, "serving", was, "error", err)
		return
	}
	if f.server.stopping.Load() { // it came too late
		if err := opened.Close(); err != nil {
			f.options.Log.Warn("a release was not closed cleanly", "release", opened.Release().Release, "error", err)
		}
		return
	}
	if err := f.server.Swap(opened); err != nil {
		f.options.Log.Warn("the release before was not closed cleanly", "release", was, "error", err)
	}
	f.place.Served()
	f.options.Log.Info("serving a new release", "release", opened.Release().Release, "date", opened.Release().Date, "before", was)
}

// load opens the release that lies there now. One that is replaced while it is read, and so cannot
// be read to the end, is not refused: the next one is opened.
func (f *Follower) load() (*library.Library, error) {
	for {
		began := time.Now()
		opened, err := f.open()
		if err == nil {
			f.options.Status.serves(time.Since(began))
			return opened, nil
		}
		f.options.Status.refuse(err)
		if changed, lookErr := f.place.Changed(); lookErr != nil || !changed {
			return nil, err
		}
	}
}

func (f *Follower) open() (*library.Library, error) {
	var r *release.Release
	var modified time.Time
	var closer func() error
	err := library.Safely(func() (err error) {
		r, modified, closer, err = f.place.Open()
		return err
	})
	if err != nil {
		return nil, err
	}
	opened, err := library.Open(r, modified, f.options.Library(), closer)
	if err != nil {
		f.place.Refused(err)
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return opened, nil
}

// refresh looks for a new release when a file of the old one is gone. Whoever asked for it waits no
// longer than for a client that does nothing, and not at all while the server stops.
func (f *Follower) refresh(l *library.Library) bool {
	if f.server == nil {
		return false
	}
	patience := time.After(f.options.IdleTime)
	for mine := false; !mine && f.server.Library() == l; {
		var looking <-chan struct{}
		looking, mine = f.begin(false) // one that began before may have found the old release
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

// Guard is a place whose releases are refused if one was not built on the one that is served and
// does not say why, or if Verify refuses it.
type Guard struct {
	Place
	Fork bool // whether any release may follow any other
	// Verify holds a release to its signature, and returns the releases that its log gave up. It
	// may be nil.
	Verify func(r *release.Release) (gaveUp []string, err error)

	opened  *release.Manifest // what was opened last
	serving *release.Manifest // what is served, or nil
}

// Open opens the release that lies there now.
func (g *Guard) Open() (r *release.Release, modified time.Time, closer func() error, err error) {
	r, modified, closer, err = g.Place.Open()
	if err != nil {
		return nil, modified, nil, err
	}
	if err := g.check(r); err != nil {
		g.Refused(err)
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
	return forkError{fmt.Errorf("release %s of %s was not built on release %s of %s, which is served, and does not say why. "+
		"Build it again on that one; to serve it all the same, start the server again, or with --fork",
		r.Manifest.Release, r.Manifest.Date, g.serving.Release, g.serving.Date)}
}

// Served tells the place that what it opened last is served.
func (g *Guard) Served() {
	g.serving = g.opened
	g.Place.Served()
}
