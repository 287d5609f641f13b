package describe

import (
	"strconv"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/record"
)

// writeDataset describes the records for dataset search engines as a schema.org dataset, which has
// a part for each kind.
func (s *service) writeDataset(out render.Output) error {
	parts := []object{}
	for _, k := range record.Kinds {
		part := append(
			object{{"@type", "Dataset"}, {"@id", s.urlOf(layout.DatasetPath) + "#" + k.Folder()}},
			s.datasetCommon(s.settings.Title+": "+k.Many, k.Doc)...)
		if asOf := s.AsOf(k); asOf != "" {
			part = append(part, member{"dateModified", asOf})
		}
		if k.Name == record.KindHealthcareStatistic {
			part = append(part, s.covered.schemaOrg()...)
		}
		parts = append(parts, append(part, s.dataDownloads(s.distributions(k))...))
	}
	d := append(
		object{
			{"@context", object{{"@vocab", "https://schema.org/"}}},
			{"@type", "Dataset"},
			{"@id", s.urlOf(layout.DatasetPath)},
		},
		s.datasetCommon(s.settings.Title, s.about())...)
	d = append(d, s.dataDownloads(s.downloadsOf(nil))...)
	return putJSON(out, layout.DatasetPath, append(d, member{"datePublished", s.release.Date}, member{"hasPart", parts}))
}

// datasetCommon returns the properties that the dataset and its parts share.
func (s *service) datasetCommon(name, doc string) object {
	publisher := object{{"@type", "Organization"}, {"@id", s.urlOf(layout.DatasetPath) + "#publisher"}, {"name", s.settings.Publisher}}
	if url := s.contactURL(); url != "" {
		publisher = append(publisher, member{"contactPoint", object{{"@type", "ContactPoint"}, {"contactType", "editors"}, {"url", url}}})
	}
	o := object{
		{"name", name},
		{"description", doc + " " + s.terms()},
		{"url", s.urlOf("")},
		{"version", s.release.Release},
		{"inLanguage", s.settings.Language},
		{"isAccessibleForFree", true},
		{"creator", publisher},
		{"publisher", object{{"@id", s.urlOf(layout.DatasetPath) + "#publisher"}}},
		{"license", s.settings.License},
		{"creditText", render.Cite(s.release)},
	}
	if url := s.licenseURL(); url != "" {
		o = o.With("license", url)
	}
	if len(s.settings.Keywords) > 0 {
		o = append(o, member{"keywords", s.settings.Keywords})
	}
	return o
}

// dataDownloads describes files, the files of a dataset, as schema.org properties.
func (s *service) dataDownloads(files []file) object {
	list := []object{}
	for _, f := range files {
		d := object{{"@type", "DataDownload"}, {"name", f.Format}, {"contentUrl", s.urlOf(f.Path)}, {"encodingFormat", f.MediaType}}
		if f.bytes > 0 {
			d = append(d, member{"contentSize", strconv.FormatInt(f.bytes, 10) + " B"})
		}
		if f.sha256 != "" {
			d = append(d, member{"sha256", f.sha256})
		}
		list = append(list, d)
	}
	if len(list) == 0 {
		return nil
	}
	return object{{"distribution", list}}
}
