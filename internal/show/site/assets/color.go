package assets

import (
	"bytes"

	"stele/internal/author/reading/settings/color"
)

// defaultAccent is the colour of links and marks by default.
const defaultAccent = "#0b5c6b"

// Accent returns the accent colour of the settings, or the default.
func Accent(accent string) color.RGB {
	c, err := color.Parse(accent)
	if err != nil { // none is set: the settings were checked before
		c, _ = color.Parse(defaultAccent)
	}
	return c
}

// KindClass returns the class that gives a kind its colour in pictures, if colors.css has one.
func KindClass(kind string) string {
	colors, err := assetFiles.ReadFile("style/colors.css")
	if err != nil {
		panic("assets: " + err.Error()) // part of the program
	}
	if bytes.Contains(colors, []byte("--kind-"+kind+":")) {
		return "kind-" + kind
	}
	return "kind-other"
}
