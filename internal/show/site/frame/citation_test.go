package frame

import (
	"testing"

	"stele/internal/show/site/words"
	"stele/record"
)

func TestCitation(t *testing.T) {
	c := Citation{
		words: words.English(), id: "evd-1", title: "50 % of {all} & more_", author: "A. Publisher", publisher: "A. Publisher", form: webPage, container: "Records",
		version: "3", kind: "evidence record",
		address: "https://data.example.org/evidence/evd-1/", issued: "2026-03-09", verified: "2026-03-08", retracted: "2026-03-01",
	}
	if got, want := c.text(), "A. Publisher (2026). 50 % of {all} & more_. [Retracted.] Records, evidence record evd-1, version 3, verified 2026-03-08. https://data.example.org/evidence/evd-1/"; got != want {
		t.Errorf("as text: %s", got)
	}
	if got, want := c.bibTeX(), `@misc{evd-1,
  author = {{A. Publisher}},
  title = {{50 \% of \{all\} \& more\_}},
  year = {2026},
  howpublished = {Records},
  note = {Version 3, verified 2026-03-08, retracted},
  url = {https://data.example.org/evidence/evd-1/},
}
`; got != want {
		t.Errorf("as BibTeX:\n%s", got)
	}
	undated := Citation{
		words: words.English(), id: "x", title: "T.", author: "P.", container: "C.", version: "1", kind: "signal", address: "https://a.example/",
	}
	if got, want := undated.text(), "P. T. C, signal x, version 1. https://a.example/"; got != want {
		t.Errorf("without dates: %s", got)
	}
	if got, want := c.ris(), `TY  - ELEC
ID  - evd-1
AU  - A. Publisher
TI  - 50 % of {all} & more_
T2  - Records
PB  - A. Publisher
PY  - 2026
DA  - 2026/03/09
ET  - 3
UR  - https://data.example.org/evidence/evd-1/
N1  - Version 3, verified 2026-03-08, retracted
ER  - 
`; got != want {
		t.Errorf("as RIS:\n%s", got)
	}
}

func TestSourceCitation(t *testing.T) {
	p := Page{Common: &Common{Words: words.English(), cited: words.English()}}
	s := &record.SourceObject{
		Envelope: record.Envelope{
			ID: "src-1", Title: "A paper", SourceUpdates: []record.SourceUpdate{{Date: "2010-02-06", Type: "retraction"}},
		},
		SourceType: "article", Producer: "The Journal", CitationFull: "Doe J. On things. The Journal 1998;1:2.",
		URLMain: "https://doi.org/10.1/x", DatePublished: "1998-02-28", Identifiers: record.Terms{{Name: "doi", Text: "10.1/x"}},
	}
	c := p.CiteSource(s)
	if got, want := c.text(), "Doe J. On things. The Journal 1998;1:2. [Retracted 2010-02-06.] https://doi.org/10.1/x"; got != want {
		t.Errorf("as text: %s", got)
	}
	if got, want := c.bibTeX(), `@article{src-1,
  title = {{A paper}},
  year = {1998},
  publisher = {{The Journal}},
  howpublished = {Doe J. On things. The Journal 1998;1:2.},
  note = {Retracted 2010-02-06},
  doi = {10.1/x},
  url = {https://doi.org/10.1/x},
}
`; got != want {
		t.Errorf("as BibTeX:\n%s", got)
	}
	s.CitationFull = "Doe J. RETRACTED: On things. doi:10.1/x"
	c = p.CiteSource(s)
	if got, want := c.text(), "Doe J. RETRACTED: On things. doi:10.1/x."; got != want {
		t.Errorf("as text: %s", got)
	}
}
