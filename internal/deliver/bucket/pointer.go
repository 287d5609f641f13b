package bucket

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"stele/internal/base/layout"
	"stele/release"
)

// Where things lie in a bucket, below the prefix.
const (
	StateFolder = ".stele/"
	PointerPath = StateFolder + "current.json"
	PackFolder  = StateFolder + "packs/"
	ProbePrefix = StateFolder + "probe-" // of objects by which conditions are tried
)

// MaxKept is how many releases the pointer may name besides the current one.
const MaxKept = 1000

// maxPointer is how large the pointer may be.
const (
	maxPointer = 1 << 20
	maxSites   = 32
	maxPack    = 1 << 40
)

const pointerFormat = "stele-bucket/1"

// Pointer says which release counts. Each one that is written has the serial of the one before it
// and one more, and a text of its own: a store may name two states alike that have the same bytes.
type Pointer struct {
	Format  string `json:"format"`
	Serial  int64  `json:"serial"`
	Push    string `json:"push"` // differs whenever it is written
	Current *Pack  `json:"current"`
	Kept    []Pack `json:"kept,omitempty"` // those before it, the newest first
	// releases that were given up on purpose for one that was not built on them, by their IDs
	GaveUp []string `json:"gave_up,omitempty"`
	Site   *Site    `json:"site,omitempty"` // nil if no files are at public addresses
}

// Site says which files are at public addresses.
type Site struct {
	// Manifests are the digests of the manifests of the releases whose files may be there: one
	// where all is well, more while another is being written or when that was interrupted.
	Manifests []release.Digest `json:"manifests"`
	Sending   string           `json:"sending"`           // names how they are sent
	MaxAge    int64            `json:"max_age"`           // for how many seconds caches may use them
	Writing   string           `json:"writing,omitempty"` // the release whose files are being written
	// Writer is a text by which whoever writes them knows itself again.
	Writer string `json:"writer,omitempty"`
	// Stopped says that whoever wrote them does no more, so that nobody need wait to take over.
	Stopped bool `json:"stopped,omitempty"`
}

// Pack names a release in a bucket.
type Pack struct {
	Release  string         `json:"release"`
	Date     string         `json:"date"`
	Manifest release.Digest `json:"manifest"` // of manifest.json
	Path     string         `json:"pack"`
	Size     int64          `json:"size"`
	SHA256   release.Digest `json:"sha256"`
	Signed   bool           `json:"signed,omitempty"`
	Pushed   time.Time      `json:"pushed"` // by the clock of whoever did
}

// PackPath is where a pack lies.
func PackPath(release string, digest release.Digest) string {
	return PackFolder + release + "-" + digest.String()[:16] + ".zip"
}

// NewPackPath is another place for a pack, which nobody ever wrote to.
func NewPackPath(release string, digest release.Digest) string {
	return strings.TrimSuffix(PackPath(release, digest), ".zip") + "-" + nonce()[:suffix] + ".zip"
}

// suffix is how long that is by which new places differ.
const suffix = 12

// isPackPath reports whether a path is one of these.
func isPackPath(path, release string, digest release.Digest) bool {
	plain := PackPath(release, digest)
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(plain, ".zip")+"-")
	rest, isZip := strings.CutSuffix(rest, ".zip")
	return path == plain || ok && isZip && len(rest) == suffix && layout.ValidID(rest)
}

// State is the pointer as it lies in a bucket. One without a pointer is that of an empty bucket.
type State struct {
	*Pointer
	Modified time.Time // by the clock of the store
	tag      tag
}

// Find returns what the pointer names by a release's ID, or nil.
func (p *Pointer) Find(release string) *Pack {
	if p == nil {
		return nil
	}
	if p.Current.Release == release {
		return p.Current
	}
	for i := range p.Kept {
		if p.Kept[i].Release == release {
			return &p.Kept[i]
		}
	}
	return nil
}

// Pointer reads the pointer.
func (b *Bucket) Pointer(ctx context.Context) (State, error) {
	data, is, err := b.Read(ctx, PointerPath, maxPointer)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, nil
	}
	if err != nil {
		return State{}, err
	}
	p, err := decodePointer(data)
	if err != nil {
		return State{}, fmt.Errorf("%s: %s: %w", b.name, PointerPath, err)
	}
	return State{p, is.Modified, is.tag}, nil
}

