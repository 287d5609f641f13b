package series

import (
	"slices"

	"stele/internal/base/jsonline"
	"stele/internal/compile/render"
)

// listedIndicator describes an indicator in the list of indicators.
type listedIndicator struct {
	Code  string       `json:"code"`
	Name  string       `json:"name"`
	Unit  string       `json:"unit,omitempty"`
	Areas int          `json:"areas"`
	From  string       `json:"from"`
	To    string       `json:"to"`
	Rows  int          `json:"rows"`
	Page  string       `json:"page"`
	Files []listedFile `json:"files"`
}

type listedFile struct {
	Path      string `json:"path"`
	MediaType string `json:"media_type"`
	Bytes     int64  `json:"bytes"`
}

// writeList writes the list of indicators. An indicator's file with the same path takes precedence.
func (s *Series) writeList(out render.Output, path string) error {
	list := make([]listedIndicator, 0, len(s.made))
	for _, m := range s.made {
		if slices.ContainsFunc(Formats, func(f render.SeriesFile) bool { return m.File(f.Suffix) == path }) {
			return nil
		}
		x := listedIndicator{
			Code: m.Code, Name: m.Title, Unit: m.Unit, Areas: len(m.Areas), From: string(m.From), To: string(m.To),
			Rows: len(m.Records), Page: m.Address(), Files: []listedFile{},
		}
		for _, f := range Formats {
			if size := m.Sizes[f.Suffix]; size > 0 {
				x.Files = append(x.Files, listedFile{"/" + m.File(f.Suffix), f.MediaType, size})
			}
		}
		list = append(list, x)
	}
	data, err := jsonline.Marshal(struct {
		Kind       string            `json:"kind"`
		Count      int               `json:"count"`
		Indicators []listedIndicator `json:"indicators"`
	}{"indicators", len(list), list}, "")
	if err != nil {
		return err
	}
	return out.Put(path, data)
}
