package describe

import (
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/record"
)

// linkset is a set of links, grouped by their anchor (RFC 9264).
type linkset struct {
	Linkset []links `json:"linkset"`
}

// links contains the links of one anchor, by relation.
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

// writeCatalog writes the API catalogue at its well-known path (RFC 9727): the service, its
// descriptions, and the collections with their schemas.
func (s *service) writeCatalog(out render.Output) error {
	root := links{
		Anchor:      s.abs(""),
		ServiceDesc: []link{{s.abs(layout.OpenAPIPath), layout.TypeJSON, "OpenAPI description of " + s.settings.Title}},
		ServiceDoc:  []link{{s.abs(""), layout.TypeHTML, s.settings.Title}, {s.abs(layout.LLMsPath), layout.TypeText, "The description of the service as plain text"}},
		ServiceMeta: []link{
			{s.abs(layout.DCATPath), layout.TypeJSONLD, "DCAT catalogue"},
			{s.abs(layout.DatasetPath), layout.TypeJSONLD, "schema.org dataset"},
			{s.abs(layout.RoutesPath("first")), layout.TypeJSON, "The first of the two published route listings"},
			{s.abs(layout.RoutesPath("second")), layout.TypeJSON, "The second of the two published route listings"},
			{s.abs(layout.ManifestPath), layout.TypeJSON, "All files of the release with their digests"},
		},
		Alternate: []link{
			{s.abs(feedPath(changes(), ".atom")), layout.TypeAtom, "Changes"},
			{s.abs(feedPath(changes(), ".json")), layout.TypeJSONFeed, "Changes"},
		},
	}
	if url := s.licenseURL(); url != "" {
		root.License = []link{{Href: url, Title: s.settings.License}}
	}
	list := []links{
		{Anchor: s.abs(layout.CatalogPath), Item: []link{{Href: s.abs(""), Title: s.settings.Title + ". " + s.terms()}}},
		root,
	}
	for _, k := range record.Kinds {
		l := links{
			Anchor:      s.abs(k.Collection.Path),
			DescribedBy: []link{{s.abs(collectionSchemaPath(k)), layout.TypeSchema, "Schema of " + k.Many}},
		}
		for _, d := range s.downloadsOf(k) {
			l.Alternate = append(l.Alternate, link{Href: s.abs(d.Path), Type: d.MediaType})
		}
		list = append(list, l)
	}
	return putJSON(out, layout.CatalogPath, linkset{list})
}
