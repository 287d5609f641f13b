package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// area is a rectangle of cells that are merged into its first cell. Rows count from 1, columns from
// 0.
type area struct{ top, bottom, left, right int }

// merges are the merged areas of a sheet, sorted by first row.
type merges []area

// maxMerged is the greatest number of merged cells in a sheet.
const maxMerged = 4 << 20

// readMerged reads the list of merged cells, which follows all rows of a sheet. It skips the rows
// without parsing them, because they are most of the file.
func readMerged(part *zip.File) (merges, error) {
	r, err := part.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close() // it was only read
	limit := min(maxSheet, maxUnpacked(part.CompressedSize64))
	in := &limitedReader{Reader: r, left: limit, leftInRow: limit, what: part.Name}
	buffer, kept := make([]byte, 1<<16), 0
	for {
		n, err := in.Read(buffer[kept:])
		text := buffer[:kept+n]
		if i := findMergesOffset(text); i >= 0 {
			in.leftInRow = 2 * maxCell
			return parseMerged(part.Name, io.MultiReader(bytes.NewReader(text[i:]), in))
		}
		if errors.Is(err, io.EOF) || errors.Is(err, ErrLimit) { // reading the rows reports this error
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.Name, err)
		}
		kept = copy(buffer, text[max(0, len(text)-maxTag):])
	}
}

// maxTag is the greatest length of the beginning of a tag, including the namespace prefix.
const maxTag = 64

// findMergesOffset returns the offset of the element that lists merged cells, or -1.
func findMergesOffset(text []byte) int {
	const name = "mergeCells"
	i := bytes.Index(text, []byte(name))
	if i < 0 || i+len(name) == len(text) || bytes.IndexByte([]byte(" >/\t\r\n"), text[i+len(name)]) < 0 {
		return -1
	}
	at := bytes.LastIndexByte(text[max(0, i-maxTag+len(name)):i], '<')
	if at < 0 || bytes.ContainsAny(text[max(0, i-maxTag+len(name)):i][at:], " >/") {
		return -1
	}
	return max(0, i-maxTag+len(name)) + at
}

func parseMerged(name string, r io.Reader) (list merges, err error) {
	d, covered := xml.NewDecoder(r), 0
	for {
		token, err := d.RawToken()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		switch e := token.(type) {
		case xml.EndElement:
			if e.Name.Local == "mergeCells" {
				slices.SortStableFunc(list, func(a, b area) int { return a.top - b.top })
				return list, nil
			}
		case xml.StartElement:
			from, to, _ := strings.Cut(attribute(e, "ref"), ":")
			a := area{rowOf(from), rowOf(to), columnOf(from), columnOf(to)}
			if e.Name.Local == "mergeCell" && a.bottom >= a.top && a.right >= a.left &&
				a.right < maxColumns && a.bottom <= maxRows {
				list = append(list, a)
				covered += (a.bottom - a.top + 1) * (a.right - a.left + 1)
			}
			if covered > maxMerged {
				return nil, fmt.Errorf("%s has more than %d merged cells: %w", name, maxMerged, ErrLimit)
			}
		}
	}
}

// rowOf returns the row in a cell name, such as 7 in AB7, or 0 if it has none.
func rowOf(ref string) int {
	n, err := strconv.Atoi(strings.TrimLeft(ref, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if err != nil {
		return 0
	}
	return n
}

// fillRows wraps yield so that merged cells have the text of the first cell of their area. Rows
// that are missing in the file stay missing.
func (m merges) fillRows(yield func(Row, error) bool) func(Row, error) bool {
	if len(m) == 0 {
		return yield
	}
	type open struct {
		area
		cell Cell
	}
	var begun []open
	next := 0
	return func(row Row, err error) bool {
		if err != nil {
			return yield(row, err)
		}
		begun = slices.DeleteFunc(begun, func(o open) bool { return o.bottom < row.Line })
		for ; next < len(m) && m[next].top <= row.Line; next++ {
			if m[next].top == row.Line {
				begun = append(begun, open{m[next], row.At(m[next].left)})
			}
		}
		for _, o := range begun {
			if o.cell.Text == "" {
				continue
			}
			for i := o.left; i <= o.right; i++ {
				if i == o.left && row.Line == o.top {
					continue
				}
				for len(row.Cells) <= i {
					row.Cells = append(row.Cells, Cell{})
				}
				hidden := row.Cells[i].Hidden
				row.Cells[i] = o.cell
				row.Cells[i].Merged, row.Cells[i].Hidden = true, hidden
			}
		}
		return yield(row, err)
	}
}
