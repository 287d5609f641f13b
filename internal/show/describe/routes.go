package describe

import (
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/record"
)

// routesShape is a route listing. It is declared like the kinds, so that its schema is derived.
type routesShape struct {
	Listing string       `json:"listing" doc:"Whether this is the first or the second listing."`
	Other   record.URL   `json:"other" doc:"The URL of the other listing."`
	Title   string       `json:"title" doc:"The name of the service."`
	Release string       `json:"release" doc:"The ID of the release."`
	Date    record.Date  `json:"date" doc:"The date of the release."`
	Notice  string       `json:"notice" doc:"What readers must know."`
	Routes  []routeShape `json:"routes" doc:"The routes of this listing, in the order of the kinds."`
}

type routeShape struct {
	Method  string          `json:"method" doc:"The method GET. HEAD returns the same headers without the body."`
	Path    string          `json:"path" doc:"The path, with the ID of a record in braces."`
	Returns string          `json:"returns" doc:"The content."`
	Kind    record.KindName `json:"kind" doc:"The kind of the records."`
	Schema  record.URL      `json:"schema" doc:"The schema of the content."`
	Both    bool            `json:"both" doc:"Whether the other listing also contains the route."`
}

// writeRoutes writes the two published route listings. Most routes are in both listings, but a few
// differ. The same files are served for both.
func (s *service) writeRoutes(out render.Output) error {
	names := listings(layout.Both)
	for i, l := range []layout.Listing{layout.First, layout.Second} {
		doc := routesShape{
			Listing: names[i], Other: record.URL(s.urlOf(layout.RoutesPath(names[1-i]))), Title: s.settings.Title,
			Release: s.release.Release, Date: record.Date(s.release.Date), Notice: s.terms(),
		}
		for _, k := range record.Kinds {
			for _, r := range k.Routes() {
				if r.Listing&l != 0 {
					doc.Routes = append(doc.Routes, s.routeListing(k, r))
				}
			}
		}
		if err := putJSON(out, layout.RoutesPath(names[i]), doc); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) routeListing(k *record.Kind, r layout.Route) routeShape {
	route := routeShape{
		Method: "GET", Path: r.Path, Returns: "All " + k.Many, Kind: record.KindName(k.Name),
		Schema: record.URL(s.urlOf(collectionSchemaPath(k))), Both: r.Listing == layout.Both,
	}
	if r == k.Single {
		route.Returns, route.Schema = "One "+k.One, record.URL(s.urlOf(recordSchemaPath(k)))
	}
	return route
}
