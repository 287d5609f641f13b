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
		Anchor:      s.urlOf(""),
		ServiceDesc: []link{{s.urlOf(layout.OpenAPIPath), layout.TypeJSON, "OpenAPI description of " + s.settings.Title}},
		ServiceDoc: []link{
			{s.urlOf(""), layout.TypeHTML, s.settings.Title},
			{s.urlOf(layout.LLMsPath), layout.TypeText, "The description of the service as plain text"},
		},
		ServiceMeta: []link{
			{s.urlOf(layout.DCATPath), layout.TypeJSONLD, "DCAT catalogue"},
			{s.urlOf(layout.DatasetPath), layout.TypeJSONLD, "schema.org dataset"},
			{s.urlOf(layout.RoutesPath("first")), layout.TypeJSON, "The first of the two published route listings"},
			{s.urlOf(layout.RoutesPath("second")), layout.TypeJSON, "The second of the two published route listings"},
			{s.urlOf(layout.ManifestPath), layout.TypeJSON, "All files of the release with their digests"},
		},
		Alternate: []link{
			{s.urlOf(feedPath(changeEventKind(), ".atom")), layout.TypeAtom, "Changes"},
			{s.urlOf(feedPath(changeEventKind(), ".json")), layout.TypeJSONFeed, "Changes"},
		},
	}
	if url := s.licenseURL(); url != "" {
		root.License = []link{{Href: url, Title: s.settings.License}}
	}
	list := []links{
		{Anchor: s.urlOf(layout.CatalogPath), Item: []link{{Href: s.urlOf(""), Title: s.settings.Title + ". " + s.terms()}}},
		root,
	}
	for _, k := range record.Kinds {
		l := links{
			Anchor:      s.urlOf(k.Collection.Path),
			DescribedBy: []link{{s.urlOf(collectionSchemaPath(k)), layout.TypeSchema, "Schema of " + k.Many}},
		}
		for _, d := range s.downloadsOf(k) {
			l.Alternate = append(l.Alternate, link{Href: s.urlOf(d.Path), Type: d.MediaType})
		}
		list = append(list, l)
	}
	return putJSON(out, layout.CatalogPath, linkset{list})
}
