package explore

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/search"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/records"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The form of the search page.
var (
	searchPageForm = markup.Parse(`
		{heading}
		<div id="search"></div>
		<noscript><p>{=SearchNoScript}</p></noscript>
		<div class="browse">{kinds}</div>
		{words}`)
)

// finder numbers the documents of the search: indicators, then the records of each kind with pages,
// then the pages about the service, then places without an entity, then the areas of each
// indicator.
type finder struct {
	*Section
	index  *search.Index
	parts  []finderPart
	pages  []servicePage
	places []*lookup.Place
	areas  []indicatorArea
	named  map[string][]placeName // the names of places, by first word
	mu     sync.Mutex
	added  []bool
	whole  sync.Once
	err    error
}

// finderPart contains the numbers of the documents of one sort.
type finderPart struct {
	sort  documentSort
	kind  *record.Kind
	first int
	count int
}

// documentSort is a sort of documents.
type documentSort int

const (
	ofIndicators documentSort = iota
	ofRecords
	ofPages
	ofPlaces
	ofAreas
)

// servicePage is a page about the service itself, with additional search words in any language.
type servicePage struct{ address, title, text, also string }

func servicePages(s *Section) []servicePage {
	w := s.Words
	list := []servicePage{
		{layout.Address(layout.HowPage), w.How, w.HowText, "how made method methodology trust about who decides publish publishes publisher contact owner licence license reuse copyright terms reliable signed source sources collected website site كيف منهج ثقه ناشر رخصه ترخيص"},
		{
			layout.Address(layout.InQuestionPage), w.InQuestion, w.InQuestionText,
			"question problem problems everything retracted retraction withdrawn concern weakened wrong error سحب خطا",
		},
		{"/labels/", w.Labels, w.LabelsText, "label labels mean meaning certainty moderate grade glossary تصنيف معنى"},
		{
			layout.Address(layout.ChangesPage), w.Changes, w.ChangesText,
			"change latest recent new news update updated correction corrected revision history تغيير تصحيح جديد",
		},
		{"/developers/", w.Developers, w.DevelopersText, "developer api json routes openapi program dataset مطور برمجة"},
		{
			"/developers/#downloads", w.Downloads, w.DownloadsText,
			"download data csv excel spreadsheet parquet sqlite everything bulk تنزيل تحميل بيانات",
		},
		{layout.Address(layout.GraphPage), w.Graph, w.GraphText, "graph network connection connected شبكة علاقات"},
	}
	if len(s.Settings.Calendar) > 0 {
		list = append(list, servicePage{
			layout.Address(layout.CalendarPage), w.Calendar, w.CalendarText,
			"calendar planned plan next release upcoming schedule when due late تقويم موعد القادم",
		})
	}
	if len(s.Indicators) > 0 {
		list = append(list, servicePage{"/healthcare-statistics/", w.Statistics, "", "statistic indicator indicators مؤشر مؤشرات"})
	}
	if len(s.Places) > 0 {
		list = append(list, servicePage{"/" + lookup.PlacesFolder, w.Places, w.PlacesText, "place country countries region list بلد بلدان دول"})
	}
	return list
}

// placeName is a name of a place, split into words.
type placeName struct {
	words []string
	key   string
}

// indicatorArea is an indicator in one area.
type indicatorArea struct {
	indicator *lookup.Indicator
	key       string
	area      int // index of the area
}

// The weights of the texts of a record.
const (
	inShortTitle = 15
	inTitle      = 12
	inStatement  = 6
	inSource     = 7
	inArea       = 11
	inSummary    = 4
	inID         = 3
)

// titleWeight returns the weight of each word of title. It is higher in short titles.
func titleWeight(title string) uint32 {
	switch n := len(search.Words(title)); {
	case n <= 1:
		return inShortTitle
	case n <= 2:
		return 14
	case n <= 3:
		return 13
	case n <= 6:
		return inTitle
	case n <= 10:
		return 11
	}
	return 10
}

