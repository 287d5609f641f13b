package main

import (
	"stele/internal/bulk"
	"stele/internal/describe"
	"stele/internal/edition"
	"stele/internal/site"
)

// renderers make what a release has beside its records: pages, downloads, and descriptions that tell of both.
func renderers(downloads bulk.Choice) []edition.Renderer {
	return []edition.Renderer{site.Write, downloads.Renderer(), func(e edition.Edition, out edition.Output) error {
		return describe.Options{Downloads: described(downloads.Downloads(e.Release()))}.Write(e, out)
	}}
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
