package push

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/disk/store"
	"stele/release"
)

// Host is a host of static files, and what it takes. Zero is no limit.
type Host struct {
	Name   string
	Title  string
	Files  int64 // how many
	Each   int64 // bytes of a file
	Bytes  int64 // of all files
	Folder bool  // whether folders count as files
}

// Hosts are those that are known. docs/put-it-online.md says where each figure is from.
var Hosts = []Host{
	{Name: "github-pages", Title: "GitHub Pages", Bytes: 1e9},
	{Name: "gitlab-pages", Title: "GitLab Pages (GitLab.com)", Files: 200_000, Bytes: 1 << 30, Folder: true},
	{Name: "cloudflare-pages", Title: "Cloudflare Pages, free", Files: 20_000, Each: 25 << 20},
	{Name: "cloudflare-pages-paid", Title: "Cloudflare Pages, paid", Files: 100_000, Each: 25 << 20},
}

// FindHost returns the host that has a name.
func FindHost(name string) (Host, error) {
	var names []string
	for _, h := range Hosts {
		if h.Name == name {
			return h, nil
		}
		names = append(names, h.Name)
	}
	return Host{}, fmt.Errorf("there is no host %.40q; known are %s", name, strings.Join(names, ", "))
}

// Size is how large a release is on a host that knows no links.
type Size struct {
	Files, Folders, Bytes int64
	Largest               int64 // file
	LargestPath           string
}

func (s *Size) add(at string, size int64) {
	s.Files++
	s.Bytes += size
	if size > s.Largest {
		s.Largest, s.LargestPath = size, at
	}
}

// Slimming is a way to build a release that is smaller.
type Slimming struct {
	Flags string // of stele build; "" for the release as it is
	Size
}

// Slim tells how large a release is, and would be if it was built with less, the largest first.
func Slim(r *release.Release) ([]Slimming, error) {
	ways := []Slimming{
		{},
		{Flags: "--without=by-hash"},
		{Flags: "--without by-hash --without variants"},
		{Flags: "--without by-hash --without variants --downloads none"},
		{Flags: "--without by-hash --without variants --without derived"},
	}
	records := map[string]bool{layout.ManifestPath: true, layout.ReleasesPath: true}
	for _, k := range r.Manifest.Kinds {
		records[k.Collection], records[k.Listing] = true, true
	}
	folders := make([]map[string]bool, len(ways))
	for i := range folders {
		folders[i] = map[string]bool{}
	}
	known := map[string]bool{} // of files that have variants
	var all []string
	for at, err := range store.Names(r.Files) {
		if err != nil {
			return nil, err
		}
		known[at] = true
		all = append(all, at)
	}
	for _, at := range all {
		info, err := fs.Stat(r.Files, at)
		if err != nil {
			return nil, err
		}
		byHash := strings.HasPrefix(at, layout.ByHashFolder)
		download := layout.IsDownload(at)
		for i := range ways {
			if i >= 1 && byHash || i >= 2 && isVariant(known,
				at) || i >= 3 && download || i >= 4 && !isRecords(r, records, at) {
				continue
			}
			ways[i].add(at, info.Size())
			for dir := path.Dir(at); dir != "." && !folders[i][dir]; dir = path.Dir(dir) {
				folders[i][dir] = true
				ways[i].Folders++
			}
		}
	}
	return ways, nil
}

// isVariant reports whether a file is another one that is known, compressed.
func isVariant(known map[string]bool, at string) bool {
	return slices.ContainsFunc(compress.Encodings, func(e compress.Encoding) bool {
		base, ok := strings.CutSuffix(at, e.Suffix)
		return ok && known[base]
	})
}

// isRecords reports whether a file is there in a release of records only, as far as names tell.
func isRecords(r *release.Release, known map[string]bool, at string) bool {
	if known[at] || strings.HasPrefix(at, layout.LogFolder) || at == layout.ProofPath {
		return true
	}
	if slices.ContainsFunc([]string{layout.DeltaFolder, layout.EventFolder, layout.HistoryFolder, layout.IndexFolder},
		func(folder string) bool { return strings.HasPrefix(at, folder) }) {
		return at != layout.PagesPath
	}
	return slices.ContainsFunc(r.Manifest.Kinds, func(k release.Kind) bool {
		before, after, ok := k.SingleParts()
		return ok && strings.HasPrefix(at, before) && strings.HasSuffix(at, after)
	})
}

// Refuses says why a host does not take so much, or "".
func (h Host) Refuses(s Size) string {
	files, what := s.Files, "files"
	if h.Folder {
		files, what = files+s.Folders, "files and folders"
	}
	switch {
	case h.Files > 0 && files > h.Files:
		return fmt.Sprintf("%d %s, and it takes %d", files, what, h.Files)
	case h.Each > 0 && s.Largest > h.Each:
		return fmt.Sprintf("%s has %.1f MB, and it takes %.1f MB", s.LargestPath, float64(s.Largest)/1e6, float64(h.Each)/1e6)
	case h.Bytes > 0 && s.Bytes > h.Bytes:
		return fmt.Sprintf("%.0f MB in all, and it takes %.0f MB", float64(s.Bytes)/1e6, float64(h.Bytes)/1e6)
	}
	return ""
}
