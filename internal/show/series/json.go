package series

import (
	"bufio"
	"io"

	"stele/internal/base/jsonline"
	"stele/internal/compile/render"
	"stele/internal/trust/standing"
)

// reading explains to readers how to restore the records of a file.
const reading = "To restore a record, merge its own members into those of its area's shared, " +
	"including the members of objects. standing and standing_since come from the release, and are not members of the record."

// head is the beginning of a file of records.
type head struct {
	Kind      string `json:"kind"`
	Indicator string `json:"indicator"`
	Name      string `json:"name"`
	Summary   string `json:"summary,omitempty"`
	Count     int    `json:"count"`
	AsOf      string `json:"as_of"`
	License   string `json:"license"`
	Notice    string `json:"notice"`
	Preserve  string `json:"preserve"`
	Citation  string `json:"citation"`
	Page      string `json:"page"`
	Reading   string `json:"reading"`
}

type namedArea struct {
	Scheme string `json:"scheme,omitempty"`
	Code   string `json:"code"`
	Name   string `json:"name"`
}

// writeJSON writes the complete records to out, grouped by area.
func (p *part) writeJSON(out io.Writer) error {
	head, err := jsonline.Marshal(p.head(), "")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)   // w keeps its errors
	w.Write(head[:len(head)-2]) // without its brace and line break
	w.WriteString(",\"areas\":[")
	areas := p.areas
	if p.area != nil {
		areas = []area{*p.area}
	}
	for n, a := range areas {
		if n > 0 {
			w.WriteByte(',')
		}
		w.WriteByte('\n')
		w.Write(a.head)
		for i := a.from; i < a.to; i++ {
			if i > a.from {
				w.WriteByte(',')
			}
			w.WriteByte('\n')
			w.WriteString(p.stored.At(2*i + 1))
		}
		w.WriteString("\n]}")
	}
	w.WriteString("\n]}\n")
	return w.Flush()
}

// areaHead is the beginning of an area's records.
type areaHead struct {
	Scheme string `json:"scheme,omitempty"` // a publisher's
	Code   string `json:"code"`
	Name   string `json:"name"`
	Count  int    `json:"count"`
}

func (p *part) head() *head {
	m := p.w.Release()
	return &head{
		Kind: p.w.kind.Name, Indicator: p.x.Code, Name: p.x.Title, Summary: p.x.Summary, Count: p.count,
		AsOf: string(p.updated), License: m.License, Notice: m.Notice, Preserve: render.PreserveSentence,
		Citation: p.citation(), Page: p.pageURL(), Reading: reading,
	}
}

// standingObject parses data, a record, into o and adds the record's standing.
func standingObject(o object, data []byte, is standing.Entry) (object, error) {
	o, err := parseObject(o, data)
	if err != nil {
		return nil, err
	}
	o = append(o, jsonline.Member{Name: []byte("standing"), Value: []byte(`"` + is.Standing.String() + `"`)})
	if is.Standing != standing.Stands {
		o = append(o, jsonline.Member{Name: []byte("standing_since"), Value: []byte(`"` + is.Since.String() + `"`)})
	}
	return o, nil
}
