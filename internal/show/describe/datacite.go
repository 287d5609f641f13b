package describe

import (
	"slices"

	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/show/series"
)

// dataciteSchema is what DataCite calls the version of its metadata in JSON. It is the same for all
// of 4.
const dataciteSchema = "http://datacite.org/schema/kernel-4"

// writeDataCite describes the release, and each indicator, as repositories that give out DOIs want
// it (DataCite Metadata Schema 4.6, in JSON). There is no DOI in it: whoever registers one adds it.
func (s *service) writeDataCite(out render.Output) error {
	release := s.datacite(s.settings.Title, s.about(), s.at(""), s.release.Date, s.downloads)
	release = append(release, member{"version", s.release.Release})
	if err := putJSON(out, layout.DataCitePath, release); err != nil {
		return err
	}
	list := s.indicators()
	return out.Each(len(list), func(i int) string { return list[i].File(layout.DataCiteSuffix) },
		func(i int, b []byte) ([]byte, error) {
			data, err := jsonline.Marshal(s.dataciteIndicator(list[i]), "  ")
			return append(b, data...), err
		})
}

// dataciteIndicator describes an indicator, which is a part of the release. It names no release, so
// that it stays as it is while its records do.
func (s *service) dataciteIndicator(x *series.Made) object {
	updated := string(x.Updated)
	if updated == "" {
		updated = s.release.Date
	}
	o := s.datacite(x.Title, x.Summary, s.at(x.Address()), updated, s.indicatorFiles(x))
	related := []object{
		{{"relatedIdentifier", s.at("")}, {"relatedIdentifierType", "URL"}, {"relationType", "IsPartOf"}},
		{{"relatedIdentifier", s.at(x.File(layout.MetadataSuffix))}, {"relatedIdentifierType", "URL"}, {"relationType", "HasMetadata"}},
	}
	if len(x.From) >= 4 && x.LastDay != "" {
		covers := object{{"date", string(x.From[:4]) + "/" + string(x.LastDay)}, {"dateType", "Coverage"}}
		dates := o.get("dates").([]object)
		o = o.with("dates", append(dates, covers))
	}
	return append(o, member{"relatedIdentifiers", related})
}

// datacite is what both say alike.
func (s *service) datacite(title, doc, url, updated string, files []file) object {
	name := object{{"name", s.settings.Publisher}, {"nameType", "Organizational"}}
	o := object{
		{"types", object{{"resourceTypeGeneral", "Dataset"}, {"resourceType", "Public records"}}},
		{"creators", []object{name}},
		{"titles", []object{s.dataciteText("title", title)}},
		{"publisher", object{{"name", s.settings.Publisher}}},
		{"publicationYear", updated[:4]},
		{"schemaVersion", dataciteSchema},
		{"url", url},
		{"dates", []object{{{"date", updated}, {"dateType", "Updated"}}}},
		{"descriptions", []object{
			append(s.dataciteText("description", doc), member{"descriptionType", "Abstract"}),
			append(s.dataciteText("description", s.terms()), member{"descriptionType", "Other"}),
		}},
	}
	if language.MatchString(s.settings.Language) {
		o = append(o, member{"language", s.settings.Language})
	}
	rights := object{{"rights", s.settings.License}}
	if address := s.licenseURL(); address != "" {
		rights = object{
			{"rights", s.settings.License},
			{"rightsUri", address},
			{"rightsIdentifier", s.settings.License},
			{"rightsIdentifierScheme", "SPDX"},
			{"schemeUri", "https://spdx.org/licenses/"},
		}
	}
	o = append(o, member{"rightsList", []object{rights}})
	subjects := []object{}
	for _, word := range s.settings.Keywords {
		subjects = append(subjects, s.dataciteText("subject", word))
	}
	formats, sizes := []string{}, []string{}
	for _, f := range files {
		if !slices.Contains(formats, f.MediaType) {
			formats = append(formats, f.MediaType)
		}
		if text := f.Format + ", " + size(f.bytes); f.bytes > 0 && !slices.Contains(sizes, text) {
			sizes = append(sizes, text)
		}
	}
	return append(o, member{"subjects", subjects}, member{"formats", formats}, member{"sizes", sizes})
}

// dataciteText is a text with its language.
func (s *service) dataciteText(name, text string) object {
	o := object{{name, text}}
	if language.MatchString(s.settings.Language) {
		o = append(o, member{"lang", s.settings.Language})
	}
	return o
}
