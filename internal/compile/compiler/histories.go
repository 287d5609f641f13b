package compiler

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/compile/files"
	"stele/internal/disk/historyset"
	"stele/internal/disk/lists"
	"stele/record"
	"stele/release"
)

// histories writes the earlier versions of records. A pack file contains the versions of many
// records: those in the previous release's file, followed by those that this release replaces. For
// kinds with one file per record, these files are derived from the packs. Records that never
// changed have no history.
type histories struct {
	to         *files.Set
	before     *previous
	old        *origins
	past       []layout.Past
	kinds      []release.Kind // in the order of record.Kinds
	packs      []history      // sorted by path
	redactions *redactions    // the versions to leave out
	rewrite    bool           // whether to remove redacted versions from existing files

	single *historyset.Set // histories of single records; nil until they are written
	once   sync.Once
	paged  *historyset.Set // by ID: histories of other records that pages show
	failed error
}

// history is a pack file.
type history struct {
	path  string
	was   *release.File  // in the previous release; nil if it has none
	old   []release.File // files of single records, if the previous release has only these
	added []int32        // indexes in the list of superseded versions
}

// newHistories determines which history files to write.
func newHistories(
	old *origins, past []layout.Past, kinds []release.Kind, before *previous, changes *comparison, to *files.Set,
) (*histories, error) {
	h := &histories{
		to: to, before: before, old: old, past: past, kinds: kinds,
		redactions: changes.redactions, rewrite: changes.redacted,
	}
	packs := map[string]*history{}
	at := func(path string) *history {
		if packs[path] == nil {
			packs[path] = &history{path: path}
		}
		return packs[path]
	}
	if before != nil {
		if err := findPreviousHistories(before, kinds, at); err != nil {
			return nil, previousError(err)
		}
	}
	var line []byte
	for i, v := range old.list {
		k := &kinds[v.kind]
		if old.each[i].stored {
			continue
		}
		path := k.Pack
		if k.IsPack() {
			var err error
			if line, err = old.lines.Read(v.line, line); err != nil {
				return nil, err
			}
			path = k.HistoryPath(textMember(line, k.HistoryMember()))
		}
		at(path).added = append(at(path).added, int32(i))
	}
	for _, f := range packs {
		h.packs = append(h.packs, *f)
	}
	slices.SortFunc(h.packs, func(x, y history) int { return strings.Compare(x.path, y.path) })
	return h, nil
}

// findPreviousHistories finds the history files of the previous release. A release that an earlier
// version of the program built has only files of single records.
func findPreviousHistories(before *previous, kinds []release.Kind, at func(path string) *history) error {
	singles := map[string]string{} // by folder of such files: the pack they go into
	for i := range before.Manifest.Kinds {
		k := &before.Manifest.Kinds[i]
		for _, path := range k.Packs(before.Manifest) {
			at(path).was = before.Manifest.File(path)
		}
		is := slices.IndexFunc(kinds, func(x release.Kind) bool { return x.Kind == k.Kind })
		if folder, _, _, braces := layout.CutSingle(k.History); braces && !k.IsPack() && k.Pack == "" && is >= 0 {
			singles[folder] = kinds[is].Pack
		}
	}
	if len(singles) == 0 {
		return nil
	}
	for f, err := range before.Histories() {
		if err != nil {
			return err
		}
		if to, ok := singles[path.Dir(f.Path)+"/"]; ok {
			at(to).old = append(at(to).old, f.File)
		}
	}
	return nil
}

// textMember returns the text of the named member of a record. The pattern that it searches for
// cannot occur inside a text, where quotation marks are escaped.
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

// write writes the histories. It also lists the histories of single records if there are none yet:
// without a listing, readers would look for them among the pages. Histories have no compressed
// variants, because packs are compressed.
func (h *histories) write(out *files.Output) (err error) {
	for i := range h.packs {
		if err := h.writePack(&h.packs[i]); err != nil {
			return fmt.Errorf("%s: %w", h.packs[i].path, err)
		}
	}
	if h.single, err = h.splitPacks(func(i int) bool { return h.kinds[i].Pack != "" }); err != nil {
		return err
	}
	if err := out.EachWith(false, h.single.Len(), h.single.Path, h.single.Append); err != nil {
		return err
	}
	return out.List(layout.HistoriesPath, "history")
}

// splitPacks derives the histories of single records from the packs of the kinds that selects
// returns true for.
func (h *histories) splitPacks(selects func(kind int) bool) (*historyset.Set, error) {
	set, err := historyset.New(h.to.Scratch)
	if err != nil {
		return nil, err
	}
	for i := range h.kinds {
		k := &h.kinds[i]
		find := k.HistoryPath
		before, _, after, parted := layout.CutSingle(k.History)
		if k.IsPack() {
			find = func(id string) string { return id }
		}
		for j := range h.packs {
			f := &h.packs[j]
			part := parted && k.IsPack() && strings.HasPrefix(f.path, before) && strings.HasSuffix(f.path, after)
			if !selects(i) || f.path != k.Pack && f.path != k.History && !part {
				continue
			}
			in, err := h.to.Open(f.path)
			if err == nil {
				err = errors.Join(set.Add(f.path, in, nil, find), in.Close())
			}
			if err != nil {
				return nil, errors.Join(err, set.Close())
			}
		}
	}
	return set, set.Finish()
}

