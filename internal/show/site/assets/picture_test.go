package assets

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"stele/internal/author/settings/color"
	"stele/internal/testkit/race"
)

// TestDrawMark: the stone stands in the middle of its ground, with lines in it.
func TestDrawMark(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine draws")
	}
	ground := color.RGB{R: 0x0b, G: 0x5c, B: 0x6b}
	data := drawMark(image.Pt(1200, 630), 320, ground)
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil || img.Bounds().Size() != image.Pt(1200, 630) {
		t.Fatal(err, img.Bounds())
	}
	if len(data) > 40_000 {
		t.Errorf("%d bytes", len(data))
	}
	left, top := (1200-320)/2, (630-320)/2
	for name, c := range map[string]struct {
		x, y  int // in tenths of a pixel of the icon
		white bool
	}{
		"corner": {-400, -100, false}, "stone": {100, 250, true}, "above the arch": {90, 40, false},
		"arch": {160, 50, true}, "first line": {160, 130, false}, "between lines": {160, 152, true},
		"third line": {140, 220, false}, "behind the third line": {200, 220, true}, "below": {160, 310, false},
	} {
		r, g, b, _ := img.At(left+c.x, top+c.y).RGBA()
		want := ground
		if c.white {
			want = color.RGB{R: 255, G: 255, B: 255}
		}
		if got := (color.RGB{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8)}); got != want {
			t.Errorf("%s is %v", name, got)
		}
	}
}

// TestCoverage: what the outermost points of a pixel tell is what all of them do, in every picture
// that is drawn.
func TestCoverage(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine counts")
	}
	for _, height := range []int{32, 150} {
		points := pointsOf(height)
		for y := range height {
			for x := range height {
				if got, want := coverage(points[x], points[y]), count(points[x][:], points[y][:]); got != want {
					t.Fatalf("of %d pixels, %d,%d: %d points of %d", height, x, y, got, want)
				}
			}
		}
	}
}

func TestIconFile(t *testing.T) {
	picture := drawMark(image.Pt(32, 32), 32, color.RGB{})
	data := iconFile(picture)
	if len(data) != 22+len(picture) || data[18] != 22 || !bytes.Equal(data[22:], picture) {
		t.Errorf("% x", data[:22])
	}
}
