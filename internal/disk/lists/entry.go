package lists

import (
	"encoding/hex"
	"strconv"

	"stele/internal/base/jsonline"
	"stele/release"
)

// AppendEntry appends e to b as a line of a listing; release.Entry parses it.
func AppendEntry(b []byte, e *release.Entry) []byte {
	b = jsonline.AppendText(append(b, `{"id":`...), e.ID)
	b = strconv.AppendInt(append(b, `,"version":`...), e.Version, 10)
	if e.Title != "" {
		b = jsonline.AppendText(append(b, `,"title":`...), e.Title)
	}
	if e.Updated != "" {
		b = jsonline.AppendText(append(b, `,"updated_date":`...), e.Updated)
	}
	b = hex.AppendEncode(append(b, `,"sha256":"`...), e.SHA256[:])
	return append(b, `"}`...)
}
