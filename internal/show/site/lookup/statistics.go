package lookup

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
	"stele/internal/base/parallel"
	"stele/internal/compile/render"
	"stele/record"
	"stele/release"
)

// Indicator contains all values with one indicator code, which share a page.
type Indicator struct {
	Code    string
	Name    string         // last segment of its URL
	Records []int32        // indexes of its statistics
	Areas   []string       // keys of its areas, in order of appearance
	OfArea  [][]int32      // indexes of the statistics of each area
	Entity  *record.Entity // the entity that describes it, or nil
	Title   string         // from that entity
	Summary string
	Measure *record.Measure // how it is measured, if the entity says so; never nil
	Parted  bool            // whether its Parquet data is in one or several parts
}

func (x *Indicator) Address() string { return "/" + layout.FigureFolder + x.Name + "/" }

// Feed returns the name of the feed of the indicator's figures.
func (x *Indicator) Feed() string { return "indicator-" + x.Name }

// mostTogether is the maximum number of values on the page of their indicator. With more, each area
// has its own page, because phones are slow with ten thousand rows.
const mostTogether = 1_000

// HasAreaPages reports whether each area has its own page.
func (x *Indicator) HasAreaPages() bool { return len(x.Records) > mostTogether }

// AreaAddress returns the URL of the values of the area with the given key.
func (x *Indicator) AreaAddress(key string) string {
	return x.Address() + layout.AreaFolder + key + "/"
}

// File returns the path of the indicator's file with the given suffix.
func (x *Indicator) File(suffix string) string {
	if x.Parted && suffix == layout.ParquetSuffix {
		if len(x.Records) > layout.MaxPartRows {
			return layout.PartsPath
		}
		return layout.PartPath(x.Name, 0)
	}
	return strings.Trim(x.Address(), "/") + suffix
}

// Has reports whether the indicator has a file in format f.
func (x *Indicator) Has(f render.SeriesFile) bool {
	return f.MaxValues == 0 || len(x.Records) <= f.MaxValues
}

// AreaFile returns the path of the file with the given suffix for the area with the given key.
func (x *Indicator) AreaFile(key, suffix string) string {
	return strings.Trim(x.AreaAddress(key), "/") + suffix
}

// Pairs returns the number of pairs of an indicator and one of its areas.
func (x *Index) Pairs() (n int) {
	for _, i := range x.Indicators {
		n += len(i.Areas)
	}
	return n
}

// gatherIndicators assigns statistics to indicators. It stores only an index for each, because
// there may be a million.
func (x *Index) gatherIndicators() error {
	k := record.KindNamed(record.KindHealthcareStatistic)
	codes, areas, err := x.indicatorCodes(k)
	if err != nil {
		return err
	}
	known := map[[2]int32]int{}
	for i, number := range codes.of {
		code := codes.texts[number]
		of := x.byCode[code]
		if of == nil {
			of = &Indicator{Code: code, Parted: len(codes.of) > layout.MaxParquetRows}
			x.byCode[code] = of
			x.Indicators = append(x.Indicators, of)
		}
		of.Records = append(of.Records, int32(i))
		pair := [2]int32{number, areas.of[i]}
		n, ok := known[pair]
		if !ok {
			n = len(of.Areas)
			known[pair] = n
			of.Areas, of.OfArea = append(of.Areas, areas.texts[pair[1]]), append(of.OfArea, nil)
		}
		of.OfArea[n] = append(of.OfArea[n], int32(i))
	}
	slices.SortFunc(x.Indicators, func(a, b *Indicator) int { return strings.Compare(a.Code, b.Code) })
	taken := map[string]bool{"page": true}
	for _, of := range x.Indicators {
		of.Name = of.Code
		message, _ := record.ID(of.Code).Problem()
		if message != "" || taken[record.ID(of.Code).Fold()] || strings.HasSuffix(strings.ToLower(of.Code), ".metadata") {
			of.Name = "indicator-" + release.Digest(sha256.Sum256([]byte(of.Code))).String()[:8]
		}
		taken[record.ID(of.Name).Fold()] = true
	}
	return nil
}

// Span is the time span of statistics: the first year, or "", and the last day.
type Span struct {
	From string
	To   record.Date
}

// add extends the span to include p.
func (s *Span) add(p record.Period) {
	if p.Valid() {
		*s = s.with(Span{string(p[:4]), p.End()})
	}
}

// with returns the span that covers both.
func (s Span) with(other Span) Span {
	if s.From == "" || other.From != "" && other.From < s.From {
		s.From = other.From
	}
	s.To = max(s.To, other.To)
	return s
}

