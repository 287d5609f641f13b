package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"stele/internal/layout"
	"stele/release"
)

//go:embed assets
var assetFiles embed.FS

// assets are the styles, scripts and pictures of the pages. Their names carry a digest, so that
// browsers may keep them for ever.
type assets struct {
	addresses map[string]string // by name: style.css, record.js, minisearch.js
	logo      string            // name of the publisher's logo, or ""
	style     string            // and of the publisher's style sheet
}

func (a *assets) address(name string) string {
	address, ok := a.addresses[name]
	if !ok {
		panic("site: no asset " + name) // a mistake in this package
	}
	return address
}

// writeAssets writes all assets. Scripts that others import come before those.
func (s *site) writeAssets() error {
	s.assets = &assets{addresses: map[string]string{}}
	if s.settings.Logo != "" {
		s.assets.logo = "logo" + path.Ext(s.settings.Logo)
		if err := s.putAsset(s.assets.logo, []byte(s.settings.LogoData)); err != nil {
			return err
		}
	}
	if s.settings.Style != "" {
		s.assets.style = "brand.css"
		if err := s.putAsset(s.assets.style, []byte(s.settings.StyleData)); err != nil {
			return err
		}
	}
	var names []string
	err := fs.WalkDir(assetFiles, "assets", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains([]string{".css", ".js", ".svg"}, path.Ext(name)) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := s.putLicenses(); err != nil {
		return err
	}
	if err := s.writePictures(); err != nil {
		return err
	}
	slices.SortFunc(names, importedFirst)
	for _, name := range names {
		data, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		if err := s.putAsset(path.Base(name), s.adapt(path.Base(name), data)); err != nil {
			return err
		}
	}
	return nil
}

// putLicenses writes the licences of the vendored scripts as one file, which goes where the scripts
// go.
func (s *site) putLicenses() error {
	names, err := fs.Glob(assetFiles, "assets/vendor/*.LICENSE.txt")
	if err != nil {
		return err
	}
	var all []byte
	for _, name := range names {
		data, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		all = fmt.Appendf(all, "%s\n\n%s\n\n", strings.TrimSuffix(path.Base(name), ".LICENSE.txt"), bytes.TrimSpace(data))
	}
	return s.putAsset("licenses.txt", all)
}

// importedFirst sorts what other scripts import before those: the vendored ones, then parts, which
// are named part-….
func importedFirst(a, b string) int {
	rank := func(name string) int {
		switch {
		case strings.Contains(name, "/vendor/"):
			return 0
		case strings.HasPrefix(path.Base(name), "part-"):
			return 1
		}
		return 2
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// adapt lets the style sheet begin with the publisher's colours, and gives imports of scripts the
// names that they have in the release.
func (s *site) adapt(name string, data []byte) []byte {
	switch {
	case name == "style.css":
		return append(accentStyle(string(s.settings.AccentColor)), data...)
	case path.Ext(name) == ".js":
		for imported, address := range s.assets.addresses {
			data = bytes.ReplaceAll(data, []byte(`"./`+imported+`"`), []byte(`"./`+path.Base(address)+`"`))
		}
	}
	return data
}

func (s *site) putAsset(name string, data []byte) error {
	ext := path.Ext(name)
	at := layout.AssetFolder + strings.TrimSuffix(name, ext) + "." + release.Digest(sha256.Sum256(data)).String()[:8] + ext
	s.assets.addresses[name] = "/" + at
	return s.out.Put(at, data)
}
