// Package describe makes what other programs look for in a release, so that they understand it
// without its documentation: schemas, an OpenAPI description, catalogues, feeds of changes, a
// Markdown twin of each record page, and how to cite it all.
//
// Everything comes from the records and the publisher's settings, so that the same records give the
// same bytes. Every document says what consumers are expected to preserve and carries the
// publisher's notice; none promises anything.
package describe

import (
	"slices"
	"strings"
	"sync"

	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/series"
	"stele/internal/show/site/lookup"
	"stele/internal/show/vintage"
	"stele/record"
	"stele/release"
)

// Options say what there is beside the records.
type Options struct {
	Downloads render.Downloads
	Series    *series.Series // nil where indicators have no files
}

// file is a collection or a download, with what the release knows of it.
type file struct {
	render.Download
	bytes  int64  // 0 where the release does not have it
	sha256 string // in hexadecimal digits; "" likewise
}

// Write makes all descriptions. It is a render.Renderer.
func (o Options) Write(e render.Records, out render.Output) error {
	s := newService(e, o.Downloads.Of(e.Release()))
	s.series = o.Series
	var err error
	if s.covered, err = s.cover(); err != nil {
		return err
	}
	if s.schemas, err = render.SchemaChanges(e); err != nil {
		return err
	}
	for _, write := range []func(*service, render.Output) error{
		(*service).writeSchemas, (*service).writeManifestSchemas, (*service).writeSchemaChanges,
		(*service).writeRoutes, (*service).writeOpenAPI, (*service).writeText, (*service).writeTwins,
		(*service).writeAddressed,
	} {
		if err := write(s, out); err != nil {
			return err
		}
	}
	return nil
}

// writeAddressed writes what other services identify by absolute addresses, if there is one.
func (s *service) writeAddressed(out render.Output) error {
	if s.base == "" {
		return nil
	}
	for _, write := range []func(*service, render.Output) error{
		(*service).writeCatalog, (*service).writeDCAT, (*service).writeDataset, (*service).writeSkill,
		(*service).writeFeeds,
	} {
		if err := write(s, out); err != nil {
			return err
		}
	}
	return nil
}

// service is what the descriptions tell of: the records at their address, with its downloads.
type service struct {
	render.Records
	settings  settings.Settings
	release   *release.Manifest
	base      string // the address, without a slash at the end
	downloads []file
	series    *series.Series
	covered   coverage
	schemas   []render.SchemaChange // how they differ from those of the releases before
	index     *lookup.Index
	updatesMu sync.Mutex
	updatesOf map[*lookup.Indicator][]vintage.Update // what releases did to figures, as far as it was asked
}

func newService(e render.Records, downloads []render.Download) *service {
	s := e.Settings()
	v := &service{Records: e, settings: s, release: e.Release(), base: strings.TrimSuffix(string(s.BaseURL), "/")}
	v.updatesOf = map[*lookup.Indicator][]vintage.Update{}
	for _, d := range downloads {
		v.downloads = append(v.downloads, v.measured(d))
	}
	return v
}

func (s *service) measured(d render.Download) file {
	if f := s.release.File(d.Path); f != nil {
		return file{d, f.Size, f.SHA256.String()}
	}
	return file{Download: d}
}

// at is the address of a path: absolute, or from the root if the address is not known.
func (s *service) at(path string) string { return s.base + "/" + strings.TrimPrefix(path, "/") }

// distributions are the files that hold all records of a kind: the collection, which is always
// there, and its downloads.
func (s *service) distributions(k *record.Kind) []file {
	collection := render.Download{Path: k.Collection.Path[1:], Format: "JSON", MediaType: layout.TypeJSON, Kind: k}
	return append([]file{s.measured(collection)}, s.downloadsOf(k)...)
}

// downloadsOf are the downloads of a kind; for nil, those that hold the records of all kinds.
func (s *service) downloadsOf(k *record.Kind) []file {
	return slices.DeleteFunc(slices.Clone(s.downloads), func(d file) bool { return d.Kind != k })
}
