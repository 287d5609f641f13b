package signing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"stele/internal/disk/durable"
)

// Pending is a signature whose files are not in their place yet. Nobody else signs with the same
// state until it ends.
type Pending struct {
	*Signature
	path   string // of the signer's state, or ""
	before []byte // what it held when signing began
	unlock func()
}

// maxState limits a signer's state: it holds a log, of some 300 bytes for each release.
const maxState = 256 << 20

// Begin signs a manifest with the state in a file, or none for "". The state is kept before any
// witness is asked.
func Begin(ctx context.Context, log Files, manifest []byte, state string, opt SignOptions) (p *Pending, err error) {
	p = &Pending{path: state, unlock: func() {}}
	if state != "" {
		p.unlock, err = durable.Lock(state + ".lock")
		if errors.Is(err, durable.ErrBusy) {
			return nil, fmt.Errorf("another process is signing with %s: try again when it is done", state)
		}
		if err != nil {
			return nil, err
		}
		opt.Keep = func(data []byte) error { return durable.WriteFile(state, data, 0o600) }
		p.before, err = ReadLocal(state, maxState)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.End()
			return nil, err
		}
		opt.State = p.before
	}
	if p.Signature, err = Sign(ctx, log, manifest, opt); err != nil {
		p.End()
		return nil, err
	}
	return p, nil
}

// Placed keeps it that the files of the signature are in their place.
func (p *Pending) Placed() error {
	if p.path == "" || bytes.Equal(p.before, p.State) {
		return nil
	}
	return durable.WriteFile(p.path, p.State, 0o600)
}

// End lets others sign.
func (p *Pending) End() { p.unlock() }
