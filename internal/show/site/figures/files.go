package figures

import (
	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
)

// The files of an indicator, or of one of its areas.
var filesForm = markup.Parse(`
		<section id="files"><h2>{=Downloads}</h2><p>{links}</p>
			{?areas}<p class="quiet">{=AreaFiles} <code>{path}</code></p>{/}</section>`)

// Files says which files indicators and their areas have.
type Files struct {
	Formats []render.SeriesFile
	Areas   bool
}

// AreaFiles reports whether areas have files of their own.
func (s *Room) AreaFiles() bool { return s.Files.Areas }

// files leads to the files of an indicator, or of the area that has a key.
func (p *page) files(x *lookup.Indicator, key string) {
	if len(p.of.Files.Formats) == 0 || key != "" && !p.of.Files.Areas {
		return
	}
	p.Fill(filesForm,
		markup.By("links", func() {
			var list []render.Download
			for _, f := range p.of.Files.Formats {
				if key == "" || f.Areas {
					list = append(list, render.Download{Path: fileOf(x, key, f), Format: f.Name})
				}
			}
			p.DownloadLinks(list)
		}),
		markup.If("areas", key == "" && p.of.Files.Areas), markup.With("path", "/"+x.AreaFile("{code}", ".csv")))
}

func fileOf(x *lookup.Indicator, key string, f render.SeriesFile) string {
	if key == "" {
		return x.File(f.Suffix)
	}
	return x.AreaFile(key, f.Suffix)
}

// distribute names the indicator's files in its description, in place of those of all statistics.
func (p *page) distribute(data interface {
	Distribute(string, []render.Download)
}, x *lookup.Indicator,
) {
	var files []render.Download
	for _, f := range p.of.Files.Formats {
		files = append(files, render.Download{Path: x.File(f.Suffix), MediaType: f.MediaType})
	}
	if len(files) > 0 {
		data.Distribute(p.Base, files)
	}
}

// signposts lead from the page of an indicator to its files, and to those that describe them.
func (p *page) signposts(x *lookup.Indicator) *frame.Signposts {
	s := &frame.Signposts{Type: "Dataset"}
	for _, f := range p.of.Files.Formats {
		to := frame.Signpost{Address: layout.Address(x.File(f.Suffix)), MediaType: f.MediaType}
		if f.Suffix == layout.MetadataSuffix {
			s.DescribedBy = append(s.DescribedBy, to)
		} else {
			s.Items = append(s.Items, to)
		}
	}
	return s
}
