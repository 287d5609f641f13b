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

// Names of objects in a bucket, below the prefix.
const (
	StateFolder = ".stele/"
	PointerPath = StateFolder + "current.json"
	PackFolder  = StateFolder + "packs/"
	ProbePrefix = StateFolder + "probe-" // of objects that test conditional writes
)

// MaxKept is the maximum number of releases in the pointer besides the current one.
const MaxKept = 1000

// Limits on the size of the pointer and the objects.
const (
	maxPointer = 1 << 20
	maxSites   = 32
	maxPack    = 1 << 40
)

// Formats of the pointer. Programs that know only the first format cannot read increments, so the
// second one is used if a release is an increment.
const (
	firstFormat  = "stele-bucket/1"
	secondFormat = "stele-bucket/2"
)

// Pointer names the current release. Each new pointer has the next serial, and a random mark,
// because a store may give two states with the same bytes the same tag.
type Pointer struct {
	Format  string `json:"format"`
	Serial  int64  `json:"serial"`
	Push    string `json:"push"` // random, new for each pointer
	Current *Pack  `json:"current"`
	Kept    []Pack `json:"kept,omitempty"` // earlier releases, the newest first
	Keep    int    `json:"keep,omitempty"` // how many releases to keep, including the current one; zero if not set
	// IDs of releases that were given up on purpose, for a release that was not built on them
	GaveUp []string `json:"gave_up,omitempty"`
	Site   *Site    `json:"site,omitempty"` // nil if the bucket has no files at public URLs
	// Sums are digests of the chunks of the current pack, with which the next push finds shared
	// content.
	Sums *Piece `json:"sums,omitempty"`
	// Bases are whole packs of releases that are no longer kept, but that increments build on.
	Bases      []Piece     `json:"bases,omitempty"`
	Increments []Increment `json:"increments,omitempty"`
}

// Piece is an object with a known size and digest.
type Piece struct {
	Path   string         `json:"path"`
	Size   int64          `json:"size"`
	SHA256 release.Digest `json:"sha256"`
}

// Increment turns one pack into another. Both are named by their digests.
type Increment struct {
	From release.Digest `json:"from"`
	To   release.Digest `json:"to"`
	Piece
	// Compressors is the version of the compressors that can rebuild the pack; zero for any.
	Compressors int `json:"compressors,omitempty"`
}

// Site says which files are at public URLs.
type Site struct {
	// Manifests are the digests of the manifests of the releases whose files may be there. Normally
	// that is one; there are more while a release is being written, or after that was interrupted.
	Manifests []release.Digest `json:"manifests"`
	Sending   string           `json:"sending"`           // a name for the metadata that the files have
	MaxAge    int64            `json:"max_age"`           // how many seconds caches may use the files
	Writing   string           `json:"writing,omitempty"` // the release whose files are being written
	// Writer is a random text that only the writing machine knows.
	Writer string `json:"writer,omitempty"`
	// Stopped says that the writer has stopped, so that another can take over at once.
	Stopped bool `json:"stopped,omitempty"`
}

// Pack describes a release in a bucket.
type Pack struct {
	Release  string         `json:"release"`
	Date     string         `json:"date"`
	Manifest release.Digest `json:"manifest"`       // of manifest.json
	Path     string         `json:"pack,omitempty"` // of the whole pack; empty if it must be built from increments
	Size     int64          `json:"size"`
	SHA256   release.Digest `json:"sha256"`
	Signed   bool           `json:"signed,omitempty"`
	Pushed   time.Time      `json:"pushed"` // by the clock of the pushing machine
	// Records is the object with the files that copies have; nil for a small pack, or with public
	// files.
	Records *Records `json:"records,omitempty"`
}

// Suffixes of the names of pieces.
const (
	PackSuffix      = ".zip"
	IncrementSuffix = ".increment"
	SumsSuffix      = ".sums"
)

const short = 16

func PiecePath(release string, digest release.Digest, suffix string) string {
	return PackFolder + release + "-" + digest.String()[:short] + suffix
}

// NewPiecePath returns a new path for a piece that already has another path.
func NewPiecePath(release string, digest release.Digest, suffix string) string {
	return PiecePath(release, digest, "-"+nonce()[:nonceLength]+suffix)
}

// nonceLength is the length of the random part of a path from NewPiecePath.
const nonceLength = 12

// isPiecePath reports whether path is a valid path of a piece of release with the given digest and
// suffix. If release is "", any release is accepted.
func isPiecePath(path, release string, digest release.Digest, suffix string) bool {
	name, inFolder := strings.CutPrefix(path, PackFolder)
	name, isOne := strings.CutSuffix(name, suffix)
	of, rest, named := strings.Cut(name, "-"+digest.String()[:short])
	return inFolder && isOne && named && layout.ValidID(of) && (release == "" || of == release) &&
		(rest == "" || rest[0] == '-' && len(rest) == nonceLength+1 && layout.ValidID(rest[1:]))
}

