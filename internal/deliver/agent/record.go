package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"stele/internal/author/judging/report"
	"stele/internal/base/layout"
	"stele/internal/base/suggest"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// recordSummary contains a record's summary and the data that must stay with the record.
type recordSummary struct {
	ID               string                `json:"id"`
	Kind             string                `json:"kind"`
	Version          int64                 `json:"version"`
	Title            string                `json:"title"`
	Standing         string                `json:"standing"`
	Since            string                `json:"standing_since,omitempty"`
	Cause            string                `json:"standing_cause,omitempty"`
	Path             []string              `json:"standing_path,omitempty"`
	DisputedBy       []string              `json:"disputed_by,omitempty"`
	Refused          bool                  `json:"refused,omitempty"`
	EvidenceLabel    string                `json:"evidence_label,omitempty"`
	LabelBasis       *record.LabelBasis    `json:"label_basis,omitempty"`
	Effect           *record.EffectSize    `json:"effect,omitempty"`
	DecisionLabel    string                `json:"decision_label,omitempty"`
	VerificationDate string                `json:"verification_date,omitempty"`
	ClaimBoundary    *record.ClaimBoundary `json:"claim_boundary,omitempty"`
	SourceLinks      []record.SourceLink   `json:"source_links,omitempty"`
	SourceUpdates    []record.SourceUpdate `json:"source_updates,omitempty"`
	Corrections      []record.Correction   `json:"corrections,omitempty"`
	Illustrative     bool                  `json:"illustrative,omitempty"`
	License          string                `json:"license,omitempty"`
	Page             string                `json:"page,omitempty"`
	JSON             string                `json:"json"`
}

type found struct {
	recordSummary
	line []byte
	lost bool // whether it was retracted or lost its support
}

var errNoID = errors.New("give the ID of a record, as search shows it")

func (s *edition) readRecord(ctx context.Context, id string) (*found, error) {
	if !layout.ValidID(id) {
		return nil, errNoID
	}
	for _, k := range kindsForID(id) {
		line, is, err := s.c.Record(ctx, k.Name, id)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return s.newFound(ctx, k, line, is)
	}
	return nil, s.unknownRecordError(ctx, id)
}

// unknownRecordError returns an error that suggests a similar ID.
func (s *edition) unknownRecordError(ctx context.Context, id string) error {
	var ids []string
	for _, k := range kindsForID(id) {
		for e, err := range s.c.Release(ctx).Entries(k.Name) {
			if err != nil {
				return err
			}
			if len(ids) == maxCompared {
				break
			}
			ids = append(ids, e.ID)
		}
	}
	return unknownNameError("no record has the ID", id, ids, "use search to find IDs")
}

// unknownNameError returns an error for an unknown name. It suggests a similar name from names. If
// none is similar, its text ends with otherwise.
func unknownNameError(what, name string, names []string, otherwise string) error {
	if near := suggest.Closest(name, names); near != "" {
		return notFoundf("%s %s; did you mean %s?", what, quoteText(name), quoteText(near))
	}
	return notFoundf("%s %s: %s", what, quoteText(name), otherwise)
}

// kindsForID returns the kinds in the order in which to look for id: first the kinds whose IDs
// begin like id.
func kindsForID(id string) []*record.Kind {
	kinds := slices.Clone(record.Kinds)
	slices.SortStableFunc(kinds, func(a, b *record.Kind) int {
		begins := func(k *record.Kind) int {
			if strings.HasPrefix(id, k.Prefix) {
				return 0
			}
			return 1
		}
		return begins(a) - begins(b)
	})
	return kinds
}

func (s *edition) newFound(ctx context.Context, k *record.Kind, line []byte, st *release.Standing) (*found, error) {
	rec := k.New()
	if err := json.Unmarshal(line, rec); err != nil {
		return nil, err
	}
	e, m := rec.Common(), s.c.Manifest()
	f := &found{line: line, recordSummary: recordSummary{
		ID: string(e.ID), Kind: k.Name, Version: e.Version, Title: e.Title, Standing: standing.Stands.String(),
		VerificationDate: string(e.VerificationDate), ClaimBoundary: e.ClaimBoundary, SourceLinks: e.SourceLinks,
		SourceUpdates: e.SourceUpdates, Corrections: e.Corrections, Illustrative: e.Illustrative, License: e.License,
		JSON: fileURL(m, k.JSONPath(string(e.ID))),
	}}
	if k.HasPage() {
		f.Page = fileURL(m, layout.PageAddress(k.Folder(), string(e.ID)))
	}
	switch r := rec.(type) {
	case *record.Evidence:
		f.EvidenceLabel, f.LabelBasis, f.Effect = string(r.EvidenceLabel), r.LabelBasis, r.Effect
	case *record.ProofClaim:
		f.EvidenceLabel = string(r.EvidenceLabel)
		if err := s.addDisputes(ctx, f, r); err != nil {
			return nil, err
		}
	case *record.DecisionView:
		f.DecisionLabel = string(r.DecisionLabel)
	}
	if st != nil {
		f.Standing, f.Since, f.Cause, f.Path = st.Standing, st.Since, st.Cause, st.Path
	}
	f.lost = isLost(f.Standing)
	return f, nil
}

// maxDisputing is the maximum number of disputing pieces of evidence that an answer names.
const maxDisputing = 20