// writePack writes a pack: the previous bytes, followed by a frame with the new versions. Nothing
// is compressed twice, and clients with the old file need only the new end.
func (h *histories) writePack(f *history) error {
	anew, err := h.hasRedacted(f)
	if err != nil {
		return err
	}
	if !anew && f.was != nil && len(f.added) == 0 && h.to.Link(f.path, f.was.Size, f.was.SHA256) {
		h.to.AddListed(release.File{Path: f.path, Size: f.was.Size, SHA256: f.was.SHA256}, nil)
		return nil
	}
	to, err := h.to.Create(f.path)
	if err != nil {
		return err
	}
	switch {
	case anew:
		err = writeFrame(to, h.withoutRedacted(h.before.HistoryFile(f.path)))
	case f.was != nil:
		err = h.copyPack(to, f.was)
	}
	if err == nil && len(f.old) > 0 {
		err = writeFrame(to, h.withoutRedacted(h.singleVersions(f.old)))
	}
	if err == nil && len(f.added) > 0 {
		err = writeFrame(to, h.addedVersions(f.added))
	}
	return to.Finish(err)
}

// hasRedacted reports whether a previous file contains a version that is redacted now. Such a file
// is rewritten with all other lines unchanged.
func (h *histories) hasRedacted(f *history) (bool, error) {
	if f.was == nil || !h.rewrite {
		return false, nil
	}
	for v, err := range h.before.HistoryFile(f.path) {
		if err != nil {
			return false, previousError(err)
		}
		if h.redactions.makeTombstone(&v) {
			return true, nil
		}
	}
	return false, nil
}

// withoutRedacted yields the versions in list, with tombstones in place of redacted versions.
func (h *histories) withoutRedacted(list iter.Seq2[release.Version, error]) iter.Seq2[release.Version, error] {
	return func(yield func(release.Version, error) bool) {
		for v, err := range list {
			if err == nil {
				h.redactions.makeTombstone(&v)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// writeFrame writes versions as a compressed frame, which can follow other frames.
func writeFrame(to io.Writer, list iter.Seq2[release.Version, error]) error {
	return compress.Pack(to, func(w io.Writer) error {
		var b []byte
		for v, err := range list {
			if err != nil {
				return err
			}
			b = v.Append(b[:0], true)
			if err := lists.CheckLine(b); err != nil {
				return err
			}
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// addedVersions yields the replaced versions with the given indexes, which this release adds to a
// file.
func (h *histories) addedVersions(indexes []int32) iter.Seq2[release.Version, error] {
	return func(yield func(release.Version, error) bool) {
		var line []byte
		for _, i := range indexes {
			var err error
			line, err = h.old.lines.Read(h.old.list[i].line, line)
			first, was := &h.past[h.old.each[i].release], &h.old.list[i]
			v := release.Version{
				Release: first.Release, Date: first.Date, Record: line,
				ID: was.id, Number: was.version, SHA256: was.sum,
			}
			h.redactions.makeTombstone(&v)
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// singleVersions yields the versions in files of single records.
func (h *histories) singleVersions(list []release.File) iter.Seq2[release.Version, error] {
	return func(yield func(release.Version, error) bool) {
		for _, f := range list {
			data, err := h.before.ReadFile(f.Path, f.Size)
			if err == nil && sha256.Sum256(data) != f.SHA256 {
				err = fmt.Errorf("%s does not match its listing", f.Path)
			}
			if err != nil {
				yield(release.Version{}, previousError(err))
				return
			}
			for v, err := range f.Versions(bytes.NewReader(data)) {
				if !yield(v, err) || err != nil {
					return
				}
			}
		}
	}
}

func (h *histories) copyPack(to io.Writer, was *release.File) error {
	in, err := h.before.Files.Open(was.Path)
	if err != nil {
		return previousError(err)
	}
	defer in.Close() // it was only read
	if _, err = lists.Copy(to, in, was.Size, &was.SHA256); err != nil {
		return previousError(err)
	}
	return nil
}

func (h *histories) close() {
	for _, set := range []*historyset.Set{h.single, h.paged} {
		if set != nil {
			set.Close() // this also deletes its file
		}
	}
}

// isEmpty reports whether no record ever changed.
func (h *histories) isEmpty() bool { return len(h.packs) == 0 }

// readPack yields the versions in a pack. Each is valid until the next.
func (h *histories) readPack(path string) iter.Seq2[release.Version, error] {
	return func(yield func(release.Version, error) bool) {
		if !slices.ContainsFunc(h.packs, func(f history) bool { return f.path == path }) {
			return
		}
		in, err := h.to.Open(path)
		if err != nil {
			yield(release.Version{}, err)
			return
		}
		defer in.Close() // it was only read
		h.to.Find(path).Versions(in)(yield)
	}
}

// versionsOf yields the earlier versions of record id, oldest first. Each is valid until the next.
func (h *histories) versionsOf(k *record.Kind, id string) iter.Seq2[release.Version, error] {
	is := &h.kinds[slices.Index(record.Kinds, k)]
	if h.isEmpty() || is.History == "" {
		return func(func(release.Version, error) bool) {}
	}
	set, name := h.single, is.HistoryPath(id)
	if is.IsPack() { // reading a pack takes long, so it is done on demand
		h.once.Do(func() {
			hasPages := func(i int) bool { return record.Kinds[i].HasNode() && h.kinds[i].IsPack() }
			h.paged, h.failed = h.splitPacks(hasPages)
		})
		if set, name = h.paged, id; h.failed != nil {
			return func(yield func(release.Version, error) bool) { yield(release.Version{}, h.failed) }
		}
	}
	i := set.Find(name)
	if i < 0 {
		return func(func(release.Version, error) bool) {}
	}
	return set.Versions(i)
}
