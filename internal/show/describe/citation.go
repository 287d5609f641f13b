package describe

import (
	"bytes"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
	"stele/internal/build/render"
)

// writeCitation says how to cite the release, in the Citation File Format 1.2.0. JSON texts are
// YAML texts too, whatever stands in them.
func (s *service) writeCitation(out render.Output) error {
	lines := object{
		{"cff-version", "1.2.0"},
		{"message", "Cite a record by its ID, version and verification date, and the release as below. " + s.terms()},
		{"type", "dataset"},
		{"title", s.settings.Title},
		{"abstract", s.about()},
		{"authors", []object{{{"name", s.settings.Publisher}}}},
	}
	contact := object{{"name", s.settings.Publisher}}
	if url := s.contactURL(); strings.HasPrefix(url, "mailto:") {
		lines = append(lines, member{"contact", []object{append(contact, member{"email", strings.TrimPrefix(url, "mailto:")})}})
	} else if url != "" {
		lines = append(lines, member{"contact", []object{append(contact, member{"website", url})}})
	}
	lines = append(lines, member{"url", s.at("")}, member{"version", s.release.Release}, member{"date-released", s.release.Date})
	if s.licenseURL() != "" {
		lines = append(lines, member{"license", s.settings.License})
	}
	if len(s.settings.Keywords) > 0 {
		lines = append(lines, member{"keywords", s.settings.Keywords})
	}
	var b bytes.Buffer
	b.WriteString("# How to cite this service (https://citation-file-format.github.io).\n")
	for _, m := range lines {
		value, err := jsonline.Marshal(m.value, "")
		if err != nil {
			return err
		}
		b.WriteString(m.name + ": ")
		b.Write(value)
	}
	return out.Put(layout.CitationPath, b.Bytes())
}
