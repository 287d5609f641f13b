package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/suggest"
	"stele/internal/show/search"
	"stele/record"
	"stele/release"
)

type searchArguments struct {
	Query  string `json:"query" jsonschema:"what to look for, in words or as a question; an ID leads to its record"`
	Kind   string `json:"kind,omitempty" jsonschema:"only records of a kind, such as proof_claim, evidence, signal, source_object or healthcare_statistic"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many results: 10 unless given, at most 50"`
	Offset int    `json:"offset,omitempty" jsonschema:"how many results to leave out, to go on"`
}

type searchAnswer struct {
	Release string            `json:"release"`
	Total   int               `json:"total"`
	Instead map[string]string `json:"instead,omitempty"`
	Missing []string          `json:"missing,omitempty"`
	Results []hit             `json:"results"`
	Next    int               `json:"next_offset,omitempty"`
	texts
}

// hit is a result: a record, an indicator or an indicator in one area, a place or another page.
type hit struct {
	Record    *kept  `json:"record,omitempty"`
	Indicator string `json:"indicator,omitempty"`
	Area      string `json:"area,omitempty"`
	Title     string `json:"title"`
	Summary   string `json:"summary,omitempty"`
	Value     string `json:"value,omitempty"`
	Page      string `json:"page"`
}

// openFinder opens the index of the search.
func (s *edition) openFinder(ctx context.Context) (*search.Finder, error) {
	f, err := search.OpenFinder(ctx, index{s})
	if errors.Is(err, fs.ErrNotExist) {
		err = missingf("this release has no search: it was made without pages, or is a copy without them")
	}
	return f, err
}

type index struct{ *edition }

func (x index) Read(ctx context.Context, name string) ([]byte, error) {
	return x.file(x.c.Release(ctx), layout.SearchFolder+name+".json")
}

func (x index) Has(ctx context.Context, of *search.Shown, id string) bool {
	_, _, err := x.c.Record(ctx, of.Kind, id)
	return err == nil
}

func (s *edition) search(ctx context.Context, r *release.Release, in searchArguments) (*searchAnswer, error) {
	if strings.TrimSpace(in.Query) == "" || len(in.Query) > mostQuery {
		return nil, fmt.Errorf("write a query of at most %d bytes", mostQuery)
	}
	limit, err := bounds(in.Limit, in.Offset, 10, 50)
	if err = cmp.Or(err, checkKind(in.Kind)); err != nil {
		return nil, err
	}
	f, err := madeOnce(s, &s.finder, func() (*search.Finder, error) { return s.openFinder(ctx) })
	if err != nil {
		return nil, err
	}
	found, err := f.Find(ctx, in.Query, in.Kind)
	if err != nil {
		return nil, err
	}
	if err := behind(in.Offset, len(found.Results), "results"); err != nil {
		return nil, err
	}
	a := &searchAnswer{
		Release: r.Manifest.Release, Total: found.Total, Instead: found.Instead, Missing: found.Missing,
		Results: []hit{},
	}
	if found.Own != "" && in.Offset == 0 {
		if h, err := s.newHit(ctx, r, map[string]string{"address": found.Own}); err == nil {
			a.Results = append(a.Results, h)
		}
	}
	results, next := part(found.Results, in.Offset, limit)
	for _, result := range results {
		row, err := f.Row(ctx, result.Document)
		if err != nil {
			return nil, err
		}
		h, err := s.newHit(ctx, r, row)
		if err != nil {
			return nil, err
		}
		a.Results = append(a.Results, h)
	}
	a.Next = next
	a.write(in)
	return a, nil
}

// checkKind refuses a kind that there is none of; "" is all of them.
func checkKind(kind string) error {
	if kind == "" || record.KindNamed(kind) != nil {
		return nil
	}
	var names []string
	for _, k := range record.Kinds {
		names = append(names, k.Name)
	}
	if near := suggest.Closest(kind, names); near != "" {
		return fmt.Errorf("there is no kind %s; did you mean %s?", quote(kind), near)
	}
	return fmt.Errorf("there is no kind %s; the kinds are %s", quote(kind), strings.Join(names, ", "))
}

