package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"stele/internal/base/jsonline"
	"stele/record"
	"stele/release"
)

// TitleIn returns the title in a line of a listing, or "". The pattern that it searches for cannot
// occur inside a text, where quotation marks are escaped.
func TitleIn(line []byte) string {
	_, rest, _ := bytes.Cut(line, []byte(`,"title":"`))
	text, _, _ := bytes.Cut(rest, []byte{'"'})
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text)
	}
	var e release.Entry                  // it was written by this program
	if json.Unmarshal(line, &e) != nil { // it was written a moment ago
		return ""
	}
	return e.Title
}

// CollectionHead returns the header of a kind's collection. Its only date is the latest one in the
// records, so that it changes only with them.
func CollectionHead(k *record.Kind, count int, asOf record.Date, license, notice string) []byte {
	h := jsonline.AppendText([]byte(`{"kind":`), k.Name)
	h = strconv.AppendInt(append(h, `,"count":`...), int64(count), 10)
	if asOf != "" {
		h = jsonline.AppendText(append(h, `,"as_of":`...), string(asOf))
	}
	h = jsonline.AppendText(append(h, `,"license":`...), license)
	h = jsonline.AppendText(append(h, `,"notice":`...), notice)
	return append(h, `,"records":[`...)
}

// AppendCount appends the end of a list's header: the number of records.
func AppendCount(b []byte, count int) []byte {
	return append(strconv.AppendInt(b, int64(count), 10), `,"records":[`...)
}

// ListingHead returns the header of a kind's listing.
func ListingHead(k *record.Kind, count int) []byte {
	return fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, k.Name, count)
}
