package assets

import (
	"compress/flate"
	"encoding/binary"

	"stele/internal/author/reading/settings/color"
	"stele/internal/base/compress"
)

// The pictures besides the icon, for the home screens of phones and for programs without SVG.
const (
	TouchPicture = "touch.png"
	faviconPath  = "favicon.ico"
)

// putPictures writes the pictures in the publisher's colour.
func (a *Set) putPictures(accent color.RGB) error {
	if err := a.putFile(TouchPicture, drawMark(180, 150, accent)); err != nil {
		return err
	}
	return a.out.Put(faviconPath, iconFile(drawMark(32, 32, accent)))
}

// drawMark draws the sheet of icon.svg, white on a square ground, centred, as PNG. It uses only
// integers, so that all machines draw the same.
func drawMark(width, height int, ground color.RGB) []byte {
	var palette []byte
	for white := range samples + 1 { // by how much of a pixel is sheet
		for _, g := range []uint8{ground.R, ground.G, ground.B} {
			palette = append(palette, uint8((int(g)*(samples-white)+255*white)/samples))
		}
	}
	line := 1 + width // each row begins with a filter byte
	rows, points := make([]byte, line*width), pointsOf(height)
	margin := (width - height) / 2
	for y := range height {
		row := rows[(margin+y)*line+1+margin:]
		for x := range height {
			row[x] = coverage(points[x], points[y])
		}
	}
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	const normal = 0x9c
	return compress.AppendPNG(nil, width, width, palette, rows, w, normal)
}

// pixelPoints is the number of points per axis at which each pixel is sampled.
const (
	pixelPoints = 4
	samples     = pixelPoints * pixelPoints
)

// coverage returns the number of points of a pixel that are on the sheet.
func coverage(across, down [pixelPoints]int) (sheet uint8) {
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

// written lists the lines on the sheet, each with its height and its end.
var written = [...]struct{ y, to int }{{11 * unit, 22 * unit}, {16 * unit, 22 * unit}, {21 * unit, 17 * unit}}

// isSheet reports whether the point at x and y of icon.svg is on the sheet, but not on a line.
func isSheet(x, y int) bool {
	const corner = 4 * unit
	beyondX := max(5*unit+corner-x, x-(27*unit-corner), 0)
	beyondY := max(4*unit+corner-y, y-(28*unit-corner), 0)
	if squareOf(beyondX)+squareOf(beyondY) > squareOf(corner) {
		return false
	}
	for _, line := range written {
		if max(y-line.y, line.y-y) > unit { // most of the sheet is far from a line
			continue
		}
		nearest := max(10*unit, min(x, line.to))
		if squareOf(x-nearest)+squareOf(y-line.y) <= squareOf(unit*9/10) {
			return false
		}
	}
	return true
}

func squareOf(n int) int { return n * n }

// iconFile returns picture, a PNG of 32 by 32 pixels, as an ICO file.
func iconFile(picture []byte) []byte {
	b := []byte{0, 0, 1, 0, 1, 0, 32, 32, 0, 0, 1, 0, 32, 0}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(picture)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)+4))
	return append(b, picture...)
}