// Countries returns the areas that are countries as sorted three-letter codes.
func Countries(areas ...string) []string {
	list := slices.DeleteFunc(slices.Clone(areas), func(key string) bool {
		return len(key) != 3 || key[0] < 'A' || key[0] > 'Z'
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// numbered contains distinct texts, and for each record the index of its text.
type numbered struct {
	sync.Mutex
	texts  []string
	number map[string]int32
	of     []int32
}

func newNumbered(records int) *numbered {
	return &numbered{number: map[string]int32{}, of: make([]int32, records)}
}

// set sets the text of the record with the given index. It is safe for concurrent use.
func (n *numbered) set(record int, text string) {
	n.Lock()
	defer n.Unlock()
	number, ok := n.number[text]
	if !ok {
		number = int32(len(n.texts))
		n.texts, n.number[text] = append(n.texts, text), number
	}
	n.of[record] = number
}

// indicatorCodes returns the indicator code and the area key of each statistic. It uses all cores.
func (x *Index) indicatorCodes(k *record.Kind) (codes, areas *numbered, err error) {
	const together = 4_096
	count := x.Records.Len(k)
	codes, areas = newNumbered(count), newNumbered(count)
	parts := (count + together - 1) / together
	for err := range parallel.Map(parts, func(part int) error {
		reader, known, keys := x.Records.Reader(), map[string]string{}, map[string]string{}
		var span Span
		periods := map[string]bool{}
		for i := part * together; i < min(count, (part+1)*together); i++ {
			data, err := reader.Record(k, i)
			var code string
			if err == nil {
				code, data, err = indicatorCode(data, known)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", x.Records.ID(k, i), err)
			}
			codes.set(i, code)
			areas.set(i, areaKeyOf(data, keys))
			if period := textIn(data, `"time_period":"`); !periods[string(period)] {
				periods[string(period)] = true
				span.add(record.Period(period))
			}
		}
		codes.Lock()
		defer codes.Unlock()
		x.Span = x.Span.with(span)
		return nil
	}) {
		if err != nil {
			return nil, nil, err
		}
	}
	return codes, areas, nil
}

// indicatorCode returns the indicator code in data, the JSON of a statistic. Quotation marks within
// texts are escaped, so the search cannot match there; decoding the whole record would take twenty
// times as long. rest is the JSON after the code.
func indicatorCode(data []byte, known map[string]string) (code string, rest []byte, err error) {
	_, rest, _ = bytes.Cut(data, []byte(`"indicator":`))
	end := jsonline.TextEnd(rest)
	if end < 0 {
		return "", nil, errors.New("a statistic without an indicator")
	}
	if code, ok := known[string(rest[:end])]; ok {
		return code, rest[end:], nil
	}
	if err := json.Unmarshal(rest[:end], &code); err != nil {
		return "", nil, err
	}
	known[string(rest[:end])] = code
	return code, rest[end:], nil
}

// areaKeyOf returns the area key in data, the JSON of a statistic after the indicator code.
func areaKeyOf(data []byte, keys map[string]string) string {
	scheme, area := TextOf(data, `"ref_area_scheme":"`), TextOf(data, `"ref_area":"`)
	key, ok := keys[scheme+" "+area]
	if !ok {
		key = record.AreaScheme(scheme).Key(area)
		keys[scheme+" "+area] = key
	}
	return key
}

// IndicatorCalled returns the indicator with the given code, or nil.
func (x *Index) IndicatorCalled(code string) *Indicator { return x.byCode[code] }

// IndicatorOf returns the indicator of statistic i, or nil.
func (l *Reader) IndicatorOf(k *record.Kind, i int) *Indicator {
	x, _ := l.indicatorIn(l.Raw(k, i))
	return x
}

// indicatorIn returns the indicator in data, the JSON of a statistic, and the JSON after its code.
func (l *Reader) indicatorIn(data []byte) (x *Indicator, rest []byte) {
	code, rest, err := indicatorCode(data, map[string]string{})
	l.Fail(err)
	return l.byCode[code], rest
}

// statisticAddress returns the URL of the page that shows statistic i.
func (l *Reader) statisticAddress(k *record.Kind, i int) string {
	switch x, rest := l.indicatorIn(l.Raw(k, i)); {
	case x == nil:
		return ""
	case x.HasAreaPages():
		return x.AreaAddress(areaKeyOf(rest, map[string]string{})) + "#" + l.Records.ID(k, i)
	default:
		return x.Address() + "#" + l.Records.ID(k, i)
	}
}
