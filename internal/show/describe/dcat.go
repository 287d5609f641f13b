package describe

import (
	"strings"
	"time"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/words"
	"stele/record"
)

// dcatContext is the JSON-LD context. The document includes it, so that readers need not fetch it.
var dcatContext = object{
	{"dcat", "http://www.w3.org/ns/dcat#"},
	{"dct", "http://purl.org/dc/terms/"},
	{"foaf", "http://xmlns.com/foaf/0.1/"},
	{"rdfs", "http://www.w3.org/2000/01/rdf-schema#"},
	{"spdx", "http://spdx.org/rdf/terms#"},
	{"vcard", "http://www.w3.org/2006/vcard/ns#"},
	{"xsd", "http://www.w3.org/2001/XMLSchema#"},
}

// writeDCAT writes the DCAT 3 catalogue: a dataset for each kind with its files, and the service
// that provides them.
func (s *service) writeDCAT(out render.Output) error {
	datasets, refs := []object{}, []object{}
	for _, k := range record.Kinds {
		datasets = append(datasets, s.dcatDataset(k))
		refs = append(refs, iri(s.dcatID(k)))
	}
	for _, x := range s.indicators() {
		datasets = append(datasets, s.dcatIndicator(x))
	}
	for _, scheme := range s.Areas() {
		datasets = append(datasets, s.dcatAreas(scheme))
	}
	catalog := append(
		object{{"@context", dcatContext}, {"@id", s.urlOf(layout.DCATPath)}, {"@type", "dcat:Catalog"}},
		s.dcatCommon(s.settings.Title, s.about())...)
	catalog = append(catalog,
		member{"dct:issued", typedValue(s.release.Date, "xsd:date")},
		member{"dct:modified", typedValue(s.release.Date, "xsd:date")},
		member{"dcat:themeTaxonomy", iri(themes)},
		member{"foaf:homepage", iri(s.urlOf(""))},
		member{"dcat:dataset", datasets},
		member{"dcat:service", append(object{{"@id", s.serviceID()}, {"@type", "dcat:DataService"}},
			append(s.dcatCommon(s.settings.Title+": JSON files", "Read-only JSON files over HTTP, without accounts."),
				member{"dcat:endpointURL", iri(s.urlOf(""))},
				member{"dcat:endpointDescription", iri(s.urlOf(layout.OpenAPIPath))},
				member{"dcat:servesDataset", refs})...)})
	if signed := s.signatureText(); signed != "" {
		catalog = append(catalog, member{"dct:provenance", object{
			{"@type", "dct:ProvenanceStatement"},
			{"rdfs:label", s.literal(signed)},
			{"rdfs:seeAlso", []object{iri(s.urlOf(layout.ProofPath)), iri(s.urlOf(layout.CheckpointPath))}},
		}})
	}
	if next := s.settings.NextPlan(record.Date(s.release.Date)); next != nil {
		at := typedValue(string(next.Planned), "xsd:date")
		if next.Planned.HasHour() {
			at = typedValue(next.Planned.Time().Format(time.RFC3339), "xsd:dateTime")
		}
		catalog = append(catalog, member{"dct:accrualPolicy", object{
			{"@type", "dct:Policy"},
			{"rdfs:label", s.literal("Planned next, not promised: " + next.What)},
			{"dct:date", at},
			{"rdfs:seeAlso", []object{iri(s.urlOf(layout.CalendarPath)), iri(s.urlOf(layout.CalendarICS))}},
		}})
	}
	return putJSON(out, layout.DCATPath, catalog)
}

// themes is the prefix of the theme URIs that European portals use.
const themes = "http://publications.europa.eu/resource/authority/data-theme"

func (s *service) dcatID(k *record.Kind) string {
	return s.urlOf(layout.DCATPath) + "#" + k.Folder()
}
func (s *service) serviceID() string { return s.urlOf(layout.DCATPath) + "#service" }

