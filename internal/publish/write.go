package publish

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"stele/internal/compress"
	"stele/record"
	"stele/release"
)

// write writes the files of the release, and the manifest last.
func (b *builder) write() (*release.Manifest, error) {
	b.sort()
	kinds := make([]release.Kind, len(record.Kinds))
	for i, k := range record.Kinds {
		kinds[i] = release.Kind{
			Kind:       k.Name,
			Collection: k.Collection.Path[1:],
			Index:      indexPath(k),
			Count:      len(b.order[i]),
		}
		if k.HasSingle() {
			kinds[i].Single = k.Single.Path[1:]
		}
	}
	for i, k := range record.Kinds {
		if k.Name == changeEvent { // needs the release's ID, and so the digests of all others
			continue
		}
		b.progress("writing", int64(i), int64(len(record.Kinds)))
		if err := b.writeKind(i, k, &kinds[i]); err != nil {
			return nil, err
		}
	}
	if err := b.findOwnEvents(); err != nil {
		return nil, err
	}
	m, err := b.describe(kinds)
	if err != nil {
		return nil, err
	}
	if err := b.writeChanges(m); err != nil {
		return nil, err
	}
	if err := b.render(m); err != nil {
		return nil, err
	}
	if err := b.writeVariants(); err != nil {
		return nil, err
	}
	if err := b.singles.wait(); err != nil {
		return nil, err
	}
	b.keepFiles()
	return m, b.writeManifest(m)
}

func indexPath(k *record.Kind) string { return "index/" + k.Folder() + ".json" }

// sort brings the records of each kind into the order of their IDs.
func (b *builder) sort() {
	for _, numbers := range b.order {
		byID := func(x, y int32) int { return strings.Compare(b.checker.ID(x), b.checker.ID(y)) }
		if !slices.IsSortedFunc(numbers, byID) {
			slices.SortFunc(numbers, byID)
		}
	}
}

// writeKind writes a kind's collection, listing and single records.
func (b *builder) writeKind(i int, k *record.Kind, kind *release.Kind) error {
	derived, asOf := b.derived(k), b.asOf[i]
	if derived != nil {
		kind.Derived, asOf = derived.count, max(asOf, derived.asOf)
		kind.Count += derived.count
		b.asOf[i] = asOf
	}
	f, err := b.create(kind.Collection)
	if err != nil {
		return err
	}
	f.begin(b.collectionHead(k, kind.Count, asOf))
	for _, n := range b.order[i] {
		data, err := b.spool.record(n)
		if err != nil {
			return err
		}
		f.line(data)
	}
	if derived != nil {
		if err := derived.write(f); err != nil {
			return err
		}
	}
	if err := f.end(); err != nil {
		return err
	}
	if err := b.writeIndex(k, b.order[i]); err != nil {
		return err
	}
	return b.writeSingles(k, b.order[i])
}

// collectionHead is what stands before the records. No day but those of the records is in it, so
// that it changes only when they do.
func (b *builder) collectionHead(k *record.Kind, count int, asOf record.Date) []byte {
	h := record.AppendText([]byte(`{"kind":`), k.Name)
	h = strconv.AppendInt(append(h, `,"count":`...), int64(count), 10)
	if asOf != "" {
		h = record.AppendText(append(h, `,"as_of":`...), string(asOf))
	}
	h = record.AppendText(append(h, `,"license":`...), b.settings.License)
	h = record.AppendText(append(h, `,"notice":`...), b.settings.Notice)
	return append(h, `,"records":[`...)
}

func (b *builder) writeIndex(k *record.Kind, numbers []int32) error {
	f, err := b.create(indexPath(k))
	if err != nil {
		return err
	}
	f.begin(indexHead(k, len(numbers)))
	for _, n := range numbers {
		data, err := b.spool.index(n)
		if err != nil {
			return err
		}
		f.line(data)
	}
	return f.end()
}

func indexHead(k *record.Kind, count int) []byte {
	return fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, k.Name, count)
}

// writeSingles writes a file for each record, unless that was done while reading.
func (b *builder) writeSingles(k *record.Kind, numbers []int32) error {
	if b.singles.early || !k.HasSingle() {
		return nil
	}
	for _, n := range numbers {
		at := k.SinglePath(b.checker.ID(n))[1:]
		data, err := b.spool.record(n)
		if err != nil {
			return err
		}
		if err := b.w.Put(at, data); err != nil {
			return err
		}
		for i, e := range compress.Encodings {
			if b.spool.at(n).variants[i] == 0 {
				continue
			}
			data, err := b.spool.variant(n, i)
			if err != nil {
				return err
			}
			if err := b.w.Put(at+e.Suffix, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// describe makes the manifest, but for the files of the change events, and gives the release its
// ID.
func (b *builder) describe(kinds []release.Kind) (*release.Manifest, error) {
	slices.SortFunc(b.files, func(x, y release.File) int { return strings.Compare(x.Path, y.Path) })
	m := &release.Manifest{
		Format: release.Format, Date: string(b.opt.Date), Kinds: kinds, Files: b.files,
		Title: b.settings.Title, BaseURL: string(b.settings.BaseURL), Publisher: b.settings.Publisher,
		License: b.settings.License,
		Contact: b.settings.Contact, Language: b.settings.Language, Notice: b.settings.Notice,
	}
	m.Content = m.ContentDigest()
	if b.previous != nil {
		before := b.previous.release
		if b.unchanged = before.Content == m.Content && len(b.drafts) == 0 && len(b.history.own) == 0; b.unchanged {
			m.Release, m.Date, m.Previous = before.Release, before.Date, before.Previous
			return m, nil
		}
		m.Previous = &release.Previous{Release: before.Release, Date: before.Date}
	}
	var failed error
	m.Release = m.ID(func(yield func([]byte) bool) {
		for e, err := range b.pastEvents() {
			if failed = err; err != nil || !yield(e.line) {
				return
			}
		}
	})
	return m, failed
}

func (b *builder) writeManifest(m *release.Manifest) error {
	slices.SortFunc(b.files, func(x, y release.File) int { return strings.Compare(x.Path, y.Path) })
	m.Files = b.files
	data, err := m.Encode()
	if err != nil {
		return err
	}
	return b.w.Put(release.ManifestPath, data)
}

// put writes a small file and lists it.
func (b *builder) put(at string, data []byte) error {
	b.files = append(b.files, release.File{Path: at, Size: int64(len(data)), SHA256: release.Sum(data)})
	if !b.opt.NoVariants && compressible(at) {
		b.jobs = append(b.jobs, variantJob{path: at, size: int64(len(data)), data: data})
	}
	return b.w.Put(at, data)
}

// compressible leaves out the files that hosts read and never send, and those that are compressed
// already.
func compressible(at string) bool {
	switch path.Ext(at) {
	case "", ".nojekyll", ".png", ".woff2", ".parquet", ".sqlite", ".zip", ".ico":
		return false
	}
	return true
}
