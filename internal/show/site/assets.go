package site

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/release"
)

//go:embed assets/*.js assets/icon.svg assets/style
var assetFiles embed.FS

// assets are the styles, scripts and pictures of the pages. Their names carry a digest, so that
// browsers may keep them for ever.
type assets struct {
	addresses map[string]string // by name: style.css, record.js
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

// writeAssets writes all assets.
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
	style, err := s.style()
	if err != nil {
		return err
	}
	icon, err := assetFiles.ReadFile("assets/icon.svg")
	if err != nil {
		return err
	}
	if err := errors.Join(s.putAsset("style.css", style), s.putAsset("icon.svg", icon), s.writePictures()); err != nil {
		return err
	}
	return s.putScripts()
}

// putScripts writes the scripts.
func (s *site) putScripts() error {
	scripts, err := fs.Glob(assetFiles, "assets/*.js")
	if err != nil {
		return err
	}
	for _, at := range scripts {
		if err := s.putScript(path.Base(at), nil); err != nil {
			return err
		}
	}
	return nil
}

// imported is how a script names another one that it loads.
var imported = regexp.MustCompile(`"\./([^"/]+\.js)"`)

// putScript writes a script, behind those that it imports, which it then has by their names in the
// release. So its own name changes with whatever it loads.
func (s *site) putScript(name string, importers []string) error {
	switch {
	case s.assets.addresses[name] != "":
		return nil
	case slices.Contains(importers, name):
		return fmt.Errorf("site: %s imports itself, through %s", name, strings.Join(importers, ", "))
	}
	data, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		return fmt.Errorf("site: %s: %w", strings.Join(importers, ", "), err)
	}
	importers = append(importers, name)
	var failed error
	data = imported.ReplaceAllFunc(data, func(match []byte) []byte {
		other := string(imported.FindSubmatch(match)[1])
		failed = errors.Join(failed, s.putScript(other, importers))
		return []byte(`"./` + path.Base(s.assets.addresses[other]) + `"`)
	})
	if failed != nil {
		return failed
	}
	return s.putAsset(name, data)
}

// styles are the parts of the style sheet, by subject and in their order: those for small screens
// and for paper change what others say.
var styles = []string{"colors", "type", "frame", "record", "lists", "charts", "controls", "graph", "screens", "print"}

// style is the style sheet. It begins with the publisher's colour.
func (s *site) style() ([]byte, error) {
	all := accentStyle(string(s.settings.AccentColor))
	for _, name := range styles {
		data, err := assetFiles.ReadFile("assets/style/" + name + ".css")
		if err != nil {
			return nil, err
		}
		all = append(all, data...)
	}
	return all, nil
}

func (s *site) putAsset(name string, data []byte) error {
	ext := path.Ext(name)
	at := layout.AssetFolder + strings.TrimSuffix(name, ext) + "." + release.Digest(sha256.Sum256(data)).String()[:8] + ext
	s.assets.addresses[name] = "/" + at
	return s.out.Put(at, data)
}
