package describe

import (
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/record"
)

// linkset is a list of links by what they lead away from (RFC 9264).
type linkset struct {
	Linkset []links `json:"linkset"`
}

// links are those of one anchor, by their relation.
type links struct {
	Anchor      string `json:"anchor"`
	Item        []link `json:"item,omitempty"`
	ServiceDesc []link `json:"service-desc,omitempty"`
	ServiceDoc  []link `json:"service-doc,omitempty"`
	ServiceMeta []link `json:"service-meta,omitempty"`
	DescribedBy []link `json:"describedby,omitempty"`
	Alternate   []link `json:"alternate,omitempty"`
	License     []link `json:"license,omitempty"`
}

type link struct {
	Href  string `json:"href"`
	Type  string `json:"type,omitempty"`
	Title string `json:"title,omitempty"`
}

// writeCatalog writes what a program finds at the well-known address (RFC 9727): where the service
// is, what describes it, and the collections with their schemas.
func (s *service) writeCatalog(out render.Output) error {
	root := links{
		Anchor:      s.at(""),
		ServiceDesc: []link{{s.at(layout.OpenAPIPath), layout.TypeJSON, "OpenAPI description of " + s.settings.Title}},
		ServiceDoc:  []link{{s.at(""), layout.TypeHTML, s.settings.Title}, {s.at(layout.LLMsPath), layout.TypeText, "The same for programs that read text"}},
		ServiceMeta: []link{
			{s.at(layout.DCATPath), layout.TypeJSONLD, "Catalogue in DCAT"},
			{s.at(layout.DatasetPath), layout.TypeJSONLD, "Dataset in the words of schema.org"},
			{s.at(layout.RoutesPath("first")), layout.TypeJSON, "The first of the two published route listings"},
			{s.at(layout.RoutesPath("second")), layout.TypeJSON, "The second of the two published route listings"},
			{s.at(layout.ManifestPath), layout.TypeJSON, "Every file of the release with its digest"},
		},
		Alternate: []link{
			{s.at(feedPath(changes(), ".atom")), layout.TypeAtom, "What changed"},
			{s.at(feedPath(changes(), ".json")), layout.TypeJSONFeed, "What changed"},
		},
	}
	if url := s.licenseURL(); url != "" {
		root.License = []link{{Href: url, Title: s.settings.License}}
	}
	list := []links{
		{Anchor: s.at(layout.CatalogPath), Item: []link{{Href: s.at(""), Title: s.settings.Title + ". " + s.terms()}}},
		root,
	}
	for _, k := range record.Kinds {
		l := links{
			Anchor:      s.at(k.Collection.Path),
			DescribedBy: []link{{s.at(collectionSchemaPath(k)), layout.TypeSchema, "Schema of " + k.Many}},
		}
		for _, d := range s.downloadsOf(k) {
			l.Alternate = append(l.Alternate, link{Href: s.at(d.Path), Type: d.MediaType})
		}
		list = append(list, l)
	}
	return putJSON(out, layout.CatalogPath, linkset{list})
}
