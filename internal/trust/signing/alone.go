package signing

import (
	"context"
	"errors"
	"fmt"

	"stele/internal/base/layout"
)

// verifyWithoutLog verifies a manifest against its proof and the checkpoint, without the entries of
// the log. It cannot follow key changes, and cannot check whether the log continues a log seen
// before.
func verifyWithoutLog(
	ctx context.Context, files Files, manifest []byte, latest *signedCheckpoint, opt VerifyOptions,
) (*Verified, error) {
	p, err := readProof(ctx, files, layout.ProofPath)
	if errors.Is(err, errTruncated) {
		return nil, unsignedError()
	}
	if err != nil {
		return nil, err
	}
	if want := opt.Policy.Origin(); p.checkpoint.Origin != want {
		return nil, otherOriginError(p.checkpoint.Origin, want)
	}
	signatures, err := p.checkpoint.verify(opt.Policy.keys)
	if err != nil {
		return nil, signatureError(err, layout.ProofPath, p.checkpoint, opt.Policy.keys)
	}
	if _, err := latest.verify(opt.Policy.keys); err != nil {
		return nil, signatureError(err, layout.CheckpointPath, latest, opt.Policy.keys)
	}
	v := &Verified{Origin: p.checkpoint.Origin, Index: p.index, Size: latest.Size}
	for _, s := range signatures {
		v.Keys = append(v.Keys, fmt.Sprintf("%s+%08x", s.Name, s.Hash))
	}
	if c := p.checkpoint; c.Size > latest.Size || c.Size == latest.Size && c.Root != latest.Root {
		return nil, damagedError(layout.CheckpointPath, "does not continue the log of the proof")
	}
	want, err := newReleaseEntry(manifest)
	if err != nil {
		return nil, err
	}
	leaf := append(want.Encode(), p.extra...)
	entry, err := ParseEntry(leaf)
	got, ok := entry.(ReleaseEntry)
	if err != nil || !ok || !got.isSameManifest(want) || p.verify(leaf) != nil {
		return nil, otherManifestError("the manifest differs from the log entry that the proof is for")
	}
	v.Entry = got
	if v.Witnesses = opt.Policy.cosigners(p.checkpoint); !opt.Policy.hasQuorum(v.Witnesses) {
		return nil, unwitnessedError(v.Witnesses, len(opt.Policy.witnesses))
	}
	return v, v.checkAge(opt)
}
