package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

type graph struct {
	below map[string][]string // what a record rests on, in the order of the edges
	above map[string][]string // what rests on a record
	// evidence that disputes or qualifies a record, as relation and ID
	against map[string][]string
}

func (s *edition) openGraph(ctx context.Context, r *release.Release) (*graph, error) {
	g := &graph{map[string][]string{}, map[string][]string{}, map[string][]string{}}
	sources := map[string]bool{}
	for e, err := range r.Entries(record.KindSourceObject) {
		if err != nil {
			return nil, err
		}
		sources[e.ID] = true
	}
	n := 0
	for line, err := range r.Records(record.KindGraphEdge) {
		if n++; err == nil && n > mostEdges {
			err = errors.New("the graph has too many edges")
		}
		if err != nil {
			return nil, err
		}
		var e record.GraphEdge
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		if err := s.addEdge(ctx, g, &e, sources); err != nil {
			return nil, err
		}
	}
	return g, g.addLost(r)
}

// addLost adds lost evidence of claims, with any stance, because a lost record may be the reason
// why a claim is unsupported.
func (g *graph) addLost(r *release.Release) error {
	standings, err := readStandings(r)
	if err != nil {
		return err
	}
	for line, err := range r.Records(record.KindProofClaim) {
		var claim record.ProofClaim
		if err == nil {
			err = json.Unmarshal(line, &claim)
		}
		if err != nil {
			return err
		}
		id := string(claim.ID)
		for _, e := range claim.Evidence {
			to := string(e.EvidenceID)
			if isLost(standings[to]) && !slices.Contains(g.below[id], to) {
				g.below[id] = append(g.below[id], to)
			}
		}
	}
	return nil
}

// addEdge adds an edge if it means that one record rests on another. Edges derived from references
// have -- in their IDs. Their meaning depends on the target: a record that cites evidence rests on
// it, but a record that cites a source does not.
func (s *edition) addEdge(ctx context.Context, g *graph, e *record.GraphEdge, sources map[string]bool) error {
	from, to := string(e.Source), string(e.Target)
	rests, backward := false, false
	switch e.Relation {
	case record.RelationDisputes, record.RelationQualifies:
		g.against[to] = append(g.against[to], string(e.Relation)+" "+from)
	case record.RelationSupports:
		rests, backward = true, true
	case record.RelationDerivedFrom:
		rests = true
	case record.RelationRespondsTo:
		rests = isDerivedEdge(e)
	case record.RelationCites:
		rests = isDerivedEdge(e) && !sources[to]
	case record.RelationRecommends:
		chosen, err := s.choseOption(ctx, from, to)
		if err != nil {
			return err
		}
		rests = isDerivedEdge(e) && chosen
	}
	if backward {
		from, to = to, from
	}
	if rests && from != to && !slices.Contains(g.below[from], to) {
		g.below[from], g.above[to] = append(g.below[from], to), append(g.above[to], from)
	}
	return nil
}

func isDerivedEdge(e *record.GraphEdge) bool { return strings.Contains(string(e.ID), "--") }

// choseOption reports whether a decision chose the option that a recommendation is about.
func (s *edition) choseOption(ctx context.Context, decision, recommendation string) (bool, error) {
	line, _, err := s.c.Record(ctx, record.KindDecisionView, decision)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var d record.DecisionView
	if err == nil {
		err = json.Unmarshal(line, &d)
	}
	return err == nil && slices.ContainsFunc(d.Options, func(o record.Option) bool {
		return o.OptionID == d.ChosenOptionID && slices.Contains(o.RecommendationIDs, record.ID(recommendation))
	}), err
}

type traceArguments struct {
	ID     string `json:"id" jsonschema:"ID of the record, such as clm-one-dose"`
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum number of records in each direction: default 50, at most 200"`
	Offset int    `json:"offset,omitempty" jsonschema:"how many records in each direction to skip, for the next page"`
}

type traceAnswer struct {
	Release    string        `json:"release"`
	Record     recordSummary `json:"record"`
	Weakest    string        `json:"weakest,omitempty"`
	RestsOn    []traced      `json:"rests_on"`
	RestsTotal int           `json:"rests_on_total"`
	RestedOn   []traced      `json:"rested_on_by"`
	AboveTotal int           `json:"rested_on_by_total"`
	Against    []string      `json:"against,omitempty"`
	Next       int           `json:"next_offset,omitempty"`
	texts
}

type traced struct {
	Steps int `json:"steps"`
	recordSummary
}

type step = standing.Step[string]

// support returns the records that id rests on, without duplicates. Each comes after the records
// that rest on it.
func (g *graph) support(id string) (list []step) {
	seen := map[string]bool{id: true}
	stack := []step{{Record: id}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		if stack = stack[:len(stack)-1]; at.Steps > 0 {
			if seen[at.Record] {
				continue
			}
			seen[at.Record] = true
			list = append(list, at)
		}
		for _, to := range slices.Backward(g.below[at.Record]) {
			stack = append(stack, step{Record: to, Steps: at.Steps + 1})
		}
	}
	return list
}

