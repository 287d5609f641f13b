package color_test

import (
	"math"
	"testing"

	"stele/internal/author/reading/settings/color"
	"stele/internal/testkit/must"
)

func TestContrast(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#ffffff", "#ffffff", 1}, {"#767676", "#ffffff", 4.54}, {"#0000ff", "#FFFFFF", 8.59}} {
		a, errA := color.Parse(c.a)
		b, errB := color.Parse(c.b)
		if got := a.Contrast(b); errA != nil || errB != nil || math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s on %s: %.2f, %v, %v", c.a, c.b, got, errA, errB)
		}
	}
}

// TestReadable: a colour is made lighter or darker only where it cannot be read.
func TestReadable(t *testing.T) {
	for _, text := range []string{"#000000", "#0b5c6b", "#7a1f5c", "#ff0000", "#ffffff", "#808080"} {
		c := must.Get(color.Parse(text))(t)
		light, dark := c.DarkenedFor(color.LightGround), c.LighterOn(color.DarkGround)
		if light.Contrast(color.LightGround) < 4.5 || dark.Contrast(color.DarkGround) < 4.5 {
			t.Errorf("%s becomes %s and %s, which cannot be read", text, light, dark)
		}
		if c.Contrast(color.LightGround) >= 4.5 && light != c || c.Contrast(color.DarkGround) >= 6 && dark != c {
			t.Errorf("%s could be read and becomes %s and %s", text, light, dark)
		}
	}
}
