package bulk

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/render"
	"stele/record"
	"stele/release"
)

// fact is something that a download says of itself.
type fact struct{ Name, Value string }

// preserve names what consumers must keep when they pass records on.
const preserve = "record ID, source links, version, verification date, claim boundary, source updates, corrections, labels"

// about is what a download of all kinds says of itself.
func about(e render.Records) []fact {
	m := e.Release()
	return given(append(aboutService(e), fact{"release", m.Release}, fact{"date", m.Date}, fact{"citation", citation(e)}))
}

// aboutKind is what a download of one kind says of itself. It names no release, so that it changes
// only when its records do.
func aboutKind(e render.Records, k *record.Kind) []fact {
	m, asOf := e.Release(), string(e.AsOf(k))
	of := k.Many
	if asOf != "" {
		of += ", as of " + asOf
	}
	return given(append(aboutService(e), fact{"kind", k.Name}, fact{"as_of", asOf}, fact{"citation", cited(m, of)}))
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
		{"preserve", preserve},
	}
}

// given leaves out what the publisher left open.
func given(facts []fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Value == "" })
}

// citation is how to name the release as a source.
func citation(e render.Records) string {
	m := e.Release()
	return cited(m, fmt.Sprintf("Release %s, %s", m.Release, m.Date))
}

func cited(m *release.Manifest, what string) string {
	return fmt.Sprintf(
		"%s. %s. %s. %s. Licence: %s.",
		strings.TrimSuffix(m.Publisher, "."),
		strings.TrimSuffix(m.Title, "."),
		what,
		m.BaseURL,
		m.License,
	)
}
