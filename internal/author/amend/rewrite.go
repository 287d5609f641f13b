package amend

import (
	"fmt"
	"io/fs"
	"strings"

	"stele/internal/author/input"
)

// Rewrite makes a change to the records in some rows of a table, counted from 0, whose values
// somebody else has written already: data is the table with them. The files are the table, and the
// corrections beside it if those change; the IDs are those of the records.
func Rewrite(fsys fs.FS, path string, data []byte, rows []int, c Change) (changed []File, ids []string, err error) {
	beside, err := readBeside(fsys, path)
	if err != nil {
		return nil, nil, err
	}
	view := oneFile{fsys, path, data, beside}
	all, r := []string(nil), input.NewReader()
	for b := range input.Batches(view, nil) {
		for i := range r.Items(b) {
			switch {
			case i.Source == nil || i.Source.Path != path:
			case i.Tree == nil:
				return nil, nil, fmt.Errorf("%s cannot be read as records: run stele check first", path)
			default:
				all = append(all, strings.Clone(idOf(i.Tree)))
			}
		}
	}
	for _, n := range rows {
		if n >= len(all) {
			return nil, nil, fmt.Errorf("%s has %d records, and not one in row %d", path, len(all), n+1)
		}
		ids = append(ids, all[n])
	}
	files, err := Plan(view, ids, c)
	if err != nil {
		return nil, nil, err
	}
	return files, ids, nil
}