// newFinder numbers the documents.
func newFinder(s *Section) *finder {
	f := &finder{Section: s, named: map[string][]placeName{}}
	stats, total := record.KindNamed(record.KindHealthcareStatistic), 0
	add := func(sort documentSort, k *record.Kind, count int) {
		f.parts = append(f.parts, finderPart{sort, k, total, count})
		total += count
	}
	add(ofIndicators, stats, len(s.Indicators))
	for _, k := range record.Kinds {
		if k.HasPage() {
			add(ofRecords, k, s.Records.Len(k))
		}
	}
	for _, place := range s.Places {
		if place.Entity == "" {
			f.places = append(f.places, place)
		}
		if list := search.Words(place.Name); len(list) > 0 {
			f.named[list[0]] = append(f.named[list[0]], placeName{list, place.Key})
		}
	}
	f.addAreasOfSchemes()
	f.pages = servicePages(s)
	add(ofPages, pageKind, len(f.pages))
	add(ofPlaces, record.KindNamed(record.KindEntity), len(f.places))
	for _, x := range s.Indicators {
		for i, key := range x.Areas {
			f.areas = append(f.areas, indicatorArea{x, key, i})
		}
	}
	add(ofAreas, stats, len(f.areas))
	f.index, f.added = search.New(total), make([]bool, total)
	return f
}

// addAreasOfSchemes adds the areas of publishers' schemes that have no figures, so that readers
// find their old names.
func (f *finder) addAreasOfSchemes() {
	for _, scheme := range f.Records.Areas() {
		for i := range scheme.Codes {
			c := &scheme.Codes[i]
			key := record.AreaScheme(scheme.Name).Key(c.Code)
			if f.PlaceOf(key) == nil {
				f.places = append(f.places, &lookup.Place{Key: key, Name: c.Name, Code: c.Code, Scheme: scheme.Name})
			}
		}
	}
}

// areaTexts returns the names and the code of a place if it is an area of a publisher's scheme.
func (f *finder) areaTexts(place *lookup.Place) (texts []search.Text) {
	scheme := f.Scheme(record.AreaScheme(place.Scheme))
	if scheme == nil || scheme.Code(place.Code) == nil {
		return nil
	}
	code := scheme.Code(place.Code)
	texts = append(texts, search.Text{Text: place.Code, Weight: inShortTitle, Whole: true})
	for _, n := range code.Names {
		texts = append(texts, search.Text{Text: n.Text, Weight: titleWeight(n.Text)})
	}
	return texts
}

// pageKind is the kind of the pages about the service, which are not records.
var pageKind = &record.Kind{Name: "page"}

func (f *finder) placesIn(title string) (keys []string) {
	list := search.Words(title)
	for i, first := range list {
		for _, name := range f.named[first] {
			if len(list)-i >= len(name.words) && slices.Equal(list[i:i+len(name.words)], name.words) {
				keys = append(keys, name.key)
			}
		}
	}
	return keys
}

// markAdded marks document as added, and reports whether it was not added before.
func (f *finder) markAdded(document int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.added[document]
	f.added[document] = true
	return !taken
}

// addRecord adds record i of k while its page is written.
func (f *finder) addRecord(k *record.Kind, i int, plan *records.Plan, rec record.Record) {
	for _, part := range f.parts {
		folded := f.IndicatorBy(string(rec.Common().ID)) != nil // found as the indicator
		if part.sort == ofRecords && part.kind == k && f.markAdded(part.first+i) && !folded {
			f.index.Add(part.first+i, f.recordTexts(plan, rec))
		}
	}
}

// recordTexts returns the texts by which readers find rec.
func (f *finder) recordTexts(plan *records.Plan, rec record.Record) []search.Text {
	e := rec.Common()
	id := longNumber.ReplaceAllString(strings.TrimPrefix(string(e.ID), plan.Kind.Prefix), "")
	texts := append(make([]search.Text, 0, 16),
		search.Text{Text: e.Title, Weight: titleWeight(e.Title)},
		search.Text{Text: e.Summary, Weight: inSummary},
		search.Text{Text: id, Weight: inID},
	)
	add := func(weight uint32, list ...string) {
		for _, text := range list {
			texts = append(texts, search.Text{Text: text, Weight: weight})
		}
	}
	whole := func(weight uint32, list ...string) {
		for _, text := range list {
			texts = append(texts, search.Text{Text: text, Weight: weight, Whole: true})
		}
	}
	for _, alias := range e.Aliases {
		add(titleWeight(alias), alias)
	}
	add(inTitle, search.Abbreviations(e.Title)...)
	whole(inTitle, f.placesIn(e.Title)...)
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
		for _, id := range r.Identifiers {
			whole(inShortTitle, id.Text)
			add(inSource, id.Text)
		}
	case *record.Entity:
		add(titleWeight(r.Name), r.Name)
		whole(inShortTitle, areaKeys(r)...) // a place with this name ranks above records about it
	}
	if r, ok := rec.(*record.SourceObject); ok && slices.ContainsFunc(r.SourceUpdates, superseded) {
		for i, t := range texts { // prefer the newer source
			texts[i].Weight = max(1, uint32(float64(t.Weight)*0.8))
		}
	}
	return texts
}

