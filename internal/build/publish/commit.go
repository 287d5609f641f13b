package publish

import (
	"context"
	"path/filepath"

	"stele/internal/base/layout"
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
	if err := f.nameByHash(m); err != nil {
		return err
	}
	data, err := m.Encode()
	if err != nil {
		return err
	}
	return f.put(layout.ManifestPath, data)
}

// nameByHash lets what the manifest lists be read by digest too. Who has read the manifest then
// sees one release, even while a host is being updated; so what the previous release listed can
// still be read that way.
func (f *files) nameByHash(m *release.Manifest) error {
	to, ok := f.w.(Aliaser)
	if !ok || !f.opt.ByHash {
		return nil
	}
	named := map[release.Digest]bool{}
	for file := range m.Each() {
		if err := context.Cause(f.ctx); err != nil {
			return err
		}
		if named[file.SHA256] {
			continue
		}
		named[file.SHA256] = true
		if err := to.Alias(layout.ByHashPath(file.SHA256.String()), file.Path); err != nil {
			return err
		}
	}
	if f.previous == nil || f.linker == nil || f.opt.PreviousDir == "" {
		return nil
	}
	for file := range f.previous.Manifest.Each() {
		if !named[file.SHA256] { // what cannot be linked is not there
			from := filepath.Join(f.opt.PreviousDir, filepath.FromSlash(file.Path))
			f.linker.Link(layout.ByHashPath(file.SHA256.String()), from, file.Size, f.previous.written)
		}
	}
	return nil
}
