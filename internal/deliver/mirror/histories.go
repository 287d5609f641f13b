package mirror

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"

	"stele/internal/base/compress"
	"stele/record"
	"stele/release"
)

// What a release takes the place of, the copy has: in its collections, and in the deltas between
// them. The change events tell which version became one of the past, and where it came from. So the
// histories of records that have a file each are made here, and so is the listing that has their
// digests. What comes out otherwise is fetched.

// maxSuperseded is how many versions are remembered for that. Where more changed, there are hardly
// deltas.
const maxSuperseded = 1 << 17

// superseded are the versions that deltas take away.
type superseded struct {
	texts *texts
	byID  map[string][]oldVersion
	count int
}

// oldVersion is one of them.
type oldVersion struct {
	kind   *release.Kind
	number int64
	sum    release.Digest
	text   span
	first  string // the release that brought it, if an event says so
	stored bool   // whether histories have it already: the record was removed, and came back
}

// span is where a text lies.
type span struct{ at, size int64 }

// texts are on disk, one after the other.
type texts struct {
	file *os.File
	w    *bufio.Writer
	size int64
}

func (j *job) newTexts() (*texts, error) {
	file, err := j.w.Scratch()
	if err != nil {
		return nil, err
	}
	return &texts{file: file, w: bufio.NewWriterSize(file, 64<<10)}, nil
}

func (t *texts) add(text []byte) span {
	s := span{t.size, int64(len(text))}
	t.w.Write(text) // errors stay until Flush
	t.size += s.size
	return s
}

// appendTo appends a text to b.
func (t *texts) appendTo(b []byte, s span) ([]byte, error) {
	if err := t.w.Flush(); err != nil {
		return b, err
	}
	from := len(b)
	b = slices.Grow(b, int(s.size))[:from+int(s.size)]
	_, err := t.file.ReadAt(b[from:], s.at)
	return b, err
}

func (t *texts) close() {
	if t != nil {
		t.file.Close() // it has no name any more, and goes with this
	}
}

// noting notes the lines of a collection that a delta leaves out.
func (j *job) noting(k *release.Kind, s *release.Step, lines iter.Seq2[release.Applied, error],
) iter.Seq2[release.Applied, error] {
	if k.History == "" || k.IsPack() || j.superseded.count > maxSuperseded {
		return lines
	}
	return func(yield func(release.Applied, error) bool) {
		left, at := s.LeftOut, int64(0)
		for line, err := range lines {
			if err == nil && len(left) > 0 && left[0] == at {
				left = left[1:]
				j.superseded.note(k, line.Text)
			}
			if at++; !yield(line, err) || err != nil {
				return
			}
		}
	}
}

func (s *superseded) note(k *release.Kind, text []byte) {
	id, number, err := release.NameOf(text)
	if s.count++; err != nil || s.count > maxSuperseded {
		return
	}
	v := oldVersion{kind: k, number: number, sum: sha256.Sum256(text), text: s.texts.add(text)}
	s.byID[id] = append(s.byID[id], v)
}

// find is the version of a record that an event names, or nil.
func (s *superseded) find(id string, of *record.RecordDigest) *oldVersion {
	if of == nil {
		return nil
	}
	for i, v := range s.byID[id] {
		if v.sum.String() == string(of.SHA256) {
			return &s.byID[id][i]
		}
	}
	return nil
}

// listHistories writes the listing of histories.
func (j *job) listHistories() error {
	listing := j.want.File(j.want.Histories)
	if listing == nil || j.old == nil || j.has(listing) { // there is none, or it is there already
		return nil
	}
	made, err := j.deriveHistories(listing)
	if err != nil || made {
		return err
	}
	return j.fetchAll([]*release.File{listing})
}

// deriveHistories makes the histories to which the release adds something, and their listing. ok is
// false where the listing has to be fetched; what was made is taken all the same, if it is as that
// one says.
func (j *job) deriveHistories(listing *release.File) (ok bool, err error) {
	if j.superseded.count == 0 || j.superseded.count > maxSuperseded {
		return false, nil
	}
	added, err := j.readEvents()
	if err != nil || len(added) == 0 {
		return false, err
	}
	total, err := j.countHistories(added)
	if err != nil {
		return false, nil // the old copy is damaged
	}
	paths := slices.Sorted(maps.Keys(added))
	for _, path := range paths {
		if err := j.makeHistory(path, added[path], total); err != nil {
			return false, err
		}
	}
	if len(j.histories) < len(paths) { // some of the old copy cannot be read
		return false, nil
	}
	return j.deriveListing(paths, listing, total)
}