func areaKeys(e *record.Entity) (keys []string) {
	for _, s := range e.Subjects {
		if scheme := render.AreaScheme(s.Scheme); scheme != "" {
			keys = append(keys, scheme.Key(s.Code))
		}
	}
	return keys
}

// longNumber matches long numbers in IDs, which are not searched: each record may have another.
var longNumber = regexp.MustCompile(`\d{5,}`)

// superseded reports whether u says that a newer source replaced the source.
func superseded(u record.SourceUpdate) bool {
	return u.Type == record.UpdateNewVersion || u.Type == record.UpdateNewEdition || u.Type == record.UpdateDataRevision
}

// addRemaining adds the documents that no page has added: indicators, their areas, and in a preview
// the records whose pages were not requested.
func (f *finder) addRemaining() error {
	f.whole.Do(func() {
		f.err = f.With(func(p *page) {
			f.addIndicators()
			f.addRecords(p)
			f.addPlaces()
		})
	})
	return f.err
}

func (f *finder) addIndicators() {
	for i, x := range f.Indicators {
		texts := []search.Text{
			{Text: x.Title, Weight: titleWeight(x.Title)},
			{Text: x.Code, Weight: inTitle - 2},
			{Text: x.Summary, Weight: inSummary},
		}
		if e := x.Entity; e != nil {
			texts = append(texts, search.Text{Text: e.Title, Weight: inSource},
				search.Text{Text: string(e.ID), Weight: inID})
			for _, alias := range e.Aliases {
				texts = append(texts, search.Text{Text: alias, Weight: inTitle - 2})
			}
		}
		f.index.Add(i, texts)
	}
}

// addRecords adds the records that no page has added.
func (f *finder) addRecords(p *page) {
	for _, part := range f.parts {
		for i := range part.count {
			if part.sort != ofRecords {
				break
			}
			f.mu.Lock()
			added := f.added[part.first+i]
			f.mu.Unlock()
			if !added {
				f.addRecord(part.kind, i, f.records.Plan(part.kind), p.Read(part.kind, i))
			}
		}
	}
}

// addPlaces adds the pages about the service, the places, and the areas of indicators.
func (f *finder) addPlaces() {
	places, areas := f.parts[len(f.parts)-2].first, f.parts[len(f.parts)-1].first
	for n, page := range f.pages {
		f.index.Add(f.parts[len(f.parts)-3].first+n, []search.Text{
			{Text: page.title, Weight: titleWeight(page.title)},
			{Text: page.also, Weight: inTitle},
		})
	}
	for n, place := range f.places {
		f.index.Add(places+n, append(f.areaTexts(place), search.Text{Text: place.Name, Weight: titleWeight(place.Name)},
			search.Text{Text: place.Key, Weight: inShortTitle, Whole: true}))
	}
	for n, a := range f.areas {
		f.index.Add(areas+n, []search.Text{
			{Text: f.PlaceOf(a.key).Name, Weight: inArea},
			{Text: a.key, Weight: inArea, Whole: true},
			{Text: a.indicator.Title, Weight: titleWeight(a.indicator.Title) - 3},
			{Text: a.indicator.Code, Weight: inSource},
		})
	}
}

