package push

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"path/filepath"
	"strings"
	"time"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/store"
	"stele/release"
)

// Service is where the releases of a folder of records are published: a folder, a bucket, or both.
// It makes sure that they are of one line: what is live is found first, what this machine published
// last is remembered, and the bucket, which can refuse, comes before the folder.
type Service struct {
	Folder  string         // "" for none
	Bucket  *bucket.Bucket // nil for none
	To      bucket.Destination
	Site    bool   // whether files are brought to public addresses in the bucket
	Address string // where readers get it; "" for none
	Records string // the folder of records
	State   string // the folder in which this machine remembers; "" for none
	Purge   bool   // whether caches are told what changed
	// Read opens the release at an address, past caches.
	Read func(ctx context.Context, address string) (*release.Release, func() error, error)

	// GaveUp says that the release which this machine published last was given up on purpose.
	GaveUp bool
	// Found says that the bucket was made anew or restored from an old copy; "" if it was not.
	Found string

	serial int64 // the least that the pointer gets
	places []*place
}

type place struct {
	name  string
	r     *release.Release // nil if none does
	dir   string           // the folder that it lies in, or ""
	close func() error
	half  bool // whether not all of its files are at their public addresses
}

// Names are those of the places, for messages.
func (s *Service) Names() string {
	if s.Address == "" {
		return s.At(false)
	}
	return s.At(false) + " and " + fetch.Public(s.Address)
}

// Close lets go of what was found.
func (s *Service) Close() {
	for _, p := range s.places {
		if p.r != nil {
			p.close() // it was only read
		}
	}
	s.places = nil
}

// Live finds the newest release of all places, and the folder that it lies in; nil if there is
// none. All must be of one line, and of that which this machine published last. With first, nobody
// need answer at the address yet.
func (s *Service) Live(ctx context.Context, first bool) (r *release.Release, dir string, err error) {
	if err := s.look(ctx, first); err != nil {
		return nil, "", err
	}
	var newest *place
	for _, p := range s.places {
		if p.r == nil || newest != nil && newest.r.Manifest.Release == p.r.Manifest.Release {
			continue
		}
		if newest == nil {
			newest = p
			continue
		}
		ahead, _, err := p.r.Follows(newest.r.Manifest.Release)
		if err != nil {
			return nil, "", err
		}
		behind, _, err := newest.r.Follows(p.r.Manifest.Release)
		switch {
		case err != nil:
			return nil, "", err
		case ahead:
			newest = p
		case !behind:
			return nil, "", forked(newest, p)
		}
	}
	if newest == nil {
		return nil, "", s.follows(nil)
	}
	s.passServers()
	isHalf := newest.r.Manifest.Previous == nil && len(s.Behind(newest.r.Manifest.Release)) > 0
	if first && !isHalf { // a first publication that was interrupted goes on
		return nil, "", fmt.Errorf("--first begins a history, and %s has release %s of %s: leave --first out",
			newest.name, newest.r.Manifest.Release, newest.r.Manifest.Date)
	}
	return newest.r, newest.dir, s.follows(newest.r)
}

// compareSerial finds out whether the bucket has an older pointer than this machine wrote, or none.
// Servers follow only a pointer that is newer than all that they saw.
func (s *Service) compareSerial(state bucket.State) error {
	was, _, err := s.recall()
	if err != nil || was.Bucket != s.Bucket.Name() || was.Serial == 0 {
		return err
	}
	switch {
	case state.Pointer == nil:
		s.Found = fmt.Sprintf("%s is empty, and this machine wrote pointer %d there: the bucket was made anew.",
			s.Bucket.Name(), was.Serial)
	case state.Serial < was.Serial:
		s.Found = fmt.Sprintf("%s has pointer %d, and this machine wrote pointer %d: an old copy of the bucket was restored.",
			s.Bucket.Name(), state.Serial, was.Serial)
	default:
		return nil
	}
	s.serial = was.Serial + 1
	s.Found += fmt.Sprintf(" It goes on with pointer %d, which servers follow.", s.serial)
	return nil
}

// passServers makes the next pointer newer than any that servers may have seen, if the address
// shows a release that the bucket does not have and this machine knows no pointer.
func (s *Service) passServers() {
	if s.Bucket == nil || s.Address == "" || s.serial > 0 {
		return
	}
	shown, has := s.places[len(s.places)-1].r, s.places[len(s.places)-2].r
	if shown == nil || has != nil && (s.Folder != "" || has.Manifest.Release == shown.Manifest.Release) {
		return
	}
	if has != nil {
		if follows, _, err := has.Follows(shown.Manifest.Release); err != nil || follows {
			return
		}
	}
	s.serial = time.Now().Unix() // more than anybody counted to
	s.Found = fmt.Sprintf("%s does not have release %s, which %s shows: the bucket was made anew, or an old copy of it was restored. It goes on with pointer %d, which servers follow.",
		s.Bucket.Name(), shown.Manifest.Release, fetch.Public(s.Address), s.serial)
}

