package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/record"
	"stele/release"
)

// histories are what records said before: the files of the previous release, with the versions that
// this one replaces after them. Of a record that never changed there is nothing.
type histories struct {
	before     *previous // nil if there is none
	superseded *superseded
	past       []release.Past
	singles    []history      // a file for each record, by path
	packs      []history      // files of many, by path
	kinds      []release.Kind // in the order of the table

	once     sync.Once
	unpacked *unpacked
	failed   error
	scratch  func() (*os.File, error)
}

// history is a file.
type history struct {
	path  string
	was   *release.File // in the previous release; nil if it has none
	added []int32       // places in the list of superseded versions
}

// isHistoryPack reports whether a path is that of a history of many records.
func isHistoryPack(at string) bool {
	return strings.HasPrefix(at, layout.HistoryFolder) && strings.HasSuffix(at, layout.HistoryPack)
}

// newHistories finds out which files there are to be.
func newHistories(s *superseded, past []release.Past, kinds []release.Kind, to *files) (*histories, error) {
	before := to.previous
	h := &histories{before: before, superseded: s, past: past, kinds: kinds, scratch: to.scratch}
	singles, packs := map[string]*history{}, map[string]*history{}
	at := func(in map[string]*history, path string) *history {
		if in[path] == nil {
			in[path] = &history{path: path}
		}
		return in[path]
	}
	if before != nil {
		for f, err := range before.Histories() {
			if err != nil {
				return nil, unreadable(err)
			}
			at(singles, f.Path).was = &f.File
		}
		for i := range before.Manifest.Files {
			if f := &before.Manifest.Files[i]; isHistoryPack(f.Path) {
				at(packs, f.Path).was = f
			}
		}
	}
	var line []byte
	for i := range s.list {
		v, k := &s.list[i], &kinds[s.list[i].kind]
		if v.stored {
			continue
		}
		file := (*history)(nil)
		if k.IsPack() {
			var err error
			if line, err = s.lines.Read(v.line, line); err != nil {
				return nil, err
			}
			file = at(packs, k.HistoryPath(textMember(line, k.HistoryMember())))
		} else {
			file = at(singles, k.HistoryPath(v.id))
		}
		file.added = append(file.added, int32(i))
	}
	h.singles, h.packs = byPath(singles), byPath(packs)
	return h, nil
}

func byPath(files map[string]*history) []history {
	list := make([]history, 0, len(files))
	for _, f := range files {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(x, y history) int { return strings.Compare(x.path, y.path) })
	return list
}

// textMember finds a member of a record that is a text. Within a text, the quotation marks of what
// it looks for would be escaped, so it cannot be found there.
func textMember(line []byte, name string) (text string) {
	if name == "" {
		return ""
	}
	_, rest, _ := bytes.Cut(line, []byte(`"`+name+`":`))
	if len(rest) > 0 && rest[0] == '"' {
		if text, _, _ := bytes.Cut(rest[1:], []byte{'"'}); !bytes.Contains(text, []byte{'\\'}) {
			return string(text)
		}
	}
	if json.NewDecoder(bytes.NewReader(rest)).Decode(&text) != nil {
		return ""
	}
	return text
}

// write writes the histories into the release. Those of single records are listed, also where there
// are none yet: without a listing, they would be looked for among the pages.
func (h *histories) write(out *output, m *release.Manifest) error {
	path := func(i int) string { return h.singles[i].path }
	err := out.Each(len(h.singles), path, func(i int, b []byte) ([]byte, error) {
		return h.appendSingle(b, &h.singles[i])
	})
	if err != nil {
		return err
	}
	m.Histories = layout.HistoriesPath
	if err := out.listFiles(layout.HistoriesPath, "history"); err != nil {
		return err
	}
	for i := range h.packs {
		if err := h.writePack(out, &h.packs[i]); err != nil {
			return fmt.Errorf("%s: %w", h.packs[i].path, err)
		}
	}
	return nil
}

