package publish

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/build/files"
	"stele/internal/disk/steps"
	"stele/release"
)

// maxTogether is how large a file may be that goes into a step. Others have deltas, or are fetched.
const maxTogether = 2 << 20

// writeStep writes in one file what leads from the previous release to this one. What it cannot
// hold, and what the previous release cannot give, is fetched file by file by whoever keeps a copy.
func (b *build) writeStep(m *release.Manifest) error {
	if b.before == nil || b.opt.NoDeltas || b.changes.redacted {
		return nil
	}
	if b.published.unchanged { // then it is the one that was there
		if m.Previous == nil {
			return nil
		}
		f := b.before.Manifest.File(layout.StepPath(m.Previous.Release))
		if f == nil {
			return nil
		}
		err := b.files.Carry(f)
		if unread := new(files.UnreadError); errors.As(err, &unread) {
			return nil
		}
		return err
	}
	var deltas, others []steps.File
	var old []string
	records, events := b.newDeltas(m)
	for _, f := range b.inSteps(m, records) {
		text, rest, err := b.readNew(&f)
		if err != nil {
			return err
		}
		is := steps.File{Path: f.Path, Rest: rest, Text: text}
		switch was := b.before.Manifest.File(f.Path); {
		case records[f.Path]:
			deltas = append(deltas, is)
			continue
		case f.Path == events: // the others repeat what it has
			others = append([]steps.File{is}, others...)
			continue
		case was != nil && !rest && was.Size <= maxTogether:
			old = append(old, f.Path)
		}
		others = append(others, is)
	}
	data, err := steps.Make(b.before.Release, deltas, others, old)
	if errors.Is(err, steps.ErrTooLarge) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(err)
	}
	return b.files.Add(layout.StepPath(b.before.Manifest.Release), data)
}

// newDeltas are the paths of the deltas from the previous release: those of records, and that of
// change events.
func (b *build) newDeltas(m *release.Manifest) (records map[string]bool, events string) {
	records = map[string]bool{}
	for _, k := range m.Kinds {
		for _, d := range k.Deltas {
			switch {
			case d.From != b.before.Manifest.Release:
			case k.Kind == changeEvent:
				events = d.Path
			default:
				records[d.Path] = true
			}
		}
	}
	return records, events
}

// inSteps are the files that every copy has and that the previous release has not, or not so, but
// for those that copies make from others.
func (b *build) inSteps(m *release.Manifest, deltas map[string]bool) (list []release.File) {
	made := map[string]bool{m.Histories: true}
	for _, k := range m.Kinds {
		made[k.Collection], made[k.Listing] = true, true
	}
	all := *m
	all.Files = b.files.Sorted()
	for _, f := range all.With(nil).Files {
		was := b.before.Manifest.File(f.Path)
		packed := strings.HasSuffix(f.Path, layout.HistoryPack)
		switch {
		case made[f.Path], was != nil && was.SHA256 == f.SHA256:
		case !packed && !deltas[f.Path] && f.Size > maxTogether:
		default:
			list = append(list, f)
		}
	}
	return list
}

// readNew reads a file that was written a moment ago. Of a history and of archived events it reads
// what they have more than the previous release, decompressed.
func (b *build) readNew(f *release.File) (text []byte, rest bool, err error) {
	data, err := b.files.Read(f.Path)
	if err != nil || !strings.HasSuffix(f.Path, layout.HistoryPack) {
		return data, false, err
	}
	if was := b.before.Manifest.File(f.Path); was != nil {
		data = data[min(was.Size, int64(len(data))):]
	}
	frames, err := compress.Zstandard.Reader(bytes.NewReader(data))
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(frames, steps.Most+1)) // which is too large then
	}
	return text, true, err
}
