package input

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Color is a colour of sRGB.
type Color struct{ R, G, B uint8 }

// readable is the least contrast at which text can be read, by WCAG 2 at level AA. On a dark ground
// a little more does the eyes good.
const (
	readable       = 4.5
	readableOnDark = 6
)

// LightGround is the darkest ground of light pages, and DarkGround the lightest of dark ones: what
// can be read there can be read everywhere.
var (
	LightGround = Color{0xf5, 0xf4, 0xf1}
	DarkGround  = Color{0x20, 0x23, 0x27}
)

// ParseColor reads a colour written as # and six hexadecimal digits.
func ParseColor(s string) (Color, error) {
	if len(s) != 7 || s[0] != '#' {
		return Color{}, errors.New(strconv.Quote(s) + " is not a colour")
	}
	n, err := strconv.ParseUint(s[1:], 16, 24)
	if err != nil {
		return Color{}, errors.New(strconv.Quote(s) + " is not a colour")
	}
	return Color{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

func (c Color) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Contrast is how well one colour can be told from another, from 1 to 21, by WCAG 2.
func (c Color) Contrast(d Color) float64 {
	a, b := c.luminance(), d.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func (c Color) luminance() float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// LighterOn is the colour itself if it can be read on a dark ground, or else mixed with as little
// white as makes it so.
func (c Color) LighterOn(ground Color) Color {
	return c.mixed(Color{255, 255, 255}, ground, readableOnDark)
}

// DarkerOn is the colour itself if it can be read on a light ground, or else mixed with as little
// black as makes it so.
func (c Color) DarkerOn(ground Color) Color { return c.mixed(Color{}, ground, readable) }

func (c Color) mixed(other, ground Color, least float64) Color {
	const steps = 64
	for i := range steps {
		mix := func(a, b uint8) uint8 { return uint8((int(a)*(steps-i) + int(b)*i) / steps) }
		if d := (Color{mix(c.R, other.R), mix(c.G, other.G), mix(c.B, other.B)}); d.Contrast(ground) >= least {
			return d
		}
	}
	return other
}
