package site

import "stele/record"

// linked is a description in the words of schema.org.
type linked struct {
	Context      string        `json:"@context"`
	Type         string        `json:"@type"`
	ID           string        `json:"@id"`
	Name         string        `json:"name"`
	Description  string        `json:"description,omitempty"`
	Identifier   string        `json:"identifier,omitempty"`
	Version      string        `json:"version,omitempty"`
	Published    string        `json:"datePublished,omitempty"`
	Modified     string        `json:"dateModified,omitempty"`
	License      string        `json:"license,omitempty"`
	Language     string        `json:"inLanguage,omitempty"`
	Publisher    *linkedName   `json:"publisher,omitempty"`
	PartOf       *linkedName   `json:"isPartOf,omitempty"`
	BasedOn      []string      `json:"isBasedOn,omitempty"`
	SameAs       []string      `json:"sameAs,omitempty"`
	URL          string        `json:"url,omitempty"`
	Distribution []linkedFile  `json:"distribution,omitempty"`
	Datasets     []linkedName  `json:"dataset,omitempty"`
	Variable     []linkedName  `json:"variableMeasured,omitempty"`
	Correction   []linkedEvent `json:"correction,omitempty"`
}

type linkedName struct {
	Type string `json:"@type"`
	ID   string `json:"@id,omitempty"`
	Name string `json:"name"`
}

type linkedFile struct {
	Type   string `json:"@type"`
	URL    string `json:"contentUrl"`
	Format string `json:"encodingFormat"`
}

type linkedEvent struct {
	Type string `json:"@type"`
	Date string `json:"datePublished"`
	Text string `json:"text"`
}

const schemaOrg = "https://schema.org"

// linkedTypes are the types of schema.org that come nearest to kinds. What is not here is a CreativeWork.
var linkedTypes = map[string]string{"proof_claim": "Claim", "signal": "Report", "evidence": "Report"}

// linkedSources and linkedEntities are those of sources and entities, by their type.
var (
	linkedSources  = map[record.SourceType]string{"dataset": "Dataset", "article": "ScholarlyArticle", "review": "ScholarlyArticle", "guideline": "MedicalGuideline", "report": "Report", "web_page": "WebPage", "legislation": "Legislation"}
	linkedEntities = map[record.EntityType]string{"organization": "Organization", "place": "Place", "population": "MedicalAudience", "condition": "MedicalCondition", "intervention": "MedicalTherapy", "indicator": "StatisticalVariable"}
)

// linkedData describes a record.
func (p *page) linkedData(k *record.Kind, rec record.Record) *linked {
	e := rec.Common()
	l := &linked{
		Context: schemaOrg, Type: linkedTypes[k.Name], ID: p.base + addressOf(p.path), Name: p.name(e), Description: e.Summary, Identifier: string(e.ID), Version: itoa(e.Version),
		Published: string(e.PublishedDate), Modified: string(e.UpdatedDate), License: licenseAddress(p.licenseOf(e)), Language: p.settings.Language,
		Publisher: &linkedName{"Organization", "", p.settings.Publisher}, PartOf: &linkedName{"DataCatalog", p.base + "/", p.settings.Title},
		Distribution: []linkedFile{{"DataDownload", p.base + jsonAddress(k, string(e.ID)), "application/json"}},
	}
	for _, s := range e.SourceLinks[:min(len(e.SourceLinks), shown)] {
		l.BasedOn = append(l.BasedOn, string(s.URL))
	}
	for _, c := range e.Corrections[:min(len(e.Corrections), shown)] {
		l.Correction = append(l.Correction, linkedEvent{"CorrectionComment", string(c.Date), c.Summary})
	}
	switch r := rec.(type) {
	case *record.SourceObject:
		l.Type, l.URL = linkedSources[r.SourceType], string(r.URLMain)
	case *record.Entity:
		l.Type = linkedEntities[r.EntityType]
		for _, u := range r.SameAs[:min(len(r.SameAs), shown)] {
			l.SameAs = append(l.SameAs, string(u))
		}
	}
	if l.Type == "" {
		l.Type = "CreativeWork"
	}
	return l
}
