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

// writeText writes an overview for language models (llmstxt.org): a description of the service, the
// terms, and links to all files.
func (s *service) writeText(out render.Output) error {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	s.writeLLMsTerms(line)
	if err := s.writeLLMsClaims(line); err != nil {
		return err
	}
	for _, part := range []func(printer){
		s.writeLLMsIndicators, s.writeLLMsAreas, s.writeLLMsRecords, s.writeLLMsDescriptions, s.writeLLMsDownloads,
	} {
		part(line)
	}
	return out.Put(layout.LLMsPath, b.Bytes())
}

// printer writes a formatted line.
type printer func(format string, args ...any)

func (s *service) writeLLMsTerms(line printer) {
	line("# %s\n", markdown.Inline(s.settings.Title))
	line("> %s\n", markdown.Inline(s.about()))
	line("%s\n\n%s\n", render.PreserveSentence, markdown.Paragraph(s.settings.Notice))
	line("Everything is static and read-only, and needs no account. %s Quote a record with its ID, its version and its page, "+
		"and say so if it was retracted, or if it is in [the list of standings](%s). "+
		"Illustrative records are examples, not findings. Public references only illustrate; they are never evidence.\n",
		render.NothingPromised, s.urlOf(layout.StandingPath))
	line("Licence: %s, unless a record names another. Publisher: %s. Contact: %s. Release %s of %s. Cite as: %s",
		markdown.Inline(s.settings.License), markdown.Inline(s.settings.Publisher), markdown.Inline(s.settings.Contact),
		markdown.Inline(s.release.Release), s.release.Date, markdown.Inline(render.Cite(s.release)))
}

func (s *service) writeLLMsRecords(line printer) {
	line("\n## Records\n")
	line("A collection is one JSON object with one record per line. If a kind has pages, each record also has its own URL as Markdown.\n")
	for _, k := range record.Kinds {
		text := fmt.Sprintf("- [%s](%s): %d. %s",
			markdown.Inline(words.Capital(k.Many)), s.urlOf(k.Collection.Path), s.count(k), markdown.Inline(k.Doc))
		if k.HasPage() {
			text += " One record as Markdown: " + markdown.Code(s.urlOf(twinPath(k, "{id}"))) + "."
		}
		if k.HasSingle() {
			text += " One record as JSON: " + markdown.Code(s.urlOf(k.Single.Path)) + "."
		}
		line("%s", text)
	}
}

func (s *service) writeLLMsDescriptions(line printer) {
	line("\n## Descriptions\n")
	if s.base != "" {
		line("- [Skill](%s): how agents search here, what they keep and what they refuse", s.urlOf(layout.SkillPath(s.skillName())))
	}
	line("- [OpenAPI](%s): the routes, with schemas and examples", s.urlOf(layout.OpenAPIPath))
	line("- Route listings, [first](%s) and [second](%s): the routes in each listing", s.urlOf(layout.RoutesPath("first")), s.urlOf(layout.RoutesPath("second")))
	if s.base != "" {
		line("- [Catalogue](%s): the same as linked data, in DCAT; [dataset](%s) for schema.org", s.urlOf(layout.DCATPath), s.urlOf(layout.DatasetPath))
	}
	line("- [Standings](%s): the records that were retracted, have lost their support, or must be checked again; all other records stand", s.urlOf(layout.StandingPath))
	line("- [Releases](%s): all releases so far, with the digests of their records; the manifest gives the paths of earlier versions of records (history)", s.urlOf(layout.ReleasesPath))
	line("- [Schemas](%s): changes to record schemas since earlier releases", s.urlOf(layout.SchemasPath))
	line("- [Manifest](%s): all files of the release with their digests", s.urlOf(layout.ManifestPath))
	if signed := s.signatureText(); signed != "" {
		line("- %s", markdown.Inline(signed))
	}
	line("\n## Changes\n")
	if s.base != "" {
		line("- [Atom](%s) and [JSON Feed](%s): changes, newest first", s.urlOf(feedPath(changeEventKind(), ".atom")), s.urlOf(feedPath(changeEventKind(), ".json")))
	}
}

func (s *service) writeLLMsDownloads(line printer) {
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
			text := fmt.Sprintf("- [%s, %s](%s)", markdown.Inline(name), d.Format, s.urlOf(d.Path))
			if d.bytes > 0 {
				text += ": " + formatSize(d.bytes)
			}
			line("%s", text)
		}
	}
	line("\n## Optional\n")
	for _, k := range record.Kinds {
		line("- [Schema of %s](%s), [listing](%s)", markdown.Inline(k.Many), s.urlOf(collectionSchemaPath(k)), s.urlOf(layout.ListingPath(k.Folder())))
	}
}
