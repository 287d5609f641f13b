package site

import (
	"fmt"

	"stele/internal/color"
)

// defaultAccent is the colour of links and marks where the publisher sets none.
const defaultAccent = "#0b5c6b"

// accentStyle declares the accent colour: as it was given for light pages, and made lighter for
// dark ones until it can be read there.
func accentStyle(accent string) []byte {
	if accent == "" {
		accent = defaultAccent
	}
	c, err := color.Parse(accent)
	if err != nil { // the settings were checked before
		c, _ = color.Parse(defaultAccent)
	}
	return fmt.Appendf(nil, ":root{--accent-light:%s;--accent-dark:%s}\n", c, c.LighterOn(color.DarkGround))
}
