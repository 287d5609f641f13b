// Package series writes the files of indicators. The values of each indicator are available as
// JSON, CSV with a description, a workbook, Markdown and Parquet. Those of each area of an
// indicator are available as JSON, CSV and Markdown, so that readers of one series download
// kilobytes, not all figures.
//
// The files contain the data that must stay with a record. The same records give the same bytes,
// and a file changes only when its records do: none names the release.
package series

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/bulk"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/words"
	"stele/internal/show/workbook"
	"stele/record"
)

// The file formats, in the order in which they are shown.
var (
	csvFormat      = render.SeriesFile{Suffix: ".csv", Name: "CSV", MediaType: layout.TypeCSV, Areas: true}
	metadataFormat = render.SeriesFile{Suffix: layout.MetadataSuffix, Name: "CSV metadata", MediaType: layout.TypeJSON, Areas: true}
	jsonFormat     = render.SeriesFile{Suffix: ".json", Name: "JSON", MediaType: layout.TypeJSON, Areas: true}
	markdownFormat = render.SeriesFile{Suffix: ".md", Name: "Markdown", MediaType: layout.TypeMarkdown, Areas: true}
	parquetFormat  = render.SeriesFile{Suffix: layout.ParquetSuffix, Name: "Parquet", MediaType: layout.TypeParquet}
	workbookFormat = render.SeriesFile{
		Suffix: workbook.Suffix, Name: workbook.Format, MediaType: layout.TypeXLSX, MaxValues: workbook.Most,
	}

	Formats = []render.SeriesFile{
		csvFormat, metadataFormat, workbookFormat, jsonFormat, markdownFormat, parquetFormat,
	}
)

// Series writes files for each indicator, and then describes them.
type Series struct {
	Choice bulk.Choice
	made   []*Made
	areas  bool
	parts  []byte // the list of parts
	index  *lookup.Index
}

// Made describes an indicator that has files.
type Made struct {
	*lookup.Indicator
	Unit      string // in words; "" if there are several
	From, To  record.Period
	LastDay   record.Date
	Updated   record.Date
	Countries []string         // by three letters, sorted
	Sizes     map[string]int64 // by suffix, of the indicator's own files; empty in a preview
}

// Indicators returns the indicators with files, sorted by code.
func (s *Series) Indicators() []*Made { return s.made }

// HasAreas reports whether each area of each indicator also has files.
func (s *Series) HasAreas() bool { return s.areas }

// Index returns the indicators of a release, computed once for all renderers that share s. s may be
// nil.
func (s *Series) Index(e render.Records) (index *lookup.Index, err error) {
	if s == nil {
		return lookup.New(e)
	}
	if s.index == nil || s.index.Records != e {
		s.index, err = lookup.New(e)
	}
	return s.index, err
}

// Write writes the files to out. It implements render.Renderer.
func (s *Series) Write(e render.Records, out render.Output) error {
	if !s.Choice.Indicators() {
		return nil
	}
	index, err := s.Index(e)
	if err != nil {
		return err
	}
	s.areas = s.Choice.Areas(index.Pairs())
	w := newWriter(e, index, s.areas)
	for _, x := range index.Indicators {
		t, err := w.readTable(x, out.Scratch)
		if err != nil {
			return err
		}
		made, err := t.write(out)
		if err != nil {
			return err
		}
		s.made, s.parts = append(s.made, made), append(s.parts, t.listed...)
	}
	if len(s.made) > 0 {
		if err := s.writeList(out, layout.IndicatorsPath); err != nil {
			return err
		}
	}
	if len(s.parts) == 0 {
		return nil
	}
	return out.Put(layout.PartsPath, append([]byte("indicator,path,rows,bytes\n"), s.parts...))
}

// writer contains the data that all indicators share.
type writer struct {
	render.Records
	*lookup.Reader
	kind  *record.Kind
	base  string // URL of the service without a trailing slash
	areas bool
}

