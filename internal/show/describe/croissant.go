package describe

import (
	"reflect"
	"slices"
	"strconv"
	"time"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/build/render"
	"stele/record"
)

// croissantContext is the one that Croissant 1.0 prescribes, but for the language.
var croissantContext = object{
	{"@vocab", "https://schema.org/"},
	{"sc", "https://schema.org/"},
	{"cr", "http://mlcommons.org/croissant/"},
	{"rai", "http://mlcommons.org/croissant/RAI/"},
	{"dct", "http://purl.org/dc/terms/"},
	{"citeAs", "cr:citeAs"},
	{"column", "cr:column"},
	{"conformsTo", "dct:conformsTo"},
	{"data", object{{"@id", "cr:data"}, {"@type", "@json"}}},
	{"dataType", object{{"@id", "cr:dataType"}, {"@type", "@vocab"}}},
	{"examples", object{{"@id", "cr:examples"}, {"@type", "@json"}}},
	{"extract", "cr:extract"},
	{"field", "cr:field"},
	{"fileObject", "cr:fileObject"},
	{"fileProperty", "cr:fileProperty"},
	{"fileSet", "cr:fileSet"},
	{"format", "cr:format"},
	{"includes", "cr:includes"},
	{"isLiveDataset", "cr:isLiveDataset"},
	{"jsonPath", "cr:jsonPath"},
	{"key", "cr:key"},
	{"md5", "cr:md5"},
	{"parentField", "cr:parentField"},
	{"path", "cr:path"},
	{"recordSet", "cr:recordSet"},
	{"references", "cr:references"},
	{"regex", "cr:regex"},
	{"repeated", "cr:repeated"},
	{"replace", "cr:replace"},
	{"separator", "cr:separator"},
	{"source", "cr:source"},
	{"subField", "cr:subField"},
	{"transform", "cr:transform"},
}

// writeCroissant describes the statistics for those who train and evaluate models (Croissant 1.0).
func (s *service) writeCroissant(out render.Output) error {
	k := record.KindNamed(record.KindHealthcareStatistic)
	if k == nil {
		return nil
	}
	context := croissantContext
	if language.MatchString(s.settings.Language) {
		context = append(object{{"@language", s.settings.Language}}, context...)
	}
	license := s.settings.License
	if url := s.licenseURL(); url != "" {
		license = url
	}
	pinned := s.pinned(k)
	files := []object{}
	for _, f := range pinned {
		files = append(files, s.fileObject(f))
	}
	return putJSON(out, layout.CroissantPath, object{
		{"@context", context},
		{"@type", "sc:Dataset"},
		{"conformsTo", "http://mlcommons.org/croissant/1.0"},
		{"name", s.settings.Title + ": " + k.Many},
		{"description", k.Doc + " " + s.about() + " " + s.terms()},
		{"url", s.at("")},
		{"license", license},
		{"creator", object{{"@type", "Organization"}, {"name", s.settings.Publisher}}},
		{"publisher", object{{"@type", "Organization"}, {"name", s.settings.Publisher}}},
		{"citeAs", render.Cite(s.release)},
		{"datePublished", s.release.Date},
		{"version", dotted(s.release.Date)},
		{"isLiveDataset", false},
		{"distribution", files},
		{"recordSet", []object{{
			{"@type", "cr:RecordSet"},
			{"@id", k.Folder()},
			{"name", k.Folder()},
			{"description", k.Doc + " " + render.PreserveSentence},
			{"key", object{{"@id", k.Folder() + "/id"}}},
			{"field", croissantFields(k, table(pinned))},
		}}},
	})
}

// pinned are the files of a kind whose digests are known: Croissant takes no others.
func (s *service) pinned(k *record.Kind) []file {
	return slices.DeleteFunc(s.distributions(k), func(d file) bool { return d.sha256 == "" })
}

// table is the file that programs read a kind from: a table where there is one, because members
// that some records lack are empty there.
func table(files []file) file {
	for _, mediaType := range []string{layout.TypeCSV, layout.TypeParquet, layout.TypeNDJSON} {
		for _, f := range files {
			if f.MediaType == mediaType {
				return f
			}
		}
	}
	return files[0]
}

func (s *service) fileObject(f file) object {
	encoding := f.MediaType
	switch f.MediaType { // what Croissant calls them
	case layout.TypeNDJSON:
		encoding = "application/jsonlines"
	case layout.TypeParquet:
		encoding = "application/x-parquet"
	}
	return object{
		{"@type", "cr:FileObject"},
		{"@id", f.Path},
		{"name", f.Format},
		{"contentUrl", s.at(f.Path)},
		{"encodingFormat", encoding},
		{"contentSize", strconv.FormatInt(f.bytes, 10) + " B"},
		{"sha256", f.sha256},
	}
}

// croissantFields are the members of the records, and where to find them. What has members of its
// own is JSON in the text of a cell of CSV; as a column with columns in it, Croissant has no type
// for it.
func croissantFields(k *record.Kind, f file) []object {
	var fields []object
	for _, m := range k.Shape().Members {
		nested := m.Shape.Type == schema.Array || m.Shape.Type == schema.Object
		if nested && f.MediaType == layout.TypeParquet {
			continue
		}
		extract := object{{"column", m.Name}}
		if f.MediaType == layout.TypeJSON {
			// a path that not every record has would shift the values of the others
			if !m.Required && m.Name != "value" {
				continue
			}
			extract = object{{"jsonPath", "$.records[*]." + m.Name}}
		}
		fields = append(fields, object{
			{"@type", "cr:Field"},
			{"@id", k.Folder() + "/" + m.Name},
			{"name", m.Name},
			{"description", m.Doc},
			{"dataType", croissantType(m.Shape)},
			{"source", object{{"fileObject", object{{"@id", f.Path}}}, {"extract", extract}}},
		})
	}
	return fields
}

func croissantType(s *schema.Shape) string {
	switch {
	case s.Integer:
		return "sc:Integer"
	case s.Type == schema.Digits:
		return "sc:Float"
	case s.Type == schema.Bool:
		return "sc:Boolean"
	case s.Go == reflect.TypeFor[record.Date]():
		return "sc:Date"
	case s.Go == reflect.TypeFor[record.URL]():
		return "sc:URL"
	}
	return "sc:Text"
}

// dotted is a date as the three numbers that Croissant wants of a version.
func dotted(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2006.1.2")
}
