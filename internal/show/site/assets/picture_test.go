package assets

import (
	"bytes"
	"testing"

	"stele/internal/author/reading/settings/color"
)

func TestIconFile(t *testing.T) {
	picture := drawMark(32, 32, color.RGB{})
	data := iconFile(picture)
	if len(data) != 22+len(picture) || data[18] != 22 || !bytes.Equal(data[22:], picture) {
		t.Errorf("% x", data[:22])
	}
}
