package signing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"

	"stele/internal/base/layout"
	"stele/release"
)

// VerifyOptions say what to hold a release to.
type VerifyOptions struct {
	Policy *Policy
	Seen   Seen      // what was seen before; see [Seen.Verify], which remembers too
	MaxAge int       // the most days since the release's date; 0 for any
	Today  time.Time // for MaxAge and for what the result says of age
	// Alone allows that the entries of the log are missing: the proof of the release, signed by a
	// key of the policy itself, will do then, and nothing is remembered.
	Alone bool
}

// Verified is what a signature proves.
type Verified struct {
	Origin     string
	Entry      ReleaseEntry
	Index      int64    // the place of the release in the log
	Size       int64    // entries of the log
	Keys       []string // the names and numbers of the keys that signed
	Witnesses  []string // those of the policy that cosigned
	Days       int      // since the release's date
	Checkpoint []byte   // to be seen next time; nil if the entries of the log are missing
	Gaps       []Gap    // releases of the log that were not built on the one before them
	Others     []string // keys of other logs of the same name that were seen before
	keys       []note.Verifier
}

// Verify holds a release to its signature: the log whole, the keys, the place of the manifest in
// it, what was seen before, the witnesses, the age. It does not read the files that the manifest
// lists; release.Verify does.
func Verify(ctx context.Context, files Files, manifest []byte, opt VerifyOptions) (*Verified, error) {
	checkpoint, err := readCheckpoint(ctx, files)
	if errors.Is(err, ErrUnsigned) {
		if _, err := files.ReadFile(ctx, layout.ProofPath, maxNote); err == nil {
			return nil, truncated(layout.CheckpointPath)
		}
	}
	if err != nil {
		return nil, err
	}
	if want := opt.Policy.Origin(); checkpoint.Origin != want {
		return nil, otherOrigin(checkpoint.Origin, want)
	}
	log, err := readLog(ctx, files, checkpoint.Size)
	if opt.Alone && errors.Is(err, errTruncated) {
		return verifyAlone(ctx, files, manifest, checkpoint, opt)
	}
	if err != nil {
		return nil, err
	}
	keys, err := log.keys(ctx, files, opt.Policy.keys)
	if err != nil {
		return nil, err
	}
	signatures, err := log.holds(checkpoint, keys)
	if err != nil {
		return nil, err
	}
	v := &Verified{Origin: checkpoint.Origin, Size: checkpoint.Size, Checkpoint: checkpoint.note}
	v.keys = slices.CompactFunc(append(slices.Clone(opt.Policy.keys), keys...), sameKey)
	for _, s := range signatures {
		v.Keys = append(v.Keys, fmt.Sprintf("%s+%08x", s.Name, s.Hash))
	}
	if err := log.find(ctx, files, keys, manifest, v); err != nil {
		return nil, err
	}
	if v.Witnesses = opt.Policy.cosigners(checkpoint); !opt.Policy.satisfied(v.Witnesses) {
		return nil, unwitnessed(v.Witnesses, len(opt.Policy.witnesses))
	}
	if err := log.remembered(checkpoint, opt.Seen, v); err != nil {
		return nil, err
	}
	return v, v.age(opt)
}

// readCheckpoint reads the checkpoint of a release.
func readCheckpoint(ctx context.Context, files Files) (*signed, error) {
	data, err := files.ReadFile(ctx, layout.CheckpointPath, maxNote)
	if missing(err) {
		return nil, unsigned()
	}
	if err != nil {
		return nil, err
	}
	s, err := parseSigned(data)
	if err != nil {
		return nil, damaged(layout.CheckpointPath, err.Error())
	}
	return s, nil
}

// holds makes sure that a checkpoint is signed by one of these keys and is a root of the log.
func (l *Log) holds(s *signed, keys []note.Verifier) ([]note.Signature, error) {
	signatures, err := s.opened(keys)
	if err != nil {
		return nil, notOpened(err, layout.CheckpointPath, s, keys)
	}
	root, err := l.Root(s.Size)
	if err != nil || root != s.Root {
		return nil, damaged(layout.CheckpointPath, "its root is not that of the entries of the log")
	}
	return signatures, nil
}

// notOpened says why no signature of a checkpoint holds.
func notOpened(err error, path string, s *signed, keys []note.Verifier) error {
	if errors.As(err, new(*note.UnverifiedNoteError)) {
		return untrusted(s.Origin, s.signers(), names(keys))
	}
	return damaged(path, err.Error())
}

// keyPath is where the proof lies that a key was added or retired, signed by an older key.
func keyPath(index int64) string { return fmt.Sprintf(layout.LogFolder+"keys/%d"+layout.Proof, index) }

// keyEntries visits what the log says of keys, from an entry on.
func (l *Log) keyEntries(from int64) iter.Seq2[int64, KeyEntry] {
	return func(yield func(int64, KeyEntry) bool) {
		for i, entry := range l.entries[from:] {
			if e, ok := entry.(KeyEntry); ok && !yield(from+int64(i), e) {
				return
			}
		}
	}
}

