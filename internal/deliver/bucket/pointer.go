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

// Formats of the pointer. Who knows only the first one can read no release that is an increment, so
// the second one is written where there is such a release.
const (
	firstFormat  = "stele-bucket/1"
	secondFormat = "stele-bucket/2"
)

// Pointer says which release counts. Each one that is written has the serial of the one before it
// and one more, and a text of its own: a store may name two states alike that have the same bytes.
type Pointer struct {
	Format  string `json:"format"`
	Serial  int64  `json:"serial"`
	Push    string `json:"push"` // differs whenever it is written
	Current *Pack  `json:"current"`
	Kept    []Pack `json:"kept,omitempty"` // those before it, the newest first
	Keep    int    `json:"keep,omitempty"` // how many stay, with the current one; zero if nobody said
	// releases that were given up on purpose for one that was not built on them, by their IDs
	GaveUp []string `json:"gave_up,omitempty"`
	Site   *Site    `json:"site,omitempty"` // nil if no files are at public addresses
	// Sums are those of the current pack, by which the next one finds what it shares with it.
	Sums *Piece `json:"sums,omitempty"`
	// Bases are whole packs of releases that are not kept, on which increments build.
	Bases      []Piece     `json:"bases,omitempty"`
	Increments []Increment `json:"increments,omitempty"`
}

// Piece is an object of which all is known before it is read.
type Piece struct {
	Path   string         `json:"path"`
	Size   int64          `json:"size"`
	SHA256 release.Digest `json:"sha256"`
}

// Increment is how a pack is made from another one. Both are named by their digests.
type Increment struct {
	From release.Digest `json:"from"`
	To   release.Digest `json:"to"`
	Piece
	// Compressors is the number of those that whoever makes the pack must have; zero for any.
	Compressors int `json:"compressors,omitempty"`
}

// Site says which files are at public addresses.
type Site struct {
	// Manifests are the digests of the manifests of the releases whose files may be there: one
	// where all is well, more while another is being written or when that was interrupted.
	Manifests []release.Digest `json:"manifests"`
	Sending   string           `json:"sending"`           // names how they are sent
	MaxAge    int64            `json:"max_age"`           // for how many seconds caches may use them
	Writing   string           `json:"writing,omitempty"` // the release whose files are being written
	// Writer is a text that only the machine knows that writes them.
	Writer string `json:"writer,omitempty"`
	// Stopped says that whoever wrote them does no more, so that nobody need wait to take over.
	Stopped bool `json:"stopped,omitempty"`
}

// Pack names a release in a bucket.
type Pack struct {
	Release  string         `json:"release"`
	Date     string         `json:"date"`
	Manifest release.Digest `json:"manifest"`       // of manifest.json
	Path     string         `json:"pack,omitempty"` // where it lies whole; empty if it has to be made from increments
	Size     int64          `json:"size"`
	SHA256   release.Digest `json:"sha256"`
	Signed   bool           `json:"signed,omitempty"`
	Pushed   time.Time      `json:"pushed"` // by the clock of whoever did
}

// What the names of pieces end in.
const (
	PackSuffix      = ".zip"
	IncrementSuffix = ".increment"
	SumsSuffix      = ".sums"
)

const short = 16

// PiecePath is where a piece of a release lies.
func PiecePath(release string, digest release.Digest, suffix string) string {
	return PackFolder + release + "-" + digest.String()[:short] + suffix
}

// NewPiecePath is another place for a piece, which nobody ever wrote to.
func NewPiecePath(release string, digest release.Digest, suffix string) string {
	return PiecePath(release, digest, "-"+nonce()[:nonceLength]+suffix)
}

// nonceLength is how long that is by which new places differ.
const nonceLength = 12

// isPiecePath reports whether a path is one of these, of some release or any for "".
func isPiecePath(path, release string, digest release.Digest, suffix string) bool {
	name, inFolder := strings.CutPrefix(path, PackFolder)
	name, isOne := strings.CutSuffix(name, suffix)
	of, rest, named := strings.Cut(name, "-"+digest.String()[:short])
	return inFolder && isOne && named && layout.ValidID(of) && (release == "" || of == release) &&
		(rest == "" || rest[0] == '-' && len(rest) == nonceLength+1 && layout.ValidID(rest[1:]))
}

