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

// writeOpenAPI describes the routes of the specification. Schemas stand in the document itself:
// generators read those, and few follow references to other files.
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
		tags = append(tags, object{{"name", seriesTag}, {"description", "Beside the routes of the two listings: the values of one indicator, or of one area."}})
	}
	paths = append(paths, s.fileRoutes()...)
	tags = append(tags, object{{"name", filesTag}, {"description", "The manifest, listings, downloads and feeds, and what earlier releases said."}})
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

// info describes the service. Its version is the release, because nothing else is versioned as a
// whole.
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
			"All routes are read-only, public and without accounts: GET and HEAD read a file, and nothing can be written. Query strings mean nothing.",
			"The service has two published route listings, " + s.at(layout.RoutesPath("first")) + " and " + s.at(layout.RoutesPath("second")) + ", which differ in a few routes; x-listings says for each route in which of them it stands.",
			"What stands here of headers and of other answers than 200 holds for the server that comes with Stele; other hosts of the same files may answer in other ways.",
			"Whether a record still holds is no part of it: " + s.at(layout.StandingPath) + " lists those that were retracted, have lost what they rest on, or have to be looked at again.",
			"What a record said before can be read too: " + s.at(layout.ManifestPath) + " says for each kind where (history), and " + s.at(layout.ReleasesPath) + " lists all releases with the digests of their records.",
			render.PreserveSentence,
			render.NothingPromised,
			strings.TrimSpace(s.settings.Notice + "\n\n" + s.signed()),
		}, "\n\n")},
		{"contact", contact},
		{"license", license},
		{"version", s.release.Date + "+" + s.release.Release},
	}
}

// collectionRoute is the route of all records of a kind.
func (s *service) collectionRoute(k *record.Kind, sample *sample) object {
	content := object{{"schema", componentRef("schemas", collectionComponent(k))}, {"examples", object{{"beginning", object{
		{"summary", fmt.Sprintf("The collection as it is in this release, cut off after %d of %d", sample.shown(), s.count(k))},
		{"value", s.beginning(k, sample)},
	}}}}}
	return route(k.Collection, operation{
		id: "list" + camel(k.Many), tag: k.Many, summary: "All " + k.Many,
		doc: k.Doc, found: found(layout.TypeJSON, "All "+k.Many+" of the release.", content),
	})
}

// singleRoute is the route of one record of a kind.
func (s *service) singleRoute(k *record.Kind, sample *sample) object {
	id := pathParameter(k.IDMember(), "The record ID of the "+k.One+".", componentRef("schemas", "RecordID"))
	content := object{{"schema", componentRef("schemas", camel(k.Name))}}
	if sample != nil {
		id = append(id, member{"example", sample.id})
		content = append(content, member{"examples", object{{"record", object{{"summary", "A record of this release"}, {"value", sample.json}}}}})
	}
	return route(k.Single, operation{
		id: "get" + camel(k.One), tag: k.Many, summary: "One " + k.One,
		doc: k.Doc + " It equals its member of " + k.Collection.Path + ".", parameters: []object{id},
		found: found(layout.TypeJSON, "The "+k.One+" with this ID.", content),
		gone:  object{{"410", componentRef("responses", "Gone")}},
	})
}

// operation is what the routes differ in.
type operation struct {
	id, tag, summary, doc string
	parameters            []object // besides those of all
	found, gone           object   // the answers with the file, and with what became of it
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

// listings are the names of the published listings that a route stands in.
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

// found is the answer with a file.
func found(mediaType, doc string, content object) object {
	headers := object{}
	for _, h := range responseHeaders {
		headers = append(headers, member{h.name, componentRef("headers", h.name)})
	}
	return object{{"description", doc}, {"headers", headers}, {"content", object{{mediaType, content}}}}
}

// sample is a record of the release that stands as an example.
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

// sample is the first record of a kind that is short enough to read, or nil.
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

// beginning is a collection with no more than one record.
func (s *service) beginning(k *record.Kind, sample *sample) object {
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

// count is how many records of a kind the collection has.
func (s *service) count(k *record.Kind) int {
	if kind := s.release.Kind(k.Name); kind != nil {
		return kind.Count
	}
	return 0
}

// camel writes words as one: graph_node is GraphNode.
func camel(text string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == '_' || r == ' ' || r == '-' }) {
		b.WriteString(words.Capital(word))
	}
	return b.String()
}
