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

// VerifyOptions are the options of Verify.
type VerifyOptions struct {
	Policy *Policy
	Seen   Seen      // logs seen before; [Seen.Verify] also stores the new one
	MaxAge int       // greatest age of the release in days; 0 for any
	Today  time.Time // for MaxAge and Verified.Days
	// WithoutLog allows the entries of the log to be missing. Then the release's proof must be
	// signed by a key of the policy itself, and nothing is stored.
	WithoutLog bool
}

// Verified is the result of verifying a signature.
type Verified struct {
	Origin     string
	Entry      ReleaseEntry
	Index      int64    // of the release in the log
	Size       int64    // number of entries in the log
	Keys       []string // names and numbers of the keys that signed
	Witnesses  []string // the policy's witnesses that cosigned
	Days       int      // age of the release
	Checkpoint []byte   // for Seen; nil if the entries of the log are missing
	Gaps       []Gap    // releases in the log that do not follow the previous one
	Others     []string // keys of other logs with the same name that were seen before
	keys       []note.Verifier
}

// Verify verifies a release's signature: the whole log, the keys, the manifest's entry, logs seen
// before, the witnesses and the age. It does not read the files that the manifest lists;
// release.Verify does.
func Verify(ctx context.Context, files Files, manifest []byte, opt VerifyOptions) (*Verified, error) {
	checkpoint, err := readCheckpoint(ctx, files)
	if errors.Is(err, ErrUnsigned) {
		if _, err := files.ReadFile(ctx, layout.ProofPath, maxNote); err == nil {
			return nil, truncatedError(layout.CheckpointPath)
		}
	}
	if err != nil {
		return nil, err
	}
	if want := opt.Policy.Origin(); checkpoint.Origin != want {
		return nil, otherOriginError(checkpoint.Origin, want)
	}
	log, err := readLog(ctx, files, checkpoint.Size)
	if opt.WithoutLog && errors.Is(err, errTruncated) {
		return verifyWithoutLog(ctx, files, manifest, checkpoint, opt)
	}
	if err != nil {
		return nil, err
	}
	keys, err := log.currentKeys(ctx, files, opt.Policy.keys)
	if err != nil {
		return nil, err
	}
	signatures, err := log.verifyCheckpoint(checkpoint, keys)
	if err != nil {
		return nil, err
	}
	v := &Verified{Origin: checkpoint.Origin, Size: checkpoint.Size, Checkpoint: checkpoint.note}
	v.keys = slices.CompactFunc(append(slices.Clone(opt.Policy.keys), keys...), sameKey)
	for _, s := range signatures {
		v.Keys = append(v.Keys, fmt.Sprintf("%s+%08x", s.Name, s.Hash))
	}
	if err := log.findRelease(ctx, files, keys, manifest, v); err != nil {
		return nil, err
	}
	if v.Witnesses = opt.Policy.cosigners(checkpoint); !opt.Policy.hasQuorum(v.Witnesses) {
		return nil, unwitnessedError(v.Witnesses, len(opt.Policy.witnesses))
	}
	if err := log.checkSeen(checkpoint, opt.Seen, v); err != nil {
		return nil, err
	}
	return v, v.checkAge(opt)
}

func readCheckpoint(ctx context.Context, files Files) (*signedCheckpoint, error) {
	data, err := files.ReadFile(ctx, layout.CheckpointPath, maxNote)
	if isNotExist(err) {
		return nil, unsignedError()
	}
	if err != nil {
		return nil, err
	}
	s, err := parseSigned(data)
	if err != nil {
		return nil, damagedError(layout.CheckpointPath, err.Error())
	}
	return s, nil
}

// verifyCheckpoint verifies that a checkpoint is signed by one of the keys and is a root of the
// log.
func (l *Log) verifyCheckpoint(s *signedCheckpoint, keys []note.Verifier) ([]note.Signature, error) {
	signatures, err := s.verify(keys)
	if err != nil {
		return nil, signatureError(err, layout.CheckpointPath, s, keys)
	}
	root, err := l.Root(s.Size)
	if err != nil || root != s.Root {
		return nil, damagedError(layout.CheckpointPath, "the root does not match the entries of the log")
	}
	return signatures, nil
}

// signatureError returns the error for a checkpoint without a valid signature.
func signatureError(err error, path string, s *signedCheckpoint, keys []note.Verifier) error {
	if errors.As(err, new(*note.UnverifiedNoteError)) {
		return untrustedError(s.Origin, s.signers(), keyNames(keys))
	}
	return damagedError(path, err.Error())
}

// keyPath returns the path of the proof for a key entry, signed by an older key.
func keyPath(index int64) string { return fmt.Sprintf(layout.LogFolder+"keys/%d"+layout.Proof, index) }

// keyEntries yields the key entries of the log from index from on.
func (l *Log) keyEntries(from int64) iter.Seq2[int64, KeyEntry] {
	return func(yield func(int64, KeyEntry) bool) {
		for i, entry := range l.entries[from:] {
			if e, ok := entry.(KeyEntry); ok && !yield(from+int64(i), e) {
				return
			}
		}
	}
}

