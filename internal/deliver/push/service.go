package push

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/store"
	"stele/release"
)

// Service publishes the releases of a folder of records to a folder, a bucket, or both. It keeps
// them in one history: it finds the live release first, stores which release this machine published
// last, and writes the bucket, which can refuse, before the folder.
type Service struct {
	Folder  string         // "" for none
	Bucket  *bucket.Bucket // nil for none
	To      bucket.Destination
	Site    bool   // whether to write public files in the bucket
	Address string // the URL for readers; "" for none
	Records string // the folder of records
	State   string // the folder for what this machine remembers; "" for none
	Purge   bool   // whether caches are told of changes
	// Read opens the release at a URL, bypassing caches.
	Read func(ctx context.Context, address string) (*release.Release, func() error, error)
	// ReadBucket opens the release in a bucket, and downloads only the files that are read.
	ReadBucket func(context.Context, *bucket.Transport) (*release.Release, func() error, error)

	// GaveUp says that the release that this machine last published was given up on purpose.
	GaveUp bool
	// Found says that the bucket was created again or restored from an old copy; otherwise "".
	Found string

	serial int64 // minimum serial of the pointer
	places []*place
}

type place struct {
	name  string
	r     *release.Release // nil if the place has none
	dir   string           // its folder, or ""
	close func() error
	half  bool // whether some public files are missing
	// releases that the bucket's pointer gives up
	gaveUp []string
}

// Names returns the names of the places, for messages.
func (s *Service) Names() string {
	if s.Address == "" {
		return s.At(false)
	}
	return s.At(false) + " and " + fetch.Public(s.Address)
}

// Close closes the releases that Live opened.
func (s *Service) Close() {
	for _, p := range s.places {
		if p.r != nil {
			p.close() // it was only read
		}
	}
	s.places = nil
}

// OpenLive returns the latest release of all places, and its folder; nil if there is none. Each of
// these releases must follow the others, and so must the release that this machine last published.
// If first is set, the URL may be unreachable.
func (s *Service) OpenLive(ctx context.Context, first bool) (r *release.Release, dir string, err error) {
	if err := s.readPlaces(ctx, first); err != nil {
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
		case slices.Contains(newest.gaveUp, p.r.Manifest.Release):
		case ahead || slices.Contains(p.gaveUp, newest.r.Manifest.Release):
			newest = p
		case !behind:
			return nil, "", forkError(newest, p)
		}
	}
	if newest == nil {
		return nil, "", s.checkFollows(nil)
	}
	s.skipPastServers()
	isHalf := newest.r.Manifest.Previous == nil && len(s.PlacesBehind(newest.r.Manifest.Release)) > 0
	if first && !isHalf { // an interrupted first publication continues
		return nil, "", fmt.Errorf("--first begins a history, but %s has release %s of %s: remove --first",
			newest.name, newest.r.Manifest.Release, newest.r.Manifest.Date)
	}
	return newest.r, newest.dir, s.checkFollows(newest.r)
}

// compareSerial checks whether the bucket's pointer is older than the last one that this machine
// wrote, or missing. Servers follow only a pointer that is newer than all that they have seen.
func (s *Service) compareSerial(state bucket.State) error {
	was, _, err := s.readMemory()
	if err != nil || was.Bucket != s.Bucket.Name() || was.Serial == 0 {
		return err
	}
	switch {
	case state.Pointer == nil:
		s.Found = fmt.Sprintf("%s is empty, but this machine wrote pointer %d there: the bucket was created again.",
			s.Bucket.Name(), was.Serial)
	case state.Serial < was.Serial:
		s.Found = fmt.Sprintf("%s has pointer %d, but this machine wrote pointer %d: an old copy of the bucket was restored.",
			s.Bucket.Name(), state.Serial, was.Serial)
	default:
		return nil
	}
	s.serial = was.Serial + 1
	s.Found += fmt.Sprintf(" Continuing with pointer %d, which servers follow.", s.serial)
	return nil
}

// skipPastServers makes the next pointer newer than any that servers may have seen, if the URL
// shows a release that the bucket does not have and this machine has not stored a serial.
func (s *Service) skipPastServers() {
	if s.Bucket == nil || s.Address == "" || s.serial > 0 {
		return
	}
	shown, has := s.places[len(s.places)-1].r, s.places[len(s.places)-2].r
	if shown == nil || has != nil && (s.Folder != "" || has.Manifest.Release == shown.Manifest.Release) {
		return
	}
	if has != nil {
		follows, _, err := has.Follows(shown.Manifest.Release)
		if err != nil || follows || slices.Contains(s.places[len(s.places)-2].gaveUp, shown.Manifest.Release) {
			return
		}
	}
	s.serial = time.Now().Unix() // higher than any serial
	s.Found = fmt.Sprintf("%s does not have release %s, which %s shows: the bucket was created again, or an old copy of it was restored. Continuing with pointer %d, which servers follow.",
		s.Bucket.Name(), shown.Manifest.Release, fetch.Public(s.Address), s.serial)
}

func forkError(a, b *place) error {
	x, y := a.r.Manifest, b.r.Manifest
	toFirst := fmt.Sprintf("publish it to %s: stele push with --fork, or stele build -o with --previous and --fork", b.name)
	if fetch.IsURL(b.name) {
		toFirst = fmt.Sprintf("let %s show it: stele publish --confirm gives the reason why it does not", b.name)
	}
	return fmt.Errorf(`%s has release %s of %s, and %s has release %s of %s: neither was built on the other, so publishing would lose the changes of one of them.
  To continue with %[2]s, %[7]s.
  To continue with %[5]s, publish it to %[1]s: stele push or stele build with --fork`, a.name, x.Release, x.Date, b.name, y.Release, y.Date, toFirst)
}

