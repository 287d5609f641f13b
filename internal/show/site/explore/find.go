package explore

import (
	"strconv"
	"strings"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/show/search"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/records"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The page that searches everything, and the box that leads to it.
var (
	searchPageForm = markup.Parse(`
		{heading}
		<div id="search"></div>
		<noscript><p>{without}</p></noscript>
		{kinds}{words}`)
)

// finder numbers everything that the search finds: indicators, then the records of each kind that
// has pages, then the areas of each indicator.
type finder struct {
	*Room
	index *search.Index
	parts []finderPart
	areas []indicatorArea
	mu    sync.Mutex
	added []bool
	whole sync.Once
	err   error
}

// finderPart is the documents of one sort.
type finderPart struct {
	kind  *record.Kind
	first int
	count int
}

// indicatorArea is what an indicator has for one area.
type indicatorArea struct {
	indicator *lookup.Indicator
	key       string
	record    int // one of its statistics
}

// How much of what a record says counts when it is looked for.
const (
	inShortTitle = 15
	inTitle      = 12
	inStatement  = 6
	inSource     = 7
	inSummary    = 4
	inID         = 3
)

// newFinder numbers the documents.
func newFinder(s *Room) *finder {
	f := &finder{Room: s}
	stats := record.KindNamed(record.KindHealthcareStatistic)
	f.parts = append(f.parts, finderPart{stats, 0, len(s.Indicators)})
	total := len(s.Indicators)
	for _, k := range record.Kinds {
		if k.HasPage() {
			f.parts = append(f.parts, finderPart{k, total, s.Records.Len(k)})
			total += s.Records.Len(k)
		}
	}
	for _, x := range s.Indicators {
		for i, key := range x.Areas {
			f.areas = append(f.areas, indicatorArea{x, key, int(x.OfArea[i][0])})
		}
	}
	f.parts = append(f.parts, finderPart{stats, total, len(f.areas)})
	total += len(f.areas)
	f.index, f.added = search.New(total), make([]bool, total)
	return f
}

// take reports whether a document was not added yet, and notes that it is.
func (f *finder) take(document int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.added[document]
	f.added[document] = true
	return !taken
}

// addRecord adds record i of a kind, while its page is made.
func (f *finder) addRecord(k *record.Kind, i int, plan *records.Plan, rec record.Record) {
	for _, part := range f.parts[1 : len(f.parts)-1] {
		if part.kind == k && f.take(part.first+i) {
			f.index.Add(part.first+i, recordTexts(plan, rec))
		}
	}
}

// recordTexts are the texts by which a record is found.
func recordTexts(plan *records.Plan, rec record.Record) []search.Text {
	e := rec.Common()
	title := uint32(inTitle)
	if strings.Count(e.Title, " ") < 2 { // it says little else
		title = inShortTitle
	}
	texts := append(make([]search.Text, 0, 8),
		search.Text{Text: e.Title, Weight: title},
		search.Text{Text: e.Summary, Weight: inSummary},
		search.Text{Text: strings.TrimPrefix(string(e.ID), plan.Kind.Prefix), Weight: inID},
	)
	add := func(weight uint32, list ...string) {
		for _, text := range list {
			texts = append(texts, search.Text{Text: text, Weight: weight})
		}
	}
	add(inTitle, e.Aliases...)
	add(inTitle, search.Also(e.Title)...)
	if plan.Statement != nil {
		add(inStatement, plan.Statement.Word(rec))
	}
	for _, s := range e.Subjects {
		add(inStatement, s.Code)
	}
	if b := e.ClaimBoundary; b != nil {
		add(inID, b.Place)
	}
	switch r := rec.(type) {
	case *record.SourceObject:
		add(inSource, r.CitationFull, r.Producer)
	case *record.Entity:
		add(inTitle, r.Name)
		add(inTitle, search.Also(r.Name)...)
		for _, s := range r.Subjects {
			if scheme := render.AreaScheme(s.Scheme); scheme != "" {
				// a place that is called so is meant, more than what is about it
				add(inShortTitle, s.Code, commonNames[scheme.Key(s.Code)])
			}
		}
	}
	return texts
}

// commonNames are names by which people call countries that have another one, by their code.
var commonNames = map[string]string{
	"ARE": "UAE Emirates", "BOL": "Bolivia", "CIV": "Ivory Coast", "COD": "DRC Congo Kinshasa", "COG": "Congo Brazzaville",
	"CPV": "Cape Verde", "CZE": "Czech Republic", "GBR": "UK GB Britain", "IRN": "Iran", "KOR": "South Korea",
	"LAO": "Laos", "MDA": "Moldova", "MKD": "Macedonia", "MMR": "Burma", "NLD": "Holland", "PRK": "North Korea",
	"RUS": "Russia", "SWZ": "Swaziland", "SYR": "Syria", "TLS": "East Timor", "TUR": "Turkey", "TZA": "Tanzania",
	"USA": "US America", "VEN": "Venezuela", "VNM": "Vietnam",
}

// complete adds what no page has added: indicators, their areas, and in a preview the records whose
// pages nobody has asked for.
func (f *finder) complete() error {
	f.whole.Do(func() {
		p := f.Borrow()
		defer f.GiveBack(p)
		f.err = f.addRest(p)
	})
	return f.err
}

func (f *finder) addRest(p *page) error {
	names, err := f.addIndicators(p)
	if err == nil {
		err = f.addRecords(p)
	}
	if err == nil {
		err = f.addAreas(p, names)
	}
	return err
}

// addIndicators adds the indicators, and returns what they are called.
func (f *finder) addIndicators(p *page) (map[*lookup.Indicator]string, error) {
	names := map[*lookup.Indicator]string{}
	for i, x := range f.Indicators {
		name, summary, err := p.IndicatorName(x)
		if err != nil {
			return nil, err
		}
		names[x] = name
		texts := []search.Text{
			{Text: name, Weight: inTitle}, {Text: x.Code, Weight: inTitle}, {Text: summary, Weight: inSummary},
		}
		if e, err := p.IndicatorEntity(x); err != nil {
			return nil, err
		} else if e != nil {
			for _, alias := range e.Aliases {
				texts = append(texts, search.Text{Text: alias, Weight: inTitle})
			}
		}
		f.index.Add(i, texts)
	}
	return names, nil
}

// addRecords adds the records that no page has added.
func (f *finder) addRecords(p *page) error {
	for _, part := range f.parts[1 : len(f.parts)-1] {
		for i := range part.count {
			f.mu.Lock()
			added := f.added[part.first+i]
			f.mu.Unlock()
			if added {
				continue
			}
			rec, err := p.Read(part.kind, i)
			if err != nil {
				return err
			}
			f.addRecord(part.kind, i, f.records.Plan(part.kind), rec)
		}
	}
	return nil
}

// addAreas adds the areas of indicators.
func (f *finder) addAreas(p *page, names map[*lookup.Indicator]string) error {
	first := f.parts[len(f.parts)-1].first
	for n, a := range f.areas {
		name, err := p.AreaName(a.record)
		if err != nil {
			return err
		}
		texts := []search.Text{
			{Text: name, Weight: inSource},
			{Text: a.key, Weight: inSource},
			{Text: commonNames[a.key], Weight: inSource},
			{Text: names[a.indicator], Weight: inStatement},
			{Text: a.indicator.Code, Weight: inStatement},
		}
		for _, short := range search.Also(name) {
			texts = append(texts, search.Text{Text: short, Weight: inSource})
		}
		f.index.Add(first+n, texts)
	}
	return nil
}

// WriteSearch makes the page that searches everything, and the files that it reads.
func (s *Room) WriteSearch() error {
	f := s.finder
	err := s.Out.Make(layout.SearchHead, func() ([]byte, error) {
		if err := f.complete(); err != nil {
			return nil, err
		}
		return f.index.Head(foundColumns, f.shown())
	})
	if err != nil {
		return err
	}
	numbered := func(folder string) func(int) string {
		return func(n int) string { return folder + strconv.Itoa(n) + ".json" }
	}
	for _, part := range []struct {
		folder string
		count  int
		file   func(int) []byte
	}{
		{layout.SearchWords, f.index.Buckets(), f.index.Bucket},
		{layout.SearchBlocks, f.index.Blocks(), f.index.Block},
	} {
		err = s.Out.Each(part.count, numbered(part.folder), func(n int, b []byte) ([]byte, error) {
			if err := f.complete(); err != nil {
				return nil, err
			}
			return append(b, part.file(n)...), nil
		})
		if err != nil {
			return err
		}
	}
	err = s.Out.Each(f.index.Chunks(), numbered(layout.SearchRows), func(n int, b []byte) ([]byte, error) {
		p := s.Borrow()
		defer s.GiveBack(p)
		return f.rows(p, n, b)
	})
	if err != nil {
		return err
	}
	return s.Put(layout.SearchPage, func(p *page) error {
		p.Open(frame.Head{Title: p.Words.Search, Description: p.Words.SearchText, Scripts: []string{"search.js"}})
		p.Fill(searchPageForm,
			markup.By("heading", func() { p.Heading(p.Words.Search, p.Words.SearchText, nil) }),
			markup.With("without", p.Words.SearchNoScript),
			markup.By("kinds", p.KindLinks), markup.By("words", p.ScriptWords))
		p.Close()
		return nil
	})
}

// shownKind is what the script has to know of the documents of one sort.
type shownKind struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"`
	Folder string  `json:"folder"`
	Prefix string  `json:"prefix"`
	First  int     `json:"first"`
	Count  int     `json:"count"`
	Boost  float64 `json:"boost"`
}

