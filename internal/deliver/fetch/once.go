package fetch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"stele/internal/base/fileinfo"
	"stele/internal/base/layout"
	"stele/internal/disk/scratch"
	"stele/release"
)

// once asks a service once for each file, and keeps what is read several times by whoever judges a
// release in a file without a name: what the manifest lists but the downloads, histories, and the
// log.
type once struct {
	*Source
	manifest *release.Manifest // nil until it was read

	mu   sync.Mutex
	on   *os.File // nil as long as nothing is kept
	end  int64
	kept map[string]*keptFile
}

// keptFile is a file that was asked for, or why there is none.
type keptFile struct {
	fetched sync.Once
	parts   []part
	size    int64
	err     error
}

// part is where some of a file lies.
type part struct{ at, length int64 }

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
	parts := make([]io.Reader, len(k.parts))
	for i, p := range k.parts {
		parts[i] = io.NewSectionReader(o.on, p.at, p.length)
	}
	return struct {
		fileinfo.Info
		io.Reader
	}{fileinfo.Info{Path: name, Length: k.size}, io.MultiReader(parts...)}, nil
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

// fetch reads a file.
func (o *once) fetch(name string, k *keptFile) error {
	f, err := o.Source.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	in, buffer := io.LimitReader(f, o.most(name)), make([]byte, 64<<10)
	for {
		n, err := in.Read(buffer)
		if err := o.keep(k, buffer[:n]); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return getError(name, err)
		}
	}
}

// keep writes some of a file.
func (o *once) keep(k *keptFile, data []byte) (err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.on == nil {
		if o.on, err = scratch.New("", "stele-verify-*"); err != nil {
			return err
		}
	}
	if _, err := o.on.WriteAt(data, o.end); err != nil {
		return err
	}
	length := int64(len(data))
	if i := len(k.parts) - 1; i >= 0 && k.parts[i].at+k.parts[i].length == o.end {
		k.parts[i].length += length
	} else {
		k.parts = append(k.parts, part{o.end, length})
	}
	o.end += length
	k.size += length
	return nil
}

// Close ends what is being read, and lets go of what is kept.
func (o *once) Close() error {
	err := o.Source.Close()
	if o.on != nil {
		err = errors.Join(err, o.on.Close())
	}
	return err
}
