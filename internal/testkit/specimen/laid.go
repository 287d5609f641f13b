package specimen

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"

	"stele/internal/author/judging/check"
	"stele/internal/author/judging/explain"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/disk/store"
)

// Check finds what is wrong with a folder, as the command of that name does.
func Check(fsys fs.FS, opt compiler.Options) (*check.Result, error) {
	outcome, err := compiler.Check(context.Background(), fsys, store.NewMemory(), opt)
	if err != nil {
		return nil, err
	}
	return outcome.Check, nil
}

// FolderWith is a folder, such as that of the starter, with an example of a code laid over it.
func FolderWith(files map[string][]byte, code codes.Code, example []explain.File) fstest.MapFS {
	all := fstest.MapFS{}
	for name, data := range files {
		all[name] = &fstest.MapFile{Data: data}
	}
	for _, f := range example {
		all[f.Name] = mapFile(code, files[f.Name], f)
	}
	return all
}

// mapFile is a file of an example, laid over the one that the starter folder has at its place. What
// text cannot show is written in words: a link in FIL01, and a byte that is not UTF-8 in FIL02.
func mapFile(code codes.Code, old []byte, f explain.File) *fstest.MapFile {
	text := f.Text
	if target, ok := strings.CutPrefix(text, "link to "); ok && code == codes.Unreadable {
		return &fstest.MapFile{Data: []byte(strings.TrimSpace(target)), Mode: fs.ModeSymlink}
	}
	if code == codes.NotText {
		text = strings.ReplaceAll(text, `\xE9`, "\xE9")
	}
	if old != nil && strings.HasSuffix(f.Name, ".yaml") {
		text = layOver(string(old), text)
	}
	return &fstest.MapFile{Data: []byte(text)}
}

// layOver replaces the top-level members of a YAML text by those of another, and adds those that it
// does not have.
func layOver(old, text string) string {
	blocks := split(old)
	for _, b := range split(text) {
		if i := slices.IndexFunc(blocks, func(o block) bool { return o.name == b.name }); i >= 0 {
			blocks[i] = b
		} else {
			blocks = append(blocks, b)
		}
	}
	var joined strings.Builder
	for _, b := range blocks {
		joined.WriteString(b.text)
	}
	return joined.String()
}

// block is a top-level member with the lines that belong to it. What stands before the first has no
// name.
type block struct{ name, text string }

var memberName = regexp.MustCompile(`^([A-Za-z]\w*):`)

func split(yaml string) []block {
	var blocks []block
	for line := range strings.Lines(yaml) {
		name := memberName.FindStringSubmatch(line)
		switch {
		case name != nil:
			blocks = append(blocks, block{name[1], line})
		case len(blocks) == 0:
			blocks = append(blocks, block{"", line})
		default:
			blocks[len(blocks)-1].text += line
		}
	}
	return blocks
}
