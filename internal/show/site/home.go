package site

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the start page.
var (
	homeForm = markup.Parse(`
		<header class="opening home">
			<h1{lang}>{title}</h1>
			<p class="lead"{lang}>{lead}</p>
			<p class="trust">{?claims}<a href="{claims}">{=TrustLimits}</a> {/}<a href="/changes/">{=TrustCorrections}</a> <a href="/how/">{=How}</a> <a href="/in-question/">{=InQuestion}</a></p>{next}
		</header>
		<div class="front">
			{sections}
		</div>`)
	homeSearchForm = markup.Parse(`<section class="home-search">{box}</section>`)
	saysForm       = markup.Parse(`
		<section class="says"><h2><a href="{folder}">{head}</a></h2><ul>{list}</ul></section>`)
	saidBrieflyForm = markup.Parse(`
		<li>
			<h3>{title}</h3>
			<p>{labels}<span class="quiet">{=CiteVerified} {date}</span></p>
			{limit}
		</li>`)
	leadsForm     = markup.Parse(`<div class="leads">{claim}{chart}</div>`)
	leadClaimForm = markup.Parse(`
		<section class="lead-claim"><h2>{title}</h2>
			<p class="claim"{lang}>{claim}</p>
			<p>{labels}<span class="quiet">{=CiteVerified} {date}</span></p>
			{limit}
		</section>`)
	limitForm   = markup.Parse(`<p class="limit"><span>{=Boundary}:</span> {statement}</p>`)
	decidedForm = markup.Parse(`<li>{title} {label}</li>`)
	latestForm  = markup.Parse(`
		{points}<section><h2>{=HomeHead}</h2>{none}
			<ol class="latest">{list}</ol>
			<p><a href="/changes/">{=AllChanges}</a></p>
		</section>`)
	latestEntryForm = markup.Parse(`<li>{date} {badge} {subject}{summary}</li>`)
	wasWrongForm    = markup.Parse(`<p class="quiet"{lang}>{text}</p>`)
	decisionsForm   = markup.Parse(`
		<section><h2><a href="{folder}">{head}</a></h2><ol class="latest">{list}</ol></section>`)
	topicsForm = markup.Parse(`<section class="topics"><h2>{=Topics}</h2><ul>{list}</ul></section>`)
	topicForm  = markup.Parse(`<li>{title} <span class="count">{count}</span></li>`)
	kindsForm  = markup.Parse(`<section id="records"><h2>{=KindsHead}</h2>{?more}<p{lang}>{more}</p>{/}{table}</section>`)
	kindForm   = markup.Parse(`<a href="{folder}">{kind}</a><span>{doc}</span>`)
	dataForm   = markup.Parse(`
		<section><h2>{=GetData}</h2>
			<p>{=GetDataText}</p>
			<pre tabindex="0">{commands}</pre>
			<p><a href="/developers/">{=Developers}</a>{?downloads} · <a href="/developers/#downloads">{=Downloads}</a>{/}</p>
			<p class="quiet">{=Release} <code>{id}</code> · {date} · {publisher}. {=NothingPromised}</p>
		</section>`)
)

// homeSections contains the sections of the start page, by name.
var homeSections = map[string]func(*page){
	"search": func(p *page) {
		p.Fill(homeSearchForm, markup.By("box", func() { p.WriteSearchForm(p.Words.SearchHint, p.Words.SearchHint) }))
	},
	"claims":    (*page).writeNewestClaims,
	"figures":   func(p *page) { p.of.figures.Sparks(p.Page) },
	"changes":   (*page).writeLatestChanges,
	"decisions": (*page).writeNewestDecisions,
	"kinds":     (*page).writeKindTable,
	"data":      (*page).writeDownloadHelp,
}

// signposts contains links from the start page to the service's descriptions and all collections.
var signposts = &frame.Signposts{
	Type: "DataCatalog", Linkset: layout.Address(layout.CatalogPath),
	DescribedBy: []frame.Signpost{
		{Address: layout.Address(layout.DatasetPath), MediaType: layout.TypeJSONLD},
		{Address: layout.Address(layout.DCATPath), MediaType: layout.TypeJSONLD},
	},
}

