package serve

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"stele/release"
)

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
	if b, ok := g.Place.(interface{ GaveUp(release string) bool }); ok {
		meant = meant || b.GaveUp(g.serving.Release)
	}
	if err != nil || follows || meant || slices.Contains(gaveUp, g.serving.Release) {
		return err
	}
	return fmt.Errorf("release %s of %s was not built on release %s of %s, which is served, and does not say why. "+
		"Build it again on that one; to serve it all the same, start the server again, or with --fork",
		r.Manifest.Release, r.Manifest.Date, g.serving.Release, g.serving.Date)
}

// Served tells the place that what it opened last is served.
func (g *Guard) Served() {
	g.serving = g.opened
	if k, ok := g.Place.(Keeper); ok {
		k.Served()
	}
}

// Refused tells the place that what it opened last is not served.
func (g *Guard) Refused(err error) {
	if k, ok := g.Place.(Keeper); ok {
		k.Refused(err)
	}
}
