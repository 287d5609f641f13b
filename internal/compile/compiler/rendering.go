package compiler

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"stele/internal/author/judging/check"
	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/compile/files"
	"stele/internal/compile/render"
	"stele/internal/compile/standinglist"
	"stele/internal/disk/spool"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// view implements render.Records.
type view struct {
	*publication
	previous  *release.Release  // or nil
	described *release.Manifest // with the files so far
	edges     *check.Edges
}

func (v *view) Settings() settings.Settings     { return v.records.settings }
func (v *view) Release() *release.Manifest      { return v.described }
func (v *view) Releases() []layout.Past         { return v.past }
func (v *view) Len(k *record.Kind) int          { return len(v.numbers(k)) }
func (v *view) ID(k *record.Kind, i int) string { return v.records.checker.ID(v.numbers(k)[i]) }

func (v *view) AsOf(k *record.Kind) record.Date { return v.asOf[k] }

// numbers returns the numbers of the records of k, sorted by ID.
func (v *view) numbers(k *record.Kind) []int32 { return v.records.recordsOf(k).numbers }

func (v *view) Reader() render.Reader {
	return &reader{v, v.records.spool.Reader(), map[*record.Kind]*spool.Reader{}}
}

// reader reads records from spools, with its own buffers.
type reader struct {
	v      *view
	spool  *spool.Reader
	sorted map[*record.Kind]*spool.Reader
}

func (r *reader) Record(k *record.Kind, i int) ([]byte, error) {
	s := r.v.sorted[k]
	if s == nil {
		return r.spool.Record(r.v.numbers(k)[i])
	}
	if r.sorted[k] == nil {
		r.sorted[k] = s.Reader()
	}
	return r.sorted[k].Record(int32(i))
}

// Collection reads the file that was just written, without verifying it.
func (v *view) Collection(k *record.Kind) iter.Seq2[[]byte, error] {
	return v.readBack(v.manifest.Kind(k.Name).Collection)
}

func (v *view) Find(id string) (k *record.Kind, i int, ok bool) {
	n := v.records.checker.Number(id)
	if n < 0 {
		return nil, 0, false
	}
	k = record.Kinds[v.records.checker.Kind(n)]
	numbers := v.numbers(k)
	i = sort.Search(len(numbers), func(i int) bool { return v.records.checker.ID(numbers[i]) >= id })
	return k, i, i < len(numbers) && numbers[i] == n
}

func (v *view) Title(id string) string {
	n := v.records.checker.Number(id)
	if n < 0 {
		return ""
	}
	line, err := v.records.spool.Reader().Entry(n)
	if err != nil { // it was just written
		return ""
	}
	return files.TitleIn(line)
}

func (v *view) Edges(k *record.Kind, i int) iter.Seq[standing.Neighbor] {
	return v.edges.Of(v.numbers(k)[i])
}

func (v *view) Events(k *record.Kind) render.Events {
	if k == nil {
		return v.events.All()
	}
	return v.events.OfKind(k)
}

func (v *view) Entries(k *record.Kind) render.Entries { return v.events.Entries(k) }

func (v *view) EventsOf(k *record.Kind, i int) render.Events {
	return v.events.OfRecord(v.numbers(k)[i])
}

func (v *view) Standing(k *record.Kind, i int) standing.Entry {
	return v.records.checker.Standings().At(v.numbers(k)[i])
}

func (v *view) Explain(k *record.Kind, i int) (path []string, noticed record.Date) {
	n := v.numbers(k)[i]
	if v.noticed == nil || v.noticed[n] == 0 {
		return nil, ""
	}
	return standinglist.Line(v.records.checker, n).Path, v.noticed[n].Date()
}

