package publish

import (
	"context"

	"stele/internal/layout"
	"stele/release"
)

// commit compresses the files of a release, waits until all are written, and ends with the
// manifest.
func commit(m *release.Manifest, f *files) error {
	if err := f.writeVariants(); err != nil {
		return err
	}
	f.singles.wait()
	if err := context.Cause(f.ctx); err != nil {
		return err
	}
	f.linkUnchanged()
	m.Files = f.sorted()
	data, err := m.Encode()
	if err != nil {
		return err
	}
	return f.put(layout.ManifestPath, data)
}
