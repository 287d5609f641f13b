// Package target builds releases at their destination, where they replace the previous release. It
// also builds temporary releases.
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

// Target is the destination of a release, and the release that it follows.
type Target struct {
	Path     string // the release to follow; "" for the one at Path
	Previous string
	First    bool // whether to follow no release
	Fork     bool // whether to replace the release at Path even if Previous does not follow it
}

// Replaced is a release that is replaced by one that does not follow it.
type Replaced struct {
	*release.Manifest
	Dropped compiler.Dropped
	Signed  bool
}

// Open opens the release that the new one follows, and sets it in opt. It opens Previous with open.
// If the release at t.Path is replaced without being followed, Open returns it as gaveUp.
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
		if gaveUp, err = t.checkReplaced(there, opt); err != nil {
			return nil, nil, errors.Join(err, closeRelease())
		}
	}
	return gaveUp, closeRelease, nil
}

// checkReplaced returns an error unless the release current at the target comes before the release
// to follow, or the options allow to drop current. If they do, it returns current as replaced.
func (t *Target) checkReplaced(current *release.Release, opt *compiler.Options) (*Replaced, error) {
	m := current.Manifest
	if opt.Previous != nil {
		follows, _, err := opt.Previous.Follows(m.Release)
		if err != nil || follows {
			return nil, err
		}
	}
	if !t.Fork && !t.First {
		return nil, fmt.Errorf(`%s contains release %s of %s, and --previous names release %s of %s. A release that follows the latter would drop the changes of the former.
  To follow the release at %[1]s, leave out --previous.
  To follow --previous and keep both, write to another path with -o.
  To drop release %[2]s, add --fork`,
			t.Path, m.Release, m.Date, opt.Previous.Manifest.Release, opt.Previous.Manifest.Date)
	}
	lost, err := compiler.FindDropped(current, opt.Previous)
	if err == nil && t.Fork { // the first release of a history does not depend on the old target
		opt.GaveUp = lost.Releases
	}
	return &Replaced{m, lost, signing.IsSigned(current.Files)}, err
}

// IsInside reports whether the target is folder itself or inside it, after resolving symbolic
// links.
func (t *Target) IsInside(folder string) bool {
	inside, err1 := filepath.EvalSymlinks(folder)
	inside, err2 := filepath.Abs(inside)
	name, err3 := filepath.Abs(t.Path)
	if errors.Join(err1, err2, err3) != nil {
		return false
	}
	for ; ; name = filepath.Dir(name) { // the target may not exist yet
		if path, err := filepath.EvalSymlinks(name); err == nil {
			below, err := filepath.Rel(inside, path)
			return err == nil && filepath.IsLocal(below)
		}
		if filepath.Dir(name) == name {
			return false
		}
	}
}

// Write builds a release with build and commits it at path. If build fails or stops, it changes
// nothing.
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

// BuildTemporary builds a release as a zip in a new folder inside parent, or in the system's folder
// for temporary files if parent is "". The caller must call remove, even after an error.
func BuildTemporary(ctx context.Context, parent string, files fs.FS, opt compiler.Options) (
	path string, outcome *compiler.Outcome, remove func() error, err error,
) {
	dir, err := os.MkdirTemp(parent, ".stele-aside-")
	if err != nil {
		return "", nil, func() error { return nil }, err
	}
	path = filepath.Join(dir, "release.zip")
	outcome, err = Write(path, false, func(w store.Writer) (*compiler.Outcome, error) {
		return compiler.Build(ctx, files, w, opt)
	})
	return path, outcome, func() error { return os.RemoveAll(dir) }, err
}

// Reproduce builds a release again and reports whether its manifest is the same as that of
// published. If it is and keep is not "", the zip is saved as keep.
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
	built, outcome, remove, err := BuildTemporary(ctx, beside, files, opt)
	defer func() { err = errors.Join(err, remove()) }()
	if err != nil {
		return nil, false, err
	}
	if outcome.Manifest == nil {
		return nil, false, fmt.Errorf("the records have %d errors: run stele check to list them", outcome.Check.Errors)
	}
	data, err := outcome.Manifest.Encode()
	if same = bytes.Equal(manifest, data); err == nil && same && keep != "" {
		err = durable.Replace(built, keep)
	}
	return outcome.Manifest, same, err
}
