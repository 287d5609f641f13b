package trace

import (
	"slices"
	"strings"
	"testing"

	"stele/record"
)

// TestIdentifiers: a paper is found by its DOI and its PubMed ID, in whatever way they are written.
func TestIdentifiers(t *testing.T) {
	const lancet, pmid = "doi:10.1016/s0140-6736(97)11096-0", "pmid:9500320"
	for text, want := range map[string]string{
		"10.1016/S0140-6736(97)11096-0":                                              lancet,
		" doi: 10.1016/S0140-6736(97)11096-0. ":                                      lancet,
		"DOI 10.1016/s0140-6736(97)11096-0":                                          lancet,
		"https://doi.org/10.1016/S0140-6736(97)11096-0":                              lancet,
		"https://www.doi.org/10.1016/S0140-6736(97)11096-0?x=1":                      lancet,
		"http://dx.doi.org/10.1016/S0140-6736%2897%2911096-0#top":                    lancet,
		"https://publisher.example/doi/10.1016/S0140-6736(97)11096-0":                lancet,
		"https://publisher.example/doi/full/10.1016/S0140-6736(97)11096-0/pdf":       lancet,
		"Wakefield A. Lancet 1998;351:637-41 (doi:10.1016/S0140-6736(97)11096-0).":   lancet,
		"Wakefield A. https://doi.org/10.1016/S0140-6736(97)11096-0; PMID: 9500320.": lancet + " " + pmid,
		"PMID: 9500320": pmid, "pmid:09500320": pmid, "PubMed ID 9500320": pmid,
		"https://pubmed.ncbi.nlm.nih.gov/9500320/":                  pmid,
		"https://www.ncbi.nlm.nih.gov/pubmed/9500320?dopt=Abstract": pmid,
		"https://europepmc.org/article/MED/9500320":                 pmid,
		"unavailable": "", "10.1000": "", "PMC9500320": "", "": "", "PMID: 0": "", "9500320": "",
	} {
		if got := strings.Join(findIdentifiers(text), " "); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

// TestNatures: only a retraction is one, what the source says already is not proposed again, and a
// reinstatement that came later takes a retraction back.
func TestNatures(t *testing.T) {
	source := &record.SourceObject{}
	source.ID = "src-a"
	for _, c := range []struct {
		nature string
		is     record.UpdateType
	}{{"Retraction", "retraction"}, {"Correction", "correction"}, {"Expression of concern", "expression_of_concern"}, {"Reinstatement", "reinstatement"}, {"", "retraction"}} {
		if h := newHit(source, "doi:10.1000/a", &row{nature: c.nature, date: "2026-01-01"}); h.Update == nil || h.Update.Type != c.is || h.Said {
			t.Errorf("%s: %+v", c.nature, h)
		}
	}
	if h := newHit(source, "doi:10.1000/a", &row{nature: "Other"}); h.Update != nil {
		t.Errorf("%+v", h.Update)
	}
	source.SourceUpdates = []record.SourceUpdate{{Date: "2026-01-02", Type: "withdrawal"}}
	retracted := newHit(source, "doi:10.1000/a", &row{nature: "Retraction", date: "2026-01-01"})
	if !retracted.Said {
		t.Error("a withdrawal that the source tells of is proposed again")
	}
	source.SourceUpdates = nil
	retracted = newHit(source, "doi:10.1000/a", &row{nature: "Retraction", date: "2026-01-01"})
	back := newHit(source, "doi:10.1000/a", &row{nature: "Reinstatement", date: "2026-01-05"})
	if c := (&Compared{Hits: []Hit{retracted}}); !c.HasUnreported() {
		t.Error("a retraction that nobody tells of is passed over")
	}
	if c := (&Compared{Hits: []Hit{retracted, back}}); c.HasUnreported() {
		t.Error("a retraction that was taken back counts")
	}
}

func TestLists(t *testing.T) {
	read := func(text string) (rows []row, err error) {
		err = eachRow(strings.NewReader(text), func(r *row) { rows = append(rows, *r) })
		return rows, err
	}
	rows, err := read("\ufeffTitle,RetractionDOI,OriginalPaperDOI,OriginalPaperPubMedID,RetractionDate,RetractionNature\n\"A \"\"b\"\", c\",10.1000/N(1),10.1000/A,12,2/6/2010 0:00,Retraction\n")
	if err != nil || len(rows) != 1 {
		t.Fatalf("%v, %v", rows, err)
	}
	r := rows[0]
	if !slices.Equal(r.names, []string{"doi:10.1000/a", "pmid:12"}) || r.nature != "Retraction" || r.date != "2010-02-06" ||
		r.notice != "https://doi.org/10.1000/n%281%29" && r.notice != "https://doi.org/10.1000/n(1)" {
		t.Errorf("%+v", r)
	}
	if rows, err = read("# mine\n\n10.1000/A\r\n12\n"); err != nil || len(rows) != 2 || rows[0].names[0] != "doi:10.1000/a" || rows[1].names[0] != "pmid:12" {
		t.Errorf("%+v, %v", rows, err)
	}
	if _, err = read("A title\n"); err == nil {
		t.Error("a title is taken for a DOI")
	}
}

// TestWeakest: what stands worst is the weakest, and else the evidence with the lowest label.
func TestWeakest(t *testing.T) {
	leaf := func(kind, label, stands string) *Support {
		return &Support{Record: Record{Kind: kind, Label: label, Standing: stands}}
	}
	high, low, source := leaf("evidence", "high", "stands"), leaf("evidence", "low", "stands"), leaf("source_object", "", "retracted")
	markWeakest(&Support{RestsOn: []*Support{high, low}})
	if !low.Weakest || high.Weakest {
		t.Errorf("%+v, %+v", high, low)
	}
	low.Weakest, high.RestsOn = false, []*Support{source}
	markWeakest(&Support{RestsOn: []*Support{high, low}})
	if !source.Weakest || low.Weakest {
		t.Errorf("%+v, %+v", source, low)
	}
}
