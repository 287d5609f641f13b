package preview

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"path"
	"strings"

	"stele/internal/deliver/library"
	"stele/record"
)

// blank is the page of a folder whose records cannot be built yet.
var blank = []byte(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No release yet</title></head>
<body><main><h1>There is no release yet</h1><p>The records have errors. Once they are mended,
	this page shows them.</p></main></body>
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

// withNote is the page of a record that no release would have yet, which says so.
func withNote(page []byte, held string) []byte {
	at := bytes.Index(page, []byte("<main"))
	end := bytes.IndexByte(page[max(at, 0):], '>')
	if held == "" || at < 0 || end < 0 {
		return page
	}
	at += end + 1
	return fmt.Appendf(nil,
		"%s<p class=\"stele-held\" role=\"note\"><strong>This record is %s.</strong> A release does not have it.</p>%s",
		page[:at], html.EscapeString(held), page[at:])
}

// withForms is a page with a link to where what it shows is written.
func withForms(page []byte, name string, forms bool) []byte {
	at := bytes.Index(page, []byte("<main"))
	end := bytes.IndexByte(page[max(at, 0):], '>')
	if !forms || at < 0 || end < 0 {
		return page
	}
	at += end + 1
	to, text := formsAddress, "Write"
	folder, rest, _ := strings.Cut(name, "/")
	if k := record.KindInFolder(folder); k != nil && k.Name != record.KindChangeEvent {
		switch id, file, _ := strings.Cut(rest, "/"); {
		case rest == "index.html":
			to, text = formsAddress+"new/"+k.Name, "New"
		case file == "index.html":
			to, text = formsAddress+"record/"+id, "Edit"
		}
	}
	return fmt.Appendf(nil, "%s<p class=\"stele-edit\"><a href=\"%s\">%s</a></p>%s", page[:at], html.EscapeString(to),
		text, page[at:])
}

// scripted is a draft whose pages have the script.
type scripted struct {
	library.Draft
	held  func(id string) string
	forms bool
}

// Open opens a file of the draft.
func (d scripted) Open(name string) (fs.File, error) {
	f, err := d.Draft.Open(name)
	if err != nil || !strings.HasSuffix(name, ".html") {
		return f, err
	}
	page, err := io.ReadAll(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return scriptedFile{f, bytes.NewReader(withScript(withNote(withForms(page, name, d.forms),
		d.held(recordAt(name)))))}, nil
}

// recordAt returns the ID of the record whose page lies at a path, if there is one.
func recordAt(name string) string { return path.Base(path.Dir(name)) }

// scriptedFile is a page with the script.
type scriptedFile struct {
	fs.File
	page *bytes.Reader
}

func (f scriptedFile) Read(b []byte) (int, error) { return f.page.Read(b) }