// State is the pointer as stored in a bucket. Pointer is nil in an empty bucket.
type State struct {
	*Pointer
	Modified time.Time // by the clock of the store
	tag      tag
}

// Same reports whether both states contain the same pointer.
func (s State) Same(other State) bool { return s.push() == other.push() }

// Find returns the pack of the given release, or nil.
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
		return nil, fmt.Errorf("unknown format %.40q (known: %s and %s): update this program", p.Format, firstFormat, secondFormat)
	case p.Serial < 1 || p.Push == "" || len(p.Push) > 64:
		return nil, errors.New("missing serial or mark")
	case len(p.Kept) > MaxKept || p.Keep < 0 || p.Keep > MaxKept+1:
		return nil, fmt.Errorf("it names %d releases; at most %d are allowed", len(p.Kept), MaxKept)
	case len(p.GaveUp) > layout.MaxGivenUp ||
		slices.ContainsFunc(p.GaveUp, func(id string) bool { return !layout.ValidID(id) }):
		return nil, errors.New("invalid IDs of releases that were given up")
	case p.Current == nil:
		return nil, errors.New("missing current release")
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
	if p.Sums != nil && !p.Sums.isValid(SumsSuffix) {
		return fmt.Errorf("invalid path of the checksums %.80q", p.Sums.Path)
	}
	for _, b := range p.Bases {
		if !b.isValid(PackSuffix) {
			return fmt.Errorf("invalid path of a pack %.80q", b.Path)
		}
	}
	for _, i := range p.Increments {
		if !i.isValid(IncrementSuffix) {
			return fmt.Errorf("invalid path of an increment %.80q", i.Path)
		}
	}
	return nil
}

func (p *Piece) isValid(suffix string) bool {
	return isPiecePath(p.Path, "", p.SHA256, suffix) && p.Size >= 1 && p.Size <= maxPack
}

func (p *Pointer) wholePieces() (list []Piece) {
	for _, pack := range p.Packs() {
		if pack.Path != "" {
			list = append(list, Piece{pack.Path, pack.Size, pack.SHA256})
		}
	}
	return append(list, p.Bases...)
}

// Packs returns the packs of all releases in the pointer, the current one first.
func (p *Pointer) Packs() []Pack { return append([]Pack{*p.Current}, p.Kept...) }

// Has reports whether the pointer names the objects that a pack is built from. They are the whole
// pack at the path whole, or, if whole is "", the increments steps.
func (p *Pointer) Has(pack release.Digest) (whole string, steps []Increment, ok bool) {
	if p == nil {
		return "", nil, false
	}
	for _, w := range p.wholePieces() {
		if w.SHA256 == pack {
			return w.Path, nil, true
		}
	}
	w, ok := p.planPack(pack, noPack, anyIncrement)
	return "", w.steps, ok
}

// Succeed copies from old, the previous pointer, only the objects from which the releases of p are
// built. p must already contain its own increments.
func (p *Pointer) Succeed(old *Pointer) {
	if old != nil {
		p.Bases = old.wholePieces()
		p.Increments = append(slices.Clone(old.Increments), p.Increments...)
	}
	needed, named := map[release.Digest]bool{}, map[release.Digest]bool{}
	for _, pack := range p.Packs() {
		w, _ := p.planPack(pack.SHA256, noPack, anyIncrement)
		needed[pack.SHA256], needed[w.start] = true, true
		named[pack.SHA256] = pack.Path != ""
		for _, s := range w.steps {
			needed[s.To] = true
		}
	}
	p.Bases = slices.DeleteFunc(p.Bases, func(b Piece) bool { return !needed[b.SHA256] || named[b.SHA256] })
	p.Increments = slices.DeleteFunc(p.Increments, func(s Increment) bool { return !needed[s.From] || !needed[s.To] })
}

// Paths returns the paths of all objects that the pointer names.
func (p *Pointer) Paths() (list []string) {
	for _, whole := range p.wholePieces() {
		list = append(list, whole.Path)
	}
	for _, pack := range p.Packs() {
		if pack.Records != nil {
			list = append(list, pack.Records.Path)
		}
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
		return errors.New("invalid data about files at public URLs; push to another prefix")
	}
	return nil
}

func (p *Pack) check() error {
	if !layout.ValidID(p.Release) || p.Path != "" && !isPiecePath(p.Path, p.Release, p.SHA256, PackSuffix) ||
		p.Size < 1 || p.Size > maxPack || len(p.Date) != len(time.DateOnly) {
		return fmt.Errorf("invalid path of a pack %.80q of release %.40q", p.Path, p.Release)
	}
	if !p.Records.isValid() {
		return fmt.Errorf("invalid path or size of the records %.80q of release %.40q", p.Records.Path, p.Release)
	}
	return nil
}

