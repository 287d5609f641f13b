package assets

import (
	"bytes"

	"stele/internal/author/reading/settings/color"
)

// defaultAccent is the default colour of links and marks.
const defaultAccent = "#0b5c6b"

// Accent parses accent, the colour in the settings, or returns the default colour if it is "".
func Accent(accent string) color.RGB {
	c, err := color.Parse(accent)
	if err != nil { // none is set: the settings were checked before
		c, _ = color.Parse(defaultAccent)
	}
	return c
}

// KindClass returns the CSS class for the colour of a kind in pictures, or "" if there is none.
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
