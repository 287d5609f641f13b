package push

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/disk/store"
	"stele/internal/trust/signing"
)

// beginFunc begins to sign a manifest. log reads the existing log.
type beginFunc func(ctx context.Context, log signing.Files, manifest []byte) (*signing.Pending, error)

// Sign signs a release in a folder, a zip or a bucket. A release in a bucket is downloaded, signed,
// and pushed again; own is the state folder of pushes. late is the error of deleting old objects.
func Sign(ctx context.Context, where, own string, begin beginFunc) (_ *signing.Signature, late, err error) {
	path := where
	var b *bucket.Bucket
	if bucket.IsAddress(where) {
		if b, err = bucket.Open(ctx, where, bucket.Options{}); err != nil {
			return nil, nil, err
		}
		defer b.Close()
		var remove func() error
		if path, remove, err = b.Download(ctx); err != nil {
			return nil, nil, err
		}
		defer remove()
	}
	p, err := signIn(ctx, path, begin)
	if err != nil {
		return nil, nil, err
	}
	defer p.Release()
	if b != nil && !p.Unchanged {
		r, err := Push(ctx, b, path, Options{Own: own})
		if err != nil {
			return nil, nil, err
		}
		late = r.Late
	}
	return p.Signature, late, p.MarkPublished()
}

// signIn signs a release in a folder or a zip. It locks the target, so that no build replaces the
// release before the signature is written.
func signIn(ctx context.Context, where string, begin beginFunc) (p *signing.Pending, err error) {
	if _, err := os.Stat(where); err != nil {
		return nil, fmt.Errorf("no release found at %s: %w", where, err)
	}
	err = store.Amend(where, func(files fs.FS) ([]string, iter.Seq2[string, []byte], error) {
		manifest, err := signing.FS(files).ReadFile(ctx, layout.ManifestPath, layout.MaxManifest)
		if err != nil {
			return nil, nil, fmt.Errorf("%s is not a release made by stele build: %w", where, err)
		}
		if p, err = begin(ctx, signing.FS(files), manifest); err != nil || p.Unchanged {
			return nil, nil, err
		}
		return p.Remove, func(yield func(string, []byte) bool) {
			for _, file := range p.Files {
				if !yield(file.Path, file.Data) {
					return
				}
			}
		}, nil
	})
	if err != nil && p != nil {
		p.Release()
	}
	return p, err
}