func forked(a, b *place) error {
	x, y := a.r.Manifest, b.r.Manifest
	return fmt.Errorf(`%s has release %s of %s, and %s has release %s of %s: neither was built on the other, so publishing would lose what one of them brought.
  To go on with %[2]s, bring it to %[4]s yourself: stele push with --fork, or stele build -o with --previous and --fork.
  To go on with %[5]s, bring it to %[1]s likewise`, a.name, x.Release, x.Date, b.name, y.Release, y.Date)
}

func (s *Service) look(ctx context.Context, first bool) error {
	add := func(name, dir string, r *release.Release, closeRelease func() error, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			r, err = nil, nil
		}
		if err != nil {
			return fmt.Errorf("what is live cannot be read: %w", err)
		}
		s.places = append(s.places, &place{name: fetch.Public(name), r: r, dir: dir, close: closeRelease})
		return nil
	}
	if s.Folder != "" {
		r, closeRelease, err := store.OpenTarget(s.Folder)
		if err := add(s.Folder, s.Folder, r, closeRelease, err); err != nil {
			return err
		}
	}
	if s.Bucket != nil {
		state, err := s.Bucket.Pointer(ctx)
		if err != nil {
			return fmt.Errorf("what is live cannot be read: %w", err)
		}
		limits := fetch.Limits{Bytes: math.MaxInt64, Time: math.MaxInt64}
		r, closeRelease, err := s.Bucket.Transport(limits.Bytes).OpenRelease(ctx, limits)
		if err := add(s.Bucket.Name(), "", r, closeRelease, err); err != nil {
			return err
		}
		if err := s.compareSerial(state); err != nil {
			return err
		}
		if state.Pointer != nil {
			isHalf := state.Site == nil && s.Site || state.Site != nil && state.Site.Writing != ""
			s.places[len(s.places)-1].half = isHalf || s.serial > 0
		}
	}
	if s.Address == "" {
		return nil
	}
	r, closeRelease, err := s.Read(ctx, s.Address)
	nobody, is := errors.AsType[*net.OpError](err)
	if first && is && nobody.Op == "dial" { // the server waits for the first release
		err = fs.ErrNotExist
	}
	return add(s.Address, "", r, closeRelease, err)
}

// Behind names the places that do not have a release yet, or not all of it.
func (s *Service) Behind(id string) (names []string) {
	for _, p := range s.places {
		if p.r == nil || p.r.Manifest.Release != id || p.half {
			names = append(names, p.name)
		}
	}
	return names
}

// Place brings a release that was written to the bucket, and then to its folder: a bucket may
// refuse it, because somebody else published meanwhile. With folderOnly it goes to the folder
// alone. The release was verified. What remains to be cleaned up is late.
func (s *Service) Place(
	ctx context.Context, w store.Writer, now, previous *release.Release, folderOnly bool, opt Options,
) (late error, err error) {
	defer func() {
		if err != nil || s.Folder == "" {
			err = errors.Join(err, w.Abort())
		}
	}()
	serial := int64(0)
	if s.Bucket != nil && !folderOnly {
		opt.Serial = s.serial
		opt.Site, opt.Verified, opt.Purge = s.Site, true, s.Purge
		result, err := Push(ctx, s.Bucket, w.(interface{ Dir() string }).Dir(), opt)
		if err != nil {
			return nil, err
		}
		late, serial = result.Late, result.Serial
	} else if s.Purge {
		if err := s.note(ctx, now, previous); err != nil {
			return nil, err
		}
	}
	if s.Folder != "" {
		s.Close() // where files are open, some systems put no other ones in their place
		if err := w.Commit(); err != nil {
			return late, err
		}
	}
	if err := s.remember(now.Manifest, !folderOnly, serial); err != nil {
		m := now.Manifest
		return late, fmt.Errorf("release %s of %s is published in %s, and this machine could not remember it. Make room and run this again: %w",
			m.Release, m.Date, s.At(folderOnly), err)
	}
	return late, nil
}

