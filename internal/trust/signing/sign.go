package signing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"stele/internal/base/layout"
)

// SignOptions are the options of Sign.
type SignOptions struct {
	Keys     []string // private keys: one, or the old and the new one during a key change
	Announce bool     // whether to add a key that the log does not know
	Retire   string   // a public key to retire, or ""
	State    []byte   // the signer's last state, or nil
	// SaveState saves the signer's state. It is called before witnesses are asked, because a
	// witness does not forget, and the signer must not either.
	SaveState func(state []byte) error
	// RollbackFrom is the ID of the latest release in the log, if the new release does not follow
	// it because the publisher withdraws it; otherwise "".
	RollbackFrom string
	// Cosign asks witnesses, and returns the checkpoint with their signatures appended.
	Cosign func(ctx context.Context, log *Log, checkpoint []byte) ([]byte, error)
}

// Signature is the result of signing a release.
type Signature struct {
	Files     []File // to write next to the release, in this order: the proof is last
	Remove    []string
	State     []byte // to save when the files are published
	Index     int64  // of the release in the log
	Size      int64
	Origin    string
	Unchanged bool // whether the release was signed already
}

// File is a file of the log.
type File struct {
	Path string
	Data []byte
}

// state is a signer's state: the log that it signed last. With it, a log that was signed but not
// published is continued instead of forked.
type state struct {
	Checkpoint string   `json:"checkpoint"`
	From       int64    `json:"from"`    // index of the first entry; always 0
	Entries    []string `json:"entries"` // from there on
	// Published is the number of entries that were published. Earlier versions of the program leave
	// it out.
	Published *int64 `json:"published,omitempty"`
}

// signer is the state of Sign.
type signer struct {
	opt     SignOptions
	files   Files
	origin  string
	signers []note.Signer
	keys    []note.Verifier
	texts   []string          // public keys
	before  *signedCheckpoint // the checkpoint of the existing log, or nil
	log     *Log
	from    int64 // number of entries in the existing log
	// published is the number of entries that were published, or the size of the log if unknown.
	published int64
}

