// Package target makes releases where they are kept: in the place of the one that is there, or in a
// folder that is removed again.
package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/disk/durable"
	"stele/internal/disk/store"
	"stele/internal/trust/signing"
	"stele/release"
)

// Target is where a release goes, and what it is built on.
type Target struct {
	Path     string // a folder, or a zip
	Previous string // the release to build on; "" for the one that is there
	First    bool   // build on none
	Fork     bool   // give up the one that is there, if Previous does not follow it
}

// Replaced is a release that another takes the place of without being built on it.
type Replaced struct {
	*release.Manifest
	Lost   compiler.Lost
	Signed bool
}

// Open opens the release that the new one comes after, and adds it to the options of a build. open
// is how Previous is opened. What is given up is nil as a rule.
func (t *Target) Open(ctx context.Context, opt *compiler.Options,
	open func(context.Context, string) (*release.Release, func() error, error),
) (gaveUp *Replaced, closeRelease func() error, err error) {
	opt.Previous, opt.PreviousDir, opt.GaveUp = nil, "", nil
	there, closeThere, err := store.OpenTarget(t.Path)
	if err != nil {
		return nil, nil, err
	}
	if t.Previous == "" && !t.First {
		if opt.Previous = there; there != nil && !store.IsZip(t.Path) {
			opt.PreviousDir = t.Path
		}
		return nil, closeThere, nil
	}
	defer closeThere() // it was only read
	closeRelease = func() error { return nil }
	if t.Previous != "" {
		if opt.Previous, closeRelease, err = open(ctx, t.Previous); err != nil {
			return nil, nil, err
		}
		if info, err := os.Stat(t.Previous); err == nil && info.IsDir() {
			opt.PreviousDir = t.Previous
		}
	}
	if there != nil {
		if gaveUp, err = t.replace(there, opt); err != nil {
			return nil, nil, errors.Join(err, closeRelease())
		}
	}
	return gaveUp, closeRelease, nil
}

// replace makes sure that the release at the target comes before the one to build on, or is given
// up on purpose.
func (t *Target) replace(there *release.Release, opt *compiler.Options) (*Replaced, error) {
	m := there.Manifest
	if opt.Previous != nil {
		follows, _, err := opt.Previous.Follows(m.Release)
		if err != nil || follows {
			return nil, err
		}
	}
	if !t.Fork && !t.First {
		return nil, fmt.Errorf(`%s holds release %s of %s, and --previous names release %s of %s. A release built on that one would leave out what the other brought.
  To go on with what is at %[1]s, leave --previous out.
  To go on with what --previous names and keep both, write to another place with -o.
  To give up release %[2]s, add --fork`,
			t.Path, m.Release, m.Date, opt.Previous.Manifest.Release, opt.Previous.Manifest.Date)
	}
	lost, err := compiler.GiveUp(there, opt.Previous)
	if err == nil && t.Fork { // what begins a history does not depend on what was there
		opt.GaveUp = lost.Releases
	}
	return &Replaced{m, lost, signing.IsSigned(there.Files)}, err
}

// LiesIn reports whether the target is a folder, or lies in it, also through links.
func (t *Target) LiesIn(folder string) bool {
	inside, err1 := filepath.EvalSymlinks(folder)
	inside, err2 := filepath.Abs(inside)
	name, err3 := filepath.Abs(t.Path)
	if errors.Join(err1, err2, err3) != nil {
		return false
	}
	for ; ; name = filepath.Dir(name) { // what is to be written may not be there yet
		if path, err := filepath.EvalSymlinks(name); err == nil {
			below, err := filepath.Rel(inside, path)
			return err == nil && filepath.IsLocal(below)
		}
		if filepath.Dir(name) == name {
			return false
		}
	}
}

// Write makes a release and puts it in its place, or leaves everything as it was.
func Write(path string, strict bool, build func(store.Writer) (*compiler.Outcome, error)) (*compiler.Outcome, error) {
	w, err := store.NewWriter(path)
	if err != nil {
		return nil, err
	}
	outcome, err := build(w)
	if err != nil || outcome.Stopped(strict) {
		return outcome, errors.Join(err, w.Abort())
	}
	if err := w.Commit(); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return outcome, nil
}

// Aside makes a release in a zip, in a new folder beside something or, for "", in that of temporary
// files. remove removes it, also where there is an error.
func Aside(ctx context.Context, beside string, files fs.FS, opt compiler.Options) (
	path string, outcome *compiler.Outcome, remove func() error, err error,
) {
	dir, err := os.MkdirTemp(beside, ".stele-aside-")
	if err != nil {
		return "", nil, func() error { return nil }, err
	}
	path = filepath.Join(dir, "release.zip")
	outcome, err = Write(path, false, func(w store.Writer) (*compiler.Outcome, error) {
		return compiler.Build(ctx, files, w, opt)
	})
	return path, outcome, func() error { return os.RemoveAll(dir) }, err
}

// Reproduce makes a release again, and compares its manifest with the one that was published. What
// was made is kept as a zip, if it is the same and keep names one.
func Reproduce(ctx context.Context, published *release.Release, files fs.FS, opt compiler.Options, keep string) (
	again *release.Manifest, same bool, err error,
) {
	manifest, err := published.Within(ctx).ReadFile(layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		return nil, false, err
	}
	beside := ""
	if keep != "" {
		beside = filepath.Dir(keep)
	}
	built, outcome, remove, err := Aside(ctx, beside, files, opt)
	defer func() { err = errors.Join(err, remove()) }()
	if err != nil {
		return nil, false, err
	}
	if outcome.Manifest == nil {
		return nil, false, fmt.Errorf("the records have %d errors, so they give no release: stele check lists them", outcome.Check.Errors)
	}
	data, err := outcome.Manifest.Encode()
	if same = bytes.Equal(manifest, data); err == nil && same && keep != "" {
		err = durable.Replace(built, keep)
	}
	return outcome.Manifest, same, err
}
