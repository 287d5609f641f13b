package main

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"path"
	"strconv"
	"text/template"
)

//go:embed templates
var templateFiles embed.FS

// The templates are YAML with gaps. A quoted Go string is also a YAML string.
var templates = template.Must(template.New("").Funcs(template.FuncMap{"quote": strconv.Quote}).ParseFS(templateFiles, "templates/*.tmpl"))

// writeRecords writes the whole folder of records. Entities that no statistic would refer to are
// left out.
func (t *table) writeRecords(out folder) error {
	if err := out.mustBeEmpty(); err != nil {
		return err
	}
	if err := t.writeShared(out); err != nil {
		return err
	}
	for _, r := range regions {
		if !t.mentions(r.ID) {
			continue
		}
		if err := out.render(path.Join("records/entities", r.ID+".yaml"), "region.tmpl", r); err != nil {
			return err
		}
	}
	for i, ind := range indicators {
		if len(t.series[i]) == 0 {
			continue
		}
		if err := ind.write(out, t.series[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeShared writes what does not depend on the values.
func (t *table) writeShared(out folder) error {
	for _, f := range []struct{ name, template string }{
		{"stele.yaml", "stele.tmpl"},
		{"records/entities/_defaults.yaml", "entity-defaults.tmpl"},
		{"records/source-objects/src-who-gho.yaml", "source-who-gho.tmpl"},
		{"records/source-objects/src-owid-immunization.yaml", "source-owid.tmpl"},
	} {
		if err := out.render(f.name, f.template, t.sha256); err != nil {
			return err
		}
	}
	return nil
}

// write writes an indicator: its entity, what its statistics share, and their values.
func (ind indicator) write(out folder, series []observation) error {
	statistics := path.Join("records/healthcare-statistics", ind.Code)
	if err := out.render(path.Join("records/entities", ind.EntityID()+".yaml"), "indicator.tmpl", ind); err != nil {
		return err
	}
	if err := out.render(path.Join(statistics, "_defaults.yaml"), "statistic-defaults.tmpl", ind); err != nil {
		return err
	}
	values, err := ind.valuesCSV(series)
	if err != nil {
		return fmt.Errorf("values of %s: %w", ind.Code, err)
	}
	return out.write(path.Join(statistics, "values.csv"), values)
}

// EntityID is the ID of the entity that describes the indicator.
func (ind indicator) EntityID() string { return "ent-" + ind.Code }

// valuesCSV has the members that differ from one statistic to the next, and no others.
func (ind indicator) valuesCSV(series []observation) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := []string{"ref_area_scheme", "ref_area", "time_period", "value", "x_area_name"}
	if ind.WorldUnit != nil {
		header = append(header, "unit", "unit_label")
	}
	rows := [][]string{header}
	for _, o := range series {
		row := []string{o.area.scheme, o.area.code, o.year, o.value, o.area.name}
		if ind.WorldUnit != nil {
			u := ind.unitIn(o.area)
			row = append(row, u.Code, u.Label)
		}
		rows = append(rows, row)
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}

func (ind indicator) unitIn(where area) unit {
	if ind.WorldUnit != nil && where.code == worldCode {
		return *ind.WorldUnit
	}
	return ind.Unit
}