// writeHome writes the start page: claims, changes, decisions, the kinds, and how to get the data.
func (s *site) writeHome() error {
	return s.Put(layout.Index, func(p *page) {
		c := p.CiteRelease()
		p.Open(frame.Head{
			Title: p.Settings.Title, Description: p.Settings.Description, Section: "/",
			Data: p.Catalog(), Feeds: frame.AllChanges, Cite: &c, Signposts: signposts,
		})
		lead, _ := p.leadSentence()
		claims := ""
		if k := record.KindNamed(record.KindProofClaim); p.Published(k) > 0 {
			claims = layout.ListAddress(k.Folder(), 0)
		}
		p.Fill(homeForm, markup.With("title", p.Settings.Title), markup.With("lead", lead),
			markup.With("claims", claims),
			markup.When(len(p.Settings.Calendar) > 0, "next", p.writeNextPlans),
			markup.By("sections", func() {
				led := false
				for _, name := range p.Settings.HomeSections() {
					if !led && (name == "claims" || name == "figures") {
						p.writeLead()
						p.writeTopics()
						led = true
					}
					homeSections[name](p)
				}
			}))
		p.Close()
	})
}

// leadSentence returns the first sentence of the service's description, and the rest.
func (p *page) leadSentence() (first, rest string) {
	const most = 240
	text := p.Settings.Description
	if end := strings.IndexAny(text, ".؟!。"); end > 0 && end < most {
		if i := strings.IndexByte(text[end:], ' '); i > 0 {
			return text[:end+i], text[end+i+1:]
		}
	}
	return text, ""
}

// writeTopics writes a list of the most frequent subjects of records.
func (p *page) writeTopics() {
	const most = 8
	type topic struct {
		id    string
		count int
	}
	var list []topic
	k := record.KindNamed(record.KindEntity)
	for i := range min(p.Records.Len(k), mostLookedThrough) {
		switch record.EntityType(lookup.TextOf(p.Raw(k, i), `"entity_type":"`)) {
		case record.EntityCondition, record.EntityIntervention, record.EntityOutcome, record.EntityPopulation:
		default:
			continue
		}
		t := topic{id: p.Records.ID(k, i)}
		for l := range p.Records.Edges(k, i) {
			if !l.Out && l.Relation == record.RelationAbout {
				t.count++
			}
		}
		if t.count > 0 {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b topic) int { return cmp.Compare(b.count, a.count) })
	if list = list[:min(len(list), most)]; len(list) > 0 {
		p.Fill(topicsForm, markup.Each("list", list, func(t topic) {
			p.Fill(topicForm, markup.By("title", func() { p.WriteLink(t.id) }),
				markup.By("count", func() { p.Int(int64(t.count)) }))
		}))
	}
}

// mostLookedThrough is the maximum number of records of a kind that are searched for the latest, in
// addition to records in events. It covers most kinds, but limits the work for a million records.
const mostLookedThrough = 5_000

// latestRecords returns at most most records of a kind that changed last, newest first. It omits
// retracted records.
func (p *page) latestRecords(most int, kind string) (records []record.Record) {
	k := record.KindNamed(kind)
	list := p.latestChanges(k, 10*most)
	slices.SortFunc(list, func(a, b dated) int {
		return cmp.Or(strings.Compare(b.date, a.date), strings.Compare(a.id, b.id))
	})
	list = slices.Compact(list)
	for _, f := range list {
		if len(records) < most && !p.Records.Standing(k, f.i).Standing.IsLost() {
			records = append(records, p.Read(k, f.i))
		}
	}
	return records
}

// dated is a record with the date of its last change.
type dated struct {
	i    int
	date string
	id   string
}

// latestChanges returns the records of k that the latest events name, and the first records of k.
func (p *page) latestChanges(k *record.Kind, events int) (list []dated) {
	add := func(i int) {
		list = append(list, dated{i, lookup.TextOf(p.Raw(k, i), `"updated_date":"`), p.Records.ID(k, i)})
	}
	named := 0
	for e := range lookup.All(p.Reader, p.Records.Events(k).From(0)) {
		if found, i, ok := p.Records.Find(string(e.RecordID)); ok && found == k {
			add(i)
		}
		if named++; named == events {
			break
		}
	}
	for i := range min(p.Records.Len(k), mostLookedThrough) {
		add(i)
	}
	return list
}