// note notes what changes in a folder, before it does.
func (s *Service) note(ctx context.Context, now, previous *release.Release) error {
	b, closeNotes, err := s.notes(ctx)
	if err != nil {
		return err
	}
	defer closeNotes() // what was written to it was asked for
	if previous == nil {
		return note(ctx, b, now)
	}
	return note(ctx, b, now, previous)
}

// notes is where the addresses are that caches are not told of yet: the bucket, or a folder of this
// machine.
func (s *Service) notes(ctx context.Context) (*bucket.Bucket, func() error, error) {
	if s.Bucket != nil {
		return s.Bucket, func() error { return nil }, nil
	}
	dir, err := s.StateOf("purge", s.Folder)
	if err != nil {
		return nil, nil, err
	}
	b, err := bucket.Open(ctx, "file:///"+strings.TrimPrefix(filepath.ToSlash(dir), "/"), bucket.Options{})
	if err != nil {
		return nil, nil, err
	}
	return b, b.Close, nil
}

// Tell gives a function the addresses that changed, and those of which caches were not told yet. It
// returns how many there were.
func (s *Service) Tell(ctx context.Context, tell func(addresses []string) error) (int, error) {
	b, closeNotes, err := s.notes(ctx)
	if err != nil {
		return 0, err
	}
	n, err := Purge(ctx, b, tell)
	return n, errors.Join(err, closeNotes())
}

// At is where a release was brought to, in words.
func (s *Service) At(folderOnly bool) string {
	switch {
	case s.Bucket == nil || folderOnly:
		return s.Folder
	case s.Folder == "":
		return s.Bucket.Name()
	}
	return s.Folder + " and " + s.Bucket.Name()
}

// ReadBack reads the address until it shows a release, and says what it waits for.
func (s *Service) ReadBack(ctx context.Context, m *release.Manifest, wait time.Duration, say func(string)) error {
	const pause, polls = time.Second, 15 * time.Second // in which a server looks for the next release
	name, said, begun := fetch.Public(s.Address), "", time.Now()
	for end := begun.Add(wait); ; {
		shows, behind, err := releaseAt(ctx, s.Address)
		switch {
		case err == nil && shows == m.Release:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted: release %s is in %s; stele publish --confirm reads the address again", m.Release, s.At(false))
		case err != nil:
			shows = err.Error()
		default:
			shows = "it shows release " + shows
			if now := time.Now(); behind != "" || now.After(end) || now.Sub(begun) > polls {
				shows += ": " + s.explain(ctx, m, behind)
			}
		}
		if time.Now().After(end) {
			return fmt.Errorf("release %s is in %s, and %s does not show it after %s: %s. stele publish --confirm reads it again",
				m.Release, s.At(false), name, wait, shows)
		}
		if shows != said {
			said = shows
			say(fmt.Sprintf("Waiting for %s: %s", name, shows))
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// explain says why the address shows another release: what the server says, or what the bucket
// shows.
func (s *Service) explain(ctx context.Context, m *release.Manifest, behind string) string {
	if b := layout.ExplainBehind(behind); b != nil {
		return b.Cause + ". " + b.Remedy
	}
	if s.Bucket == nil {
		return fmt.Sprintf("the host does not serve %s yet, or a cache keeps the old release. Bring the folder to the host, or clear the cache", s.Folder)
	}
	state, p, err := s.Bucket.Find(ctx, "")
	switch {
	case err != nil:
		return "the bucket cannot be read: " + err.Error()
	case p.Release != m.Release:
		return fmt.Sprintf("somebody published release %s of %s meanwhile, as pointer %d. Publish again to build on it", p.Release, p.Date, state.Serial)
	case state.Site != nil:
		return fmt.Sprintf("its public files are in the bucket, and a cache before it keeps the old ones for up to %ds. Name a command that clears it as publish.purge", state.Site.MaxAge)
	}
	return "no server there follows the bucket, or a cache keeps the old release. Start one with stele serve " + s.Bucket.Name()
}

// releaseAt returns the ID of the release that an address shows, past caches, and why it may not be
// the latest.
func releaseAt(ctx context.Context, address string) (id, behind string, err error) {
	const patience = 30 * time.Second
	f, err := fetch.Open(ctx, address, fetch.Limits{Time: patience, Fresh: true})
	if err != nil {
		return "", "", err
	}
	defer f.Close() // it was only read
	read, err := f.Manifest(ctx, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", errors.New("it has no release yet")
	}
	if err != nil {
		return "", "", err
	}
	m := new(release.Manifest)
	err = m.Decode(read.Data)
	return m.Release, read.Behind, err
}
