package describe

import (
	"fmt"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/markdown"
	"stele/internal/show/series"
	"stele/internal/trust/standing"
	"stele/record"
)

// maxIndicators is the maximum number of indicators that descriptions list. The pages list all.
const maxIndicators = 500

// indicators returns the indicators with files that the descriptions list.
func (s *service) indicators() []*series.Made {
	if s.series == nil {
		return nil
	}
	list := s.series.Indicators()
	return list[:min(len(list), maxIndicators)]
}

func (s *service) indicatorFiles(x *series.Made) (list []file) {
	k := record.KindNamed(record.KindHealthcareStatistic)
	for _, f := range series.Formats {
		d := s.newFile(render.Download{Path: x.File(f.Suffix), Format: f.Name, MediaType: f.MediaType, Kind: k})
		if d.bytes = x.Sizes[f.Suffix]; x.Has(f) {
			list = append(list, d)
		}
	}
	return list
}

// writeLLMsIndicators writes a list of the indicators with the numbers of their values and areas.
func (s *service) writeLLMsIndicators(line printer) {
	list := s.indicators()
	if len(list) == 0 {
		return
	}
	line("\n## Indicators\n")
	line("The Markdown of an indicator contains its latest values%s. The same URLs with .csv and .json return them as a table and as records.\n", s.areaSentence(list))
	for _, x := range list {
		about := []string{
			string(x.From) + " to " + string(x.To), formatNumber(len(x.Records), "value"),
			formatNumber(len(x.Areas), "area"),
		}
		if x.Unit != "" {
			about = append([]string{markdown.Inline(x.Unit)}, about...)
		}
		for _, f := range s.indicatorFiles(x) {
			if f.bytes > 0 && f.MediaType != layout.TypeParquet {
				about = append(about, f.Format+" "+formatSize(f.bytes))
			}
		}
		line("- [%s](%s): %s", markdown.Inline(x.Title), s.urlOf(x.File(".md")), strings.Join(about, ", "))
	}
	if more := len(s.series.Indicators()) - len(list); more > 0 {
		line("- and %d more, at %s", more, s.urlOf("healthcare-statistics/"))
	}
}

