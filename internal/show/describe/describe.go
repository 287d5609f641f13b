// Package describe writes descriptions of a release for other programs: schemas, an OpenAPI
// description, catalogues, feeds of changes, a Markdown version of each record page, and citations.
//
// Everything is derived from the records and the publisher's settings, so the same records give the
// same bytes. Every document lists what consumers should preserve, and contains the publisher's
// notice. None makes promises.
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

// Options describe the release's other files.
type Options struct {
	Downloads render.Downloads
	Series    *series.Series // nil if indicators have no files
}

// file is a collection or a download with its size and digest.
type file struct {
	render.Download
	bytes  int64  // 0 if the release does not contain it
	sha256 string // in hexadecimal digits, or ""
}

// Write writes all descriptions to out. It implements render.Renderer.
func (o Options) Write(e render.Records, out render.Output) error {
	s := newService(e, o.Downloads.Of(e.Release()))
	s.series = o.Series
	var err error
	if s.covered, err = s.measureCoverage(); err != nil {
		return err
	}
	if s.schemas, err = render.SchemaChanges(e); err != nil {
		return err
	}
	for _, write := range []func(*service, render.Output) error{
		(*service).writeSchemas, (*service).writeManifestSchemas, (*service).writeAreaSchema,
		(*service).writeSchemaChanges, (*service).writeRoutes, (*service).writeOpenAPI, (*service).writeText,
		(*service).writeTwins,
		(*service).writeURLDescriptions,
	} {
		if err := write(s, out); err != nil {
			return err
		}
	}
	return nil
}

// writeURLDescriptions writes the descriptions that need absolute URLs, if the service's URL is
// known.
func (s *service) writeURLDescriptions(out render.Output) error {
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

// service contains the data of the service that the descriptions describe.
type service struct {
	render.Records
	settings  settings.Settings
	release   *release.Manifest
	base      string // URL without a trailing slash
	downloads []file
	series    *series.Series
	covered   coverage
	schemas   []render.SchemaChange // changes of schemas since earlier releases
	index     *lookup.Index
	updatesMu sync.Mutex
	updatesOf map[*lookup.Indicator][]vintage.Update // updates of figures, cached by indicator
}

func newService(e render.Records, downloads []render.Download) *service {
	s := e.Settings()
	v := &service{Records: e, settings: s, release: e.Release(), base: strings.TrimSuffix(string(s.BaseURL), "/")}
	v.updatesOf = map[*lookup.Indicator][]vintage.Update{}
	for _, d := range downloads {
		v.downloads = append(v.downloads, v.newFile(d))
	}
	return v
}

func (s *service) newFile(d render.Download) file {
	if f := s.release.File(d.Path); f != nil {
		return file{d, f.Size, f.SHA256.String()}
	}
	return file{Download: d}
}

// urlOf returns the URL of path: absolute, or relative to the root if the service's URL is
// unknown.
func (s *service) urlOf(path string) string {
	return s.base + "/" + strings.TrimPrefix(path, "/")
}

// distributions returns the files that contain all records of k: the collection and its downloads.
func (s *service) distributions(k *record.Kind) []file {
	collection := render.Download{Path: k.Collection.Path[1:], Format: "JSON", MediaType: layout.TypeJSON, Kind: k}
	return append([]file{s.newFile(collection)}, s.downloadsOf(k)...)
}

// downloadsOf returns the downloads of kind k or, if k is nil, the downloads of all kinds.
func (s *service) downloadsOf(k *record.Kind) []file {
	return slices.DeleteFunc(slices.Clone(s.downloads), func(d file) bool { return d.Kind != k })
}
