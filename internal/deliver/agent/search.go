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
	Query  string `json:"query" jsonschema:"search text, as words or a question; a record ID finds that record"`
	Kind   string `json:"kind,omitempty" jsonschema:"only records of a kind, such as proof_claim, evidence, signal, source_object or healthcare_statistic"`
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum number of results: default 10, at most 50"`
	Offset int    `json:"offset,omitempty" jsonschema:"how many results to skip, for the next page"`
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

// hit is a search result: a record, an indicator, an indicator in one area, a place or another
// page.
type hit struct {
	Record    *recordSummary `json:"record,omitempty"`
	Indicator string         `json:"indicator,omitempty"`
	Area      string         `json:"area,omitempty"`
	Title     string         `json:"title"`
	Summary   string         `json:"summary,omitempty"`
	Value     string         `json:"value,omitempty"`
	Page      string         `json:"page"`
}

func (s *edition) openFinder(ctx context.Context) (*search.Finder, error) {
	f, err := search.OpenFinder(ctx, index{s})
	if errors.Is(err, fs.ErrNotExist) {
		err = notFoundf("this release has no search index: it was built without pages, or is a copy without them")
	}
	return f, err
}

type index struct{ *edition }

func (x index) Read(ctx context.Context, name string) ([]byte, error) {
	return x.readFile(x.c.Release(ctx), layout.SearchFolder+name+".json")
}

func (x index) Has(ctx context.Context, of *search.Shown, id string) bool {
	_, _, err := x.c.Record(ctx, of.Kind, id)
	return err == nil
}

