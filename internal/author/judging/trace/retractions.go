package trace

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"time"

	"stele/internal/base/schema"
	"stele/record"
)

// Hit is a source that is in a list of retractions.
type Hit struct {
	Source string `json:"source"`
	Title  string `json:"title,omitempty"`
	By     string `json:"by"`     // the common DOI or PubMed ID
	Nature string `json:"nature"` // as written in the list; "" if missing
	// the update to add; nil if the nature is unknown
	Update *record.SourceUpdate `json:"update,omitempty"`
	Said   bool                 `json:"said"` // whether the source object already has such an update
}

// Compared is the result of comparing sources with a list.
type Compared struct {
	Hits       []Hit `json:"hits"`
	Rows       int   `json:"rows"`       // of the list
	Identified int   `json:"identified"` // number of sources with a DOI or PubMed ID
	// sources without a DOI or PubMed ID, which cannot be found in a list
	Unidentified []string `json:"unidentified"`
	// problems that may hide records
	Unread []schema.Problem `json:"-"`
}

// natures maps the natures of Retraction Watch, in lower case. Only the first is a retraction.
var natures = map[string]record.UpdateType{
	"retraction": record.UpdateRetraction, "expression of concern": record.UpdateExpressionOfConcern, "correction": record.UpdateCorrection,
	"reinstatement": record.UpdateReinstatement,
}

// identifiers maps the identifiers in lists to sources.
type identifiers struct {
	record *record.SourceObject
	names  []string
}

// CompareRetractions compares the sources of a folder with a list: a table with the columns of
// Retraction Watch, or a plain list with one DOI or PubMed ID per line.
func CompareRetractions(files fs.FS, list io.Reader) (*Compared, error) {
	byName := map[string][]*identifiers{}
	c := &Compared{Hits: []Hit{}, Unidentified: []string{}}
	for r := range ReadRecords(files, func(string) bool { return true }) {
		c.Unread = append(c.Unread, hidingProblems(r.problems)...)
		s, ok := r.Record.(*record.SourceObject)
		if !ok {
			continue
		}
		source := &identifiers{record: s, names: sourceIdentifiers(s)}
		if len(source.names) == 0 {
			c.Unidentified = append(c.Unidentified, string(s.ID))
			continue
		}
		c.Identified++
		for _, name := range source.names {
			byName[name] = append(byName[name], source)
		}
	}
	err := eachRow(list, func(r *row) {
		c.Rows++
		found := map[*identifiers]bool{}
		for _, name := range r.names {
			for _, s := range byName[name] {
				if !found[s] {
					found[s] = true
					c.Hits = append(c.Hits, newHit(s.record, name, r))
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(c.Hits, func(a, b Hit) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(hitDate(a), hitDate(b)))
	})
	return c, nil
}

func hitDate(h Hit) string {
	if h.Update == nil {
		return ""
	}
	return string(h.Update.Date)
}

// row is a row of a list.
type row struct {
	names          []string
	nature, notice string
	date           record.Date
}

// maxLine is the maximum length of a line of a plain list.
const maxLine = 1 << 20

// eachRow calls do for each row of a list.
func eachRow(list io.Reader, do func(*row)) error {
	in := bufio.NewReaderSize(list, maxLine)
	first, err := in.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return err
	}
	head, _, _ := strings.Cut(strings.TrimPrefix(string(first), "\ufeff"), "\n")
	if strings.Contains(head, "OriginalPaperDOI") || strings.Contains(head, "OriginalPaperPubMedID") {
		return eachTableRow(in, do)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		text := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if text == "" || text[0] == '#' {
			continue
		}
		names := findIdentifiers(text)
		if name := pubMedID(text); name != "" {
			names = []string{name}
		}
		if len(names) == 0 {
			return fmt.Errorf("%.80q is neither a DOI nor a PubMed ID, and the list has no column OriginalPaperDOI", text)
		}
		do(&row{names: names})
	}
	return lines.Err()
}

// eachTableRow calls do for each row of a table with the columns of Retraction Watch.
func eachTableRow(in io.Reader, do func(*row)) error {
	table := csv.NewReader(in)
	table.FieldsPerRecord, table.LazyQuotes, table.ReuseRecord = -1, true, true
	head, err := table.Read()
	if err != nil {
		return err
	}
	column := map[string]int{}
	for i, name := range head {
		column[strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))] = i + 1
	}
	for {
		cells, err := table.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		cell := func(name string) string {
			if i := column[name]; i > 0 && i <= len(cells) {
				return strings.TrimSpace(cells[i-1])
			}
			return ""
		}
		r := &row{nature: cell("RetractionNature"), date: parseDay(cell("RetractionDate"))}
		r.names = findIdentifiers(cell("OriginalPaperDOI"))
		if name := pubMedID(cell("OriginalPaperPubMedID")); name != "" {
			r.names = append(r.names, name)
		}
		if notices := findIdentifiers(cell("RetractionDOI")); len(notices) > 0 {
			r.notice = "https://doi.org/" + (&url.URL{Path: strings.TrimPrefix(notices[0], "doi:")}).EscapedPath()
		}
		do(r)
	}
}

// parseDay parses a date in a list: month/day/year with an optional time, or YYYY-MM-DD.
func parseDay(text string) record.Date {
	text, _, _ = strings.Cut(text, " ")
	for _, layout := range []string{time.DateOnly, "1/2/2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			return record.Date(t.Format(time.DateOnly))
		}
	}
	return ""
}

// newHit returns the Hit for source s, which row r of the list names.
func newHit(s *record.SourceObject, name string, r *row) Hit {
	h := Hit{Source: string(s.ID), Title: strings.Clone(s.Title), By: name, Nature: strings.Clone(r.nature)}
	is := natures[strings.ToLower(r.nature)]
	if r.nature == "" { // plain lists contain retractions
		is = record.UpdateRetraction
	}
	if is == "" {
		return h
	}
	h.Update = &record.SourceUpdate{
		Date: r.date, Type: is, SourceID: s.ID, NoticeURL: record.URL(r.notice), Effect: record.EffectNone,
		Summary: map[record.UpdateType]string{
			record.UpdateRetraction: "The paper was retracted.", record.UpdateExpressionOfConcern: "The editors expressed concern about the paper.",
			record.UpdateCorrection: "The paper was corrected.", record.UpdateReinstatement: "The retraction of the paper was withdrawn.",
		}[is],
	}
	for _, u := range s.SourceUpdates {
		same := u.Type == is || is == record.UpdateRetraction && u.Withdrawn()
		h.Said = h.Said || same && (r.date == "" || u.Date == "" || is == record.UpdateRetraction ||
			is == record.UpdateReinstatement || u.Date >= r.date)
	}
	return h
}
