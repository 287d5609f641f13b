package preview

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"stele/internal/base/fileinfo"
	"stele/internal/deliver/library"
	"stele/record"
)

// blank is the page of a folder that cannot be built yet.
var blank = []byte(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No release yet</title></head>
<body data-blank><main><h1>No release yet</h1><p>The records have errors. After you correct them,
	this page shows the release.</p></main></body>
</html>
`)

// addPreviewParts returns a page with the preview's additions: a link to the record's form, a note
// if the record is held back, and the script that reloads the page.
func (p *Preview) addPreviewParts(page []byte, name, held string) []byte {
	root := ""
	if p.Forms != nil {
		root = p.Forms.Prefix()
		if name == notFoundPage { // the only page with absolute URLs
			page = bytes.ReplaceAll(page, []byte(`="/`), []byte(`="`+root+"/"))
		}
		page = addFormLink(page, name, root)
	}
	page = addNote(page, held)
	at := bytes.LastIndex(page, []byte("</head>"))
	if at < 0 {
		return page
	}
	return fmt.Appendf(nil, "%s<script src=\"%s\" defer></script>%s", page[:at], root+scriptAddress, page[at:])
}

const notFoundPage = "404.html"

// addNote returns page with a note that the record is held back, for the reason held, and is in no
// release.
func addNote(page []byte, held string) []byte {
	if held == "" {
		return page
	}
	return insertInMain(page, fmt.Sprintf(
		"<p class=\"stele-held\" role=\"note\"><strong>This record is %s.</strong> It will not be in a release.</p>",
		html.EscapeString(held)))
}

// insertInMain returns page with more inserted at the beginning of its main element, if it has one.
func insertInMain(page []byte, more string) []byte {
	at := bytes.Index(page, []byte("<main"))
	end := bytes.IndexByte(page[max(at, 0):], '>')
	if at < 0 || end < 0 {
		return page
	}
	at += end + 1
	return slices.Concat(page[:at], []byte(more), page[at:])
}

// addFormLink returns page with a link to the form of the record that it shows.
func addFormLink(page []byte, name, root string) []byte {
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
	return insertInMain(page, fmt.Sprintf("<p class=\"stele-edit\"><a href=\"%s\">%s</a></p>", html.EscapeString(root+to), text))
}

// scripted is a draft whose pages contain the preview's script.
type scripted struct {
	library.Draft
	held    func(id string) string
	preview *Preview
}

// Open opens a file of the draft, and adds the preview's parts to a page.
func (d scripted) Open(name string) (fs.File, error) {
	f, err := d.Draft.Open(name)
	if err != nil || !strings.HasSuffix(name, ".html") {
		return f, err
	}
	page, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	held := d.held(path.Base(path.Dir(name))) // on the page of a record, the folder is named after the ID
	return fileinfo.FromBytes(name, d.preview.addPreviewParts(page, name, held)), nil
}