func newWriter(e render.Records, index *lookup.Index, areas bool) *writer {
	return &writer{
		Records: e, Reader: index.NewReader(words.English()), kind: record.KindNamed(record.KindHealthcareStatistic),
		base: strings.TrimSuffix(string(e.Settings().BaseURL), "/"), areas: areas,
	}
}

// absoluteURL returns the URL of path.
func (w *writer) absoluteURL(path string) string { return w.base + "/" + strings.TrimPrefix(path, "/") }

// file is a file of an indicator, or of one of its areas.
type file struct {
	path   string
	render func(io.Writer) error
}

// The maximum size of an indicator's rows in memory, and the maximum number of values of files that
// are created in memory. Tests change both.
var (
	maxHeld    = 16 << 20
	mostAtOnce = 50_000
)

// write writes the files of an indicator to out, and describes them.
func (t *table) write(out render.Output) (*Made, error) {
	whole, made := &part{t, &t.summary, nil, 0, t.summary.count}, t.result()
	sizes := make([]int64, len(Formats))
	var files []file
	for i, f := range Formats {
		write := writers[f.Suffix]
		if write == nil || !t.x.Has(f) {
			continue
		}
		file := file{t.x.File(f.Suffix), func(w io.Writer) error {
			counted := &counter{w: w}
			err := write(whole, counted)
			sizes[i] = counted.n
			return err
		}}
		if whole.count <= mostAtOnce {
			files = append(files, file)
		} else if err := file.createIn(out); err != nil {
			return nil, err
		}
	}
	if t.w.areas {
		for i := range t.areas {
			files = append(files, t.areaFiles(&t.areas[i])...)
		}
	}
	err := out.Each(len(files), func(i int) string { return files[i].path },
		func(i int, b []byte) ([]byte, error) {
			w := bytes.NewBuffer(b)
			err := files[i].render(w)
			return w.Bytes(), err
		})
	if err != nil {
		return nil, err
	}
	if sizes[parquetAt], err = t.writeParquet(out); err != nil {
		return nil, err
	}
	for i, f := range Formats {
		if sizes[i] > 0 {
			made.Sizes[f.Suffix] = sizes[i]
		}
	}
	return made, nil
}

// createIn writes the file to out without holding it in memory.
func (f *file) createIn(out render.Output) error {
	w, err := out.Create(f.path)
	if err != nil {
		return err
	}
	if err := f.render(w); err != nil {
		return err
	}
	return w.Close()
}

// parquetAt is the index of Parquet in Formats.
const parquetAt = 5

func (t *table) areaFiles(a *area) (files []file) {
	part := t.newPart(a)
	for _, f := range Formats {
		if f.Areas {
			write := func(w io.Writer) error { return writers[f.Suffix](part, w) }
			files = append(files, file{t.x.AreaFile(a.key, f.Suffix), write})
		}
	}
	return files
}

// writers contains the function that writes each format, by suffix. Parquet is written separately.
var writers = map[string]func(*part, io.Writer) error{
	csvFormat.Suffix: (*part).writeCSV, metadataFormat.Suffix: (*part).writeMetadata,
	jsonFormat.Suffix:     (*part).writeJSON,
	markdownFormat.Suffix: (*part).writeMarkdown, workbookFormat.Suffix: (*part).writeWorkbook,
}

// writeWorkbook writes the values to out as a workbook.
func (p *part) writeWorkbook(out io.Writer) error {
	book := workbook.New(p.w.Records, p.name(), p.pageURL(), p.x.Summary, p.x.Measure.Definition)
	reader := p.w.Index.NewReader(words.English()) // other goroutines have their own
	for _, r := range p.rows {
		a := &p.areas[r.area]
		of := workbook.Of{Indicator: p.x.Title, AreaCode: a.code, AreaName: a.name, Measure: p.x.Measure}
		reader.Fail(book.Add(reader.Statistic(int(r.number)), int(r.number), of))
	}
	b, err := book.Append(nil)
	if err = errors.Join(reader.Failed(), err); err == nil {
		_, err = out.Write(b)
	}
	return err
}
