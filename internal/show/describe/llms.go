package describe

import (
	"bytes"
	"fmt"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/markdown"
	"stele/internal/show/site/words"
	"stele/record"
)

// writeText writes what a language model reads first (llmstxt.org): what this is, what to keep, and
// where everything is.
func (s *service) writeText(out render.Output) error {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	s.llmsTerms(line)
	if err := s.llmsClaims(line); err != nil {
		return err
	}
	for _, part := range []func(printer){s.llmsIndicators, s.llmsRecords, s.llmsDescriptions, s.llmsDownloads} {
		part(line)
	}
	return out.Put(layout.LLMsPath, b.Bytes())
}

// printer writes a line.
type printer func(format string, args ...any)

func (s *service) llmsTerms(line printer) {
	line("# %s\n", markdown.Inline(s.settings.Title))
	line("> %s\n", markdown.Inline(s.about()))
	line("%s\n\n%s\n", render.PreserveSentence, markdown.Paragraph(s.settings.Notice))
	line("Everything is static and read-only, and needs no account. %s Quote a record with its ID, its version and its page, "+
		"and say if it was retracted, or if [the list of standings](%s) names it. "+
		"Illustrative records are examples, not findings. Public references only illustrate; they are never evidence.\n",
		render.NothingPromised, s.at(layout.StandingPath))
	line("Licence: %s, unless a record names another. Publisher: %s. Contact: %s. Release %s of %s. Cite as: %s",
		markdown.Inline(s.settings.License), markdown.Inline(s.settings.Publisher), markdown.Inline(s.settings.Contact),
		markdown.Inline(s.release.Release), s.release.Date, markdown.Inline(render.Cite(s.release)))
}

func (s *service) llmsRecords(line printer) {
	line("\n## Records\n")
	line("A collection is one JSON object with a record on each line. Where a kind has pages, each record is also at its own address as Markdown.\n")
	for _, k := range record.Kinds {
		text := fmt.Sprintf("- [%s](%s): %d. %s",
			markdown.Inline(words.Capital(k.Many)), s.at(k.Collection.Path), s.count(k), markdown.Inline(k.Doc))
		if k.HasPage() {
			text += " One as Markdown: " + markdown.Code(s.at(twinPath(k, "{id}"))) + "."
		}
		if k.HasSingle() {
			text += " One as JSON: " + markdown.Code(s.at(k.Single.Path)) + "."
		}
		line("%s", text)
	}
}

func (s *service) llmsDescriptions(line printer) {
	line("\n## Descriptions\n")
	if s.base != "" {
		line("- [Skill](%s): how agents look here, what they keep and what they refuse", s.at(layout.SkillPath(s.skillName())))
	}
	line("- [OpenAPI](%s): the routes, with schemas and examples", s.at(layout.OpenAPIPath))
	line("- Route listings, [first](%s) and [second](%s): which routes each of the two names", s.at(layout.RoutesPath("first")), s.at(layout.RoutesPath("second")))
	if s.base != "" {
		line("- [Catalogue](%s): the same as linked data, in DCAT; [dataset](%s) in the words of schema.org", s.at(layout.DCATPath), s.at(layout.DatasetPath))
	}
	line("- [Standings](%s): the records that were retracted, have lost what they rest on, or have to be looked at again; all others stand", s.at(layout.StandingPath))
	line("- [Releases](%s): all releases so far, with the digests of their records; what records said before lies where the manifest says (history)", s.at(layout.ReleasesPath))
	line("- [Schemas](%s): how the schemas of records differ from those of the releases before", s.at(layout.SchemasPath))
	line("- [Manifest](%s): every file of the release with its digest", s.at(layout.ManifestPath))
	if signed := s.signed(); signed != "" {
		line("- %s", markdown.Inline(signed))
	}
	line("\n## Changes\n")
	if s.base != "" {
		line("- [Atom](%s) and [JSON Feed](%s): what changed, the newest first", s.at(feedPath(changes(), ".atom")), s.at(feedPath(changes(), ".json")))
	}
}

func (s *service) llmsDownloads(line printer) {
	if len(s.downloads) > 0 {
		line("\n## Downloads\n")
		for _, d := range s.downloads {
			name := "All records"
			if d.Kind != nil {
				if s.count(d.Kind) == 0 {
					continue
				}
				name = words.Capital(d.Kind.Many)
			}
			text := fmt.Sprintf("- [%s, %s](%s)", markdown.Inline(name), d.Format, s.at(d.Path))
			if d.bytes > 0 {
				text += ": " + size(d.bytes)
			}
			line("%s", text)
		}
	}
	line("\n## Optional\n")
	for _, k := range record.Kinds {
		line("- [Schema of %s](%s), [listing](%s)", markdown.Inline(k.Many), s.at(collectionSchemaPath(k)), s.at(layout.ListingPath(k.Folder())))
	}
}
