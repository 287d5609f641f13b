package series

import (
	"strconv"

	"stele/internal/base/layout"
	"stele/internal/show/vintage"
)

// vintages is the file of the values that all releases had; nil where they are all the same.
func (t *table) vintages() (*file, error) {
	rows, err := vintage.Of(t.w.Records, t.x.Records, t.x.Code)
	if err != nil || rows == nil {
		return nil, err
	}
	releases := t.w.Releases()
	return &file{t.x.File(vintage.Suffix), func(b []byte) ([]byte, error) {
		dimensions := vintage.Dimensions(rows)
		line := func(cells ...[]string) {
			n := 0
			for _, list := range cells {
				for _, text := range list {
					b = appendField(b, n, text)
					n++
				}
			}
			b = append(b, '\n')
		}
		var names []string
		for _, name := range dimensions {
			names = append(names, dimension+name)
		}
		line([]string{areaCode, "time_period"}, names, []string{"vintage"}, vintage.Figures,
			[]string{"id", "version", "from_release", "from_date", "until_release", "until_date"})
		for i := range rows {
			r := &rows[i]
			clear(names)
			for j, name := range dimensions {
				names[j] = r.Dimensions.Get(name)
			}
			var until layout.Past
			if r.Until > 0 {
				until = releases[r.Until]
			}
			line([]string{r.RefAreaScheme.Key(r.RefArea), string(r.TimePeriod)}, names,
				[]string{string(r.Vintage)}, r.Cells(), []string{
					string(r.ID), strconv.FormatInt(r.Version, 10), releases[r.From].Release, releases[r.From].Date,
					until.Release, until.Date,
				})
		}
		return b, nil
	}}, nil
}
