//go:build unix

package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"stele/bench/corpus"
)

// words are what texts are made of. What repeats in records of one kind is their form, and not
// what they say; so no text here is like another.
var words = strings.Fields(`the of and in for with from by on at to than during after before among between
	cases measles surveillance district hospital children adults infants vaccine dose coverage campaign outbreak
	laboratory confirmed suspected reported notified estimated weekly monthly annual quarterly northern southern
	eastern western rural urban coastal inland border village city region province clinic ward nurse registry
	survey household interview sample serum antibody transmission exposure contact traveller imported local
	increase decrease change trend level rate ratio proportion median range interval threshold baseline season
	winter summer rainfall temperature drought flood harvest market school nursery camp shelter road bridge
	supply shortage delay backlog revision correction definition classification method protocol audit review
	influenza cholera malaria dengue polio rubella mumps pertussis diphtheria tetanus hepatitis tuberculosis
	wastewater sequence genotype lineage variant resistance susceptibility isolate culture assay specimen
	death recovery admission discharge referral treatment oxygen bed staff shift overtime vacancy budget
	first second third last next earlier later higher lower similar different unusual expected unexpected
	few many most several some all none half quarter tenth dozen hundred thousand million`)

// text is a sentence of some length, made by lot.
func text(lot *rand.Rand, length int) string {
	var b strings.Builder
	for b.Len() < length {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if lot.IntN(8) == 0 {
			fmt.Fprintf(&b, "%d", lot.IntN(100_000))
			continue
		}
		b.WriteString(words[lot.IntN(len(words))])
	}
	s := b.String()
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// content is what of a signal an edit may change.
type content struct {
	version               int
	verified, updated     string
	summary, observation  string
	corrections           string
	statement, population string
	place                 string
}

func newContent(i int) content {
	lot := rand.New(rand.NewPCG(1, uint64(i)))
	return content{
		version: 1, verified: "2026-11-01", updated: "2026-11-01",
		summary: text(lot, 200), observation: text(lot, 250), statement: text(lot, 130),
		population: text(lot, 30), place: text(lot, 20),
	}
}

// signal is a signal of about 1.3 kB on one line.
func signal(i int) string { return newContent(i).line(i) }

// editEvery is how many signals there are for each that is edited.
const editEvery = 100

// edited is how many of the signals are edited.
func edited(signals int) int { return (signals + editEvery - 1) / editEvery }

// editedSignal is the signal after the edits. A third of those that are edited were compared with
// their sources again, a third reworded, a third corrected.
func editedSignal(i int) string {
	c := newContent(i)
	if i%editEvery != 0 {
		return c.line(i)
	}
	lot := rand.New(rand.NewPCG(2, uint64(i)))
	c.version, c.updated = 2, "2026-11-15"
	switch i / editEvery % 3 {
	case 0:
		c.verified = "2026-11-15"
	case 1:
		c.summary, c.statement = text(lot, 200), text(lot, 130)
	case 2:
		c.observation = text(lot, 250)
		c.corrections = fmt.Sprintf(`{"date":"2026-11-15","type":"clarification","in_version":2,"fields":["observation"],"summary":%q}`, text(lot, 60))
	}
	return c.line(i)
}

func (c content) line(i int) string {
	return fmt.Sprintf(`{"id":"sig-bench-%07[1]d","version":%[2]d,"title":"Reported cases rose in district %[1]d","summary":%[3]q,`+
		`"claim_boundary":{"statement":%[4]q,"population":%[5]q,"place":%[6]q,"period":"2023"},`+
		`"source_links":[{"url":"https://data.example.org/surveillance/%[1]d","source_id":"src-%04[7]d","role":"primary","locator":"table %[8]d"},{"url":"https://doi.org/10.15585/mmwr.mm%[9]d","role":"secondary"}],`+
		`"verification_date":%[10]q,"source_updates":[],"corrections":[%[11]s],"published_date":"2026-01-15","updated_date":%[12]q,"illustrative":true,`+
		`"signal_type":"indicator_change","observation":%[13]q,"detected_date":"2026-01-10","evidence_ids":["evd-%04[14]d"],"entity_ids":["ent-%04[15]d"]}`,
		i, c.version, c.summary, c.statement, c.population, c.place, i%500, i%97, i%9973, c.verified, c.corrections,
		c.updated, c.observation, i%1000, i%200)
}

// writeFolder makes a folder with signals, and the records that they refer to.
func writeFolder(dir string, signals int, line func(i int) string) error {
	if err := corpus.Write(dir, 0); err != nil {
		return err
	}
	return corpus.WriteFile(filepath.Join(dir, "records", "signals", "signals.ndjson"), func(w *bufio.Writer) {
		for i := range signals {
			w.WriteString(line(i))
			w.WriteByte('\n')
		}
	})
}