func decodePointer(data []byte) (*Pointer, error) {
	p := new(Pointer)
	if err := json.Unmarshal(data, p); err != nil {
		return nil, err
	}
	switch {
	case p.Format != pointerFormat:
		return nil, fmt.Errorf("it has the format %.40q, and this program reads %s", p.Format, pointerFormat)
	case p.Serial < 1 || p.Push == "" || len(p.Push) > 64:
		return nil, errors.New("it has no serial, or no mark of its own")
	case len(p.Kept) > MaxKept:
		return nil, fmt.Errorf("it names %d releases; at most %d are allowed", len(p.Kept), MaxKept)
	case len(p.GaveUp) > layout.MaxGivenUp || !allIDs(p.GaveUp):
		return nil, errors.New("it names releases that were given up, which are none")
	case p.Current == nil:
		return nil, errors.New("it names no release")
	}
	if err := p.Current.check(); err != nil {
		return nil, err
	}
	for i := range p.Kept {
		if err := p.Kept[i].check(); err != nil {
			return nil, err
		}
	}
	return p, p.Site.check()
}

// allIDs reports whether all of a list can be IDs of releases.
func allIDs(list []string) bool {
	return !slices.ContainsFunc(list, func(id string) bool { return !layout.ValidID(id) })
}

// check refuses what no push writes.
func (s *Site) check() error {
	if s != nil && (len(s.Manifests) == 0 || len(s.Manifests) > maxSites ||
		len(s.Sending) > 64 || s.MaxAge < 0 || len(s.Writer) > 64 ||
		s.Writing != "" && !layout.ValidID(s.Writing)) {
		return errors.New("what it says of files at public addresses cannot be; push to another prefix")
	}
	return nil
}

// check refuses what cannot name a pack.
func (p *Pack) check() error {
	if !layout.ValidID(p.Release) || !isPackPath(p.Path, p.Release, p.SHA256) ||
		p.Size < 1 || p.Size > maxPack || len(p.Date) != len(time.DateOnly) {
		return fmt.Errorf("it names a pack %.80q of the release %.40q, which cannot be", p.Path, p.Release)
	}
	return nil
}

func (p *Pointer) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	err := e.Encode(p)
	return b.Bytes(), err
}

// checked are the bytes of a pointer that can be read again.
func (p *Pointer) checked() ([]byte, error) {
	data, err := p.encode()
	if err == nil {
		_, err = decodePointer(data)
	}
	if err == nil && len(data) > maxPointer {
		err = fmt.Errorf("it has %d bytes, and at most %d are read", len(data), maxPointer)
	}
	if err != nil {
		return nil, fmt.Errorf("the pointer is not written, because nobody could read it: %w", err)
	}
	return data, nil
}

// nonce is a text that nobody else has.
func nonce() string { return strings.ToLower(rand.Text()) }

// swaps is how often a pointer is written again that the store refused for no reason that lasts.
const swaps = 5

// Swap puts a pointer in the place of another, whose serial it follows. Where somebody else wrote
// one meanwhile, that is ErrConflict, and theirs counts. Whatever the store answers, what lies
// there afterwards says who won: an answer may be lost when the pointer is written already. One
// that this bucket wrote, and could not read back then, is not somebody else's.
func (b *Bucket) Swap(ctx context.Context, old State, next Pointer) (State, error) {
	next.Format, next.Serial, next.Push = pointerFormat, 1, nonce()
	when := condition{absent: true}
	if old.Pointer != nil {
		next.Serial, when = old.Serial+1, condition{tag: old.tag}
	}
	var err error
	for n := range swaps {
		data, failure := next.checked()
		if failure != nil {
			return State{}, failure
		}
		if b.options.SingleWriter { // what the store does not watch over, somebody has to
			if now, err := b.Pointer(ctx); err != nil || now.push() != old.push() {
				return now, errors.Join(ErrConflict, err)
			}
		}
		body, size := bytesAt(data)
		err = b.put(ctx, PointerPath, body, size, Head{Type: "application/json", Caching: "no-cache"}, when)
		now, readErr := b.Pointer(ctx)
		switch {
		case readErr != nil:
			b.mine.Store(next.Push, true)
			return State{}, fmt.Errorf("whether the release is published is not known, because the pointer cannot be read: %w", errors.Join(readErr, err))
		case now.push() == next.Push:
			return now, nil
		case now.push() != old.push():
			if _, ok := b.mine.Load(now.push()); !ok {
				return now, ErrConflict
			}
			old, next.Serial, when = now, now.Serial+1, condition{tag: now.tag} // go on from there
			continue
		case err == nil:
			return now, errors.New("the store took the pointer and shows the one before it: it does not show what was written last, so nobody can publish there")
		case !errors.Is(err, ErrConflict) && !isPassing(err):
			return now, err
		}
		select { // it refused, and nobody else wrote: a rival that was refused too, or a fault that passes
		case <-time.After(b.options.Pause << n):
		case <-ctx.Done():
			return State{}, context.Cause(ctx)
		}
	}
	return State{}, err
}

// push is the mark of the pointer; "" if there is none.
func (s State) push() string {
	if s.Pointer == nil {
		return ""
	}
	return s.Push
}
