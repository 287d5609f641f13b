package main

import (
	"stele/internal/build/render"
	"stele/internal/show/bulk"
	"stele/internal/show/describe"
	"stele/internal/show/series"
	"stele/internal/show/site"
)

// renderers make what a release has beside its records: pages, downloads, and descriptions of both.
func renderers(downloads bulk.Choice) []render.Renderer {
	files := &series.Series{Choice: downloads}
	return []render.Renderer{
		site.Options{Downloads: downloads.Downloads, Series: files}.Write,
		downloads.Write,
		files.Write,
		describe.Options{Downloads: downloads.Downloads, Series: files}.Write,
	}
}
