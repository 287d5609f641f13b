package publish

import (
	"encoding/json"

	"stele/internal/base/layout"
)

// writeReleases writes the listing of all releases: those that the previous one knew of, and this
// one.
func (p *publication) writeReleases(to *files) error {
	if to.previous != nil {
		for past, err := range to.previous.Releases() {
			if err != nil {
				return unreadable(err)
			}
			p.past = append(p.past, past)
		}
	}
	if !p.unchanged {
		p.past = append(p.past, p.manifest.Past())
	}
	f, err := to.create(layout.ReleasesPath)
	if err != nil {
		return err
	}
	f.begin(appendCount([]byte(`{"count":`), len(p.past)))
	for i := range p.past {
		line, err := json.Marshal(&p.past[i])
		if err != nil {
			return err
		}
		f.line(line)
	}
	return f.end()
}