// keys follows the log from the keys that are trusted to those that may sign now.
func (l *Log) keys(ctx context.Context, files Files, trusted []note.Verifier) ([]note.Verifier, error) {
	keys := slices.Clone(trusted)
	for i, e := range l.keyEntries(0) {
		path := keyPath(i)
		p, err := readProof(ctx, files, path)
		if err != nil {
			return nil, err
		}
		if p.index != i || p.check(l.leaves[i]) != nil {
			return nil, damaged(path, "it is not the proof of what the log says of a key")
		}
		key, err := parseKey(e.Key)
		if err != nil {
			return nil, err
		}
		// Somebody who knows only later keys cannot check what came before them, and need not.
		if _, err := l.holds(p.checkpoint, keys); err != nil {
			if errors.Is(err, ErrUntrusted) {
				continue
			}
			return nil, damaged(path, err.Error())
		}
		keys = slices.DeleteFunc(keys, func(k note.Verifier) bool { return sameKey(k, key) })
		if e.Action == AddKey {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func sameKey(a, b note.Verifier) bool { return a.Name() == b.Name() && a.KeyHash() == b.KeyHash() }

func readProof(ctx context.Context, files Files, path string) (*proof, error) {
	data, err := readPart(ctx, files, path, maxNote)
	if err != nil {
		return nil, err
	}
	p, err := parseProof(data)
	if err != nil {
		return nil, damaged(path, err.Error())
	}
	return p, nil
}

// find finds the manifest in the log, by its proof.
func (l *Log) find(ctx context.Context, files Files, keys []note.Verifier, manifest []byte, v *Verified) error {
	p, err := readProof(ctx, files, layout.ProofPath)
	if errors.Is(err, errTruncated) {
		return unsigned()
	}
	if err != nil {
		return err
	}
	if _, err := l.holds(p.checkpoint, keys); err != nil {
		if errors.Is(err, ErrUntrusted) {
			return err
		}
		return damaged(layout.ProofPath, err.Error())
	}
	want, err := entryOf(manifest)
	if err != nil {
		return err
	}
	if p.index >= l.Size() {
		return damaged(layout.ProofPath, "it names an entry that the log does not have")
	}
	if err := p.check(l.leaves[p.index]); err != nil {
		return damaged(layout.ProofPath, err.Error())
	}
	got, ok := l.entries[p.index].(ReleaseEntry)
	switch {
	case !ok:
		return otherManifest("its proof is about another entry of the log")
	case got.Release != want.Release:
		return otherManifest(fmt.Sprintf("release %.12s was signed, and this is %.12s", got.Release, want.Release))
	case !got.same(want):
		return otherManifest(fmt.Sprintf("its manifest has the SHA-256 %x…, and one with %x… was signed", want.SHA256[:6], got.SHA256[:6]))
	}
	if !bytes.Equal(p.extra, got.extra()) {
		return damaged(layout.ProofPath, "its second line is not that of the entry")
	}
	index, newest := l.newest()
	if index != p.index {
		return failed(ErrRolledBack, "release %.12s is not the newest: the log beside it has release %.12s of %s. Fetch that one",
			want.Release, newest.Release, newest.Date)
	}
	v.Entry, v.Index = got, p.index
	return nil
}

// newest returns the last release of the log and its index, or -1.
func (l *Log) newest() (int64, ReleaseEntry) {
	for i := l.Size() - 1; i >= 0; i-- {
		if r, ok := l.entries[i].(ReleaseEntry); ok {
			return i, r
		}
	}
	return -1, ReleaseEntry{}
}

// entryOf is the leaf of a release.
func entryOf(manifest []byte) (ReleaseEntry, error) {
	var m release.Manifest
	if err := m.Decode(manifest); err != nil {
		return ReleaseEntry{}, err
	}
	e := ReleaseEntry{
		Service: m.BaseURL, Release: m.Release, Date: m.Date, SHA256: sha256.Sum256(manifest),
		Size: int64(len(manifest)),
	}
	if m.Previous != nil {
		e.Previous = m.Previous.Release
	}
	if _, err := ParseEntry(e.Encode()); err != nil {
		return e, fmt.Errorf("the manifest has a base address, ID or date that cannot stand in a log: %w", err)
	}
	return e, nil
}

// remembered makes sure that what was seen before is part of the log, and that what came since then
// follows it.
func (l *Log) remembered(now *signed, memory Seen, v *Verified) error {
	seen, others, err := memory.read(now.Origin, v.keys)
	if err != nil {
		return err
	}
	v.Others = others
	size := int64(0)
	for _, old := range seen {
		size = max(size, old.Size)
		if old.Size > now.Size {
			return rolledBack(now.Origin, now.Size, old.Size)
		}
		if root, err := l.Root(old.Size); err != nil || root != old.Root {
			return forked(old, now)
		}
	}
	return l.lineage(v, size)
}

// forked is the error about two signed checkpoints of which none continues the other.
func forked(old, now *signed) error {
	return &ForkError{Origin: now.Origin, Evidence: append(append(slices.Clone(old.note), '\n'), now.note...)}
}

// names names keys as "name+number".
func names(keys []note.Verifier) (list []string) {
	for _, k := range keys {
		list = append(list, fmt.Sprintf("%s+%08x", k.Name(), k.KeyHash()))
	}
	return list
}

// age says how old the release is, and refuses one that is too old.
func (v *Verified) age(opt VerifyOptions) error {
	if opt.Today.IsZero() {
		return nil
	}
	date, err := time.Parse(time.DateOnly, v.Entry.Date)
	if err != nil {
		return damaged(layout.ManifestPath, "its date is not valid")
	}
	v.Days = int(opt.Today.Sub(date).Hours() / 24)
	if opt.MaxAge > 0 && v.Days > opt.MaxAge {
		return failed(ErrStale, "the newest release, %.12s of %s, is %d days old, and at most %d were asked for. "+
			"The publisher may not have published since, or the host may hold newer ones back: ask another host",
			v.Entry.Release, v.Entry.Date, v.Days, opt.MaxAge)
	}
	return nil
}
