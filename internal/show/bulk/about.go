package bulk

import (
	"slices"
	"strings"

	"stele/internal/compile/render"
	"stele/record"
)

// fact is something that a download says of itself.
type fact struct{ Name, Value string }

// about is what a download of all kinds says of itself.
func about(e render.Records) []fact {
	m := e.Release()
	return given(append(aboutService(e), fact{"release", m.Release}, fact{"date", m.Date}, fact{"citation", render.Cite(m)}))
}

// aboutKind is what a download of one kind says of itself. It names no release, so that it changes
// only when its records do.
func aboutKind(e render.Records, k *record.Kind, asOf string) []fact {
	m, of := e.Release(), k.Many
	if asOf != "" {
		of += ", as of " + asOf
	}
	return given(append(aboutService(e), fact{"kind", k.Name}, fact{"as_of", asOf}, fact{"citation", render.CitePart(m, of)}))
}

// aboutService is what all downloads say.
func aboutService(e render.Records) []fact {
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

// given leaves out what the publisher left open.
func given(facts []fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Value == "" })
}