// Superseded finds the versions in the events: each event has the version that it ended. Versions
// from before the first histories are missing.
func (v *view) Superseded(k *record.Kind) ([]render.Superseded, error) {
	if !k.HasPage() || v.histories.isEmpty() {
		return nil, nil
	}
	kept := map[string]bool{}
	for i := range v.past[1:] {
		kept[v.past[i+1].Release] = true
	}
	var list []render.Superseded
	redacted := map[string][]int64{}
	var withheld []render.Superseded
	place := int32(-1)
	for e, err := range v.events.OfKind(k).From(0) {
		if err != nil {
			return nil, err
		}
		place++
		if len(e.RedactedVersions) > 0 {
			id := strings.Clone(string(e.RecordID))
			redacted[id] = append(redacted[id], e.RedactedVersions...)
			for _, version := range e.RedactedVersions[:min(len(e.RedactedVersions), layout.MaxSuperseded)] {
				withheld = append(withheld, render.Superseded{ID: id, Version: version, Event: place, Redacted: true})
			}
		}
		if e.Before != nil && kept[e.Release] && e.Differs() &&
			e.ChangeType != record.ChangeReverified { // whose content is the same
			// Clone the ID, so that it does not keep the event's text in memory.
			id := strings.Clone(string(e.RecordID))
			list = append(list, render.Superseded{ID: id, Version: e.Before.Version, Event: place})
		}
	}
	list = slices.DeleteFunc(list, func(s render.Superseded) bool { return slices.Contains(redacted[s.ID], s.Version) })
	list = append(list, withheld...)
	// The latest event comes first, so that for a version that was restored its last end counts.
	slices.SortStableFunc(list, func(x, y render.Superseded) int {
		return cmp.Or(strings.Compare(x.ID, y.ID), cmp.Compare(x.Version, y.Version))
	})
	same := func(x, y render.Superseded) bool { return x.ID == y.ID && x.Version == y.Version }
	return limitPages(slices.CompactFunc(list, same)), nil
}

// limitPages keeps the first versions of each record, up to the limit of pages, so that existing
// pages stay. The histories contain all versions.
func limitPages(list []render.Superseded) []render.Superseded {
	kept := list[:0]
	for _, s := range list {
		if n := len(kept) - layout.MaxSuperseded; n < 0 || kept[n].ID != s.ID {
			kept = append(kept, s)
		}
	}
	return kept
}

func (v *view) Before(path string) ([]byte, error) {
	const most = 16 << 20
	if v.previous == nil {
		return nil, nil
	}
	f := v.previous.Manifest.File(path)
	if f == nil {
		return nil, nil
	}
	data, err := v.previous.ReadFile(path, most)
	if err == nil && sha256.Sum256(data) != f.SHA256 {
		err = fmt.Errorf("%s: wrong digest", path)
	}
	if err != nil {
		return nil, previousError(err)
	}
	return data, nil
}

func (v *view) Versions(k *record.Kind, id string) iter.Seq2[release.Version, error] {
	return func(yield func(release.Version, error) bool) {
		for version, err := range v.histories.versionsOf(k, id) {
			if version.Redacted == "" && !yield(version, err) {
				return
			}
		}
	}
}

func (v *view) History(k *record.Kind, member string) iter.Seq2[release.Version, error] {
	return func(yield func(release.Version, error) bool) {
		for version, err := range v.histories.readPack(v.manifest.Kind(k.Name).HistoryPath(member)) {
			if version.Redacted == "" && !yield(version, err) {
				return
			}
		}
	}
}

// renderAll runs the renderers. m is the manifest without their files.
func renderAll(p *publication, m release.Manifest, to *files.Set, out render.Output, opt *Options) error {
	if len(opt.Render) == 0 {
		return nil
	}
	edges := p.records.checker.Edges(p.records.sortedNumbers())
	v := &view{publication: p, previous: opt.Previous, described: &m, edges: edges}
	for _, r := range opt.Render {
		m.Files = slices.Clone(to.Sorted()) // so that each renderer sees the files of those before it
		if err := r(v, out); err != nil {
			return fmt.Errorf("cannot render pages: %w", err)
		}
	}
	m.Files = slices.Clone(to.Sorted()) // a draft renders pages later
	return nil
}
