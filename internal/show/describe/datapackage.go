package describe

import (
	"reflect"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/build/render"
	"stele/record"
)

// dataPackage is a Frictionless Data Package, version 1, which all its readers know.
type dataPackage struct {
	Profile      string        `json:"profile"`
	Name         string        `json:"name"`
	ID           string        `json:"id"`
	Title        string        `json:"title"`
	Description  string        `json:"description"`
	Keywords     []string      `json:"keywords,omitempty"`
	Homepage     string        `json:"homepage"`
	Version      string        `json:"version"`
	Created      string        `json:"created"`
	Licenses     []licence     `json:"licenses"`
	Contributors []contributor `json:"contributors"`
	Resources    []resource    `json:"resources"`
}

type licence struct {
	Name  string `json:"name,omitempty"`
	Path  string `json:"path,omitempty"`
	Title string `json:"title,omitempty"`
}

type contributor struct {
	Title string `json:"title"`
	Path  string `json:"path,omitempty"`
	Email string `json:"email,omitempty"`
	Role  string `json:"role"`
}

type resource struct {
	Profile     string      `json:"profile"`
	Name        string      `json:"name"`
	Path        string      `json:"path"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Format      string      `json:"format"`
	MediaType   string      `json:"mediatype"`
	Encoding    string      `json:"encoding"`
	Bytes       int64       `json:"bytes,omitempty"`
	Hash        string      `json:"hash,omitempty"`
	Schema      tableSchema `json:"schema"`
}

type tableSchema struct {
	Fields        []field  `json:"fields"`
	PrimaryKey    string   `json:"primaryKey"`
	MissingValues []string `json:"missingValues"`
}

type field struct {
	Name        string       `json:"name"`
	Type        string       `json:"type"`
	Format      string       `json:"format,omitempty"`
	Description string       `json:"description,omitempty"`
	Constraints *constraints `json:"constraints,omitempty"`
}

type constraints struct {
	Required bool     `json:"required,omitempty"`
	Enum     []string `json:"enum,omitempty"`
}

// writeDataPackage describes the CSV files. Where there are none, there is no package.
func (s *service) writeDataPackage(out render.Output) error {
	var tables []resource
	for _, d := range s.downloads {
		if d.MediaType == layout.TypeCSV && d.Kind != nil && d.Columns != nil {
			tables = append(tables, s.tableResource(d))
		}
	}
	if len(tables) == 0 {
		return nil
	}
	l := licence{Title: s.settings.License}
	if url := s.licenseURL(); url != "" {
		l = licence{Name: s.settings.License, Path: url}
	}
	by := contributor{Title: s.settings.Publisher, Role: "publisher"}
	if url := s.contactURL(); strings.HasPrefix(url, "mailto:") {
		by.Email = strings.TrimPrefix(url, "mailto:")
	} else {
		by.Path = url
	}
	return putJSON(out, layout.DataPackagePath, dataPackage{
		Profile: "tabular-data-package", Name: slug(s.base), ID: s.at(layout.DataPackagePath), Title: s.settings.Title,
		Description: s.about() + " " + s.terms(), Keywords: s.settings.Keywords,
		Homepage: s.at(""), Version: s.release.Release, Created: midnight(s.release.Date), Licenses: []licence{l},
		Contributors: []contributor{by}, Resources: tables,
	})
}

func (s *service) tableResource(d file) resource {
	k := d.Kind
	r := resource{
		Profile: "tabular-data-resource", Name: k.Folder(), Path: d.Path, Title: capital(k.Many), Description: k.Doc + " Members that have members of their own are JSON. " + s.terms(),
		Format: "csv", MediaType: layout.TypeCSV, Encoding: "utf-8", Bytes: d.bytes,
		Schema: tableSchema{PrimaryKey: "id", MissingValues: []string{""}},
	}
	if d.sha256 != "" {
		r.Hash = "sha256:" + d.sha256
	}
	for _, name := range d.Columns {
		r.Schema.Fields = append(r.Schema.Fields, columnField(k, name))
	}
	return r
}

// columnField is a column of a table. One that the kind does not know is the publisher's own, and
// may hold anything.
func columnField(k *record.Kind, name string) field {
	f := field{Name: name, Type: "any"}
	for _, m := range k.Shape().Members {
		if m.Name != name {
			continue
		}
		f.Type, f.Format = fieldType(m.Shape)
		f.Description = m.Doc
		if m.Required && !m.Nullable || m.Shape.List != nil {
			f.Constraints = &constraints{Required: m.Required && !m.Nullable, Enum: m.Shape.Words()}
		}
	}
	return f
}

func fieldType(s *schema.Shape) (name, format string) {
	switch {
	case s.Integer:
		return "integer", ""
	case s.Type == schema.Digits:
		return "number", ""
	case s.Type == schema.Bool:
		return "boolean", ""
	case s.Type == schema.Array:
		return "array", ""
	case s.Type == schema.Object:
		return "object", ""
	case s.Go == reflect.TypeFor[record.Date]():
		return "date", ""
	case s.Go == reflect.TypeFor[record.URL]():
		return "string", "uri"
	}
	return "string", ""
}

// slug is an address as a name: lower-case letters, digits, dots and hyphens.
func slug(address string) string {
	_, rest, _ := strings.Cut(strings.ToLower(address), "://")
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, rest), "-")
}
