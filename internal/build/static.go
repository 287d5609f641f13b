package build

import (
	"fmt"
	"html"
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
func (b *builder) notFound() []byte {
	return fmt.Appendf(nil, `<!doctype html>
<html lang="%[1]s">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Not found · %[2]s</title>
<h1>Not found</h1>
<p>There is nothing at this address. <a href="/manifest.json">The manifest</a> lists what there is.</p>
</html>
`, html.EscapeString(b.settings.Language), html.EscapeString(b.settings.Title))
}

// putStatic writes the files that do not depend on records.
func (b *builder) putStatic() error {
	if err := b.put("404.html", b.notFound()); err != nil {
		return err
	}
	if err := b.put("_headers", []byte(headers)); err != nil {
		return err
	}
	return b.put(".nojekyll", nil)
}
