package fetch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"stele/internal/base/fileinfo"
	"stele/internal/base/layout"
	"stele/release"
)

// once asks a service once for each file, and keeps what is read several times by whoever judges a
// release in a file without a name: what the manifest lists but the downloads, histories, and the
// log.
type once struct {
	*Source
	manifest *release.Manifest // nil until it was read
	on       *os.File
	end      atomic.Int64

	mu   sync.Mutex
	kept map[string]*keptFile
}

// keptFile is a file that was asked for, or why there is none.
type keptFile struct {
	fetched  sync.Once
	at, size int64
	err      error
}

func (o *once) Open(name string) (fs.File, error) {
	if !o.keeps(name) {
		return o.Source.Open(name)
	}
	o.mu.Lock()
	k := o.kept[name]
	if k == nil {
		k = new(keptFile)
		o.kept[name] = k
	}
	o.mu.Unlock()
	k.fetched.Do(func() { k.err = o.fetch(name, k) })
	if k.err != nil {
		return nil, k.err
	}
	return fileinfo.New(name, io.NewSectionReader(o.on, k.at, k.size), k.size), nil
}

func (o *once) keeps(name string) bool {
	switch {
	case layout.IsDownload(name):
		return false
	case strings.HasPrefix(name, layout.HistoryFolder), strings.HasPrefix(name, layout.LogFolder):
		return true
	}
	return name == layout.ManifestPath || o.manifest != nil && o.manifest.File(name) != nil
}

// most is how many bytes of a file are read: one more than it should have, so that whoever judges
// it sees that.
func (o *once) most(name string) int64 {
	if name == layout.ManifestPath {
		return layout.MaxManifest + 1
	}
	if o.manifest == nil {
		return layout.MaxLine + 1
	}
	if f := o.manifest.File(name); f != nil {
		return f.Size + 1
	}
	return layout.MaxLine + 1
}

// fetch reads a file, to a place that has as many bytes as it may have. What it does not take of
// them takes no room on disk.
func (o *once) fetch(name string, k *keptFile) error {
	f, err := o.Source.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	most := o.most(name)
	k.at = o.end.Add(most) - most
	if k.size, err = io.Copy(io.NewOffsetWriter(o.on, k.at), io.LimitReader(f, most)); err != nil {
		return getError(name, err)
	}
	return nil
}

// Close ends what is being read, and lets go of what is kept.
func (o *once) Close() error { return errors.Join(o.Source.Close(), o.on.Close()) }
