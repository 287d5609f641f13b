// Package color has the colours of pages, and how well they can be read.
package color

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// RGB is a colour of sRGB.
type RGB struct{ R, G, B uint8 }

// Readable is the least contrast at which text can be read, by WCAG 2 at level AA. On a dark ground
// a little more does the eyes good.
const (
	Readable       = 4.5
	readableOnDark = 6
)

// LightGround is the darkest ground of light pages, and DarkGround the lightest of dark ones: what
// can be read there can be read everywhere.
var (
	LightGround = RGB{0xf5, 0xf4, 0xf1}
	DarkGround  = RGB{0x20, 0x23, 0x27}
)

// Parse reads a colour written as # and six hexadecimal digits.
func Parse(s string) (RGB, error) {
	if len(s) != 7 || s[0] != '#' {
		return RGB{}, errors.New(strconv.Quote(s) + " is not a colour")
	}
	n, err := strconv.ParseUint(s[1:], 16, 24)
	if err != nil {
		return RGB{}, errors.New(strconv.Quote(s) + " is not a colour")
	}
	return RGB{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

func (c RGB) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Contrast returns how well one colour can be told from another, from 1 to 21, by WCAG 2.
func (c RGB) Contrast(d RGB) float64 {
	a, b := c.luminance(), d.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func (c RGB) luminance() float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// LighterOn returns the colour itself if it can be read on a dark ground, or else mixed with as
// little white as makes it so.
func (c RGB) LighterOn(ground RGB) RGB {
	return c.mixed(RGB{255, 255, 255}, ground, readableOnDark)
}

// DarkerOn returns the colour itself if it can be read on a light ground, or else mixed with as
// little black as makes it so.
func (c RGB) DarkerOn(ground RGB) RGB { return c.mixed(RGB{}, ground, Readable) }

func (c RGB) mixed(other, ground RGB, least float64) RGB {
	const steps = 64
	for i := range steps {
		mix := func(a, b uint8) uint8 { return uint8((int(a)*(steps-i) + int(b)*i) / steps) }
		if d := (RGB{mix(c.R, other.R), mix(c.G, other.G), mix(c.B, other.B)}); d.Contrast(ground) >= least {
			return d
		}
	}
	return other
}