// dependents returns the records that rest on id, sorted by distance, then by ID.
func (g *graph) dependents(id string) []step {
	return standing.Reachable(id, func(id string) []string { return g.above[id] }, strings.Compare)
}

func (s *edition) answerTrace(ctx context.Context, r *release.Release, in traceArguments) (*traceAnswer, error) {
	limit, err := checkLimit(in.Limit, in.Offset, 50, 200)
	if err != nil {
		return nil, err
	}
	f, err := s.readRecord(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	g, err := openOnce(s, &s.graph, func() (*graph, error) { return s.openGraph(ctx, r) })
	if err != nil {
		return nil, err
	}
	a := &traceAnswer{Release: r.Manifest.Release, Record: f.recordSummary, Against: g.against[f.ID]}
	down, up := g.support(f.ID), g.dependents(f.ID)
	if f.Kind == record.KindHealthcareStatistic && len(down) == 0 {
		down = ownSources(f.SourceLinks)
	}
	a.RestsTotal, a.AboveTotal = len(down), len(up)
	if err := checkOffset(in.Offset, max(len(down), len(up)), "records"); err != nil {
		return nil, err
	}
	down, more := pageSlice(down, in.Offset, limit)
	up, a.Next = pageSlice(up, in.Offset, limit)
	if a.RestsOn, err = s.describeSteps(ctx, down); err == nil {
		a.RestedOn, err = s.describeSteps(ctx, up)
	}
	if err != nil {
		return nil, err
	}
	a.Next = max(a.Next, more)
	a.Weakest = weakestRecord(a.RestsOn)
	a.writeText()
	return a, nil
}

// ownSources returns the sources of a statistic that is not in the graph, because no other record
// refers to it.
func ownSources(links []record.SourceLink) (list []step) {
	for _, l := range links {
		source := step{Record: string(l.SourceID), Steps: 1}
		if l.Role == record.RolePrimary && l.SourceID != "" && !slices.Contains(list, source) {
			list = append(list, source)
		}
	}
	return list
}

func (s *edition) describeSteps(ctx context.Context, steps []step) ([]traced, error) {
	list := []traced{}
	for _, at := range steps {
		f, err := s.readRecord(ctx, at.Record)
		if err != nil {
			return nil, err
		}
		t := traced{at.Steps, f.recordSummary}
		t.SourceUpdates, t.Corrections, t.Effect = nil, nil, nil // use record to read them
		list = append(list, t)
	}
	return list, nil
}

// weakestRecord returns the ID of the least reliable record: the one with the worst standing or, if
// all are valid, the evidence with the lowest label.
func weakestRecord(list []traced) (id string) {
	worst := 0
	for _, t := range list {
		weakness := int(standing.Parse(t.Standing)) * 10
		if t.Kind == record.KindEvidence {
			weakness += int(record.LabelHigh.Rank()) - int(record.EvidenceLabel(t.EvidenceLabel).Rank())
		}
		if weakness > worst {
			id, worst = t.ID, weakness
		}
	}
	return id
}

func (a *traceAnswer) writeText() {
	var p prose
	for _, t := range a.RestsOn {
		if t.Standing != standing.Stands.String() && a.Record.Standing == standing.Stands.String() {
			p.writeLine("NOT ALL RECORDS THAT IT RESTS ON ARE VALID.")
			break
		}
	}
	a.Record.writeHead(&p)
	p.writeLine("\nIt rests on %d records:", a.RestsTotal)
	a.writeList(&p, a.RestsOn)
	p.writeLine("\n%d records rest on it (not counting statistics that no other record refers to):", a.AboveTotal)
	a.writeList(&p, a.RestedOn)
	if len(a.Against) > 0 {
		p.writeLine("\nEvidence against it, or qualifying it: %s", oneLine(strings.Join(a.Against[:min(len(a.Against), 50)], ", ")))
	}
	if a.Next > 0 {
		p.writeLine("\nMore: continue with offset %d.", a.Next)
	}
	p.writeLine("Use record to read the source links, source updates and corrections of each record.")
	a.text = p.String()
}

func (a *traceAnswer) writeList(p *prose, list []traced) {
	for _, t := range list {
		text := strings.Repeat("  ", min(t.Steps, 10)-1) + "- "
		if against := t.standingLine(); against != "" {
			text += against + " "
		}
		text += fmt.Sprintf("%s, version %d", oneLine(t.ID), t.Version)
		for _, word := range []string{t.EvidenceLabel, t.DecisionLabel} {
			if word != "" {
				text += ", " + oneLine(word)
			}
		}
		if t.VerificationDate != "" {
			text += ", verified " + oneLine(t.VerificationDate)
		}
		if t.ID == a.Weakest {
			text += ", the weakest link"
			if limit := t.LabelBasis.LimitedBy(); limit != "" {
				text += ", limited by " + quoteText(limit)
			}
		}
		if !isLost(t.Standing) {
			text += ": " + quoteText(t.Title)
		}
		p.writeLine("%s", text)
	}
}