// Sign appends a release to the log next to it and signs the log. It verifies the whole log first,
// and refuses to sign a second history.
func Sign(ctx context.Context, files Files, manifest []byte, opt SignOptions) (*Signature, error) {
	s := &signer{opt: opt, files: files}
	if err := s.readKeys(); err != nil {
		return nil, err
	}
	entry, err := newReleaseEntry(manifest)
	if err != nil {
		return nil, err
	}
	if err := s.readLog(ctx); err != nil {
		return nil, err
	}
	if err := s.resumeLog(); err != nil {
		return nil, err
	}
	known, err := s.knownKeys(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.addKeys(known); err != nil {
		return nil, err
	}
	index, newest := s.log.latestRelease()
	if index < 0 || !newest.isSameManifest(entry) {
		if entry, err = s.checkFollows(entry); err != nil {
			return nil, err
		}
		index = s.log.Size()
		if err := s.log.Append(entry.Encode()); err != nil {
			return nil, err
		}
	}
	return s.sign(ctx, index)
}

func (s *signer) readKeys() error {
	if len(s.opt.Keys) == 0 {
		return errors.New("missing key to sign with")
	}
	for _, private := range s.opt.Keys {
		signer, err := ParseSigner(private)
		if err != nil {
			return err
		}
		public, err := PublicKey(private)
		if err != nil {
			return err
		}
		key, err := parseKey(public)
		if err != nil {
			return err
		}
		if s.origin != "" && s.origin != key.Name() {
			return fmt.Errorf("the keys are for two logs, %q and %q: want keys of one log", s.origin, key.Name())
		}
		s.origin = key.Name()
		s.signers, s.keys, s.texts = append(s.signers, signer), append(s.keys, key), append(s.texts, public)
	}
	return nil
}

// readLog reads the log of the previous release.
func (s *signer) readLog(ctx context.Context) error {
	before, err := readCheckpoint(ctx, s.files)
	switch {
	case errors.Is(err, ErrUnsigned):
		s.log = &Log{}
		return nil
	case err != nil:
		return err
	case before.Origin != s.origin:
		return otherOriginError(before.Origin, s.origin)
	}
	if s.log, err = readLog(ctx, s.files, before.Size); err != nil {
		return err
	}
	s.before, s.from = before, before.Size
	return nil
}

// knownKeys returns the keys that may sign, as far as they can be derived from the signer's keys.
func (s *signer) knownKeys(ctx context.Context) ([]note.Verifier, error) {
	if s.before == nil {
		return s.keys, nil
	}
	if _, err := s.log.verifyCheckpoint(s.before, s.keys); err != nil {
		if errors.Is(err, ErrUntrusted) {
			return nil, errors.New("the existing log is signed by another key. Sign with that key; " +
				"to change keys, give both and --announce")
		}
		return nil, err
	}
	known := slices.DeleteFunc(slices.Clone(s.keys), func(k note.Verifier) bool { return !s.before.isSignedBy(k) })
	return s.log.prefix(s.from).currentKeys(ctx, s.files, known)
}

// resumeLog continues the log that this signer signed last, even if it was not published
// completely. It refuses a log that forks it.
func (s *signer) resumeLog() error {
	s.published = s.log.Size()
	if s.opt.State == nil {
		return nil
	}
	var last state
	if err := json.Unmarshal(s.opt.State, &last); err != nil {
		return damagedState(err)
	}
	signed, err := parseSigned([]byte(last.Checkpoint))
	if err != nil {
		return damagedState(err)
	}
	if signed.Origin != s.origin {
		return fmt.Errorf("the signer's state is for %q, but the key is for %q", signed.Origin, s.origin)
	}
	size := s.log.Size()
	refused := newFailure(errRewritten, "the log of %q next to this release has %d entries, which do not match the %d that this key has signed: "+
		"signing it would fork the log permanently. Build on the latest signed release (stele build --previous) and sign that",
		s.origin, size, signed.Size)
	if size < last.From || last.From < 0 || last.From+int64(len(last.Entries)) != signed.Size {
		return refused
	}
	for n := size; n < signed.Size; n++ {
		if err := s.log.Append([]byte(last.Entries[n-last.From])); err != nil {
			return damagedState(err)
		}
	}
	if root, err := s.log.Root(signed.Size); err != nil || root != signed.Root {
		return refused
	}
	if last.Published == nil {
		s.published = s.log.Size()
	} else {
		s.published = max(s.published, *last.Published)
	}
	return nil
}

func damagedState(err error) error {
	return fmt.Errorf("the signer's state is damaged: restore a backup that is not older than the last signature (%w)", err)
}

// addKeys appends the entries about new and retired keys.
func (s *signer) addKeys(known []note.Verifier) error {
	pending := func(e Entry) bool { // an unpublished log contains the entry already
		return slices.Contains(s.log.entries[s.from:], e)
	}
	for i, k := range s.keys {
		entry := KeyEntry{AddKey, s.texts[i]}
		if slices.ContainsFunc(known, func(o note.Verifier) bool { return sameKey(k, o) }) || pending(entry) {
			continue
		}
		if !s.opt.Announce {
			return fmt.Errorf("unknown key %s+%08x: add it to the log with --announce", k.Name(), k.KeyHash())
		}
		if err := s.log.Append(entry.Encode()); err != nil {
			return err
		}
	}
	if s.opt.Retire == "" {
		return nil
	}
	gone, err := parseKey(s.opt.Retire)
	if err != nil {
		return err
	}
	entry := KeyEntry{RetireKey, strings.TrimSpace(s.opt.Retire)}
	left := slices.DeleteFunc(slices.Clone(s.keys), func(k note.Verifier) bool { return sameKey(k, gone) })
	switch {
	case len(left) == 0:
		return errors.New("a key cannot retire itself: sign with its successor")
	case pending(entry):
		return nil
	}
	return s.log.Append(entry.Encode())
}

// checkFollows returns the entry of a release, with a break if necessary, or an error if the
// release does not follow the log.
func (s *signer) checkFollows(e ReleaseEntry) (ReleaseEntry, error) {
	index, newest := s.log.latestRelease()
	back := s.opt.RollbackFrom
	switch {
	case index < 0 && back != "":
		return e, errors.New("the log has no release yet, so there is nothing to roll back")
	case back != "" && !newest.matches(back):
		return e, fmt.Errorf("the latest release of the log is %s of %s, not %q",
			newest.Release, newest.Date, back)
	case index < 0 || newest.precedes(e):
		if back != "" {
			return e, fmt.Errorf("release %s follows release %s: it is not a rollback", e.Release, newest.Release)
		}
		return e, nil
	case back != "":
		e.Break, e.Skips = Rollback, newest.Release
		return e, nil
	case index >= s.published && e.Previous == newest.Previous:
		e.Break, e.Skips = Unpublished, newest.Release
		return e, nil
	}
	return e, notBuiltOnError(s.origin, e, newest)
}

// sign signs the current log, and lists the files to write.
func (s *signer) sign(ctx context.Context, index int64) (*Signature, error) {
	out := &Signature{Index: index, Size: s.log.Size(), Origin: s.origin}
	root, err := s.log.Root(s.log.Size())
	if err != nil {
		return nil, err
	}
	checkpoint, err := Checkpoint{s.origin, s.log.Size(), root}.sign(s.signers)
	if err != nil {
		return nil, err
	}
	before, err := s.encodeState(checkpoint, s.published)
	if err != nil {
		return nil, err
	}
	if out.State, err = s.encodeState(checkpoint, s.log.Size()); err != nil {
		return nil, err
	}
	if s.isSigned(ctx, index) {
		out.Unchanged = true
		return out, nil
	}
	if s.opt.SaveState != nil {
		if err := s.opt.SaveState(before); err != nil {
			return nil, err
		}
	}
	if s.opt.Cosign != nil {
		if checkpoint, err = s.opt.Cosign(ctx, s.log, checkpoint); err != nil {
			return nil, fmt.Errorf("%w\nThe release is not signed. The signer has saved the log that it sent to the witnesses: "+
				"sign this or the next release again to continue it", err)
		}
	}
	return out, s.listFiles(out, checkpoint)
}

func (s *signer) encodeState(checkpoint []byte, published int64) ([]byte, error) {
	last := state{Checkpoint: string(checkpoint), Entries: []string{}, Published: &published}
	for _, leaf := range s.log.leaves {
		last.Entries = append(last.Entries, string(leaf))
	}
	return json.MarshalIndent(last, "", "  ")
}

// isSigned reports whether the release already has all signatures.
func (s *signer) isSigned(ctx context.Context, index int64) bool {
	if s.before == nil || s.log.Size() != s.from || s.opt.Cosign != nil {
		return false
	}
	p, err := readProof(ctx, s.files, layout.ProofPath)
	if err != nil || p.index != index || p.verify(s.log.leaves[index]) != nil || p.checkpoint.Size != s.from {
		return false
	}
	return !slices.ContainsFunc(s.keys, func(k note.Verifier) bool { return !p.checkpoint.isSignedBy(k) }) &&
		bytes.Equal(p.checkpoint.note, s.before.note)
}

// listFiles lists the files of the log, in an order in which no file refers to a missing one, and
// the files to remove.
func (s *signer) listFiles(out *Signature, checkpoint []byte) error {
	tiles := maps.Collect(s.log.newTiles(s.from))
	out.Remove = s.log.obsoleteTiles(s.from)
	for _, path := range slices.Sorted(maps.Keys(tiles)) {
		out.Files = append(out.Files, File{path, tiles[path]})
	}
	for i := range s.log.keyEntries(s.from) {
		p, err := s.log.proofOf(i, checkpoint)
		if err != nil {
			return err
		}
		out.Files = append(out.Files, File{keyPath(i), p})
	}
	p, err := s.log.proofOf(out.Index, checkpoint)
	if err != nil {
		return err
	}
	out.Files = append(out.Files,
		File{layout.PolicyPath, s.policyFile()}, File{layout.CheckpointPath, checkpoint}, File{layout.ProofPath, p})
	return nil
}

// policyFile returns the contents of the policy file.
func (s *signer) policyFile() []byte {
	out := []byte("# The keys of this log, for convenience. Before you trust them, compare them with\n" +
		"# the keys that the publisher gives elsewhere.\n")
	for _, t := range s.texts {
		if t != strings.TrimSpace(s.opt.Retire) {
			out = fmt.Appendf(out, "log %s\n", t)
		}
	}
	return append(out, "quorum none\n"...)
}

// CopyLog returns the files of a release's log for the next release, or none if there is no log.
// The signature is included if the next release has the same manifest.
func CopyLog(ctx context.Context, files Files, manifest []byte) ([]File, error) {
	list, err := logFiles(ctx, files)
	if err != nil || list == nil {
		return nil, err
	}
	before, err := files.ReadFile(ctx, layout.ManifestPath, layout.MaxManifest)
	if err != nil || !bytes.Equal(before, manifest) {
		return list, err
	}
	proof, err := files.ReadFile(ctx, layout.ProofPath, maxNote)
	if isNotExist(err) {
		return list, nil
	}
	return append(list, File{layout.ProofPath, proof}), err
}

// Apply returns the files of a log after adding the signature.
func (s *Signature) Apply(log []File) []File {
	files := map[string][]byte{}
	for _, f := range log {
		files[f.Path] = f.Data
	}
	for _, path := range s.Remove {
		delete(files, path)
	}
	for _, f := range s.Files {
		files[f.Path] = f.Data
	}
	var list []File
	for _, path := range slices.Sorted(maps.Keys(files)) {
		list = append(list, File{path, files[path]})
	}
	return list
}

// logFiles returns the files of a log without the proof of a release, or none if there is no log.
func logFiles(ctx context.Context, files Files) ([]File, error) {
	checkpoint, err := readCheckpoint(ctx, files)
	if errors.Is(err, ErrUnsigned) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	log, err := readLog(ctx, files, checkpoint.Size)
	if err != nil {
		return nil, err
	}
	var list []File
	for path, data := range log.tiles {
		list = append(list, File{path, data})
	}
	more := []string{layout.PolicyPath}
	for i := range log.keyEntries(0) {
		more = append(more, keyPath(i))
	}
	for _, path := range more {
		data, err := readPart(ctx, files, path, maxNote)
		if err != nil {
			return nil, err
		}
		list = append(list, File{path, data})
	}
	return append(list, File{layout.CheckpointPath, checkpoint.note}), nil
}

// Paths returns the paths of all files of a release's log, including the proof, or none if there is
// no log.
func Paths(ctx context.Context, files Files) ([]string, error) {
	list, err := logFiles(ctx, files)
	if err != nil || list == nil {
		return nil, err
	}
	paths := []string{layout.ProofPath}
	for _, f := range list {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	return paths, nil
}
