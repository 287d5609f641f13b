package describe

import (
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/base/sheet/areas"
	"stele/internal/compile/render"
	"stele/internal/show/markdown"
	"stele/record"
)

const areasDoc = "An area scheme: its codes with the days on which they are valid, and the changes between them. Figures of an area are never joined with those of its successors."

// writeAreaSchema writes the schema of area scheme files, if the release has area schemes.
func (s *service) writeAreaSchema(out render.Output) error {
	if len(s.Areas()) == 0 {
		return nil
	}
	shape := parseObject(schema.JSONSchema(schema.ShapeOf[areas.Document](), "Areas", areasDoc))
	return putJSON(out, layout.AreasSchema, s.withID(s.withDescription(shape, areasDoc), layout.AreasSchema))
}

// areaRoutes returns the routes of area scheme files.
func (s *service) areaRoutes() []served {
	if len(s.Areas()) == 0 {
		return nil
	}
	return []served{
		{layout.AreaFile("{scheme}", ".json"), "getAreas", "The codes and changes of an area scheme", layout.TypeJSON, layout.AreasSchema},
		{layout.AreaFile("{scheme}", ".csv"), "getAreasCsv", "The codes and changes of an area scheme as CSV; the first column names the table of the row", layout.TypeCSV, ""},
	}
}

// areaNames describes how URLs name areas.
func (s *service) areaNames() string {
	text := "the three ISO 3166 letters of a country"
	if list := s.Areas(); len(list) > 0 && len(list[0].Codes) > 0 {
		text += ", or a scheme and a code such as " + string(record.AreaScheme(list[0].Name).Key(list[0].Codes[0].Code))
	}
	return text
}

func (s *service) areaFiles(scheme *areas.Scheme) []file {
	return []file{
		s.newFile(render.Download{Path: layout.AreaFile(scheme.Name, ".json"), Format: "JSON", MediaType: layout.TypeJSON}),
		s.newFile(render.Download{Path: layout.AreaFile(scheme.Name, ".csv"), Format: "CSV", MediaType: layout.TypeCSV}),
	}
}

// dcatAreas describes scheme as a DCAT dataset.
func (s *service) dcatAreas(scheme *areas.Scheme) object {
	id := s.urlOf(layout.DCATPath) + "#areas-" + scheme.Name
	files := []object{}
	for _, f := range s.areaFiles(scheme) {
		files = append(files, s.dcatFile(scheme.Title+", "+f.Format, f))
	}
	d := append(object{{"@id", id}, {"@type", "dcat:Dataset"}, {"dct:identifier", id}}, s.dcatCommon(scheme.Title, areasDoc)...)
	return append(d, member{"dct:conformsTo", iri(s.urlOf(layout.AreasSchema))}, member{"dcat:distribution", files})
}

func (s *service) writeLLMsAreas(line printer) {
	if len(s.Areas()) == 0 {
		return
	}
	line("\n## Areas\n")
	page := markdown.Code(s.urlOf(layout.AreaFile("{scheme}", "/{code}/")))
	line("Codes and names of these areas change. The files say when each code was valid and which codes replaced it. So do the page of an area, %s, and the Model Context Protocol tool `series`. Never add or join figures of an area and its successors.\n", page)
	for _, scheme := range s.Areas() {
		line("- [%s](%s): `ref_area_scheme` %s, %s, %s; the same as [CSV](%s)",
			markdown.Inline(scheme.Title), s.urlOf(layout.AreaFile(scheme.Name, ".json")), markdown.Code(scheme.Name),
			formatNumber(len(scheme.Codes), "code"), formatNumber(len(scheme.Changes), "change"),
			s.urlOf(layout.AreaFile(scheme.Name, ".csv")))
	}
}