// formatNumber formats n with its noun, what, in the plural unless n is 1.
func formatNumber(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// areaSentence describes where the values of one area are, with an example from list.
func (s *service) areaSentence(list []*series.Made) string {
	if !s.series.HasAreas() {
		return ""
	}
	example := list[0].AreaFile(list[0].Areas[0], ".md")
	for _, x := range list {
		if len(x.Countries) > 0 {
			example = x.AreaFile(x.Countries[0], ".md")
			break
		}
	}
	return ", and the Markdown of one area contains all its values: use " + s.areaNames() + ", as in " + s.urlOf(example)
}

func formatSize(bytes int64) string {
	switch {
	case bytes >= 1_000_000:
		return strconv.FormatFloat(float64(bytes)/1e6, 'f', 1, 64) + " MB"
	case bytes >= 1000:
		return strconv.FormatInt((bytes+500)/1000, 10) + " kB"
	}
	return strconv.FormatInt(bytes, 10) + " B"
}

// dcatIndicator describes x as a separate DCAT dataset.
func (s *service) dcatIndicator(x *series.Made) object {
	k := record.KindNamed(record.KindHealthcareStatistic)
	d := append(object{{"@id", s.urlOf(x.Address())}, {"@type", "dcat:Dataset"}, {"dct:identifier", s.urlOf(x.Address())}},
		s.dcatCommon(x.Title, x.Summary)...)
	if x.Updated != "" {
		d = append(d, member{"dct:modified", typedValue(string(x.Updated), "xsd:date")})
	}
	c := coverage{to: x.LastDay, countries: x.Countries}
	if len(x.From) >= 4 && c.to != "" {
		c.from = string(x.From[:4])
	}
	d = append(d, c.dcat()...)
	files := []object{}
	for _, f := range s.indicatorFiles(x) {
		files = append(files, s.dcatFile(x.Title+", "+f.Format, f))
	}
	return append(d, member{"dct:isPartOf", iri(s.dcatID(k))}, member{"dcat:landingPage", iri(s.urlOf(x.Address()))},
		member{"dcat:distribution", files})
}

// seriesTag is the tag of the routes of indicator files.
const seriesTag = "files of indicators"

// seriesRoutes returns the routes of indicator files, which are in neither published route listing.
func (s *service) seriesRoutes() (paths object) {
	list := s.indicators()
	if len(list) == 0 {
		return nil
	}
	x := list[0]
	text := object{{"type", "string"}}
	indicator := pathParameter("indicator", "The code of the indicator.", text).With("example", x.Name)
	area := pathParameter("area", "The area: "+s.areaNames()+", otherwise its code or the ID of its entity.", text).
		With("example", x.Areas[0])
	folder := layout.ListAddress(record.KindNamed(record.KindHealthcareStatistic).Folder(), 0) + "{indicator}"
	for _, f := range series.Formats {
		id := "Indicator" + camelCase(f.Name)
		at := folder + f.Suffix
		if x.Parted && f.Suffix == layout.ParquetSuffix {
			at = "/" + layout.PartPath("{indicator}", 0)
		}
		paths = append(paths, member{at, seriesRoute(f, "get"+id, "One indicator as "+f.Name, indicator)})
		if f.Areas && s.series.HasAreas() {
			paths = append(paths, member{
				folder + "/areas/{area}" + f.Suffix,
				seriesRoute(f, "get"+id+"OfArea", "One indicator in one area as "+f.Name, indicator, area),
			})
		}
	}
	return paths
}

func seriesRoute(f render.SeriesFile, id, summary string, parameters ...object) object {
	content := object{{"schema", object{{"type", "string"}}}}
	switch {
	case f.Suffix == ".json":
		content = object{{"schema", componentRef("schemas", "IndicatorRecords")}}
	case f.MediaType == layout.TypeParquet, f.MediaType == layout.TypeXLSX:
		content = object{{"schema", object{{"type", "string"}, {"format", "binary"}}}}
	case strings.HasSuffix(f.Suffix, ".json"):
		content = object{{"schema", object{{"type", "object"}}}}
	}
	return route(layout.Route{}, operation{
		id: id, tag: seriesTag, summary: summary, parameters: parameters,
		found: okResponse(f.MediaType, "The values.", content),
	})
}

// seriesSchema returns the schema of an indicator's file of records.
func seriesSchema() object {
	text := func(doc string) object { return object{{"type", "string"}, {"description", doc}} }
	return object{
		{"title", "Records of an indicator"},
		{"description", "The records of an indicator, or of one of its areas, grouped by area. To restore a record, merge its own members into those of shared, including the members of objects. " + noStability},
		{"type", "object"},
		{"properties", object{
			{"kind", text("The kind of the records.")},
			{"indicator", text("The code of the indicator.")},
			{"name", text("The name of the indicator.")},
			{"count", object{{"type", "integer"}, {"description", "The number of records."}}},
			{"as_of", text("The date on which one of the records last changed.")},
			{"license", text("The licence of records that do not name another.")},
			{"citation", text("How to cite the records.")},
			{"areas", object{{"type", "array"}, {"description", "The areas."}, {"items", object{
				{"type", "object"},
				{"properties", object{
					{"code", text("The code of the area.")},
					{"name", text("The name of the area.")},
					{"count", object{{"type", "integer"}, {"description", "The number of its records."}}},
					{"shared", object{{"type", "object"}, {"description", "The members that its records share."}}},
					{"records", object{{"type", "array"}, {"description", "The other members of each record."}, {"items", object{{"type", "object"}}}}},
				}},
				{"required", []string{"code", "name", "count", "shared", "records"}},
			}}}},
		}},
		{"required", []string{"kind", "indicator", "name", "count", "areas"}},
	}
}

// writeLLMsClaims writes a list of the claims, or of the first ones if there are many.
func (s *service) writeLLMsClaims(line printer) error {
	const most = 50
	k := record.KindNamed(record.KindProofClaim)
	count := s.Len(k)
	if count == 0 {
		return nil
	}
	line("\n## Claims\n")
	t := s.newTwin(s.newTwinPlan(k))
	for i := range min(count, most) {
		text, err := t.appendFile(i, nil)
		if err != nil {
			return err
		}
		about := "Markdown " + formatSize(int64(len(text)))
		if is := s.Standing(k, i).Standing; is != standing.Stands {
			about = "**" + is.String() + "**, " + about
		}
		id := s.ID(k, i)
		line("- [%s](%s): %s", markdown.Inline(s.Title(id)), s.urlOf(twinPath(k, id)), about)
	}
	if count > most {
		line(fmt.Sprintf("- and %d more, at %s", count-most, s.urlOf(layout.ListingPath(k.Folder()))))
	}
	return nil
}