// writeLead writes one claim and one chart at the top of the start page, if the publisher wants
// them.
func (p *page) writeLead() {
	wants := p.Settings.HomeSections()
	p.Fill(leadsForm,
		markup.When(slices.Contains(wants, "claims"), "claim", p.leadClaim),
		markup.When(slices.Contains(wants, "figures"), "chart", func() { p.of.figures.Lead(p.Page) }))
}

// leadClaim writes the latest claim with a rated certainty, or otherwise the latest claim.
func (p *page) leadClaim() {
	list := p.latestRecords(10, record.KindProofClaim)
	if len(list) == 0 {
		return
	}
	rated := slices.IndexFunc(list, func(rec record.Record) bool {
		c := rec.(*record.ProofClaim)
		return c.EvidenceLabel != "" && c.EvidenceLabel != record.LabelNotRated
	})
	c := list[max(0, rated)].(*record.ProofClaim)
	p.led = c.ID
	p.Fill(leadClaimForm, markup.By("title", func() { p.WriteLink(string(c.ID)) }), markup.With("claim", c.Claim),
		markup.By("labels", func() { p.writeStatementLabels(c) }), markup.By("date", func() { p.WriteDate(c.VerificationDate) }),
		markup.By("limit", func() { p.writeBoundary(c.ClaimBoundary) }))
}

func (p *page) writeBoundary(b *record.ClaimBoundary) {
	if b != nil {
		p.Fill(limitForm, markup.By("statement", func() { p.WritePublisherText(words.Truncate(b.Statement, 240)) }))
	}
}

// writeNewestClaims writes the latest claims and signals, each with its label and boundary.
func (p *page) writeNewestClaims() {
	const most = 3
	for _, name := range []string{record.KindProofClaim, record.KindSignal} {
		k := record.KindNamed(name)
		list := p.latestRecords(most+1, name)
		list = slices.DeleteFunc(list, func(rec record.Record) bool { return rec.Common().ID == p.led })
		list = list[:min(len(list), most)]
		if len(list) == 0 {
			continue
		}
		p.Fill(saysForm, markup.With("folder", layout.ListAddress(k.Folder(), 0)), markup.With("head", p.Words.HomeHeads[name]),
			markup.Each("list", list, p.writeStatement))
	}
}

// writeStatement writes a claim or a signal in a few lines.
func (p *page) writeStatement(rec record.Record) {
	e := rec.Common()
	p.Fill(saidBrieflyForm, markup.By("title", func() { p.WriteLink(string(e.ID)) }),
		markup.By("labels", func() { p.writeStatementLabels(rec) }), markup.By("date", func() { p.WriteDate(e.VerificationDate) }),
		markup.By("limit", func() { p.writeBoundary(e.ClaimBoundary) }))
}

// writeStatementLabels writes the certainty of a claim or a signal, and who rated it.
func (p *page) writeStatementLabels(rec record.Record) {
	id := string(rec.Common().ID)
	if d := p.Detail(id); d.Label != "" {
		p.WriteBadge(d.List, d.Label)
		p.HTML(" ")
	}
	if s, ok := rec.(*record.Signal); ok {
		p.WriteBadge(words.SignalTypes, string(s.SignalType))
		p.HTML(" ")
	}
	if is := p.StandingOf(id); is != standing.Stands {
		p.WriteBadge(words.Standings, is.String())
		p.HTML(" ")
	}
	if c, ok := rec.(*record.ProofClaim); ok && c.ClaimantID != "" {
		p.WritePublisherText(p.Refer(string(c.ClaimantID)).Title)
		p.HTML(" · ")
	}
}

// writeNewestDecisions writes a list of the latest decisions with their labels.
func (p *page) writeNewestDecisions() {
	const most = 5
	list := p.latestRecords(most, record.KindDecisionView)
	if len(list) == 0 {
		return
	}
	p.Fill(decisionsForm, markup.With("folder", layout.ListAddress(record.KindNamed(record.KindDecisionView).Folder(), 0)),
		markup.With("head", p.Words.HomeHeads[record.KindDecisionView]),
		markup.Each("list", list, func(rec record.Record) {
			d := rec.(*record.DecisionView)
			p.Fill(decidedForm, markup.By("title", func() { p.WriteLink(string(d.ID)) }),
				markup.By("label", func() { p.WriteBadge(words.DecisionLabels, string(d.DecisionLabel)) }))
		}))
}