func (s *edition) answerSearch(ctx context.Context, r *release.Release, in searchArguments) (*searchAnswer, error) {
	if strings.TrimSpace(in.Query) == "" || len(in.Query) > maxQuery {
		return nil, fmt.Errorf("the query must have 1 to %d bytes", maxQuery)
	}
	limit, err := checkLimit(in.Limit, in.Offset, 10, 50)
	if err = cmp.Or(err, checkKind(in.Kind)); err != nil {
		return nil, err
	}
	f, err := openOnce(s, &s.finder, func() (*search.Finder, error) { return s.openFinder(ctx) })
	if err != nil {
		return nil, err
	}
	found, err := f.Find(ctx, in.Query, in.Kind)
	if err != nil {
		return nil, err
	}
	if err := checkOffset(in.Offset, len(found.Results), "results"); err != nil {
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
	results, next := pageSlice(found.Results, in.Offset, limit)
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
	a.writeText(in)
	return a, nil
}

// checkKind returns an error for an unknown kind. "" allows all kinds.
func checkKind(kind string) error {
	if kind == "" || record.KindNamed(kind) != nil {
		return nil
	}
	var names []string
	for _, k := range record.Kinds {
		names = append(names, k.Name)
	}
	if near := suggest.Closest(kind, names); near != "" {
		return fmt.Errorf("unknown kind %s; did you mean %s?", quoteText(kind), near)
	}
	return fmt.Errorf("unknown kind %s (known: %s)", quoteText(kind), strings.Join(names, ", "))
}

// pageSlice returns up to limit elements of list from offset on, and the offset of the next page,
// or 0 after the last page.
func pageSlice[T any](list []T, offset, limit int) (shown []T, next int) {
	if shown = list[min(offset, len(list)):]; len(shown) > limit {
		return slices.Clip(shown[:limit]), offset + limit
	}
	return shown, 0
}

func checkLimit(limit, offset, normal, most int) (int, error) {
	limit = cmp.Or(limit, normal)
	const farthest = 1 << 30
	if limit < 1 || limit > most || offset < 0 || offset > farthest {
		return 0, fmt.Errorf("limit must be 1 to %d, and offset 0 to %d", most, farthest)
	}
	return limit, nil
}

// checkOffset returns an error if the offset is beyond the end of a list.
func checkOffset(offset, total int, what string) error {
	if offset == 0 || offset < total {
		return nil
	}
	return fmt.Errorf("offset %d is too large: there are %d %s", offset, total, what)
}

// newHit converts a row of the search index to a hit. If the row is a record, newHit reads it, so
// that the hit includes the data that must stay with the record.
func (s *edition) newHit(ctx context.Context, r *release.Release, row map[string]string) (hit, error) {
	address := row["address"]
	h := hit{Title: row["title"], Summary: row["summary"], Value: row["value"], Page: fileURL(r.Manifest, address)}
	folder, rest, _ := strings.Cut(strings.Trim(address, "/"), "/")
	k := record.KindInFolder(folder)
	switch {
	case k == nil || rest == "": // a place, or another page
	case k.HasPage():
		f, err := s.readRecord(ctx, rest)
		if err != nil {
			return h, err
		}
		h.Record, h.Title = &f.recordSummary, f.Title
		if f.lost {
			h.Summary, f.ClaimBoundary, f.SourceLinks = "", nil, nil
		}
	default: // an indicator, or one of its areas
		name, area, _ := strings.Cut(rest, "/")
		area = strings.TrimPrefix(area, layout.AreaFolder)
		if i := strings.Index(area, "?area="); i >= 0 {
			area = area[i+len("?area="):]
		}
		_, err := s.findListed(r, layout.FigureFolder+name+".csv")
		if err == nil { // otherwise series cannot answer
			h.Indicator, h.Area = name, strings.Trim(area, "/")
		} else if !errors.Is(err, fs.ErrNotExist) {
			return h, err
		}
	}
	return h, nil
}

func (a *searchAnswer) writeText(in searchArguments) {
	var p prose
	for _, typed := range a.Missing {
		p.writeLine("No record mentions %s.", quoteText(typed))
	}
	switch {
	case len(a.Results) == 0:
		p.writeLine("No results for %s. Try fewer or other words.", quoteText(in.Query))
	case a.Total < 0:
		p.writeLine("Results for %s, best first; not all records were compared.", quoteText(in.Query))
	default:
		p.writeLine("%d results for %s, best first.", a.Total, quoteText(in.Query))
	}
	for typed, meant := range a.Instead {
		p.writeLine("Searched for %[2]s instead of %[1]s.", quoteText(typed), quoteText(meant))
	}
	for i, h := range a.Results {
		p.writeLine("\n%d.", in.Offset+i+1)
		h.writeText(&p)
	}
	if a.Next > 0 {
		p.writeLine("\nMore: continue with offset %d.", a.Next)
	}
	a.text = p.String()
}

func (h *hit) writeText(p *prose) {
	switch {
	case h.Record != nil:
		h.Record.writeHead(p)
		if n := len(h.Record.SourceLinks); n > 0 {
			urls := make([]string, 0, n)
			for _, l := range h.Record.SourceLinks[:min(n, 3)] {
				urls = append(urls, string(l.URL))
			}
			p.writeLine("sources (%d): %s", n, oneLine(strings.Join(urls, " ")))
		}
		if c, u := len(h.Record.Corrections), len(h.Record.SourceUpdates); c+u > 0 {
			p.writeLine("%d corrections, %d source updates: use record to read them", c, u)
		}
	case h.Area != "":
		p.writeLine("figures: %s (series with indicator %s and area %s); page %s",
			quoteText(h.Title), quoteText(h.Indicator), quoteText(h.Area), oneLine(h.Page))
	case h.Indicator != "":
		p.writeLine("indicator %s (use series to read it): %s; page %s", quoteText(h.Indicator), quoteText(h.Title), oneLine(h.Page))
	default:
		p.writeLine("%s; page %s", quoteText(h.Title), oneLine(h.Page))
	}
	if h.Summary != "" {
		p.writeLine("summary: %s", quoteText(h.Summary))
	}
	if h.Value != "" {
		p.writeLine("latest value: %s", quoteText(h.Value))
	}
}
