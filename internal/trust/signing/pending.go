package signing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"stele/internal/disk/durable"
)

// Pending is a signature whose files are not published yet. It locks the signer's state until
// Release.
type Pending struct {
	*Signature
	path   string // file of the signer's state, or ""
	before []byte // its contents before signing
	unlock func()
}

// maxState limits the size of a signer's state, which contains a log with about 300 bytes per
// release.
const maxState = 256 << 20

// Begin signs a manifest. The signer's state is in the file state; "" means that there is no state.
// Begin saves the state before it asks witnesses.
func Begin(ctx context.Context, log Files, manifest []byte, state string, opt SignOptions) (p *Pending, err error) {
	p = &Pending{path: state, unlock: func() {}}
	if state != "" {
		p.unlock, err = durable.Lock(state + ".lock")
		if errors.Is(err, durable.ErrBusy) {
			return nil, fmt.Errorf("another process is signing with %s: try again later", state)
		}
		if err != nil {
			return nil, err
		}
		opt.SaveState = func(data []byte) error { return durable.WriteFile(state, data, 0o600) }
		p.before, err = ReadLocal(state, maxState)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.Release()
			return nil, err
		}
		opt.State = p.before
	}
	if p.Signature, err = Sign(ctx, log, manifest, opt); err != nil {
		p.Release()
		return nil, err
	}
	return p, nil
}

// MarkPublished saves that the files of the signature are published.
func (p *Pending) MarkPublished() error {
	if p.path == "" || bytes.Equal(p.before, p.State) {
		return nil
	}
	return durable.WriteFile(p.path, p.State, 0o600)
}

// Release unlocks the state.
func (p *Pending) Release() { p.unlock() }