// writeKindTable writes a table of the kinds with counts and latest dates.
func (p *page) writeKindTable() {
	columns := []frame.Column{
		{Name: p.Words.Kind, Head: true}, {Name: p.Words.Count, Number: true}, {Name: p.Words.Newest},
	}
	_, rest := p.leadSentence()
	p.Fill(kindsForm, markup.With("more", rest), markup.By("table", func() {
		p.Table(frame.Table{Class: "kinds", Columns: columns}, func(t *frame.Table) {
			for _, k := range record.Kinds {
				if p.Published(k) == 0 || isGraphKind(k.Name) {
					continue
				}
				t.Row("", func() {
					p.Fill(kindForm, markup.With("folder", layout.ListAddress(k.Folder(), 0)),
						markup.With("kind", p.Words.Name(k)), markup.With("doc", p.Words.Doc(k)))
				}, func() { p.Int(int64(p.Published(k))) }, p.DateCell(p.Records.AsOf(k)))
			}
		})
	}))
}

// writeLatestChanges writes a list of the latest changes with their reasons. The list always
// includes the latest corrections.
func (p *page) writeLatestChanges() {
	const most, corrections, lookedThrough = 6, 3, 2_000
	entries := p.Records.Entries(nil)
	var list []render.Entry
	looked, corrected := 0, 0
	for e := range lookup.All(p.Reader, entries.From(0)) {
		if e.Event != nil && isGraphKind(string(e.Event.RecordKind)) {
			continue
		}
		wrong := isReportOfError(e.Event)
		if looked < most || wrong && corrected < corrections {
			list = append(list, e)
			if wrong {
				corrected++
			}
		}
		if looked++; looked > lookedThrough || looked >= most && corrected >= corrections {
			break
		}
	}
	p.Fill(latestForm, markup.By("points", func() { p.of.explore.WritePoints(p.Page, most) }),
		markup.When(len(list) == 0, "none", func() { p.WriteSecondaryText(p.Words.NoChanges) }),
		markup.Each("list", list, p.writeLatest))
}

// isReportOfError reports whether e corrects or retracts a record.
func isReportOfError(e *record.ChangeEvent) bool {
	return e != nil && (e.ChangeType == record.ChangeCorrected || e.ChangeType == record.ChangeRetracted)
}

// isGraphKind reports whether kind is part of the graph, which has its own page.
func isGraphKind(kind string) bool {
	return kind == record.KindGraphNode || kind == record.KindGraphEdge
}

func (p *page) writeLatest(e render.Entry) {
	_, date := frame.IntroducedBy(e)
	change, changed := "", lookup.Changed{}
	if e.Group != nil {
		change = e.Group.Change
	} else {
		change, changed = string(e.Event.ChangeType), p.Changed(e.Event)
	}
	p.Fill(latestEntryForm, markup.By("date", func() { p.WriteDate(date) }),
		markup.By("badge", func() { p.WritePlainBadge(words.ChangeTypes, change) }),
		markup.By("subject", func() {
			if e.Group != nil {
				p.WriteGroupSubject(e.Group)
			} else {
				p.WriteSubject(e.Event, &changed)
			}
		}),
		markup.By("summary", func() {
			reason := changed.Reason
			if e.Group != nil {
				reason = strings.Join(p.of.explore.ChangeReasons(p.Page, e.Group), " ")
			}
			if reason != "" {
				p.Fill(wasWrongForm, markup.With("text", words.Truncate(reason, 200)))
			}
		}))
}

// writeDownloadHelp writes three lines on how to download the files.
func (p *page) writeDownloadHelp() {
	first := record.Kinds[0]
	if i := slices.IndexFunc(record.Kinds, func(k *record.Kind) bool { return p.Published(k) > 0 }); i >= 0 {
		first = record.Kinds[i]
	}
	m := p.Records.Release()
	p.Fill(dataForm, markup.With("id", m.Release), markup.By("date", func() { p.WriteDate(record.Date(m.Date)) }),
		markup.By("publisher", func() { p.WritePublisherText(p.Settings.Publisher) }),
		markup.With("commands", "curl "+p.Service()+first.Collection.Path+"\ncurl "+p.Service()+
			layout.Address(layout.ListingPath(first.Folder()))+"\ncurl "+p.Service()+layout.Address(layout.ManifestPath)),
		markup.ShowIf("downloads", len(p.of.downloads) > 0))
}
