package main

import (
	"stele/internal/bulk"
	"stele/internal/describe"
	"stele/internal/edition"
	"stele/internal/site"
)

// renderers make what a release has beside its records: pages, downloads, and descriptions that tell of both.
func renderers(downloads bulk.Choice) []edition.Renderer {
	return []edition.Renderer{func(e edition.Edition, out edition.Output) error {
		return site.Options{Downloads: linked(downloads.Downloads(e.Release()))}.Write(e, out)
	}, downloads.Renderer(), func(e edition.Edition, out edition.Output) error {
		return describe.Options{Downloads: described(downloads.Downloads(e.Release()))}.Write(e, out)
	}}
}

// linked are downloads as pages lead to them.
func linked(downloads []bulk.Download) []site.Download {
	list := make([]site.Download, len(downloads))
	for i, d := range downloads {
		list[i] = site.Download{Path: d.Path, Format: d.Format.Name(), Kind: d.Kind}
	}
	return list
}

// described are downloads as descriptions tell of them.
func described(downloads []bulk.Download) []describe.Download {
	list := make([]describe.Download, len(downloads))
	for i, d := range downloads {
		list[i] = describe.Download{Path: d.Path, Type: d.MediaType, Kind: d.Kind}
		if d.Format == bulk.CSV {
			for _, c := range bulk.Columns(d.Kind) {
				list[i].Columns = append(list[i].Columns, c.Name)
			}
		}
	}
	return list
}
