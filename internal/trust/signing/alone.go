package signing

import (
	"context"
	"errors"
	"fmt"

	"stele/internal/base/layout"
)

// verifyAlone holds a manifest to its proof and to the checkpoint beside it, without the entries of
// the log. It follows no changes of keys, and cannot know whether the log continues what was seen.
func verifyAlone(
	ctx context.Context, files Files, manifest []byte, latest *signed, opt VerifyOptions,
) (*Verified, error) {
	p, err := readProof(ctx, files, layout.ProofPath)
	if errors.Is(err, errTruncated) {
		return nil, unsigned()
	}
	if err != nil {
		return nil, err
	}
	if want := opt.Policy.Origin(); p.checkpoint.Origin != want {
		return nil, otherOrigin(p.checkpoint.Origin, want)
	}
	signatures, err := p.checkpoint.opened(opt.Policy.keys)
	if err != nil {
		return nil, notOpened(err, layout.ProofPath, p.checkpoint, opt.Policy.keys)
	}
	if _, err := latest.opened(opt.Policy.keys); err != nil {
		return nil, notOpened(err, layout.CheckpointPath, latest, opt.Policy.keys)
	}
	v := &Verified{Origin: p.checkpoint.Origin, Index: p.index, Size: latest.Size}
	for _, s := range signatures {
		v.Keys = append(v.Keys, fmt.Sprintf("%s+%08x", s.Name, s.Hash))
	}
	if c := p.checkpoint; c.Size > latest.Size || c.Size == latest.Size && c.Root != latest.Root {
		return nil, damaged(layout.CheckpointPath, "it does not continue the log of the proof")
	}
	want, err := entryOf(manifest)
	if err != nil {
		return nil, err
	}
	leaf := append(want.Encode(), p.extra...)
	entry, err := ParseEntry(leaf)
	got, ok := entry.(ReleaseEntry)
	if err != nil || !ok || !got.same(want) || p.check(leaf) != nil {
		return nil, otherManifest("its manifest is not the entry of the log that its proof is about")
	}
	v.Entry = got
	if v.Witnesses = opt.Policy.cosigners(p.checkpoint); !opt.Policy.satisfied(v.Witnesses) {
		return nil, unwitnessed(v.Witnesses, len(opt.Policy.witnesses))
	}
	return v, v.age(opt)
}
