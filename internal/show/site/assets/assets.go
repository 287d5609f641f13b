// Package assets contains the styles, scripts and pictures of the pages, and writes them into a
// release.
package assets

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

	"stele/internal/author/reading/settings"
	"stele/internal/author/reading/settings/color"
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/release"
)

//go:embed *.js icon.svg world.json style
var assetFiles embed.FS

// Set contains the assets of a release. Their names contain digests, so that browsers can cache
// them forever.
type Set struct {
	Logo      string // name of the publisher's logo, or ""
	Style     string // name of the publisher's style sheet, or ""
	out       render.Output
	addresses map[string]string // by name: style.css, record.js
}

// Address returns the URL of the asset with the given name.
func (a *Set) Address(name string) string {
	address, ok := a.addresses[name]
	if !ok {
		panic("assets: unknown file " + name) // a bug in the program
	}
	return address
}

// LogoAddress returns the URL of the publisher's logo, or "".
func (a *Set) LogoAddress() string { return a.addresses[a.Logo] }

func Write(out render.Output, s *settings.Settings) (*Set, error) {
	a := &Set{out: out, addresses: map[string]string{}}
	if s.Logo != "" {
		a.Logo = "logo" + path.Ext(s.Logo)
		if err := a.putFile(a.Logo, []byte(s.LogoData)); err != nil {
			return nil, err
		}
	}
	if s.Style != "" {
		a.Style = "brand.css"
		if err := a.putFile(a.Style, []byte(s.StyleData)); err != nil {
			return nil, err
		}
	}
	accent := Accent(s.AccentColor)
	style, err := StyleSheet(s.AccentColor)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"icon.svg", "world.json"} { // the map of the charts: see tools/world
		data, err := assetFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := a.putFile(name, data); err != nil {
			return nil, err
		}
	}
	return a, errors.Join(a.putFile("style.css", style), a.putPictures(accent), a.putScripts())
}

// putScripts writes the scripts, and stores their names.
func (a *Set) putScripts() error {
	scripts, err := fs.Glob(assetFiles, "*.js")
	if err != nil {
		return err
	}
	for _, at := range scripts {
		if err := a.putScript(path.Base(at), nil); err != nil {
			return err
		}
	}
	return nil
}

// imported matches the name of an imported script.
var imported = regexp.MustCompile(`"\./([^"/]+\.js)"`)

// comment matches lines of a script that contain nothing but a comment.
var comment = regexp.MustCompile(`(?m)^[ \t]*(//.*|/\*\*[^/]*\*/)\n`)

// putScript writes the script with the given name after the scripts that it imports, and replaces
// their names by those in the release. Its own name therefore changes with each script that it
// loads. It omits lines of comments.
func (a *Set) putScript(name string, importers []string) error {
	switch {
	case a.addresses[name] != "":
		return nil
	case slices.Contains(importers, name):
		return fmt.Errorf("assets: %s imports itself, through %s", name, strings.Join(importers, ", "))
	}
	data, err := assetFiles.ReadFile("" + name)
	if err != nil {
		return fmt.Errorf("assets: %s: %w", strings.Join(importers, ", "), err)
	}
	data = comment.ReplaceAll(data, nil)
	importers = append(importers, name)
	var failed error
	data = imported.ReplaceAllFunc(data, func(match []byte) []byte {
		other := string(imported.FindSubmatch(match)[1])
		failed = errors.Join(failed, a.putScript(other, importers))
		return []byte(`"./` + path.Base(a.addresses[other]) + `"`)
	})
	if failed != nil {
		return failed
	}
	return a.putFile(name, data)
}

// styles lists the parts of the style sheet. Those for small screens and paper override others.
var styles = []string{"colors", "type", "frame", "record", "lists", "findings", "charts", "controls", "graph", "screens", "print"}

// StyleSheet returns the style sheet. It begins with accent, the publisher's colour, or with the
// default colour if accent is "".
func StyleSheet(accent string) ([]byte, error) {
	c := Accent(accent)
	all := fmt.Appendf(nil, ":root{--accent-light:%s;--accent-dark:%s}\n", c, c.LighterOn(color.DarkGround))
	for _, name := range styles {
		data, err := assetFiles.ReadFile("style/" + name + ".css")
		if err != nil {
			return nil, err
		}
		all = append(all, data...)
	}
	return all, nil
}

func (a *Set) putFile(name string, data []byte) error {
	ext := path.Ext(name)
	at := layout.AssetFolder + strings.TrimSuffix(name,
		ext) + "." + release.Digest(sha256.Sum256(data)).String()[:8] + ext
	a.addresses[name] = layout.Address(at)
	return a.out.Put(at, data)
}
