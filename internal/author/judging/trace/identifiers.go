package trace

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"stele/record"
)

// Patterns of identifiers in URLs, citations and lists.
var (
	doiForm    = regexp.MustCompile(`10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s"<>]+`)
	pmidForm   = regexp.MustCompile(`(?:pmid|pubmed(?:[ _-]?id)?)[:= ]*\s*([0-9]+)`)
	pubMedForm = regexp.MustCompile(`(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed|europepmc\.org/(?:article|abstract)/med)/([0-9]+)`)
)

// findIdentifiers returns the DOIs and PubMed IDs in a text, in any spelling, as "doi:10.1000/182"
// and "pmid:1234". DOIs are case-insensitive.
func findIdentifiers(text string) (list []string) {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	text = strings.ToLower(text)
	if strings.Contains(text, "%") {
		if plain, err := url.PathUnescape(text); err == nil {
			text = plain
		}
	}
	isAddress := strings.HasPrefix(strings.TrimSpace(text), "http")
	for _, found := range doiForm.FindAllString(text, -1) {
		if isAddress {
			found, _, _ = strings.Cut(found, "#")
			found, _, _ = strings.Cut(found, "?")
			for _, page := range []string{"/full", "/abstract", "/pdf", "/epdf", "/meta", ".pdf"} {
				found = strings.TrimSuffix(strings.TrimSuffix(found, "/"), page)
			}
		}
		list = append(list, "doi:"+trimDOI(found))
	}
	for _, form := range []*regexp.Regexp{pmidForm, pubMedForm} {
		for _, found := range form.FindAllStringSubmatch(text, -1) {
			list = append(list, pubMedID(found[1]))
		}
	}
	list = slices.DeleteFunc(list, func(name string) bool { return name == "" || strings.HasSuffix(name, "/") })
	slices.Sort(list)
	return slices.Compact(list)
}

// trimDOI removes punctuation and brackets that are not part of the DOI.
func trimDOI(s string) string {
	for s != "" {
		last := s[len(s)-1]
		closing := strings.IndexByte(")]}", last)
		if strings.IndexByte(".,;:'/", last) < 0 &&
			(closing < 0 || strings.Count(s, string(last)) <= strings.Count(s, string("([{"[closing]))) {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}

// pubMedID returns a PubMed ID as "pmid:1234", or "". Lists write 0 for a missing ID.
func pubMedID(digits string) string {
	digits = strings.TrimLeft(strings.TrimSpace(digits), "0")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return "pmid:" + digits
}

// sourceIdentifiers returns the identifiers of a source, from its members, URLs and citation.
func sourceIdentifiers(s *record.SourceObject) (list []string) {
	for _, t := range s.Identifiers {
		list = append(list, findIdentifiers(t.Text)...)
		if name := strings.ToLower(t.Name); strings.Contains(name, "pmid") || strings.Contains(name, "pubmed") {
			list = append(list, pubMedID(t.Text))
		}
	}
	texts := []string{string(s.URLMain), string(s.URLDownload), s.CitationFull}
	for _, l := range s.SourceLinks {
		texts = append(texts, string(l.URL))
	}
	for _, text := range append(texts, s.Aliases...) {
		list = append(list, findIdentifiers(text)...)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(name string) bool { return name == "" })
}
