package explore

import (
	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the page of a release.
var (
	releasePageForm = markup.Parse(`
		{crumbs}
		<header class="opening">
			<p class="kicker">{=Release}</p>
			<h1>{date}</h1>
			<p class="meta"><code>{id}</code>{counts}</p>
		</header>
		{points}
		<section class="release" id="changes"><h2>{=Changes}</h2><ul>{list}</ul>{more}</section>
		<section id="files"><h2>{=ReleaseFiles}</h2>
			<p>{=ReleaseFilesText} {files}</p>
			{table}
		</section>`)
	releaseCountForm = markup.Parse(` · {badge} {count}`)
	moreChangesForm  = markup.Parse(`<p><a href="{address}">{text}</a></p>`)
)

// maxReleaseEntries is the maximum number of changes on the page of a release.
const maxReleaseEntries = 50

// releaseAddress returns the URL of the page of the release with the given ID, or "" if only the
// publisher's own events name the release.
func (p *page) releaseAddress(id string) string {
	if p.of.past()[id] == nil {
		return ""
	}
	return layout.ReleaseAddress(id)
}

// WriteReleases writes a page for each release with changes.
func (s *Section) WriteReleases() error {
	var list []*summary
	err := s.With(func(p *page) {
		for of := range p.summaries() {
			if address := p.releaseAddress(of.release); address != "" {
				list = append(list, of)
				s.Pages = append(s.Pages, address)
			}
		}
	})
	if err != nil {
		return err
	}
	path := func(i int) string { return layout.ResolveIndex(layout.ReleaseAddress(list[i].release)[1:]) }
	return s.Each(len(list), path, func(p *page, i int) { p.writeRelease(list[i]) })
}

func (p *page) writeRelease(s *summary) {
	k, day := record.KindNamed(record.KindChangeEvent), p.Words.Day(s.date)
	p.Open(frame.Head{
		Title: p.Words.Release + " " + day, Description: p.Words.ChangesText,
		Section: layout.Address(layout.ChangesPage), Alternate: k.Collection.Path, Feeds: frame.AllChanges,
	})
	p.Fill(releasePageForm, markup.By("crumbs", func() { p.WriteBreadcrumbs(k, day) }),
		markup.By("date", func() { p.WriteDate(s.date) }),
		markup.With("id", s.release), markup.By("counts", func() { p.writeCounts(s) }),
		markup.By("points", func() { p.writePoints(s, 0) }),
		markup.By("list", func() {
			count := 0
			for e := range lookup.All(p.Reader, p.Records.Entries(nil).From(s.from)) {
				if count++; count > min(s.entries, maxReleaseEntries) {
					break
				}
				p.writeEntry(e)
			}
		}),
		markup.When(s.entries > maxReleaseEntries, "more", func() {
			p.Fill(moreChangesForm, markup.With("address", layout.ListAddress(k.Folder(), (s.from+maxReleaseEntries)/perPage)),
				markup.With("text", p.Words.Counted(p.Words.AndMore, s.entries-maxReleaseEntries)))
		}),
		markup.By("files", func() { p.writeReleaseFiles(s.release) }),
		markup.By("table", func() { p.writeDigests(p.of.past()[s.release]) }))
	p.Close()
}

// writeCounts writes the number of changes of each type in s.
func (p *page) writeCounts(s *summary) {
	for _, change := range words.ChangeTypes.List {
		if n := s.counts[record.ChangeType(change.Word)]; n > 0 {
			p.Fill(releaseCountForm, markup.Number("count", n),
				markup.By("badge", func() { p.WritePlainBadge(words.ChangeTypes, change.Word) }))
		}
	}
}

// writeReleaseFiles writes links to the files of the release if it is the latest, and otherwise to
// the digests of all releases.
func (p *page) writeReleaseFiles(id string) {
	if id != p.Records.Release().Release {
		p.WriteAnchor(layout.Address(layout.ReleasesPath), layout.ReleasesPath)
		return
	}
	if len(p.of.downloads) > 0 {
		p.WriteAnchor("/developers/#downloads", p.Words.Downloads)
		p.HTML(" · ")
	}
	p.WriteAnchor(layout.Address(layout.ManifestPath), p.Words.Manifest)
}

// writeDigests writes the number of records of each kind in a release, and their digest.
func (p *page) writeDigests(of *layout.Past) {
	columns := []frame.Column{{Name: p.Words.Kind, Head: true}, {Name: "SHA-256"}}
	p.Table(frame.Table{Class: "list digests", Columns: columns}, func(t *frame.Table) {
		for _, in := range of.Kinds {
			if k := record.KindNamed(in.Kind); k != nil && in.Count > 0 {
				t.Row("", p.Cell(p.Words.RecordCount(k, in.Count)), func() {
					if in.Collection != (layout.Digest{}) { // it is not withheld
						p.WriteCode(in.Collection.String())
					}
				})
			}
		}
	})
}
