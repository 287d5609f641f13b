package trace

import (
	"bytes"
	"strings"
	"testing"

	"stele/record"
)

// FuzzRetractions: whatever a list of retractions holds, what is taken from it are DOIs and PubMed
// IDs, days, and addresses.
func FuzzRetractions(f *testing.F) {
	f.Add([]byte("10.1000/A\n12\n# mine\n"))
	f.Add([]byte("\ufeffTitle,RetractionDOI,OriginalPaperDOI,OriginalPaperPubMedID,RetractionDate,RetractionNature\n\"A \"\"b\"\"\",10.1000/N(1),10.1000/A,12,2/6/2010 0:00,Retraction\n"))
	f.Add([]byte("OriginalPaperDOI\nhttps://doi.org/10.1000/182%20\n\"unclosed"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = eachRow(bytes.NewReader(data), func(r *row) {
			for _, name := range r.names {
				doi, isDOI := strings.CutPrefix(name, "doi:10.")
				number, isNumber := strings.CutPrefix(name, "pmid:")
				if !isDOI && !isNumber || isDOI && doi == "" || isNumber && strings.Trim(number, "0123456789") != "" {
					t.Errorf("%q is no name", name)
				}
			}
			if r.date != "" && !r.date.Valid() {
				t.Errorf("%q is no day", r.date)
			}
			if r.notice != "" && !record.URL(r.notice).Valid() {
				t.Errorf("%q is no address", r.notice)
			}
		})
	})
}