// currentKeys returns the keys that may sign now, following the log's key entries from the trusted
// keys.
func (l *Log) currentKeys(ctx context.Context, files Files, trusted []note.Verifier) ([]note.Verifier, error) {
	keys := slices.Clone(trusted)
	for i, e := range l.keyEntries(0) {
		path := keyPath(i)
		p, err := readProof(ctx, files, path)
		if err != nil {
			return nil, err
		}
		if p.index != i || p.verify(l.leaves[i]) != nil {
			return nil, damagedError(path, "it does not prove the log's key entry")
		}
		key, err := parseKey(e.Key)
		if err != nil {
			return nil, err
		}
		// Someone who trusts only later keys cannot verify earlier entries, and need not.
		if _, err := l.verifyCheckpoint(p.checkpoint, keys); err != nil {
			if errors.Is(err, ErrUntrusted) {
				continue
			}
			return nil, damagedError(path, err.Error())
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
		return nil, damagedError(path, err.Error())
	}
	return p, nil
}

// findRelease finds the manifest's entry in the log by its proof.
func (l *Log) findRelease(ctx context.Context, files Files, keys []note.Verifier, manifest []byte, v *Verified) error {
	p, err := readProof(ctx, files, layout.ProofPath)
	if errors.Is(err, errTruncated) {
		return unsignedError()
	}
	if err != nil {
		return err
	}
	if _, err := l.verifyCheckpoint(p.checkpoint, keys); err != nil {
		if errors.Is(err, ErrUntrusted) {
			return err
		}
		return damagedError(layout.ProofPath, err.Error())
	}
	want, err := newReleaseEntry(manifest)
	if err != nil {
		return err
	}
	if p.index >= l.Size() {
		return damagedError(layout.ProofPath, "unknown log entry")
	}
	if err := p.verify(l.leaves[p.index]); err != nil {
		return damagedError(layout.ProofPath, err.Error())
	}
	got, ok := l.entries[p.index].(ReleaseEntry)
	switch {
	case !ok:
		return otherManifestError("the proof is for another kind of log entry")
	case got.Release != want.Release:
		return otherManifestError(fmt.Sprintf("release %.12s was signed, but this is %.12s", got.Release, want.Release))
	case !got.isSameManifest(want):
		return otherManifestError(fmt.Sprintf("the manifest's SHA-256 is %x…, but %x… was signed", want.SHA256[:6], got.SHA256[:6]))
	}
	if !bytes.Equal(p.extra, got.breakLine()) {
		return damagedError(layout.ProofPath, "line 2 does not match the log entry")
	}
	index, newest := l.latestRelease()
	if index != p.index {
		return newFailure(ErrRolledBack, "release %.12s is not the latest: its log contains release %.12s of %s. Fetch that release",
			want.Release, newest.Release, newest.Date)
	}
	v.Entry, v.Index = got, p.index
	return nil
}

// latestRelease returns the last release in the log and its index, or -1.
func (l *Log) latestRelease() (int64, ReleaseEntry) {
	for i := l.Size() - 1; i >= 0; i-- {
		if r, ok := l.entries[i].(ReleaseEntry); ok {
			return i, r
		}
	}
	return -1, ReleaseEntry{}
}

func newReleaseEntry(manifest []byte) (ReleaseEntry, error) {
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
		return e, fmt.Errorf("the manifest's base URL, ID or date is not valid in a log: %w", err)
	}
	return e, nil
}

// checkSeen checks that the log continues the logs seen before, and that its releases since then
// follow each other.
func (l *Log) checkSeen(now *signedCheckpoint, memory Seen, v *Verified) error {
	seen, others, err := memory.read(now.Origin, v.keys)
	if err != nil {
		return err
	}
	v.Others = others
	size := int64(0)
	for _, old := range seen {
		size = max(size, old.Size)
		if old.Size > now.Size {
			return rolledBackError(now.Origin, now.Size, old.Size)
		}
		if root, err := l.Root(old.Size); err != nil || root != old.Root {
			return forkError(old, now)
		}
	}
	return l.checkLineage(v, size)
}

// forkError returns the error for two signed checkpoints that do not continue each other.
func forkError(old, now *signedCheckpoint) error {
	return &ForkError{Origin: now.Origin, Evidence: append(append(slices.Clone(old.note), '\n'), now.note...)}
}

// keyNames returns the names of keys in the form "name+number".
func keyNames(keys []note.Verifier) (list []string) {
	for _, k := range keys {
		list = append(list, fmt.Sprintf("%s+%08x", k.Name(), k.KeyHash()))
	}
	return list
}

// checkAge sets the age of the release, and returns an error if it is too old.
func (v *Verified) checkAge(opt VerifyOptions) error {
	if opt.Today.IsZero() {
		return nil
	}
	date, err := time.Parse(time.DateOnly, v.Entry.Date)
	if err != nil {
		return damagedError(layout.ManifestPath, "invalid date")
	}
	v.Days = int(opt.Today.Sub(date).Hours() / 24)
	if opt.MaxAge > 0 && v.Days > opt.MaxAge {
		return newFailure(ErrStale, "the latest release, %.12s of %s, is %d days old: at most %d are allowed. "+
			"The publisher may not have published since, or the host may withhold later releases: try another host",
			v.Entry.Release, v.Entry.Date, v.Days, opt.MaxAge)
	}
	return nil
}
