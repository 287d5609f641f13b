package input

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// TextsFolder is the folder for the plain texts of sources, each named after its source object:
// texts/src-a.txt. Quotes are compared with them. They are never published.
const TextsFolder = "texts"

const textEnding = ".txt"

// Texts lists the texts of sources in a folder.
type Texts struct {
	fsys  fs.FS
	IDs   []string // sorted IDs of the sources
	State uint64   // changes if a text changes; zero without texts
}

// ReadTexts lists the texts of a folder, which may contain none.
func ReadTexts(fsys fs.FS) (*Texts, []schema.Problem) {
	s := &scan{fsys: fsys}
	t := &Texts{fsys: fsys}
	var h maphash.Hash
	h.SetSeed(seed)
	entries, err := fs.ReadDir(fsys, TextsFolder)
	if err != nil {
		if !isNotExist(err) {
			s.addProblem(codes.Unreadable, TextsFolder, "the folder cannot be read: "+errorText(err), "")
		}
		return t, s.problems
	}
	for _, e := range entries {
		name, at := e.Name(), path.Join(TextsFolder, e.Name())
		switch {
		case isIgnored(name) || isTemporary(name):
		case !strings.HasSuffix(name, textEnding):
			s.addProblem(codes.NotRead, at, "the text of a source is a file that ends in "+textEnding, "save it as plain text, named after its source object, such as src-example"+textEnding)
		default:
			if info := s.stat(at); info != nil {
				t.IDs = append(t.IDs, strings.TrimSuffix(name, textEnding))
				h.WriteString(name) // never fails
				h.Write(binary.LittleEndian.AppendUint64(nil, uint64(info.Size())))
				h.Write(binary.LittleEndian.AppendUint64(nil, uint64(info.ModTime().UnixNano())))
			}
		}
	}
	slices.Sort(t.IDs)
	if len(t.IDs) > 0 {
		t.State = max(h.Sum64(), 1)
	}
	return t, s.problems
}

// FS returns the records folder.
func (t *Texts) FS() fs.FS { return t.fsys }

// Has reports whether there is a text of the source id.
func (t *Texts) Has(id string) bool {
	_, found := slices.BinarySearch(t.IDs, id)
	return found
}

// Path returns the path of the text of the source id.
func (t *Texts) Path(id string) string { return path.Join(TextsFolder, id+textEnding) }

// Read returns the text of the source id, with its digest.
func (t *Texts) Read(id string, most int64) (text string, sum record.SHA256, problem *schema.Problem) {
	at := t.Path(id)
	data, problem := readUpTo(t.fsys, at, most, newProblem(codes.TooLarge, at, schema.Pos{},
		fmt.Sprintf("the text is larger than %d MiB", most>>20), "keep only the quoted parts"))
	if problem == nil && !utf8.Valid(data) { // PDF readers put harmless control characters between pages
		problem = newProblem(codes.NotText, at, schema.Pos{}, "the text is not UTF-8", "save it as UTF-8")
	}
	if problem != nil {
		return "", "", problem
	}
	return string(bytes.TrimPrefix(data, utf8BOM)), record.SHA256(fmt.Sprintf("%x", sha256.Sum256(data))), nil
}