// dcatCommon returns the properties that the catalogue, the service and the datasets share.
func (s *service) dcatCommon(title, doc string) object {
	o := object{
		{"dct:title", s.literal(title)},
		{"dct:description", s.literal(doc + " " + s.terms())},
		{"dct:publisher", object{{"@id", s.urlOf(layout.DCATPath) + "#publisher"}, {"@type", "foaf:Agent"}, {"foaf:name", s.literal(s.settings.Publisher)}}},
	}
	o = append(o, s.dcatLicense()...)
	if len(s.settings.Keywords) > 0 {
		list := []object{}
		for _, word := range s.settings.Keywords {
			list = append(list, s.literal(word))
		}
		o = append(o, member{"dcat:keyword", list})
	}
	o = append(o, member{"dcat:theme", iri(themes + "/HEAL")})
	if tag, _, _ := strings.Cut(s.settings.Language, "-"); len(tag) == 2 && language.MatchString(tag) {
		o = append(o, member{"dct:language", iri("http://id.loc.gov/vocabulary/iso639-1/" + strings.ToLower(tag))})
	}
	contact := object{{"@type", "vcard:Kind"}, {"vcard:fn", s.settings.Publisher}}
	if url := s.contactURL(); strings.HasPrefix(url, "mailto:") {
		contact = append(contact, member{"vcard:hasEmail", iri(url)})
	} else if url != "" {
		contact = append(contact, member{"vcard:hasURL", iri(url)})
	}
	o = append(o, member{"dcat:contactPoint", contact}, member{"dcat:version", s.release.Release})
	if p := s.release.Previous; p != nil {
		o = append(o, member{"rdfs:comment", s.literal("The previous release is " + p.Release + " of " + p.Date + ".")})
	}
	return o
}

// dcatLicense returns the licence as a URL, or as text if its URL is unknown.
func (s *service) dcatLicense() object {
	if url := s.licenseURL(); url != "" {
		return object{{"dct:license", iri(url)}}
	}
	return object{{"dct:rights", object{{"@type", "dct:RightsStatement"}, {"rdfs:label", s.settings.License}}}}
}

func (s *service) dcatDataset(k *record.Kind) object {
	d := append(object{{"@id", s.dcatID(k)}, {"@type", "dcat:Dataset"}, {"dct:identifier", s.dcatID(k)}}, s.dcatCommon(words.Capital(k.Many), k.Doc)...)
	if asOf := s.AsOf(k); asOf != "" {
		d = append(d, member{"dct:modified", typedValue(string(asOf), "xsd:date")})
	}
	if k.Name == record.KindHealthcareStatistic {
		d = append(d, s.covered.dcat()...)
	}
	files := []object{}
	for _, f := range append(s.distributions(k), s.downloadsOf(nil)...) {
		files = append(files, s.dcatDistribution(k, f))
	}
	return append(d, member{"dct:conformsTo", iri(s.urlOf(recordSchemaPath(k)))}, member{"dcat:landingPage", iri(s.urlOf(""))}, member{"dcat:distribution", files})
}

func (s *service) dcatDistribution(k *record.Kind, f file) object {
	d := s.dcatFile(words.Capital(k.Many)+", "+f.Format, f)
	if f.MediaType == layout.TypeJSON {
		d = append(d, member{"dcat:accessService", iri(s.serviceID())}, member{"dct:conformsTo", iri(s.urlOf(collectionSchemaPath(k)))})
	}
	return d
}

// dcatFormat returns the format of f as a URI of European portals, or as text if they have none.
func dcatFormat(f file) object {
	switch f.Format {
	case "CSV", "JSON":
		return iri("http://publications.europa.eu/resource/authority/file-type/" + f.Format)
	}
	return object{{"@type", "dct:MediaTypeOrExtent"}, {"rdfs:label", f.Format}}
}

// dcatMediaType returns mediaType as a URI if it is registered, or otherwise as text.
func dcatMediaType(mediaType string) object {
	if strings.HasPrefix(mediaType, "application/x-") {
		return object{{"@type", "dct:MediaType"}, {"rdfs:label", mediaType}}
	}
	return iri("https://www.iana.org/assignments/media-types/" + mediaType)
}

func (s *service) dcatFile(title string, f file) object {
	d := object{
		{"@type", "dcat:Distribution"},
		{"dct:title", s.literal(title)},
		{"dcat:accessURL", iri(s.urlOf(f.Path))},
		{"dcat:downloadURL", iri(s.urlOf(f.Path))},
		{"dct:format", dcatFormat(f)},
		{"dcat:mediaType", dcatMediaType(f.MediaType)},
	}
	if f.bytes > 0 {
		d = append(d, member{"dcat:byteSize", typedValue(f.bytes, "xsd:nonNegativeInteger")})
	}
	if f.sha256 != "" {
		d = append(d, member{"spdx:checksum", object{
			{"@type", "spdx:Checksum"}, {"spdx:algorithm", iri("spdx:checksumAlgorithm_sha256")}, {"spdx:checksumValue", typedValue(f.sha256, "xsd:hexBinary")},
		}})
	}
	return append(d, s.dcatLicense()...)
}

func iri(address string) object { return object{{"@id", address}} }

func typedValue(value any, datatype string) object {
	return object{{"@value", value}, {"@type", datatype}}
}

// literal returns text as a literal in the language of the records.
func (s *service) literal(text string) object {
	o := object{{"@value", text}}
	if language.MatchString(s.settings.Language) {
		o = append(o, member{"@language", s.settings.Language})
	}
	return o
}
