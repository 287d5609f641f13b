// Package site makes the pages of a release: what people open in a browser, from the same records and in the same build as the JSON.
package site

import (
	"fmt"
	"html"

	"stele/internal/edition"
	"stele/internal/source"
)

// headers is read by hosts of static pages that know the file _headers. Other hosts ignore it.
const headers = `/*
  X-Content-Type-Options: nosniff
  Access-Control-Allow-Origin: *
/api/*
  Content-Type: application/json
/data/*
  Content-Type: application/json
/index/*
  Content-Type: application/json
/manifest.json
  Content-Type: application/json
  Cache-Control: no-cache
`

// notFound is what static hosts show for an address that is none.
func notFound(settings source.Settings) []byte {
	return fmt.Appendf(nil, `<!doctype html>
<html lang="%[1]s">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Not found · %[2]s</title>
<h1>Not found</h1>
<p>There is nothing at this address. <a href="/manifest.json">The manifest</a> lists what there is.</p>
</html>
`, html.EscapeString(settings.Language), html.EscapeString(settings.Title))
}

// Write makes all pages.
func Write(e edition.Edition, out edition.Output) error {
	if err := out.Put("404.html", notFound(e.Settings())); err != nil {
		return err
	}
	if err := out.Put("_headers", []byte(headers)); err != nil {
		return err
	}
	return out.Put(".nojekyll", nil)
}
