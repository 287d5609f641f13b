package compiler

import (
	"crypto/sha256"
	"encoding/hex"

	"stele/internal/author/judging/check"
	"stele/internal/base/layout"
	"stele/internal/base/sheet/areas"
	"stele/record"
)

// writeAreas writes the tables of each scheme of areas, and adds their digests to the settings that
// the release keeps, so that a change of the tables is a change of the release.
func (p *publication) writeAreas() error {
	s := &p.records.settings
	s.AreaDigests = nil
	for _, scheme := range p.records.checker.Areas() {
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

func (v *view) Areas() []*areas.Scheme { return v.records.checker.Areas() }
