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

// cachedSource requests each file of a service once. It stores the files that a verification reads
// several times in an unnamed temporary file. These are the files in the manifest except downloads,
// histories and the log.
type cachedSource struct {
	*Source
	manifest *release.Manifest // nil until it is read
	spill    *os.File
	end      atomic.Int64

	mu    sync.Mutex
	files map[string]*cachedFile
}

// cachedFile is the stored copy of a file, or the error of requesting it.
type cachedFile struct {
	fetched  sync.Once
	at, size int64
	err      error
}

func (o *cachedSource) Open(name string) (fs.File, error) {
	if !o.caches(name) {
		return o.Source.Open(name)
	}
	o.mu.Lock()
	k := o.files[name]
	if k == nil {
		k = new(cachedFile)
		o.files[name] = k
	}
	o.mu.Unlock()
	k.fetched.Do(func() { k.err = o.fetch(name, k) })
	if k.err != nil {
		return nil, k.err
	}
	return fileinfo.New(name, io.NewSectionReader(o.spill, k.at, k.size), k.size), nil
}

func (o *cachedSource) caches(name string) bool {
	switch {
	case layout.IsDownload(name):
		return false
	case strings.HasPrefix(name, layout.HistoryFolder), strings.HasPrefix(name, layout.LogFolder):
		return true
	}
	return name == layout.ManifestPath || o.manifest != nil && o.manifest.File(name) != nil
}

// readLimit returns the number of bytes of a file to read: one more than its size, so that a
// verification notices a longer file.
func (o *cachedSource) readLimit(name string) int64 {
	switch {
	case name == layout.ManifestPath:
		return layout.MaxManifest + 1
	case o.manifest != nil && o.manifest.File(name) != nil:
		return o.manifest.File(name).Size + 1
	}
	return layout.MaxLine + 1
}

// fetch reads a file into a section of the temporary file that is as large as the file's maximum
// size. The unused part takes no disk space.
func (o *cachedSource) fetch(name string, k *cachedFile) error {
	f, err := o.Source.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // f was only read
	most := o.readLimit(name)
	k.at = o.end.Add(most) - most
	if k.size, err = io.Copy(io.NewOffsetWriter(o.spill, k.at), io.LimitReader(f, most)); err != nil {
		return getError(name, err)
	}
	return nil
}

// Close closes the source and deletes the stored files.
func (o *cachedSource) Close() error { return errors.Join(o.Source.Close(), o.spill.Close()) }
