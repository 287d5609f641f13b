package assets

import (
	"bytes"
	"fmt"

	"stele/internal/author/reading/settings/color"
)

// defaultAccent is the colour of links and marks where the publisher sets none.
const defaultAccent = "#0b5c6b"

// Accent is the accent colour that the settings name, or else the one of the program.
func Accent(accent string) color.RGB {
	c, err := color.Parse(accent)
	if err != nil { // none is named: the settings were checked before
		c, _ = color.Parse(defaultAccent)
	}
	return c
}

// accentStyle declares the accent colour: as it was given for light pages, and made lighter for
// dark ones until it can be read there.
func accentStyle(c color.RGB) []byte {
	return fmt.Appendf(nil, ":root{--accent-light:%s;--accent-dark:%s}\n", c, c.LighterOn(color.DarkGround))
}

// KindClass is the class that gives a kind its colour in pictures: by its name, if colors.css has
// one.
func KindClass(kind string) string {
	colors, err := assetFiles.ReadFile("style/colors.css")
	if err != nil {
		panic("assets: " + err.Error()) // it is a part of the program
	}
	if bytes.Contains(colors, []byte("--kind-"+kind+":")) {
		return "kind-" + kind
	}
	return "kind-other"
}