// boosts are how much more the kinds count that answer what people ask.
var boosts = map[string]float64{
	record.KindProofClaim: 1.3, record.KindSignal: 1.15, record.KindDecisionView: 1.15, record.KindRecommendation: 1.1,
	record.KindEntity: 1.1,
}

func (f *finder) shown() []shownKind {
	var list []shownKind
	for i, part := range f.parts {
		k := shownKind{
			Name: words.Capital(f.Words.Singular(part.kind)), Kind: part.kind.Name, Folder: part.kind.Folder(),
			Prefix: part.kind.Prefix, First: part.first, Count: part.count, Boost: 1,
		}
		switch {
		case i == 0:
			k.Name, k.Boost = f.Words.Indicator, 1.3
		case i == len(f.parts)-1:
			k.Name, k.Boost = f.Words.Indicator, 0.8
		case boosts[part.kind.Name] != 0:
			k.Boost = boosts[part.kind.Name]
		}
		list = append(list, k)
	}
	return list
}

// foundColumns are what is shown of a result: a few words of it are its summary, and its label
// stands there as a word of its list and as it is written.
var foundColumns = []string{"address", "title", "summary", "label", "text", "standing"}

// rows is file n of what results show.
func (f *finder) rows(p *page, n int, b []byte) ([]byte, error) {
	b = append(b, '[')
	end := min(len(f.added), (n+1)*search.PerChunk)
	for document := n * search.PerChunk; document < end; document++ {
		if document > n*search.PerChunk {
			b = append(b, ',')
		}
		b = append(b, "\n["...)
		row, err := f.row(p, document)
		if err != nil {
			return nil, err
		}
		for i, text := range row {
			if i > 0 {
				b = append(b, ',')
			}
			b = markup.AppendJSON(b, text)
		}
		b = append(b, ']')
	}
	return append(b, "\n]\n"...), nil
}