// part is the part of a list that is shown, and where the next one begins; 0 if there is none.
func part[T any](list []T, offset, limit int) (shown []T, next int) {
	if shown = list[min(offset, len(list)):]; len(shown) > limit {
		return slices.Clip(shown[:limit]), offset + limit
	}
	return shown, 0
}

func bounds(limit, offset, normal, most int) (int, error) {
	limit = cmp.Or(limit, normal)
	const farthest = 1 << 30
	if limit < 1 || limit > most || offset < 0 || offset > farthest {
		return 0, fmt.Errorf("limit is from 1 to %d, and offset from 0 to %d", most, farthest)
	}
	return limit, nil
}

// behind is the error where an offset lies behind the end of a list.
func behind(offset, total int, what string) error {
	if offset == 0 || offset < total {
		return nil
	}
	return fmt.Errorf("offset is %d, and there are %d %s", offset, total, what)
}

// newHit is a result as its row shows it. A record is read, so that it comes with what must stay
// with it.
func (s *edition) newHit(ctx context.Context, r *release.Release, row map[string]string) (hit, error) {
	address := row["address"]
	h := hit{Title: row["title"], Summary: row["summary"], Value: row["value"], Page: at(r.Manifest, address)}
	folder, rest, _ := strings.Cut(strings.Trim(address, "/"), "/")
	k := record.KindInFolder(folder)
	switch {
	case k == nil || rest == "": // a place, or another page
	case k.HasPage():
		f, err := s.read(ctx, rest)
		if err != nil {
			return h, err
		}
		h.Record, h.Title = &f.kept, f.Title
		if f.lost {
			h.Summary, f.ClaimBoundary, f.SourceLinks = "", nil, nil
		}
	default: // an indicator, or one of its areas
		name, area, _ := strings.Cut(rest, "/")
		area = strings.TrimPrefix(area, layout.AreaFolder)
		if i := strings.Index(area, "?area="); i >= 0 {
			area = area[i+len("?area="):]
		}
		_, err := s.listed(r, layout.FigureFolder+name+".csv")
		if err == nil { // without it, series cannot answer
			h.Indicator, h.Area = name, strings.Trim(area, "/")
		} else if !errors.Is(err, fs.ErrNotExist) {
			return h, err
		}
	}
	return h, nil
}

func (a *searchAnswer) write(in searchArguments) {
	var p prose
	for _, typed := range a.Missing {
		p.line("Nothing here mentions %s.", quote(typed))
	}
	switch {
	case len(a.Results) == 0:
		p.line("Nothing was found for %s. Try fewer or other words.", quote(in.Query))
	case a.Total < 0:
		p.line("Results for %s, the best first; not all records were compared.", quote(in.Query))
	default:
		p.line("%d results for %s, the best first.", a.Total, quote(in.Query))
	}
	for typed, meant := range a.Instead {
		p.line("%s was taken for %s.", quote(typed), quote(meant))
	}
	for i, h := range a.Results {
		p.line("\n%d.", in.Offset+i+1)
		h.write(&p)
	}
	if a.Next > 0 {
		p.line("\nThere are more: go on with offset %d.", a.Next)
	}
	a.text = p.String()
}

func (h *hit) write(p *prose) {
	switch {
	case h.Record != nil:
		h.Record.head(p)
		if n := len(h.Record.SourceLinks); n > 0 {
			urls := make([]string, 0, n)
			for _, l := range h.Record.SourceLinks[:min(n, 3)] {
				urls = append(urls, string(l.URL))
			}
			p.line("sources (%d): %s", n, printable(strings.Join(urls, " ")))
		}
		if c, u := len(h.Record.Corrections), len(h.Record.SourceUpdates); c+u > 0 {
			p.line("%d corrections, %d source updates: record shows them", c, u)
		}
	case h.Area != "":
		p.line("figures: %s (series with indicator %s and area %s); page %s",
			quote(h.Title), quote(h.Indicator), quote(h.Area), printable(h.Page))
	case h.Indicator != "":
		p.line("indicator %s (series reads it): %s; page %s", quote(h.Indicator), quote(h.Title), printable(h.Page))
	default:
		p.line("%s; page %s", quote(h.Title), printable(h.Page))
	}
	if h.Summary != "" {
		p.line("summary: %s", quote(h.Summary))
	}
	if h.Value != "" {
		p.line("latest value: %s", quote(h.Value))
	}
}