// encodeChecked encodes the pointer and checks that it can be decoded again.
func (p *Pointer) encodeChecked() ([]byte, error) {
	data, err := json.MarshalIndent(p, "", " ")
	if data = append(data, '\n'); err == nil {
		_, err = decodePointer(data)
	}
	if err == nil && len(data) > maxPointer {
		err = fmt.Errorf("it has %d bytes, but the limit is %d", len(data), maxPointer)
	}
	if err != nil {
		return nil, fmt.Errorf("invalid pointer not written: %w", err)
	}
	return data, nil
}

// nonce returns a random string.
func nonce() string { return strings.ToLower(rand.Text()) }

// maxSwaps is the number of times that a pointer is written again after a temporary refusal.
const maxSwaps = 5

// Swap replaces the pointer old with next. The new serial is at least next.Serial and greater than
// that of old. If another publisher wrote a pointer meanwhile, Swap returns ErrConflict and leaves
// that pointer. After each write it reads the pointer back, because the answer may be lost after
// the pointer was written. A pointer that this bucket wrote but could not read back is not a
// conflict.
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
	for n := range maxSwaps {
		data, failure := next.encodeChecked()
		if failure != nil {
			return State{}, failure
		}
		if b.options.SingleWriter { // the store checks no condition, so check it here
			if now, err := b.Pointer(ctx); err != nil || now.push() != old.push() {
				return now, errors.Join(ErrConflict, err)
			}
		}
		head := Head{Type: "application/json", Caching: "no-cache"}
		err = b.put(ctx, PointerPath, bytes.NewReader(data), int64(len(data)), head, when)
		now, readErr := b.Pointer(ctx)
		switch {
		case readErr != nil:
			b.unconfirmed.Store(next.Push, true)
			return State{}, fmt.Errorf("cannot tell whether the release is published, because the pointer cannot be read: %w", errors.Join(readErr, err))
		case now.push() == next.Push:
			return now, nil
		case now.push() != old.push():
			if _, ok := b.unconfirmed.Load(now.push()); !ok {
				return now, ErrConflict
			}
			old, next.Serial, when = now, now.Serial+1, condition{tag: now.tag} // continue from there
			continue
		case err == nil:
			return now, errors.New("the store accepted the pointer but still returns the previous one: it has no read-after-write consistency, so publishing there is impossible")
		case !errors.Is(err, ErrConflict) && !isTransient(err):
			return now, err
		}
		select { // refused without another pointer: another publisher was refused too, or a temporary fault
		case <-time.After(b.options.Pause << n):
		case <-ctx.Done():
			return State{}, context.Cause(ctx)
		}
	}
	return State{}, err
}

// push returns the mark of the push that wrote the pointer, or "" if there is no pointer.
func (s State) push() string {
	if s.Pointer == nil {
		return ""
	}
	return s.Push
}

// errIgnored means that a store accepts conditions but ignores them.
var errIgnored = errors.New("two publishers at the same time could undo each other's releases. Use a store with conditional writes, or pass --single-writer and make sure that only one machine publishes at a time")

// Probe checks that the store supports conditional writes: some stores accept conditions but ignore
// them. It writes and deletes a small object, and returns the store's time.
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
		return now, err // a conflict comes from a retry after a lost answer
	}
	defer func() { err = errors.Join(err, b.Remove(context.WithoutCancel(ctx), key)) }()
	if err := expectConflict(write("second", condition{absent: true})); err != nil {
		return now, fmt.Errorf("%s: created an object that already existed: %w", b.name, err)
	}
	if err := expectConflict(write("third", condition{tag: b.objects.wrongTag()})); err != nil {
		return now, fmt.Errorf("%s: replaced an object in spite of a wrong tag: %w", b.name, err)
	}
	data, is, err := b.Read(ctx, key, 64)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && string(data) != "first":
		return now, fmt.Errorf("%s: an object read right after writing differs: %w", b.name, errIgnored)
	case err != nil:
		return now, err
	}
	err = write("fourth", condition{tag: is.tag})
	if errors.Is(err, ErrConflict) {
		if data, _, readErr := b.Read(ctx, key, 64); readErr == nil && string(data) == "fourth" {
			return is.Modified, nil // from a retry, as above
		}
		return now, fmt.Errorf("%s: cannot replace an object with its tag: %w: %w", b.name, errIgnored, err)
	}
	return is.Modified, err
}

// expectConflict returns nil if err is a conflict, and an error if err is nil.
func expectConflict(err error) error {
	switch {
	case errors.Is(err, ErrConflict):
		return nil
	case err == nil:
		return errIgnored
	}
	return err
}