func (f *finder) row(p *page, document int) (row [6]string, err error) {
	part := f.parts[0]
	for _, next := range f.parts[1:] {
		if next.count > 0 && next.first <= document {
			part = next
		}
	}
	i := document - part.first
	switch last := f.parts[len(f.parts)-1]; {
	case last.count > 0 && document >= last.first:
		a := f.areas[i]
		name, _, err := p.IndicatorName(a.indicator)
		if err != nil {
			return row, err
		}
		area, err := p.AreaName(a.record)
		return [6]string{a.indicator.Address() + "?area=" + a.key, name + ", " + area}, err
	case document < len(f.Indicators):
		x := f.Indicators[document]
		name, summary, err := p.IndicatorName(x)
		return [6]string{x.Address(), name, words.First(summary, rowWords)}, err
	}
	data, err := p.Raw(part.kind, i)
	if err != nil {
		return row, err
	}
	id := p.Records.ID(part.kind, i)
	row = [6]string{
		layout.PageAddress(part.kind.Folder(), id), p.Title(id),
		words.First(lookup.WholeTextOf(data, `"summary":`), rowWords),
	}
	if d := p.Detail(id); d.Label != "" {
		row[3], row[4] = words.ListName(d.List.Go)+" "+d.Label, words.Written(d.List, d.Label)
	}
	if is := p.Records.Standing(part.kind, i).Standing; is != standing.Stands {
		row[5] = is.String()
	}
	return row, nil
}

// rowWords is how much of a summary a result shows, in bytes.
const rowWords = 160
