package sample_test

import (
	"slices"
	"testing"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/sample"
)

// day lies after every date of the sample.
const day = record.Date("2026-11-15")

// TestChecksClean: nothing is wrong with the sample, not even a warning, and it is large enough to
// show everything.
func TestChecksClean(t *testing.T) {
	result := must.Get(specimen.Check(sample.Files, compiler.Options{Date: day}))(t)
	for _, p := range result.Problems {
		t.Error(&p)
	}
	if result.Records < 80 {
		t.Errorf("only %d records", result.Records)
	}
	for _, k := range record.Kinds {
		if result.Kinds[k.Name] == 0 {
			t.Errorf("no %s", k.Name)
		}
	}
}

// TestShowsEverything: every record is marked illustrative, every label is in use, and there are
// corrections, source updates and a retracted source.
func TestShowsEverything(t *testing.T) {
	var evidence, decisions []string
	var corrections, updates, retracted int
	for rec := range input.Read(input.Batches(sample.Files, nil), 0, func() func(input.Item) record.Record {
		d := &record.Parser{Date: day}
		return func(i input.Item) record.Record {
			rec, _, _ := d.Decode(i.Kind, i.Tree)
			return rec
		}
	}) {
		e := rec.Common()
		if !e.Illustrative {
			t.Errorf("%s is not marked illustrative", e.ID)
		}
		corrections += len(e.Corrections)
		updates += len(e.SourceUpdates)
		switch r := rec.(type) {
		case *record.Evidence:
			evidence = append(evidence, string(r.EvidenceLabel))
		case *record.DecisionView:
			decisions = append(decisions, string(r.DecisionLabel))
		case *record.SourceObject:
			for _, u := range r.SourceUpdates {
				if u.Withdrawn() {
					retracted++
				}
			}
		}
	}
	for _, v := range schema.ListOf[record.EvidenceLabel]() {
		if !slices.Contains(evidence, v.Word) {
			t.Errorf("no evidence is labelled %s", v.Word)
		}
	}
	for _, v := range schema.ListOf[record.DecisionLabel]() {
		if !slices.Contains(decisions, v.Word) {
			t.Errorf("no decision is labelled %s", v.Word)
		}
	}
	if corrections == 0 || updates == 0 || retracted == 0 {
		t.Errorf("%d corrections, %d source updates, %d retracted sources", corrections, updates, retracted)
	}
}
