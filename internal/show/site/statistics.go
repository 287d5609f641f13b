package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"stele/internal/base/parallel"
	"stele/record"
	"stele/release"
)

// statistics are the indicators of a release, by their code.
type statistics struct {
	indicators []*indicator
	byCode     map[string]*indicator
}

// indicator is what has a page: all values of one code.
type indicator struct {
	code    string
	name    string    // its last part of the address
	records []int32   // numbers of its statistics
	areas   []string  // the keys of the areas that it has values for, in the order in which they appear
	ofArea  [][]int32 // the numbers of the statistics of each
}

func (x *indicator) address() string { return "/healthcare-statistics/" + x.name + "/" }

// mostTogether is how many values stand on the page of their indicator. Of more, those of each area
// have a page of their own: a phone is slow with a page of ten thousand rows.
const mostTogether = 1_000

// apart reports whether the values of each area have a page of their own.
func (x *indicator) apart() bool { return len(x.records) > mostTogether }

// areaAddress is the address of that page.
func (x *indicator) areaAddress(key string) string { return x.address() + "areas/" + key + "/" }

// gatherStatistics finds out which statistics belong to which indicator. Of each it keeps a number
// and no more, because there may be a million.
func (s *site) gatherStatistics() error {
	k := record.KindNamed(record.KindHealthcareStatistic)
	codes, areas, err := s.indicatorCodes(k)
	if err != nil {
		return err
	}
	s.stats = &statistics{byCode: map[string]*indicator{}}
	known := map[[2]string]int{}
	for i, code := range codes {
		x := s.stats.byCode[code]
		if x == nil {
			x = &indicator{code: code}
			s.stats.byCode[code] = x
			s.stats.indicators = append(s.stats.indicators, x)
		}
		x.records = append(x.records, int32(i))
		pair := [2]string{code, areas[i]}
		n, ok := known[pair]
		if !ok {
			n = len(x.areas)
			known[pair] = n
			x.areas, x.ofArea = append(x.areas, areas[i]), append(x.ofArea, nil)
		}
		x.ofArea[n] = append(x.ofArea[n], int32(i))
	}
	slices.SortFunc(s.stats.indicators, func(a, b *indicator) int { return strings.Compare(a.code, b.code) })
	taken := map[string]bool{"page": true}
	for _, x := range s.stats.indicators {
		x.name = x.code
		if message, _ := record.CheckID(x.code); message != "" || taken[record.ID(x.code).Fold()] {
			x.name = "indicator-" + release.Digest(sha256.Sum256([]byte(x.code))).String()[:8]
		}
		taken[record.ID(x.name).Fold()] = true
	}
	return nil
}

// indicatorCodes reads the code and the key of the area of each statistic, on all cores. Equal ones
// of a part share their memory.
func (s *site) indicatorCodes(k *record.Kind) (codes, areas []string, err error) {
	const together = 4_096
	count := s.e.Len(k)
	codes, areas = make([]string, count), make([]string, count)
	parts := (count + together - 1) / together
	for err := range parallel.Map(parts, func(part int) error {
		records, known, keys := s.e.Reader(), map[string]string{}, map[string]string{}
		for i := part * together; i < min(count, (part+1)*together); i++ {
			data, err := records.Record(k, i)
			if err == nil {
				codes[i], data, err = indicatorCode(data, known)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.e.ID(k, i), err)
			}
			areas[i] = areaKeyOf(data, keys)
		}
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
	_, rest, ok := bytes.Cut(data, []byte(`"indicator":`))
	if !ok {
		return "", nil, fmt.Errorf("a statistic without an indicator")
	}
	end := 1
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(rest))
	if code, ok := known[string(rest[:end])]; ok {
		return code, rest[end:], nil
	}
	if err := json.Unmarshal(rest[:min(end+1, len(rest))], &code); err != nil {
		return "", nil, err
	}
	known[string(rest[:end])] = code
	return code, rest[end:], nil
}

// areaKeyOf finds the area in the JSON of a statistic, in what stands after the indicator.
func areaKeyOf(data []byte, keys map[string]string) string {
	scheme, area := textMember(data, `"ref_area_scheme":"`), textMember(data, `"ref_area":"`)
	key, ok := keys[scheme+" "+area]
	if !ok {
		key = record.AreaKey(record.AreaScheme(scheme), area)
		keys[scheme+" "+area] = key
	}
	return key
}

// indicatorOf is the indicator of statistic i, or nil.
func (p *page) indicatorOf(k *record.Kind, i int) *indicator {
	data, err := p.records.Record(k, i)
	if err != nil {
		return nil
	}
	code, _, err := indicatorCode(data, map[string]string{})
	if err != nil {
		return nil
	}
	return p.stats.byCode[code]
}

// statisticAddress is where statistic i is shown.
func (p *page) statisticAddress(k *record.Kind, i int) string {
	data, err := p.records.Record(k, i)
	if err != nil {
		return ""
	}
	code, _, err := indicatorCode(data, map[string]string{})
	x := p.stats.byCode[code]
	switch {
	case err != nil || x == nil:
		return ""
	case x.apart():
		return x.areaAddress(areaKeyOf(data, map[string]string{})) + "#" + p.e.ID(k, i)
	}
	return x.address() + "#" + p.e.ID(k, i)
}
