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

// TitleIn is the title in a line of a listing; "" if there is none. What it looks for cannot stand
// in a text, where quotation marks are escaped.
func TitleIn(line []byte) string {
	_, rest, _ := bytes.Cut(line, []byte(`,"title":"`))
	text, _, _ := bytes.Cut(rest, []byte{'"'})
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text)
	}
	var e release.Entry
	if json.Unmarshal(line, &e) != nil { // it was written a moment ago
		return ""
	}
	return e.Title
}

// CollectionHead returns what stands before the records of a kind. It has no day in it but the
// newest of the records, so that it changes only when they do.
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

// AppendCount ends the head of a list with how many there are.
func AppendCount(b []byte, count int) []byte {
	return append(strconv.AppendInt(b, int64(count), 10), `,"records":[`...)
}

// ListingHead returns what stands before the lines of the listing of a kind.
func ListingHead(k *record.Kind, count int) []byte {
	return fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, k.Name, count)
}
