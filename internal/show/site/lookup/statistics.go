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

// Indicator is what has a page: all values of one code.
type Indicator struct {
	Code    string
	Name    string         // its last part of the address
	Records []int32        // numbers of its statistics
	Areas   []string       // the keys of the areas that it has values for, in the order in which they appear
	OfArea  [][]int32      // the numbers of the statistics of each
	Entity  *record.Entity // that describes it, or nil
	Title   string         // what it is called, by that entity
	Summary string
	Measure *record.Measure // how it is measured, as far as that says so; never nil
	Parted  bool            // whether its Parquet is a part of those of all, or several
}

func (x *Indicator) Address() string { return "/" + layout.FigureFolder + x.Name + "/" }

// Feed is the name of the feed of its figures.
func (x *Indicator) Feed() string { return "indicator-" + x.Name }

// mostTogether is how many values stand on the page of their indicator. Of more, those of each area
// have a page of their own: a phone is slow with a page of ten thousand rows.
const mostTogether = 1_000

// Apart reports whether the values of each area have a page of their own.
func (x *Indicator) Apart() bool { return len(x.Records) > mostTogether }

// AreaAddress is the address of that page.
func (x *Indicator) AreaAddress(key string) string {
	return x.Address() + layout.AreaFolder + key + "/"
}

// File is the path of a file of the indicator, by how its name ends.
func (x *Indicator) File(suffix string) string {
	if x.Parted && suffix == layout.ParquetSuffix {
		if len(x.Records) > layout.MaxPartRows {
			return layout.PartsPath
		}
		return layout.PartPath(x.Name, 0)
	}
	return strings.Trim(x.Address(), "/") + suffix
}

// Has reports whether the indicator has such a file.
func (x *Indicator) Has(f render.SeriesFile) bool {
	return f.MaxValues == 0 || len(x.Records) <= f.MaxValues
}

// AreaFile is the path of a file of one of its areas.
func (x *Indicator) AreaFile(key, suffix string) string {
	return strings.Trim(x.AreaAddress(key), "/") + suffix
}

// Pairs is how many areas all indicators have, each counted by itself.
func (x *Index) Pairs() (n int) {
	for _, i := range x.Indicators {
		n += len(i.Areas)
	}
	return n
}

// gatherIndicators finds out which statistics belong to which indicator. Of each it keeps a number
// and no more, because there may be a million.
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
		if message != "" || taken[record.ID(of.Code).Fold()] || endsAsFile(of.Code) {
			of.Name = "indicator-" + release.Digest(sha256.Sum256([]byte(of.Code))).String()[:8]
		}
		taken[record.ID(of.Name).Fold()] = true
	}
	return nil
}

// Span is the time that statistics are about: the first year, "" if there are none, and the last
// day.
type Span struct {
	From string
	To   record.Date
}

// add lets the time reach over a period.
func (s *Span) add(p record.Period) {
	if p.Valid() {
		*s = s.with(Span{string(p[:4]), p.End()})
	}
}

// with is both together.
func (s Span) with(other Span) Span {
	if s.From == "" || other.From != "" && other.From < s.From {
		s.From = other.From
	}
	s.To = max(s.To, other.To)
	return s
}

// Countries are the areas among some that are countries, by three letters, in order.
func Countries(areas ...string) []string {
	list := slices.DeleteFunc(slices.Clone(areas), func(key string) bool {
		return len(key) != 3 || key[0] < 'A' || key[0] > 'Z'
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// endsAsFile reports whether the files of one code could be those of another.
func endsAsFile(code string) bool {
	return strings.HasSuffix(strings.ToLower(code), ".metadata")
}

// numbered are the texts of some records: each once, and by record which it is.
type numbered struct {
	sync.Mutex
	texts  []string
	number map[string]int32
	of     []int32
}

func newNumbered(records int) *numbered {
	return &numbered{number: map[string]int32{}, of: make([]int32, records)}
}

// set says which text a record has. Several goroutines may call it.
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

// indicatorCodes reads the code and the key of the area of each statistic, on all cores.
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

// indicatorCode finds the code in the JSON of a statistic. Within a text, the quotation marks of
// what it looks for would be escaped, so it cannot be found there; and decoding the whole record
// would take twenty times as long. What stands after it is returned too.
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

// areaKeyOf finds the area in the JSON of a statistic, in what stands after the indicator.
func areaKeyOf(data []byte, keys map[string]string) string {
	scheme, area := TextOf(data, `"ref_area_scheme":"`), TextOf(data, `"ref_area":"`)
	key, ok := keys[scheme+" "+area]
	if !ok {
		key = record.AreaScheme(scheme).Key(area)
		keys[scheme+" "+area] = key
	}
	return key
}

// IndicatorCalled is the indicator that has a code, or nil.
func (x *Index) IndicatorCalled(code string) *Indicator { return x.byCode[code] }

// IndicatorOf is the indicator of statistic i, or nil.
func (l *Reader) IndicatorOf(k *record.Kind, i int) *Indicator {
	x, _ := l.indicatorIn(l.Raw(k, i))
	return x
}

// indicatorIn is the indicator in the JSON of a statistic, and what stands after it.
func (l *Reader) indicatorIn(data []byte) (x *Indicator, rest []byte) {
	code, rest, err := indicatorCode(data, map[string]string{})
	l.Fail(err)
	return l.byCode[code], rest
}

// statisticAddress is where statistic i is shown.
func (l *Reader) statisticAddress(k *record.Kind, i int) string {
	switch x, rest := l.indicatorIn(l.Raw(k, i)); {
	case x == nil:
		return ""
	case x.Apart():
		return x.AreaAddress(areaKeyOf(rest, map[string]string{})) + "#" + l.Records.ID(k, i)
	default:
		return x.Address() + "#" + l.Records.ID(k, i)
	}
}