// State is the pointer as it lies in a bucket. One without a pointer is that of an empty bucket.
type State struct {
	*Pointer
	Modified time.Time // by the clock of the store
	tag      tag
}

// Same reports whether two states are one: nobody wrote the pointer between them.
func (s State) Same(other State) bool { return s.push() == other.push() }

// Find returns what the pointer names by a release's ID, or nil.
func (p *Pointer) Find(release string) *Pack {
	if p == nil {
		return nil
	}
	for _, pack := range p.Packs() {
		if pack.Release == release {
			return &pack
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
	case p.Format != firstFormat && p.Format != secondFormat:
		return nil, fmt.Errorf("it has the format %.40q, and this program reads %s and %s: update this program", p.Format, firstFormat, secondFormat)
	case p.Serial < 1 || p.Push == "" || len(p.Push) > 64:
		return nil, errors.New("it has no serial, or no mark of its own")
	case len(p.Kept) > MaxKept || p.Keep < 0 || p.Keep > MaxKept+1:
		return nil, fmt.Errorf("it names %d releases; at most %d are allowed", len(p.Kept), MaxKept)
	case len(p.GaveUp) > layout.MaxGivenUp ||
		slices.ContainsFunc(p.GaveUp, func(id string) bool { return !layout.ValidID(id) }):
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
	if err := p.checkPieces(); err != nil {
		return nil, err
	}
	return p, p.Site.check()
}

func (p *Pointer) checkPieces() error {
	if p.Sums != nil && !p.Sums.isOne(SumsSuffix) {
		return fmt.Errorf("it names sums %.80q, which cannot be", p.Sums.Path)
	}
	for _, b := range p.Bases {
		if !b.isOne(PackSuffix) {
			return fmt.Errorf("it names a pack %.80q, which cannot be", b.Path)
		}
	}
	for _, i := range p.Increments {
		if !i.isOne(IncrementSuffix) {
			return fmt.Errorf("it names an increment %.80q, which cannot be", i.Path)
		}
	}
	return nil
}

func (p *Piece) isOne(suffix string) bool {
	return isPiecePath(p.Path, "", p.SHA256, suffix) && p.Size >= 1 && p.Size <= maxPack
}

func (p *Pointer) wholes() (list []Piece) {
	for _, pack := range p.Packs() {
		if pack.Path != "" {
			list = append(list, Piece{pack.Path, pack.Size, pack.SHA256})
		}
	}
	return append(list, p.Bases...)
}

// Packs are the releases that the pointer names, the current one first.
func (p *Pointer) Packs() []Pack { return append([]Pack{*p.Current}, p.Kept...) }

// Has reports whether a pack can be had of what the pointer names: where it lies whole, or the
// increments by which it is made if whole is "".
func (p *Pointer) Has(pack release.Digest) (whole string, steps []Increment, ok bool) {
	if p == nil {
		return "", nil, false
	}
	for _, w := range p.wholes() {
		if w.SHA256 == pack {
			return w.Path, nil, true
		}
	}
	w, ok := p.way(pack, nothing, everything)
	return "", w.steps, ok
}

// Succeed takes over from the pointer before what the releases that this one names are made from,
// and no more. It has its own increments already.
func (p *Pointer) Succeed(old *Pointer) {
	if old != nil {
		p.Bases = old.wholes()
		p.Increments = append(slices.Clone(old.Increments), p.Increments...)
	}
	needed, named := map[release.Digest]bool{}, map[release.Digest]bool{}
	for _, pack := range p.Packs() {
		w, _ := p.way(pack.SHA256, nothing, everything)
		needed[pack.SHA256], needed[w.start] = true, true
		named[pack.SHA256] = pack.Path != ""
		for _, s := range w.steps {
			needed[s.To] = true
		}
	}
	p.Bases = slices.DeleteFunc(p.Bases, func(b Piece) bool { return !needed[b.SHA256] || named[b.SHA256] })
	p.Increments = slices.DeleteFunc(p.Increments, func(s Increment) bool { return !needed[s.From] || !needed[s.To] })
}

// Paths are those of all objects that the pointer names.
func (p *Pointer) Paths() (list []string) {
	for _, whole := range p.wholes() {
		list = append(list, whole.Path)
	}
	for _, s := range p.Increments {
		list = append(list, s.Path)
	}
	if p.Sums != nil {
		list = append(list, p.Sums.Path)
	}
	return list
}

func (s *Site) check() error {
	if s != nil && (len(s.Manifests) == 0 || len(s.Manifests) > maxSites ||
		len(s.Sending) > 64 || s.MaxAge < 0 ||
		s.Writing != "" && !layout.ValidID(s.Writing)) {
		return errors.New("what it says of files at public addresses cannot be; push to another prefix")
	}
	return nil
}

func (p *Pack) check() error {
	if !layout.ValidID(p.Release) || p.Path != "" && !isPiecePath(p.Path, p.Release, p.SHA256, PackSuffix) ||
		p.Size < 1 || p.Size > maxPack || len(p.Date) != len(time.DateOnly) {
		return fmt.Errorf("it names a pack %.80q of the release %.40q, which cannot be", p.Path, p.Release)
	}
	return nil
}

// checked are the bytes of a pointer that can be read again.
func (p *Pointer) checked() ([]byte, error) {
	data, err := json.MarshalIndent(p, "", " ")
	if data = append(data, '\n'); err == nil {
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

// Swap puts a pointer in the place of another, whose serial it follows. Its own serial is the least
// that it gets. Where somebody else wrote
// one meanwhile, that is ErrConflict, and theirs counts. Whatever the store answers, what lies
// there afterwards says who won: an answer may be lost when the pointer is written already. One
// that this bucket wrote, and could not read back then, is not somebody else's.
func (b *Bucket) Swap(ctx context.Context, old State, next Pointer) (State, error) {
	next.Format, next.Serial, next.Push = firstFormat, max(1, next.Serial), nonce()
	for _, pack := range next.Packs() {
		if pack.Path == "" {
			next.Format = secondFormat
		}
	}
	when := condition{absent: true}
	if old.Pointer != nil {
		next.Serial, when = max(old.Serial+1, next.Serial), condition{tag: old.tag}
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
		head := Head{Type: "application/json", Caching: "no-cache"}
		err = b.put(ctx, PointerPath, bytes.NewReader(data), int64(len(data)), head, when)
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

// errIgnored says that a store takes conditions and does not keep them.
var errIgnored = errors.New("two who publish at the same time could undo each other's releases. Use a store that keeps conditions, or write --single-writer and see to it that only one publishes at a time")

// Probe makes sure that the store keeps conditions: some take them and ignore them. It writes a
// small object and removes it, and returns the time on the store's clock.
func (b *Bucket) Probe(ctx context.Context) (now time.Time, err error) {
	if b.options.SingleWriter {
		return time.Now(), nil
	}
	key := ProbePrefix + nonce()
	write := func(text string, when condition) error {
		head := Head{Type: "text/plain", Caching: "no-store"}
		return b.put(ctx, key, strings.NewReader(text), int64(len(text)), head, when)
	}
	if err := write("first", condition{absent: true}); err != nil && !errors.Is(err, ErrConflict) {
		return now, err // a conflict is the echo of a try whose answer was lost
	}
	defer func() { err = errors.Join(err, b.Remove(context.WithoutCancel(ctx), key)) }()
	if err := expectConflict(write("second", condition{absent: true})); err != nil {
		return now, fmt.Errorf("%s: an object that was there was created again: %w", b.name, err)
	}
	if err := expectConflict(write("third", condition{tag: b.objects.wrongTag()})); err != nil {
		return now, fmt.Errorf("%s: an object was replaced by one who did not know it: %w", b.name, err)
	}
	data, is, err := b.Read(ctx, key, 64)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && string(data) != "first":
		return now, fmt.Errorf("%s: what was written is not what is read, right after it: %w", b.name, errIgnored)
	case err != nil:
		return now, err
	}
	err = write("fourth", condition{tag: is.tag})
	if errors.Is(err, ErrConflict) {
		if data, _, readErr := b.Read(ctx, key, 64); readErr == nil && string(data) == "fourth" {
			return is.Modified, nil // again an echo
		}
		return now, fmt.Errorf("%s: an object could not be replaced by one who knew it: %w: %w", b.name, errIgnored, err)
	}
	return is.Modified, err
}

// expectConflict turns a conflict into success, and success into an error.
func expectConflict(err error) error {
	switch {
	case errors.Is(err, ErrConflict):
		return nil
	case err == nil:
		return errIgnored
	}
	return err
}
