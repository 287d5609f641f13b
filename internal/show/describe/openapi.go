package describe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/words"
	"stele/record"
)

// writeOpenAPI writes an OpenAPI document that describes the routes of the specification. It
// includes the schemas, because few generators follow references to other files.
func (s *service) writeOpenAPI(out render.Output) error {
	paths, tags := object{}, []object{}
	for _, k := range record.Kinds {
		tags = append(tags, object{{"name", k.Many}, {"description", k.Doc}})
		sample, err := s.sample(k)
		if err != nil {
			return err
		}
		paths = append(paths, member{k.Collection.Path, s.collectionRoute(k, sample)})
		if k.HasSingle() {
			paths = append(paths, member{k.Single.Path, s.singleRoute(k, sample)})
		}
	}
	if own := s.seriesRoutes(); own != nil {
		paths = append(paths, own...)
		tags = append(tags, object{{"name", seriesTag}, {"description", "Files in neither route listing: the values of one indicator, in all areas or in one."}})
	}
	paths = append(paths, s.fileRoutes()...)
	tags = append(tags, object{{"name", filesTag}, {"description", "The manifest, listings, downloads and feeds, and earlier versions."}})
	return putJSON(out, layout.OpenAPIPath, object{
		{"openapi", "3.1.1"},
		{"info", s.info()},
		{"servers", []object{{{"url", cmp.Or(s.base, "/")}, {"description", s.settings.Title}}}},
		{"security", []object{}},
		{"tags", tags},
		{"paths", paths},
		{"components", s.components()},
	})
}

// info describes the service. Its version is the release ID, because nothing else has a version.
func (s *service) info() object {
	license := object{{"name", s.settings.License}}
	if s.licenseURL() != "" {
		license = append(license, member{"identifier", s.settings.License})
	}
	contact := object{{"name", s.settings.Publisher}}
	if url := s.contactURL(); strings.HasPrefix(url, "mailto:") {
		contact = append(contact, member{"email", strings.TrimPrefix(url, "mailto:")})
	} else if url != "" {
		contact = append(contact, member{"url", url})
	}
	return object{
		{"title", s.settings.Title},
		{"summary", "Public records as static, read-only JSON files."},
		{"description", strings.Join([]string{
			s.about(),
			"All routes are read-only, public and without accounts: GET and HEAD read a file, and nothing can be written. Query strings are ignored.",
			"The service has two published route listings, " + s.urlOf(layout.RoutesPath("first")) + " and " + s.urlOf(layout.RoutesPath("second")) + ", which differ in a few routes; x-listings gives the listings of each route.",
			"Headers, and responses other than 200, are those of Stele's own server; other hosts of the same files may respond differently.",
			"Records do not contain their standing: " + s.urlOf(layout.StandingPath) + " lists the records that were retracted, have lost their support, or must be checked again.",
			"Earlier versions of records are available too: " + s.urlOf(layout.ManifestPath) + " gives their paths for each kind (history), and " + s.urlOf(layout.ReleasesPath) + " lists all releases with the digests of their records.",
			render.PreserveSentence,
			render.NothingPromised,
			strings.TrimSpace(s.settings.Notice + "\n\n" + s.signatureText()),
		}, "\n\n")},
		{"contact", contact},
		{"license", license},
		{"version", s.release.Date + "+" + s.release.Release},
	}
}

func (s *service) collectionRoute(k *record.Kind, sample *sample) object {
	content := object{{"schema", componentRef("schemas", collectionComponent(k))}, {"examples", object{{"beginning", object{
		{"summary", fmt.Sprintf("The collection in this release, truncated after %d of %d", sample.shown(), s.count(k))},
		{"value", s.sampleBeginning(k, sample)},
	}}}}}
	return route(k.Collection, operation{
		id: "list" + camelCase(k.Many), tag: k.Many, summary: "All " + k.Many,
		doc: k.Doc, found: okResponse(layout.TypeJSON, "All "+k.Many+" of the release.", content),
	})
}

