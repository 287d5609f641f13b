package records

import (
	"cmp"
	"strconv"

	"stele/record"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/trust/standing"
)

// linkedTypes are the types of schema.org that come nearest to kinds. What is not here is a
// CreativeWork.
var linkedTypes = map[string]string{record.KindProofClaim: "Claim", record.KindSignal: "Report", record.KindEvidence: "Report"}

// linkedSources and linkedEntities are those of sources and entities, by their type.
var (
	linkedSources = map[record.SourceType]string{
		record.SourceDataset:     "Dataset",
		record.SourceArticle:     "ScholarlyArticle",
		record.SourceReview:      "ScholarlyArticle",
		record.SourceGuideline:   "MedicalGuideline",
		record.SourceReport:      "Report",
		record.SourceWebPage:     "WebPage",
		record.SourceLegislation: "Legislation",
	}
	linkedEntities = map[record.EntityType]string{
		record.EntityOrganization: "Organization",
		record.EntityPlace:        "Place",
		record.EntityPopulation:   "MedicalAudience",
		record.EntityCondition:    "MedicalCondition",
		record.EntityIntervention: "MedicalTherapy",
		record.EntityIndicator:    "StatisticalVariable",
	}
)

// linkedRecord describes a record. It is written piece by piece, because that takes a fifth of the
// time that reflection does, on every page.
func (p *page) linkedRecord(k *record.Kind, rec record.Record) {
	e := rec.Common()
	p.HTML(`<script type="` + layout.TypeJSONLD + `">{"@context":"https://schema.org","@type":`)
	p.JSON(linkedType(k, rec))
	p.Members("@id", p.Own, "name", lookup.Name(e), "identifier", string(e.ID))
	switch r := rec.(type) {
	case *record.Entity:
		p.Members("description", e.Summary)
		p.linkedSameAs(r)
		p.linkedAbout(e)
	case *record.SourceObject:
		p.linkedSource(r)
		p.linkedAbout(e)
	default:
		p.linkedClaim(rec)
		p.linkedOwn(e)
	}
	p.HTML("}</script>\n")
}

// linkedAbout describes a record about something else. A place has no version and no licence, and a
// paper has its own; what is written about them has these.
func (p *page) linkedAbout(e *record.Envelope) {
	p.HTML(`,"subjectOf":{"@type":"CreativeWork"`)
	p.Members("url", p.Own)
	p.linkedOwn(e)
	p.HTML("}")
}

// linkedOwn says what a record has as something that was written and published: version, dates and
// licence, the catalogue that it is in, its JSON, its sources and its corrections.
func (p *page) linkedOwn(e *record.Envelope) {
	p.Members("version", strconv.FormatInt(e.Version, 10),
		"datePublished", string(e.PublishedDate), "dateModified", string(e.UpdatedDate),
		"license", render.LicenseURL(p.licenseOf(e)), "inLanguage", p.Settings.Language)
	p.linkedPublisher(p.Settings.Publisher)
	p.HTML(`,"isPartOf":{"@type":"DataCatalog"`)
	p.Members("@id", p.Base+"/")
	p.HTML(`},"encoding":{"@type":"DataDownload","encodingFormat":"` + layout.TypeJSON + `"`)
	p.Members("contentUrl", p.Base+p.json)
	p.HTML("}")
	p.linkedSources(e)
	p.linkedCorrections(e)
}

// linkedClaim has the words of a claim, who makes it and where it ends. How certain it is is no
// verdict on its truth, so nothing here says that it was reviewed.
func (p *page) linkedClaim(rec record.Record) {
	p.Members("description", rec.Common().Summary)
	c, ok := rec.(*record.ProofClaim)
	if !ok {
		return
	}
	p.Members("text", c.Claim)
	if c.ClaimantID != "" {
		p.HTML(`,"author":{"@type":"Organization"`)
		p.Members("name", p.Refer(string(c.ClaimantID)).Title)
		p.HTML("}")
	}
	if c.ClaimBoundary != nil {
		p.Members("disambiguatingDescription", c.ClaimBoundary.Statement)
	}
}

func (p *page) linkedSameAs(entity *record.Entity) {
	for i, u := range entity.SameAs[:min(len(entity.SameAs), frame.Shown)] {
		p.listBegin(i, "sameAs")
		p.JSON(string(u))
	}
	p.listEnd(len(entity.SameAs))
}

// linkedSource says of a source what is its own: the day, the licence and the producer of the
// paper, and not those of the record about it.
func (p *page) linkedSource(s *record.SourceObject) {
	license := ""
	if s.SourceLicense != nil {
		license = string(s.SourceLicense.URL)
	}
	p.Members("datePublished", string(s.DatePublished), "license", license, "url", string(s.URLMain),
		"sameAs", doiAddress(s.Identifiers.Get("doi")))
	p.linkedPublisher(s.Producer)
}

func (p *page) linkedPublisher(name string) {
	p.HTML(`,"publisher":{"@type":"Organization","name":`)
	p.JSON(name)
	p.HTML("}")
}

// doiAddress is where a DOI leads; "" for none.
func doiAddress(doi string) string {
	if doi == "" {
		return ""
	}
	return "https://doi.org/" + doi
}

// linkedSources names the sources as the graph does: what a record is derived from is what it is
// based on, and what it cites is a citation. A source that it disputes is neither.
func (p *page) linkedSources(e *record.Envelope) {
	p.linkedBy(e, "isBasedOn", record.RelationDerivedFrom)
	p.linkedBy(e, "citation", record.RelationCites)
}

func (p *page) linkedBy(e *record.Envelope, name string, relation record.Relation) {
	count := 0
	for i := range e.SourceLinks {
		if s := &e.SourceLinks[i]; sourceRelations[s.Role] == relation && count < frame.Shown {
			p.listBegin(count, name)
			p.JSON(string(s.URL))
			count++
		}
	}
	p.listEnd(count)
}

// sourceRelations are what the roles of sources mean in the graph.
var sourceRelations = func() map[record.SourceRole]record.Relation {
	m := map[record.SourceRole]record.Relation{}
	for _, b := range standing.Bonds {
		if b.Member == "source_links.source_id" {
			m[record.SourceRole(b.Word)] = b.Relation
		}
	}
	return m
}()

func (p *page) linkedCorrections(e *record.Envelope) {
	for i, c := range e.Corrections[:min(len(e.Corrections), frame.Shown)] {
		p.listBegin(i, "correction")
		p.HTML(`{"@type":"CorrectionComment"`)
		p.Members("datePublished", string(c.Date), "text", c.Summary)
		p.HTML("}")
	}
	p.listEnd(len(e.Corrections))
}

// listBegin writes what stands before element i of a list that is a member of an object.
func (p *page) listBegin(i int, name string) {
	p.HTML(",")
	if i == 0 {
		p.JSON(name)
		p.HTML(":[")
	}
}

func (p *page) listEnd(count int) {
	if count > 0 {
		p.HTML("]")
	}
}

// linkedType is the type of schema.org that comes nearest to a record.
func linkedType(k *record.Kind, rec record.Record) string {
	name := linkedTypes[k.Name]
	switch r := rec.(type) {
	case *record.SourceObject:
		name = linkedSources[r.SourceType]
	case *record.Entity:
		name = linkedEntities[r.EntityType]
	}
	return cmp.Or(name, "CreativeWork")
}
