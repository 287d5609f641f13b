package preview

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"stele/internal/deliver/library"
)

// blank is the page of a folder whose records cannot be built yet.
var blank = []byte(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No release yet</title></head>
<body><main><h1>There is no release yet</h1><p>The records have errors. Once they are mended, this page shows them.</p></main></body>
</html>
`)

// withScript is a page that is told what happens, and reloads itself.
func withScript(page []byte) []byte {
	at := bytes.LastIndex(page, []byte("</head>"))
	if at < 0 {
		return page
	}
	return fmt.Appendf(nil, "%s<script src=\"%s\" defer></script>%s", page[:at], scriptAddress, page[at:])
}

// scripted is a draft whose pages have the script.
type scripted struct{ library.Draft }

// Open opens a file of the draft.
func (d scripted) Open(path string) (fs.File, error) {
	f, err := d.Draft.Open(path)
	if err != nil || !strings.HasSuffix(path, ".html") {
		return f, err
	}
	page, err := io.ReadAll(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return scriptedFile{f, bytes.NewReader(withScript(page))}, nil
}

// scriptedFile is a page with the script.
type scriptedFile struct {
	fs.File
	page *bytes.Reader
}

func (f scriptedFile) Read(b []byte) (int, error) { return f.page.Read(b) }
