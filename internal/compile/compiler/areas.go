package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stele/internal/author/judging/check"
	"stele/internal/base/layout"
	"stele/internal/base/sheet/areas"
	"stele/record"
)

// writeAreas writes the tables of each scheme of areas, and adds their digests to the settings that
// the release keeps, so that a change to the tables changes the release.
func (p *publication) writeAreas() error {
	s := &p.records.settings
	s.AreaDigests = nil
	for _, scheme := range p.records.checker.AreaSchemes() {
		checks := check.AreaChecks()
		data, err := scheme.AppendJSON(nil, areas.Document{License: s.License, Notice: s.Notice, Checks: checks})
		if err == nil {
			err = p.to.Add(layout.AreaFile(scheme.Name, ".json"), data)
		}
		if err == nil {
			err = p.to.Add(layout.AreaFile(scheme.Name, ".csv"), scheme.JoinedCSV(checks))
		}
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		s.AreaDigests = append(s.AreaDigests, record.Term{Name: scheme.Name, Text: hex.EncodeToString(sum[:])})
	}
	return nil
}

// compareAreas adds an event for each scheme of areas whose tables differ from those of the
// previous release. The event says which areas ended and which began.
func (c *comparer) compareAreas() error {
	before := map[string]*areas.Scheme{}
	for _, f := range c.previous.Manifest.Files {
		name, isArea := strings.CutPrefix(f.Path, layout.AreaFolder)
		if name, isJSON := strings.CutSuffix(name, ".json"); isArea && isJSON {
			data, err := c.previous.ReadListed(&f, layout.MaxAreas)
			if err == nil {
				before[name], _, err = areas.Parse(data)
			}
			if err != nil {
				return previousError(err)
			}
		}
	}
	add := func(s *areas.Scheme, summary string) {
		c.drafts.Add(record.KindNamed(record.KindHealthcareStatistic), record.ChangeEvent{
			Envelope: record.Envelope{Title: "Areas changed: " + s.Title},
			RecordID: record.ID(layout.AreaEvent + s.Name), ChangeType: record.ChangeAreas,
		}, summary)
	}
	for _, now := range c.corpus.checker.AreaSchemes() {
		was := before[now.Name]
		delete(before, now.Name)
		if was == nil {
			add(now, fmt.Sprintf("The scheme is new and has %d areas.", len(now.Codes)))
		} else if summary := now.ChangesSince(was); summary != "" {
			add(now, summary)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		add(before[name], "The scheme was removed.")
	}
	return nil
}

func (v *view) Areas() []*areas.Scheme { return v.records.checker.AreaSchemes() }