// readEvents goes through the change events, the oldest first, and answers with what the releases
// since the old copy added to histories: texts as they stand there, by path.
func (j *job) readEvents() (added map[string][]span, err error) {
	dates, known := map[string]string{}, map[string]bool{}
	first := ""
	for p, err := range j.new.Releases() {
		if err != nil {
			return nil, err
		}
		if first == "" {
			first = p.Release
		}
		dates[p.Release] = p.Date
	}
	for p, err := range j.old.Releases() {
		if err != nil {
			return nil, nil // the old copy is damaged
		}
		known[p.Release] = true
	}
	added = map[string][]span{}
	var line, text []byte
	for data, err := range j.new.Events() {
		if err != nil {
			return nil, err
		}
		// In a text the quotation marks would be escaped, so this is the member.
		_, rest, _ := bytes.Cut(data, []byte(`"record_id":"`))
		id, _, _ := bytes.Cut(rest, []byte{'"'})
		if j.superseded.byID[string(id)] == nil {
			continue
		}
		var e record.ChangeEvent
		if err := json.Unmarshal(data, &e); err != nil {
			return nil, nil // it is as the manifest says; this program cannot read it
		}
		v := j.superseded.find(string(id), e.Before)
		if v != nil && !v.stored && !known[e.Release] {
			from := v.first
			if from == "" {
				from = first
			}
			if text, err = j.superseded.texts.appendTo(text[:0], v.text); err != nil {
				return nil, err
			}
			version := release.Version{
				Release: from, Date: dates[from], Number: v.number, ID: string(id), SHA256: v.sum, Record: text,
			}
			line = release.AppendVersion(line[:0], &version, false)
			path := v.kind.HistoryPath(string(id))
			added[path] = append(added[path], j.superseded.texts.add(line))
		}
		if v != nil && e.After == nil && e.Release != first {
			v.stored = true
		}
		if v := j.superseded.find(string(id), e.After); v != nil && v.first == "" && dates[e.Release] != "" {
			v.first = e.Release
		}
	}
	return added, nil
}

// countHistories is how many there will be.
func (j *job) countHistories(added map[string][]span) (int, error) {
	total := len(added)
	for f, err := range j.old.Histories() {
		if err != nil {
			return 0, err
		}
		if added[f.Path] == nil {
			total++
		}
	}
	return total, nil
}

// history is one that was made: what it says, and its line in the listing.
type history struct{ text, line span }

// makeHistory puts what is new after what the old copy has.
func (j *job) makeHistory(path string, added []span, total int) error {
	const most = 64 << 20
	data, err := j.old.ReadFile(path, most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // it is fetched
	}
	for _, s := range added {
		if data, err = j.superseded.texts.appendTo(data, s); err != nil {
			return err
		}
	}
	listed := release.File{Path: path, Size: int64(len(data)), SHA256: sha256.Sum256(data)}
	if j.hasVariants() && compress.PageGains(total, listed.Size) {
		var b bytes.Buffer
		if err := compress.Quick.Encode(&b, bytes.NewReader(data), listed.Size); err != nil {
			return err
		}
		if compress.Saves(listed.Size, int64(b.Len())) {
			listed.Variants = []release.Variant{{
				Encoding: compress.Quick.Name, Path: path + compress.Quick.Suffix,
				Size: int64(b.Len()), SHA256: sha256.Sum256(b.Bytes()),
			}}
		}
	}
	line, err := json.Marshal(&listed)
	if err != nil {
		return err
	}
	j.histories[path] = history{j.superseded.texts.add(data), j.superseded.texts.add(line)}
	return nil
}

// hasVariants reports whether the publisher made compressed variants at all.
func (j *job) hasVariants() bool {
	return slices.ContainsFunc(j.all.Files, func(f release.File) bool { return len(f.Variants) > 0 })
}

// deriveListing makes the listing: that of the old copy, with the lines of the histories that were
// made.
func (j *job) deriveListing(paths []string, listing *release.File, total int) (ok bool, err error) {
	d, err := j.digested(listing.Path)
	if err != nil {
		return false, err
	}
	d.begin(fmt.Appendf(nil, `{"kind":"history","count":%d,"records":[`, total))
	if err := j.mergeListing(paths, d.line); err != nil {
		return false, errors.Join(err, d.discard())
	}
	d.end()
	return j.keep(d, listing)
}

// mergeListing gives the lines of the new listing to put.
func (j *job) mergeListing(paths []string, put func(line []byte)) error {
	var text []byte
	made := func() (err error) {
		if text, err = j.superseded.texts.appendTo(text[:0], j.histories[paths[0]].line); err != nil {
			return err
		}
		put(text)
		paths = paths[1:]
		return nil
	}
	for f, err := range j.old.Histories() {
		if err != nil {
			return err
		}
		for len(paths) > 0 && paths[0] < f.Path {
			if err := made(); err != nil {
				return err
			}
		}
		if len(paths) == 0 || paths[0] != f.Path { // else what was made takes its place
			put(f.Line.Text)
		}
	}
	for len(paths) > 0 {
		if err := made(); err != nil {
			return err
		}
	}
	return nil
}

// putHistory writes a history that was made, if it is the one that is listed.
func (j *job) putHistory(f *release.ListedFile) (ok bool, err error) {
	h, ok := j.histories[f.Path]
	if !ok {
		return false, nil
	}
	text, err := j.superseded.texts.appendTo(nil, h.line)
	if err != nil || !bytes.Equal(text, f.Line.Text) {
		return false, err
	}
	if text, err = j.superseded.texts.appendTo(text[:0], h.text); err != nil {
		return false, err
	}
	if err := j.w.Put(f.Path, text); err != nil {
		return false, err
	}
	for _, v := range f.Variants { // the line says that it comes out as it did before
		var b bytes.Buffer
		if err := compress.Quick.Encode(&b, bytes.NewReader(text), f.Size); err != nil {
			return false, err
		}
		if err := j.w.Put(v.Path, b.Bytes()); err != nil {
			return false, err
		}
	}
	return true, nil
}