// appendSingle appends the file of a record to b.
func (h *histories) appendSingle(b []byte, f *history) ([]byte, error) {
	if f.was != nil {
		data, err := h.before.ReadFile(f.path, f.was.Size)
		if err == nil && sha256.Sum256(data) != f.was.SHA256 {
			err = fmt.Errorf("%s is not the file that its listing describes", f.path)
		}
		if err != nil {
			return nil, unreadable(err)
		}
		b = append(b, data...)
	}
	return h.appendVersions(b, f, false)
}

// appendVersions appends what this release adds to a file.
func (h *histories) appendVersions(b []byte, f *history, pack bool) (_ []byte, err error) {
	var line []byte
	for _, i := range f.added {
		v := &h.superseded.list[i]
		if line, err = h.superseded.lines.Read(v.line, line); err != nil {
			return nil, err
		}
		version := h.version(v, line)
		b = release.AppendVersion(b, &version, pack)
	}
	return b, nil
}

func (h *histories) version(v *oldVersion, line []byte) release.Version {
	first := &h.past[v.release]
	_, number, _ := release.NameOf(line) // it was read a moment ago
	return release.Version{
		Release: first.Release, Date: first.Date, Number: number, ID: v.id, SHA256: v.sum, Record: line,
	}
}

// writePack writes a file of many records: the bytes that it had, and after them a frame of what
// is new. So nothing is compressed twice, and whoever has the old file needs only the end of the
// new.
func (h *histories) writePack(out *output, f *history) error {
	if f.was != nil && len(f.added) == 0 && out.link(f.path, f.was.Size) {
		out.listed = append(out.listed, release.File{Path: f.path, Size: f.was.Size, SHA256: f.was.SHA256})
		return nil
	}
	to, err := out.create(f.path)
	if err != nil {
		return err
	}
	if f.was != nil {
		if err := h.copyPack(to, f.was); err != nil {
			return unreadable(err)
		}
	}
	if len(f.added) > 0 {
		err := compress.Zstandard.Stream(to, func(w io.Writer) error {
			const most = 256 // versions at a time
			part := *f
			var b []byte
			for part.added = range slices.Chunk(f.added, most) {
				if b, err = h.appendVersions(b[:0], &part, true); err != nil {
					return err
				}
				if _, err := w.Write(b); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return to.Close()
}

func (h *histories) copyPack(to io.Writer, was *release.File) error {
	in, err := h.before.Files.Open(was.Path)
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	_, err = copyChecked(to, in, was.Size, was.SHA256)
	return err
}

func (h *histories) close() {
	if h.unpacked != nil {
		h.unpacked.lines.Close() // what it held is gone with it
	}
}

// none reports whether no record ever changed.
func (h *histories) none() bool { return len(h.singles)+len(h.packs) == 0 }

// of yields the earlier versions of a record, the oldest first. Each is valid until the next one.
func (h *histories) of(k *record.Kind, id string) iter.Seq2[release.Version, error] {
	return func(yield func(release.Version, error) bool) {
		k := &h.kinds[slices.Index(record.Kinds, k)]
		if h.none() || k.History == "" {
			return
		}
		if k.IsPack() {
			h.once.Do(h.unpack)
			if h.failed != nil {
				yield(release.Version{}, h.failed)
				return
			}
			h.unpacked.of(id)(yield)
			return
		}
		at := k.HistoryPath(id)
		i, found := slices.BinarySearchFunc(h.singles, at,
			func(f history, at string) int { return strings.Compare(f.path, at) })
		if !found {
			return
		}
		data, err := h.appendSingle(nil, &h.singles[i])
		if err != nil {
			yield(release.Version{}, err)
			return
		}
		for v, err := range release.ReadVersions(at, bytes.NewReader(data)) {
			if !yield(v, err) {
				return
			}
		}
	}
}