func (s *service) singleRoute(k *record.Kind, sample *sample) object {
	id := pathParameter(k.IDMember(), "The record ID of the "+k.One+".", componentRef("schemas", "RecordID"))
	content := object{{"schema", componentRef("schemas", camelCase(k.Name))}}
	if sample != nil {
		id = append(id, member{"example", sample.id})
		content = append(content, member{"examples", object{{"record", object{{"summary", "A record of this release"}, {"value", sample.json}}}}})
	}
	return route(k.Single, operation{
		id: "get" + camelCase(k.One), tag: k.Many, summary: "One " + k.One,
		doc: k.Doc + " It equals the record in " + k.Collection.Path + ".", parameters: []object{id},
		found: okResponse(layout.TypeJSON, "The "+k.One+" with this ID.", content),
		gone:  object{{"410", componentRef("responses", "Gone")}},
	})
}

// operation contains the properties of a route.
type operation struct {
	id, tag, summary, doc string
	parameters            []object // in addition to the common ones
	found, gone           object   // the answers with the file, or after its removal
}

func route(r layout.Route, o operation) object {
	return object{{"get", object{
		{"operationId", o.id},
		{"tags", []string{o.tag}},
		{"summary", o.summary},
		{"description", strings.TrimSpace(o.doc + " Listed in: " + r.Listing.String() + ". " + render.PreserveSentence)},
		{"x-listings", listings(r.Listing)},
		{"parameters", append(o.parameters, componentRef("parameters", "IfNoneMatch"))},
		{"responses", append(object{
			{"200", o.found},
			{"304", componentRef("responses", "NotModified")},
			{"404", componentRef("responses", "NotFound")},
			{"405", componentRef("responses", "MethodNotAllowed")},
		}, o.gone...)},
	}}}
}

func pathParameter(name, doc string, schema object) object {
	return object{{"name", name}, {"in", "path"}, {"required", true}, {"description", doc}, {"schema", schema}}
}

func listings(l layout.Listing) []string {
	names := []string{}
	if l&layout.First != 0 {
		names = append(names, "first")
	}
	if l&layout.Second != 0 {
		names = append(names, "second")
	}
	return names
}

// okResponse returns the description of a response that contains a file.
func okResponse(mediaType, doc string, content object) object {
	headers := object{}
	for _, h := range responseHeaders {
		headers = append(headers, member{h.name, componentRef("headers", h.name)})
	}
	return object{{"description", doc}, {"headers", headers}, {"content", object{{mediaType, content}}}}
}

// sample is a record of the release that is used as an example.
type sample struct {
	id   string
	json json.RawMessage
}

func (x *sample) shown() int {
	if x == nil {
		return 0
	}
	return 1
}

// sample returns the first record of k that is short enough to read, or nil.
func (s *service) sample(k *record.Kind) (*sample, error) {
	const (
		longest = 8 << 10
		tries   = 100
	)
	tried := 0
	for line, err := range s.Collection(k) {
		if err != nil {
			return nil, err
		}
		if tried++; tried > tries {
			break
		}
		if len(line) > longest {
			continue
		}
		var e struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		return &sample{e.ID, bytes.Clone(line)}, nil
	}
	return nil, nil
}

// sampleBeginning returns the collection of k, truncated after sample, or without records.
func (s *service) sampleBeginning(k *record.Kind, sample *sample) object {
	c := object{{"kind", k.Name}, {"count", s.count(k)}}
	if asOf := s.AsOf(k); asOf != "" {
		c = append(c, member{"as_of", asOf})
	}
	records := []json.RawMessage{}
	if sample != nil {
		records = append(records, sample.json)
	}
	return append(c, member{"license", s.settings.License}, member{"notice", s.settings.Notice}, member{"records", records})
}

// count returns the number of records in the collection of k.
func (s *service) count(k *record.Kind) int {
	if kind := s.release.Kind(k.Name); kind != nil {
		return kind.Count
	}
	return 0
}

// camelCase converts text to camel case: graph_node becomes GraphNode.
func camelCase(text string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == '_' || r == ' ' || r == '-' }) {
		b.WriteString(words.Capital(word))
	}
	return b.String()
}
