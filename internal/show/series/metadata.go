package series

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/record"
)

// metadata describes the CSV file of the same name: the chart and columns in the format of Our
// World in Data charts, then the objects that numbers in the table refer to.
type metadata struct {
	Chart      chart                     `json:"chart"`
	Columns    map[string]description    `json:"columns"`
	Area       *namedArea                `json:"area,omitempty"`
	Definition string                    `json:"definition,omitempty"`
	Units      map[string]string         `json:"units"`
	Codes      record.Terms              `json:"codes,omitempty"`
	Dimensions []record.MeasureDimension `json:"dimensions,omitempty"`
	Breaks     []record.MeasureBreak     `json:"breaks,omitempty"`
	Statuses   map[string]string         `json:"statuses"`
	Boundaries []numberedBoundary        `json:"claimBoundaries"`
	Sources    []numberedSource          `json:"sources"`
	// by record ID
	Corrections map[string][]string `json:"corrections,omitempty"`
	Updates     map[string][]string `json:"sourceUpdates,omitempty"`
	License     string              `json:"license"`
	Notice      string              `json:"notice"`
	Preserve    string              `json:"preserve"`
}

type chart struct {
	Title            string   `json:"title"`
	Subtitle         string   `json:"subtitle,omitempty"`
	Citation         string   `json:"citation"`
	OriginalChartURL string   `json:"originalChartUrl"`
	Selection        []string `json:"selection"`
}

// description describes a column.
type description struct {
	TitleShort       string `json:"titleShort"`
	TitleLong        string `json:"titleLong,omitempty"`
	DescriptionShort string `json:"descriptionShort,omitempty"`
	Unit             string `json:"unit,omitempty"`
	ShortUnit        string `json:"shortUnit,omitempty"`
	Timespan         string `json:"timespan,omitempty"`
	Type             string `json:"type"`
	ShortName        string `json:"shortName"`
	LastUpdated      string `json:"lastUpdated,omitempty"`
	CitationShort    string `json:"citationShort,omitempty"`
	CitationLong     string `json:"citationLong,omitempty"`
	FullMetadata     string `json:"fullMetadata,omitempty"`
}

type numberedBoundary struct {
	Number   int32           `json:"number"`
	Boundary json.RawMessage `json:"claim_boundary"`
}

type numberedSource struct {
	Number int32           `json:"number"`
	Title  string          `json:"title,omitempty"`
	Link   json.RawMessage `json:"source_link"`
}

func (p *part) writeMetadata(out io.Writer) error {
	m := p.w.Release()
	d := metadata{
		Chart: chart{
			Title: p.name(), Subtitle: p.x.Summary, Citation: p.citation(), OriginalChartURL: p.pageURL(),
			Selection: []string{},
		},
		Columns: p.descriptions(), Units: p.units, Definition: p.x.Measure.Definition, Codes: p.x.Measure.Codes,
		Dimensions: p.x.Measure.Dimensions, Breaks: p.x.Measure.Breaks,
		Statuses: p.statusWords(), License: m.License, Notice: m.Notice, Preserve: render.PreserveSentence,
		Boundaries: []numberedBoundary{}, Sources: []numberedSource{},
		Corrections: map[string][]string{}, Updates: map[string][]string{},
	}
	if p.area != nil {
		d.Area, d.Chart.Selection = &namedArea{p.area.scheme, p.area.code, p.area.name}, []string{p.area.name}
	}
	for _, n := range p.summary.boundaries {
		d.Boundaries = append(d.Boundaries, numberedBoundary{n, json.RawMessage(p.table.boundaries.texts[n-1])})
	}
	for _, n := range p.summary.sources {
		link := p.table.sources.texts[n-1]
		d.Sources = append(d.Sources, numberedSource{n, p.sourceTitle(link), json.RawMessage(link)})
	}
	id := p.columnIndex("id")
	for r := range p.remarkedRows {
		if len(r.corrections) > 0 {
			d.Corrections[r.cells[id]] = slices.Clone(r.corrections)
		}
		if len(r.updates) > 0 {
			d.Updates[r.cells[id]] = slices.Clone(r.updates)
		}
	}
	indent := "  "
	if p.area != nil { // there are many areas
		indent = ""
	}
	data, err := jsonline.Marshal(d, indent)
	if err == nil {
		_, err = out.Write(data)
	}
	return err
}

// descriptions returns the descriptions of the columns.
func (p *part) descriptions() map[string]description {
	columns := map[string]description{}
	unit, label := p.unit()
	for _, f := range p.csvFields() {
		d := description{TitleShort: strings.ReplaceAll(f.name, "_", " "), DescriptionShort: f.doc, Type: "String", ShortName: f.name}
		if f.numeric {
			d.Type = "Numeric"
		}
		switch f.name {
		case "value":
			d.TitleShort, d.TitleLong, d.DescriptionShort = p.x.Title, p.name(), p.x.Summary
			d.Timespan, d.LastUpdated = string(p.first)+"-"+string(p.last), string(p.updated)
			year, _, _ := strings.Cut(string(p.updated), "-")
			d.CitationShort, d.CitationLong = p.w.Release().Publisher+" ("+year+")", p.citation()
			d.FullMetadata = p.w.absoluteURL(p.filePath(jsonFormat.Suffix))
			fallthrough
		case "lower", "upper", "less_than", "greater_than":
			d.Unit, d.ShortUnit = label, unit
			if unit == "percent" {
				d.ShortUnit = "%"
			}
		}
		if p.area == nil || d.Unit != "" || f.name == "value" { // other columns are described only once
			columns[f.name] = d
		}
	}
	return columns
}

// unit returns the code and label of the values' unit, or "" if there are several units.
func (t *table) unit() (code, label string) {
	if len(t.units) == 1 {
		for code, label := range t.units {
			return code, label
		}
	}
	return "", ""
}

// statusWords returns the meanings of the statuses in use, by status.
func (p *part) statusWords() map[string]string {
	used := map[string]string{}
	for _, word := range p.statuses {
		used[word] = ""
	}
	for _, v := range schema.ListOf[record.ObsStatus]() {
		if _, ok := used[v.Word]; ok {
			used[v.Word] = v.Doc
		}
	}
	return used
}

// sourceTitle returns the title of the source record that link, a JSON object, refers to, or "".
func (p *part) sourceTitle(link string) string {
	var l struct {
		SourceID string `json:"source_id"`
	}
	if err := json.Unmarshal([]byte(link), &l); err != nil || l.SourceID == "" {
		return ""
	}
	return p.w.Records.Title(l.SourceID)
}