// WriteSearch writes the search page and the files that it reads.
func (s *Section) WriteSearch() error {
	f := s.finder
	err := s.Out.Make(layout.SearchHead, func() ([]byte, error) {
		if err := f.addRemaining(); err != nil {
			return nil, err
		}
		return f.index.Head(foundColumns, f.shownColumns())
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
		{layout.SearchBlocks, f.index.BlockCount(), f.index.Block},
	} {
		err = s.Out.Each(part.count, numbered(part.folder), func(n int, b []byte) ([]byte, error) {
			if err := f.addRemaining(); err != nil {
				return nil, err
			}
			return append(b, part.file(n)...), nil
		})
		if err != nil {
			return err
		}
	}
	err = s.EachFile(f.index.ChunkCount(), numbered(layout.SearchRows), f.appendRows)
	if err != nil {
		return err
	}
	return s.Put(layout.SearchPage, func(p *page) {
		h := frame.Head{Title: p.Words.Search, Description: p.Words.SearchText, Scripts: []string{"search.js"}}
		h.Section = "/" + layout.SearchFolder
		p.Open(h)
		p.Fill(searchPageForm, markup.By("heading", func() { p.WriteHeading(p.Words.Search, p.Words.SearchText, nil) }),
			markup.By("kinds", p.WriteKindLinks), markup.By("words", p.WriteScriptWords))
		p.Close()
	})
}

// boosts contains factors for the kinds that answer questions, by kind.
var boosts = map[string]float64{
	record.KindProofClaim: 1.3, record.KindSignal: 1.15, record.KindDecisionView: 1.15, record.KindRecommendation: 1.1,
	record.KindEntity: 1.15, record.KindSourceObject: 0.85, record.KindPublicReference: 0.85,
}

func (f *finder) shownColumns() []search.Shown {
	var list []search.Shown
	for _, part := range f.parts {
		k := search.Shown{
			Name: f.Words.Name(part.kind), Kind: part.kind.Name, Folder: part.kind.Folder(),
			Prefix: part.kind.Prefix, First: part.first, Count: part.count, Boost: 1,
		}
		switch {
		case part.sort == ofIndicators:
			k.Name, k.Boost = f.Words.Indicators, 1.25
			if f.Span.From != "" {
				k.Years = []string{f.Span.From, string(f.Span.To[:4])}
			}
		case part.sort == ofPages:
			k.Name, k.Folder = f.Words.AboutSite, ""
		case part.sort == ofPlaces:
			k.Name, k.Boost = f.Words.Places, 1.2
		case part.sort == ofAreas:
			k.Name, k.Boost = f.Words.FiguresOfPlaces, 1.2
		case boosts[part.kind.Name] != 0:
			k.Boost = boosts[part.kind.Name]
		}
		list = append(list, k)
	}
	return list
}

// foundColumns lists the columns of a result. The summary is shortened, the label is given both as
// a value of its list and as it is written, and the value is the latest value of an indicator.
var foundColumns = []string{"address", "title", "summary", "label", "text", "standing", "value"}

func (f *finder) appendRows(p *page, n int, b []byte) []byte {
	b = append(b, '[')
	end := min(len(f.added), (n+1)*search.PerChunk)
	for document := n * search.PerChunk; document < end; document++ {
		if document > n*search.PerChunk {
			b = append(b, ',')
		}
		b = append(b, "\n["...)
		for i, text := range f.newRow(p, document) {
			if i > 0 {
				b = append(b, ',')
			}
			b = markup.AppendJSON(b, text)
		}
		b = append(b, ']')
	}
	return append(b, "\n]\n"...)
}

// foundRow is the row of a result, by column.
type foundRow [7]string

func (f *finder) newRow(p *page, document int) foundRow {
	part := f.parts[0]
	for _, next := range f.parts[1:] {
		if next.count > 0 && next.first <= document {
			part = next
		}
	}
	i := document - part.first
	switch part.sort {
	case ofIndicators:
		return f.indicatorRow(p, f.Indicators[i])
	case ofPages:
		return foundRow{f.pages[i].address, f.pages[i].title, f.pages[i].text}
	case ofPlaces:
		place := f.places[i]
		if scheme := f.Scheme(record.AreaScheme(place.Scheme)); scheme != nil && scheme.Code(place.Code) != nil {
			code := scheme.Code(place.Code)
			return foundRow{place.Address(), p.AreaName(scheme, code), p.Became(scheme, code)}
		}
		return foundRow{place.Address(), place.Name}
	case ofAreas:
		return f.areaRow(p, &f.areas[i])
	}
	id := p.Records.ID(part.kind, i)
	row := foundRow{
		layout.PageAddress(part.kind.Folder(), id), p.Title(id),
		words.Truncate(lookup.WholeTextOf(p.Raw(part.kind, i), `"summary":`), rowWords),
	}
	if d := p.Detail(id); d.Label != "" {
		row[3], row[4] = words.ListName(d.List.Go)+" "+d.Label, p.Words.Written(d.List, d.Label)
	}
	if is := p.Records.Standing(part.kind, i).Standing; is != standing.Stands {
		row[5] = is.String()
	}
	return row
}

// indicatorRow returns the row of x with the value that represents all its areas.
func (f *finder) indicatorRow(p *page, x *lookup.Indicator) foundRow {
	return foundRow{
		x.Address(), x.Title, words.Truncate(x.Summary, rowWords), 6: p.of.figures.LatestOfAll(p.Page, x),
	}
}

func (f *finder) areaRow(p *page, a *indicatorArea) foundRow {
	row := foundRow{a.indicator.Address() + "?area=" + a.key, a.indicator.Title + f.Words.Comma + f.PlaceOf(a.key).Name}
	if a.indicator.HasAreaPages() {
		row[0] = a.indicator.AreaAddress(a.key)
	}
	row[6] = p.of.figures.Latest(p.Page, a.indicator, a.area)
	return row
}

// rowWords is the maximum number of bytes of a summary that a result shows.
const rowWords = 160
