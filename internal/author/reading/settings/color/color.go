// Package color parses the colours of pages and computes their contrast.
package color

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// RGB is an sRGB colour.
type RGB struct{ R, G, B uint8 }

// Readable is the minimum contrast of readable text by WCAG 2, level AA. Text on a dark ground
// needs slightly more.
const (
	Readable       = 4.5
	readableOnDark = 6
)

// LightGround is the darkest background of light pages, and DarkGround the lightest of dark pages.
var (
	LightGround = RGB{0xf5, 0xf4, 0xf1}
	DarkGround  = RGB{0x20, 0x23, 0x27}
)

// Parse parses a colour written as # and six hexadecimal digits.
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

// Contrast returns the contrast of two colours by WCAG 2, from 1 to 21.
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

// LighterOn returns c if it is readable on a dark background, otherwise c mixed with just enough
// white.
func (c RGB) LighterOn(ground RGB) RGB {
	return c.mixUntil(RGB{255, 255, 255}, ground, readableOnDark)
}

// DarkenedFor returns c if it is readable on a light background, otherwise c mixed with just enough
// black.
func (c RGB) DarkenedFor(ground RGB) RGB { return c.mixUntil(RGB{}, ground, Readable) }

func (c RGB) mixUntil(other, ground RGB, least float64) RGB {
	const steps = 64
	for i := range steps {
		mix := func(a, b uint8) uint8 { return uint8((int(a)*(steps-i) + int(b)*i) / steps) }
		if d := (RGB{mix(c.R, other.R), mix(c.G, other.G), mix(c.B, other.B)}); d.Contrast(ground) >= least {
			return d
		}
	}
	return other
}
