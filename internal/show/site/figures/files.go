package figures

import (
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
)

// The forms of the files of an indicator, or of one of its areas.
var filesForm = markup.Parse(`
		<section id="files"><h2>{=Downloads}</h2><p>{links}</p>
			{?areas}<p class="quiet">{=AreaFiles} <code>{path}</code></p>{/}</section>`)

// Files describes the files that indicators and their areas have.
type Files struct {
	Formats []render.SeriesFile
	Areas   bool
}

// AreaFiles reports whether each area of an indicator has its own files.
func (s *Section) AreaFiles() bool { return s.Files.Areas }

// filesOf returns the files of x, or of its area with the given key if key is not "".
func (p *page) filesOf(x *lookup.Indicator, key string) (list []render.Download) {
	for _, f := range p.of.Files.Formats {
		d := render.Download{Path: x.File(f.Suffix), Format: f.Name, MediaType: f.MediaType}
		if key != "" {
			d.Path = x.AreaFile(key, f.Suffix)
		}
		if key == "" && x.Has(f) || key != "" && f.Areas && p.of.Files.Areas {
			list = append(list, d)
		}
	}
	return list
}

// writeFiles writes links to the files of x, or of its area with the given key if key is not "".
func (p *page) writeFiles(x *lookup.Indicator, key string) {
	if list := p.filesOf(x, key); len(list) > 0 {
		p.Fill(filesForm, markup.By("links", func() { p.WriteDownloadLinks(list) }),
			markup.ShowIf("areas", key == "" && p.of.Files.Areas), markup.With("path", "/"+x.AreaFile("{code}", ".csv")))
	}
}

// signposts returns the links from an indicator's page to its files and their descriptions.
func (p *page) signposts(x *lookup.Indicator) *frame.Signposts {
	s := &frame.Signposts{Type: "Dataset"}
	for _, f := range p.of.Files.Formats {
		to := frame.Signpost{Address: layout.Address(x.File(f.Suffix)), MediaType: f.MediaType}
		if f.Suffix == layout.MetadataSuffix {
			s.DescribedBy = append(s.DescribedBy, to)
		} else if x.Has(f) {
			s.Items = append(s.Items, to)
		}
	}
	return s
}