func (s *Service) readPlaces(ctx context.Context, first bool) error {
	add := func(name, dir string, r *release.Release, closeRelease func() error, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			r, err = nil, nil
		}
		if err != nil {
			return fmt.Errorf("cannot read the live release: %w", err)
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
			return fmt.Errorf("cannot read the live release: %w", err)
		}
		r, closeRelease, err := s.ReadBucket(ctx, s.Bucket.Transport(math.MaxInt64))
		if err := add(s.Bucket.Name(), "", r, closeRelease, err); err != nil {
			return err
		}
		if err := s.compareSerial(state); err != nil {
			return err
		}
		if state.Pointer != nil {
			s.places[len(s.places)-1].gaveUp = state.GaveUp
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

// PlacesBehind returns the names of the places that lack the release id or parts of it.
func (s *Service) PlacesBehind(id string) (names []string) {
	for _, p := range s.places {
		if p.r == nil || p.r.Manifest.Release != id || p.half {
			names = append(names, p.name)
		}
	}
	return names
}

// Place publishes a verified release to the bucket, and then to its folder, because a bucket may
// refuse it if another machine published meanwhile. With folderOnly it publishes to the folder
// alone. late is the error of deleting old objects.
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
		if err := s.noteFolderURLs(ctx, now, previous); err != nil {
			return nil, err
		}
	}
	if s.Folder != "" {
		s.Close() // some systems cannot replace open files
		if err := w.Commit(); err != nil {
			return late, err
		}
	}
	if err := s.remember(now.Manifest, !folderOnly, serial); err != nil {
		m := now.Manifest
		return late, fmt.Errorf("release %s of %s is published in %s, but this machine cannot store that. Free disk space and run this again: %w",
			m.Release, m.Date, s.At(folderOnly), err)
	}
	return late, nil
}

// noteFolderURLs stores the URLs that change in a folder, before they change.
func (s *Service) noteFolderURLs(ctx context.Context, now, previous *release.Release) error {
	b, closeNotes, err := s.openNotes(ctx)
	if err != nil {
		return err
	}
	defer closeNotes() // writes were already checked
	if previous == nil {
		return storeURLs(ctx, b, now)
	}
	return storeURLs(ctx, b, now, previous)
}

// openNotes opens the store of the URLs that caches have not yet purged: the bucket, or a folder of
// this machine.
func (s *Service) openNotes(ctx context.Context) (*bucket.Bucket, func() error, error) {
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

// NotifyCaches calls tell with the changed URLs that caches have not yet purged. It returns their
// number.
func (s *Service) NotifyCaches(ctx context.Context, tell func(addresses []string) error) (int, error) {
	b, closeNotes, err := s.openNotes(ctx)
	if err != nil {
		return 0, err
	}
	n, err := Purge(ctx, b, tell)
	return n, errors.Join(err, closeNotes())
}

// At returns the names of the places to which a release was published, for messages.
func (s *Service) At(folderOnly bool) string {
	switch {
	case s.Bucket == nil || folderOnly:
		return s.Folder
	case s.Folder == "":
		return s.Bucket.Name()
	}
	return s.Folder + " and " + s.Bucket.Name()
}

// ReadBack reads the URL until it shows the release m, for at most the time wait. While it waits,
// it calls say with the reason.
func (s *Service) ReadBack(ctx context.Context, m *release.Manifest, wait time.Duration, say func(string)) error {
	const pause, polls = time.Second, 15 * time.Second // polls: until servers look for a release
	name, said, begun := fetch.Public(s.Address), "", time.Now()
	for end := begun.Add(wait); ; {
		shows, behind, err := readReleaseID(ctx, s.Address)
		switch {
		case err == nil && shows == m.Release:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted: release %s is in %s; run stele publish --confirm to read the URL again", m.Release, s.At(false))
		case err != nil:
			shows = err.Error()
		default:
			shows = "it shows release " + shows
			if now := time.Now(); behind != "" || now.After(end) || now.Sub(begun) > polls {
				shows += ": " + s.explainOtherRelease(ctx, m, behind)
			}
		}
		if time.Now().After(end) {
			return fmt.Errorf("release %s is in %s, and %s does not show it after %s: %s. Run stele publish --confirm to read it again",
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

// explainOtherRelease returns the reason why the URL does not show m, according to the server's
// answer (behind) or the bucket.
func (s *Service) explainOtherRelease(ctx context.Context, m *release.Manifest, behind string) string {
	if b := layout.ExplainBehind(behind); b != nil {
		return b.Cause + ". " + b.Remedy
	}
	if s.Bucket == nil {
		return fmt.Sprintf("the host does not serve %s yet, or a cache still has the old release. Copy the folder to the host, or clear the cache", s.Folder)
	}
	state, p, err := s.Bucket.Find(ctx, "")
	switch {
	case err != nil:
		return "cannot read the bucket: " + err.Error()
	case p.Release != m.Release:
		return fmt.Sprintf("another machine published release %s of %s meanwhile, as pointer %d. Publish again to build on it", p.Release, p.Date, state.Serial)
	case state.Site != nil:
		return fmt.Sprintf("the bucket has its public files, but a cache still has the old ones, for up to %ds. Set publish.purge to a command that clears the cache", state.Site.MaxAge)
	}
	return "no server there follows the bucket, or a cache still has the old release. Start a server with stele serve " + s.Bucket.Name()
}

// readReleaseID returns the ID of the release that a URL shows, bypassing caches, and why it may
// not be the latest.
func readReleaseID(ctx context.Context, address string) (id, behind string, err error) {
	const patience = 30 * time.Second
	f, err := fetch.Open(ctx, address, fetch.Limits{Time: patience, Fresh: true})
	if err != nil {
		return "", "", err
	}
	defer f.Close() // f was only read
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