// addDisputes adds the valid evidence that disputes a claim.
func (s *edition) addDisputes(ctx context.Context, f *found, claim *record.ProofClaim) error {
	for _, e := range claim.Evidence {
		if e.Stance != record.StanceDisputes || len(f.DisputedBy) == maxDisputing {
			continue
		}
		_, is, err := s.c.Record(ctx, record.KindEvidence, string(e.EvidenceID))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if is == nil || !isLost(is.Standing) {
			f.DisputedBy = append(f.DisputedBy, string(e.EvidenceID))
		}
	}
	return nil
}

func isLost(word string) bool { return standing.Parse(word).IsLost() }

// standingLine returns the record's standing and disputes on one line, or "" if it is valid and
// undisputed.
func (k *recordSummary) standingLine() string {
	text := ""
	if k.Standing != standing.Stands.String() {
		text = strings.ToUpper(oneLine(strings.ReplaceAll(k.Standing, "_", " "))) + ": "
		text += standing.Words[standing.Parse(k.Standing)].Doc
		if k.Since != "" {
			text += " (" + oneLine(k.Cause+" "+k.Since) + ")"
		}
		if len(k.Path) > 0 {
			text += ", because of " + oneLine(strings.Join(k.Path, " → "))
		}
		text += ". "
	}
	if len(k.DisputedBy) > 0 {
		text += "DISPUTED by " + oneLine(strings.Join(k.DisputedBy, ", ")) + ". "
	}
	return strings.TrimSuffix(text, " ")
}

// writeHead writes the standing of a record and the data that must stay with it.
func (k *recordSummary) writeHead(p *prose) {
	if against := k.standingLine(); against != "" {
		p.writeLine("%s", against)
	}
	p.writeLine("%s %s, version %d: %s", oneLine(record.KindNamed(k.Kind).One), oneLine(k.ID), k.Version, quoteText(k.Title))
	if k.Illustrative {
		p.writeLine("This is an example, not a finding.")
	}
	var about []string
	for _, label := range [][2]string{
		{"verified", k.VerificationDate},
		{"evidence label", k.EvidenceLabel},
		{"decision label", k.DecisionLabel},
		{"licence", k.License},
		{"page", k.Page},
	} {
		if label[1] != "" {
			about = append(about, label[0]+" "+oneLine(label[1]))
		}
	}
	if len(about) > 0 {
		p.writeLine("%s", strings.Join(about, "; "))
	}
	if b := k.LabelBasis; b != nil && len(b.Factors) > 0 {
		p.writeLine("certainty from %s: %s", oneLine(string(b.Start)), quoteText(b.Reasons()))
	}
	if b := k.ClaimBoundary; b != nil {
		p.writeLine("claim boundary: %s", quoteText(b.Statement))
	}
}

type recordArguments struct {
	ID               string `json:"id" jsonschema:"ID of the record, such as clm-one-dose"`
	IncludeRetracted bool   `json:"include_retracted,omitempty" jsonschema:"return a record even if it was retracted or has lost its support"`
	Offset           int    `json:"offset,omitempty" jsonschema:"offset at which to continue in the JSON of a long record"`
}

type recordAnswer struct {
	recordSummary
	Release string `json:"release"`
	Record  any    `json:"record,omitempty"`
	Bytes   int    `json:"bytes"`
	Next    int    `json:"next_offset,omitempty"`
	texts
}

func (s *edition) answerRecord(ctx context.Context, r *release.Release, in recordArguments) (*recordAnswer, error) {
	f, err := s.readRecord(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	a := &recordAnswer{recordSummary: f.recordSummary, Release: r.Manifest.Release}
	var p prose
	if f.lost && !in.IncludeRetracted {
		a.Refused, a.ClaimBoundary, a.SourceLinks, a.EvidenceLabel, a.DecisionLabel = true, nil, nil, "", ""
		a.LabelBasis, a.Effect = nil, nil
		p.writeLine("%s", f.standingLine())
		p.writeLine("%s, version %d, is withheld. Do not rely on it, and do not quote it as if it were valid.", oneLine(f.ID), f.Version)
		for _, c := range f.Corrections {
			p.writeLine("correction of %s, %s, in version %d: %s", c.Date, c.Type, c.InVersion, quoteText(c.Summary))
		}
		p.writeLine("To show it as a retracted record, ask again with include_retracted. Page: %s", oneLine(f.Page))
		a.text = p.String()
		return a, nil
	}
	err = s.writeRecord(a, f, in.Offset, &p)
	a.text = p.String()
	return a, err
}

// writeRecord writes a record from offset on, as much as fits into an answer.
func (s *edition) writeRecord(a *recordAnswer, f *found, offset int, p *prose) error {
	var b bytes.Buffer
	if err := json.Indent(&b, f.line, "", " "); err != nil {
		return err
	}
	text := report.EscapeJSON(b.String())
	if a.Bytes = len(text); offset < 0 || offset > len(text) {
		return fmt.Errorf("offset %d is beyond the end of the JSON (%d bytes)", offset, len(text))
	}
	end := min(len(text), offset+maxText)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	f.writeHead(p)
	p.writeLine("%d source links, %d source updates and %d corrections are in the record. The following is data of the publisher.",
		len(f.SourceLinks), len(f.SourceUpdates), len(f.Corrections))
	p.WriteString(fencedBlock("json", strings.ToValidUTF8(text[offset:end], "")))
	if end < len(text) {
		a.Next = end
		p.writeLine("Bytes %d to %d of %d: continue with offset %d, or read %s.", offset, end, len(text), end, oneLine(f.JSON))
		a.SourceLinks, a.SourceUpdates, a.Corrections = nil, nil, nil
	} else if offset == 0 {
		a.Record = json.RawMessage(f.line)
	}
	return nil
}
