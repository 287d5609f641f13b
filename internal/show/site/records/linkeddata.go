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

// linkedTypes contains the closest schema.org type of each kind. Other kinds are a CreativeWork.
var linkedTypes = map[string]string{record.KindProofClaim: "Claim", record.KindSignal: "Report", record.KindEvidence: "Report"}

// The schema.org types of sources and entities.
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

// writeLinkedRecord writes the JSON-LD of a record. Reflection would take five times as long.
func (p *page) writeLinkedRecord(k *record.Kind, rec record.Record) {
	e := rec.Common()
	p.HTML(`<script type="` + layout.TypeJSONLD + `">{"@context":"https://schema.org","@type":`)
	p.JSON(linkedType(k, rec))
	p.WriteMembers("@id", p.Own, "name", lookup.Name(e), "identifier", string(e.ID))
	switch r := rec.(type) {
	case *record.Entity:
		p.WriteMembers("description", e.Summary)
		p.writeLinkedSameAs(r)
		p.writeLinkedAbout(e)
	case *record.SourceObject:
		p.writeLinkedSource(r)
		p.writeLinkedAbout(e)
	default:
		p.writeLinkedClaim(rec)
		p.writeLinkedOwn(e)
	}
	p.HTML("}</script>\n")
}

// writeLinkedAbout writes the record as a publication about its subject. A place has no version and
// licence, and a paper has its own, so these properties must describe the record.
func (p *page) writeLinkedAbout(e *record.Envelope) {
	p.HTML(`,"subjectOf":{"@type":"CreativeWork"`)
	p.WriteMembers("url", p.Own)
	p.writeLinkedOwn(e)
	p.HTML("}")
}

// writeLinkedOwn writes the properties of a record as a publication: its version, dates, licence,
// catalogue, JSON, sources and corrections.
func (p *page) writeLinkedOwn(e *record.Envelope) {
	p.WriteMembers("version", strconv.FormatInt(e.Version, 10),
		"datePublished", string(e.PublishedDate), "dateModified", string(e.UpdatedDate),
		"license", render.LicenseURL(p.licenseOf(e)), "inLanguage", p.Settings.Language)
	p.writeLinkedPublisher(p.Settings.Publisher)
	p.HTML(`,"isPartOf":{"@type":"DataCatalog"`)
	p.WriteMembers("@id", p.Base+"/")
	p.HTML(`},"encoding":{"@type":"DataDownload","encodingFormat":"` + layout.TypeJSON + `"`)
	p.WriteMembers("contentUrl", p.Base+p.json)
	p.HTML("}")
	p.writeLinkedSources(e)
	p.writeLinkedCorrections(e)
}

// writeLinkedClaim writes a claim, its claimant and its limits. Its certainty is not a verdict on
// its truth, so it is not marked as a review.
func (p *page) writeLinkedClaim(rec record.Record) {
	p.WriteMembers("description", rec.Common().Summary)
	c, ok := rec.(*record.ProofClaim)
	if !ok {
		return
	}
	p.WriteMembers("text", c.Claim)
	if c.ClaimantID != "" {
		p.HTML(`,"author":{"@type":"Organization"`)
		p.WriteMembers("name", p.Refer(string(c.ClaimantID)).Title)
		p.HTML("}")
	}
	if c.ClaimBoundary != nil {
		p.WriteMembers("disambiguatingDescription", c.ClaimBoundary.Statement)
	}
}

func (p *page) writeLinkedSameAs(entity *record.Entity) {
	for i, u := range entity.SameAs[:min(len(entity.SameAs), frame.Shown)] {
		p.beginLinkedList(i, "sameAs")
		p.JSON(string(u))
	}
	p.endLinkedList(len(entity.SameAs))
}

// writeLinkedSource writes the properties of the source itself: date, licence and producer of the
// paper, not of the record about the paper.
func (p *page) writeLinkedSource(s *record.SourceObject) {
	license := ""
	if s.SourceLicense != nil {
		license = string(s.SourceLicense.URL)
	}
	p.WriteMembers("datePublished", string(s.DatePublished), "license", license, "url", string(s.URLMain),
		"sameAs", doiAddress(s.Identifiers.Get("doi")))
	p.writeLinkedPublisher(s.Producer)
}

func (p *page) writeLinkedPublisher(name string) {
	p.HTML(`,"publisher":{"@type":"Organization","name":`)
	p.JSON(name)
	p.HTML("}")
}

// doiAddress returns the URL of doi, or "" if doi is "".
func doiAddress(doi string) string {
	if doi == "" {
		return ""
	}
	return "https://doi.org/" + doi
}

// writeLinkedSources writes the sources as the graph names them: derived_from becomes isBasedOn,
// and cites becomes citation. Disputed sources are omitted.
func (p *page) writeLinkedSources(e *record.Envelope) {
	p.writeLinkedBy(e, "isBasedOn", record.RelationDerivedFrom)
	p.writeLinkedBy(e, "citation", record.RelationCites)
}

func (p *page) writeLinkedBy(e *record.Envelope, name string, relation record.Relation) {
	count := 0
	for i := range e.SourceLinks {
		if s := &e.SourceLinks[i]; sourceRelations[s.Role] == relation && count < frame.Shown {
			p.beginLinkedList(count, name)
			p.JSON(string(s.URL))
			count++
		}
	}
	p.endLinkedList(count)
}

// sourceRelations contains the relation of each source role in the graph.
var sourceRelations = func() map[record.SourceRole]record.Relation {
	m := map[record.SourceRole]record.Relation{}
	for _, b := range standing.Bonds {
		if b.Member == "source_links.source_id" {
			m[record.SourceRole(b.Word)] = b.Relation
		}
	}
	return m
}()

func (p *page) writeLinkedCorrections(e *record.Envelope) {
	for i, c := range e.Corrections[:min(len(e.Corrections), frame.Shown)] {
		p.beginLinkedList(i, "correction")
		p.HTML(`{"@type":"CorrectionComment"`)
		p.WriteMembers("datePublished", string(c.Date), "text", c.Summary)
		p.HTML("}")
	}
	p.endLinkedList(len(e.Corrections))
}

// beginLinkedList writes the text before element i of the list in the member with the given name.
func (p *page) beginLinkedList(i int, name string) {
	p.HTML(",")
	if i == 0 {
		p.JSON(name)
		p.HTML(":[")
	}
}

func (p *page) endLinkedList(count int) {
	if count > 0 {
		p.HTML("]")
	}
}

// linkedType returns the closest schema.org type of rec.
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
