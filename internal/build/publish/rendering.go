package publish

import (
	"fmt"
	"iter"
	"slices"
	"sort"

	"stele/internal/author/check"
	"stele/internal/author/settings"
	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/disk/spool"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// view is what renderers see of a publication.
type view struct {
	*publication
	edges *check.Edges
}

func (v *view) Settings() settings.Settings     { return v.records.settings }
func (v *view) Release() *release.Manifest      { return v.manifest }
func (v *view) Len(k *record.Kind) int          { return len(v.numbers(k)) }
func (v *view) ID(k *record.Kind, i int) string { return v.records.checker.ID(v.numbers(k)[i]) }

func (v *view) AsOf(k *record.Kind) record.Date { return v.asOf[k] }

// numbers are those of the records of a kind, in the order of IDs.
func (v *view) numbers(k *record.Kind) []int32 { return v.records.of(k).numbers }

func (v *view) Reader() render.Reader { return &reader{v, v.records.spool.Reader()} }

// reader reads records from the spool, with a buffer of its own.
type reader struct {
	v     *view
	spool *spool.Reader
}

func (r *reader) Record(k *record.Kind, i int) ([]byte, error) {
	return r.spool.Record(r.v.numbers(k)[i])
}

// Collection reads what was written a moment ago, so that it need not be digested again.
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
	line, err := v.records.spool.Entry(n)
	if err != nil { // it was written a moment ago
		return ""
	}
	return titleIn(line)
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
	return v.events.Of(v.numbers(k)[i])
}

func (v *view) Standing(k *record.Kind, i int) standing.Entry {
	return v.records.checker.Standings()[v.numbers(k)[i]]
}

func (v *view) Explain(k *record.Kind, i int) (path []string, noticed record.Date) {
	n := v.numbers(k)[i]
	if v.noticed == nil || v.noticed[n] == 0 {
		return nil, ""
	}
	return standingLine(v.records.checker, n).Path, v.noticed[n].Date()
}

// renderAll lets the renderers add their files, and lists those that are too many for the manifest.
func renderAll(p *publication, out *output, opt *Options) error {
	if len(opt.Render) > 0 {
		v := &view{publication: p, edges: p.records.checker.Edges()}
		for _, r := range opt.Render {
			p.manifest.Files = slices.Clone(out.sorted()) // so that each sees what those before it made
			if err := r(v, out); err != nil {
				return fmt.Errorf("make the pages: %w", err)
			}
		}
	}
	if out.count == 0 {
		return nil
	}
	p.manifest.Pages = layout.PagesPath
	return out.listFiles(layout.PagesPath, "page")
}
