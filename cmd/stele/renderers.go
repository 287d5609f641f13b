package main

import (
	"stele/internal/build/render"
	"stele/internal/show/bulk"
	"stele/internal/show/describe"
	"stele/internal/show/site"
)

// renderers make what a release has beside its records: pages, downloads, and descriptions that
// tell of both.
func renderers(downloads bulk.Choice) []render.Renderer {
	return []render.Renderer{func(e render.Records, out render.Output) error {
		return site.Options{Downloads: downloads.Downloads(e.Release())}.Write(e, out)
	}, downloads.Renderer(), func(e render.Records, out render.Output) error {
		return describe.Options{Downloads: downloads.Downloads(e.Release())}.Write(e, out)
	}}
}
