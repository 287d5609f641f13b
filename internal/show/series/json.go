package series

import (
	"slices"

	"stele/internal/base/jsonline"
	"stele/internal/build/render"
	"stele/internal/trust/standing"
)

// reading tells how the records of a file are put together again.
const reading = "A record is what stands under shared of its area, with its own members laid over it, " +
	"those of objects one by one. standing and standing_since are what the release says of it, and no members of the record."

// head is what stands before the records of a file.
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
	Code string `json:"code"`
	Name string `json:"name"`
}

// json writes the records whole, by areas.
func (p *part) json(b []byte) ([]byte, error) {
	data, err := jsonline.Marshal(p.head(), "")
	if err != nil {
		return nil, err
	}
	b = append(b, data[:len(data)-2]...) // without its brace and line break
	b = append(b, ",\"areas\":[\n"...)
	if p.area != nil {
		b = append(b, p.area.body...)
		return append(b, "\n]}\n"...), nil
	}
	size := 0
	for i := range p.areas {
		size += len(p.areas[i].body) + 2
	}
	b = slices.Grow(b, size+3) // at once: it has megabytes
	for i := range p.areas {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = append(b, p.areas[i].body...)
	}
	return append(b, "\n]}\n"...), nil
}

// body writes the records of an area. What all of them say alike stands there once: that is
// three quarters of what records of an indicator say.
func (r *rowReader) body(of *area) (err error) {
	rows := r.t.rows[of.from:of.to]
	alike := newShared(r.objects[0])
	for _, o := range r.objects[1:] {
		if err := alike.meet(o); err != nil {
			return err
		}
	}
	b, err := jsonline.Marshal(areaHead{of.key, of.name, len(rows)}, "")
	if err != nil {
		return err
	}
	b = alike.append(append(b[:len(b)-2], ",\"shared\":"...))
	b = append(b, ",\"records\":["...)
	for i := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = alike.appendRest(append(b, '\n'), r.objects[rows[i].object]); err != nil {
			return err
		}
	}
	of.body = append(b, "\n]}"...)
	return nil
}

// areaHead is what stands before the records of an area.
type areaHead struct {
	Code  string `json:"code"`
	Name  string `json:"name"`
	Count int    `json:"count"`
}

func (p *part) head() *head {
	m := p.w.Release()
	return &head{
		Kind: p.w.kind.Name, Indicator: p.x.Code, Name: p.x.Title, Summary: p.x.Summary, Count: len(p.rows),
		AsOf: string(p.updated()), License: m.License, Notice: m.Notice, Preserve: render.PreserveSentence,
		Citation: p.citation(), Page: p.page(), Reading: reading,
	}
}

// standingObject is a record with its standing.
func standingObject(o object, data []byte, is standing.Entry) (object, error) {
	o, err := parse(o, data)
	if err != nil {
		return nil, err
	}
	o = append(o, jsonline.Member{Name: []byte("standing"), Value: []byte(`"` + is.Standing.String() + `"`)})
	if is.Standing != standing.Stands {
		o = append(o, jsonline.Member{Name: []byte("standing_since"), Value: []byte(`"` + is.Since.String() + `"`)})
	}
	return o, nil
}
