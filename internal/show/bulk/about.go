package bulk

import (
	"slices"
	"strings"

	"stele/internal/compile/render"
	"stele/record"
)

// fact is a name with its value in the description of a download.
type fact struct{ Name, Value string }

// releaseFacts describes a download that contains all kinds.
func releaseFacts(e render.Records) []fact {
	m := e.Release()
	return withoutEmpty(append(serviceFacts(e), fact{"release", m.Release}, fact{"date", m.Date}, fact{"citation", render.Cite(m)}))
}

// kindFacts describes a download of kind k. The description does not name the release, so that it
// changes only when the records do.
func kindFacts(e render.Records, k *record.Kind, asOf string) []fact {
	m, of := e.Release(), k.Many
	if asOf != "" {
		of += ", as of " + asOf
	}
	return withoutEmpty(append(serviceFacts(e), fact{"kind", k.Name}, fact{"as_of", asOf}, fact{"citation", render.CitePart(m, of)}))
}

// serviceFacts returns the facts that all downloads share.
func serviceFacts(e render.Records) []fact {
	m := e.Release()
	return []fact{
		{"title", m.Title},
		{"description", e.Settings().Description},
		{"publisher", m.Publisher},
		{"license", m.License},
		{"contact", m.Contact},
		{"language", m.Language},
		{"notice", m.Notice},
		{"base_url", m.BaseURL},
		{"preserve", strings.Join(render.Preserve, ", ")},
		{"keep_together", strings.Join(render.Together, "; ")},
	}
}

// withoutEmpty removes facts without a value.
func withoutEmpty(facts []fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Value == "" })
}
