package assets

import (
	"bytes"
	"encoding/binary"
	"image"
	imagecolor "image/color"
	"image/png"

	"stele/internal/author/reading/settings/color"
)

// Pictures in addition to the icon: for the home screens of phones, and for programs without SVG.
const (
	TouchPicture = "touch.png"
	faviconPath  = "favicon.ico"
)

// putPictures draws them in the publisher's colour.
func (a *Set) putPictures(accent color.RGB) error {
	if err := a.put(TouchPicture, drawMark(image.Pt(180, 180), 150, accent)); err != nil {
		return err
	}
	return a.out.Put(faviconPath, iconFile(drawMark(image.Pt(32, 32), 32, accent)))
}

// drawMark draws the sheet of icon.svg, white on a ground, centred. It uses only integers, so that
// all machines draw the same.
func drawMark(size image.Point, height int, ground color.RGB) []byte {
	shades := make(imagecolor.Palette, samples+1) // by how much of a pixel is sheet
	for white := range shades {
		mix := func(g uint8) uint8 { return uint8((int(g)*(samples-white) + 255*white) / samples) }
		shades[white] = imagecolor.NRGBA{R: mix(ground.R), G: mix(ground.G), B: mix(ground.B), A: 255}
	}
	img := image.NewPaletted(image.Rectangle{Max: size}, shades)
	points := pointsOf(height)
	left, top := (size.X-height)/2, (size.Y-height)/2
	for y := range height {
		row := img.Pix[img.PixOffset(left, top+y):]
		for x := range height {
			row[x] = coverage(points[x], points[y])
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // memory does not fail, and the picture has a size
	}
	return b.Bytes()
}

// Each pixel is sampled at this many points.
const (
	pixelPoints = 4
	samples     = pixelPoints * pixelPoints
)

// coverage returns how many points of a pixel are on the sheet. If the corners agree, so do all
// points, because no edge is narrow enough to end between them.
func coverage(across, down [pixelPoints]int) uint8 {
	const last = pixelPoints - 1
	switch count([]int{across[0], across[last]}, []int{down[0], down[last]}) {
	case 0:
		return 0
	case 4:
		return samples
	}
	return count(across[:], down[:])
}

// count returns how many of the points at these coordinates are on the sheet.
func count(across, down []int) (sheet uint8) {
	for _, x := range across {
		for _, y := range down {
			if isSheet(x, y) {
				sheet++
			}
		}
	}
	return sheet
}

// unit is the length of one unit of icon.svg, which is 32 units wide.
const unit = 160

// pointsOf returns the coordinates of each pixel's points in icon.svg, for both axes.
func pointsOf(height int) [][pixelPoints]int {
	points := make([][pixelPoints]int, height)
	for pixel := range points {
		for sample := range pixelPoints {
			points[pixel][sample] = (2*(pixel*pixelPoints+sample) + 1) * 32 * unit / (2 * pixelPoints * height)
		}
	}
	return points
}

// written are the lines on the sheet: their height and their end.
var written = [...]struct{ y, to int }{{11 * unit, 22 * unit}, {16 * unit, 22 * unit}, {21 * unit, 17 * unit}}

// isSheet reports whether a point of icon.svg is on the sheet, not on the ground or a line.
func isSheet(x, y int) bool {
	const corner = 4 * unit
	beyondX := max(5*unit+corner-x, x-(27*unit-corner), 0)
	beyondY := max(4*unit+corner-y, y-(28*unit-corner), 0)
	if square(beyondX)+square(beyondY) > square(corner) {
		return false
	}
	for _, line := range written {
		if max(y-line.y, line.y-y) > unit { // most of the sheet is far from a line
			continue
		}
		nearest := max(10*unit, min(x, line.to))
		if square(x-nearest)+square(y-line.y) <= square(unit*9/10) {
			return false
		}
	}
	return true
}

func square(n int) int { return n * n }

// iconFile returns a PNG of 32 by 32 pixels as an ICO file.
func iconFile(picture []byte) []byte {
	b := []byte{0, 0, 1, 0, 1, 0, 32, 32, 0, 0, 1, 0, 32, 0}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(picture)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)+4))
	return append(b, picture...)
}
