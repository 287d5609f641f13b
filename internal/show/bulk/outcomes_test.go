package bulk_test

import (
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"stele/internal/base/sheet"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// TestOutcomes carries 23 rows of published tables through every format of the downloads, and the
// figures, their digits and the labels come out.
func TestOutcomes(t *testing.T) {
	want, folder, err := specimen.Outcomes()
	must.Do(t, err)
	dir := makeRelease(t, folder, "ndjson,csv,parquet,sqlite")
	bulk := func(name string) string { return filepath.Join(dir, "bulk", name) }
	k := record.KindNamed(record.KindEvidence)
	formats := map[string][]specimen.OutcomeRow{}

	r := must.Get(release.Open(context.Background(), os.DirFS(dir)))(t)
	for line, err := range r.Records(k.Name) {
		must.Do(t, err)
		var e record.Evidence
		must.Do(t, json.Unmarshal(line, &e))
		formats["JSON"] = append(formats["JSON"], rowOf(&e))
	}
	parts := func(format string, cell func(name string) string) {
		var e record.Evidence
		e.ID, e.EvidenceLabel = record.ID(cell("id")), record.EvidenceLabel(cell("evidence_label"))
		for name, to := range map[string]any{"label_basis": &e.LabelBasis, "comparison": &e.Comparison, "effect": &e.Effect} {
			if text := cell(name); text != "" {
				must.Do(t, json.Unmarshal([]byte(text), to))
			}
		}
		formats[format] = append(formats[format], rowOf(&e))
	}
	cells := must.Get(csv.NewReader(must.Get(os.Open(bulk("evidence.csv")))(t)).ReadAll())(t)
	for _, row := range cells[1:] {
		parts("CSV", func(name string) string { return row[slices.Index(cells[0], name)] })
	}
	f, size := openFile(t, bulk("evidence.parquet"))
	for _, row := range readParquet(t, k, must.Get(parquet.OpenFile(f, size))(t)) {
		parts("Parquet", func(name string) string { return row[name] })
	}
	db := must.Get(sql.Open("sqlite", "file:"+bulk("records.sqlite")+"?mode=ro&immutable=1"))(t)
	defer db.Close()
	rows := must.Get(db.Query(`SELECT id, evidence_label, label_basis, comparison, effect FROM evidence ORDER BY id`))(t)
	for rows.Next() {
		var texts [5]sql.NullString
		must.Do(t, rows.Scan(&texts[0], &texts[1], &texts[2], &texts[3], &texts[4]))
		names := []string{"id", "evidence_label", "label_basis", "comparison", "effect"}
		parts("SQLite", func(name string) string { return texts[slices.Index(names, name)].String })
	}
	must.Do(t, rows.Err())
	for _, name := range []string{"outcomes.csv", "outcomes.xlsx"} {
		o := sheet.Options{}
		if name == "outcomes.xlsx" {
			o.Sheet = "Outcomes"
		}
		table := must.Get(sheet.Open(t.Context(), bulk(name), o))(t)
		var head []string
		for row, err := range table.Rows() {
			must.Do(t, err)
			if head == nil {
				for _, c := range row.Cells {
					head = append(head, c.Text)
				}
				continue
			}
			at := func(name string) string { return row.At(slices.Index(head, name)).Text }
			formats[name] = append(formats[name], specimen.OutcomeRow{
				ID: at("id"), Outcome: at("outcome"), Measure: at("measure"), Label: at("evidence_label"), Start: at("start"),
				Value: at("value"), Lower: at("lower"), Upper: at("upper"), Participants: at("participants"),
				Studies: at("studies"), Assumed: at("assumed"), Per: at("per"), Corresponding: at("corresponding"),
				RLower: at("corresponding_lower"), RUpper: at("corresponding_upper"),
			})
		}
		must.Do(t, table.Close())
	}
	if len(formats) != 6 {
		t.Errorf("%d formats", len(formats))
	}
	for format, got := range formats {
		for _, row := range want {
			if !slices.Contains(got, row) {
				t.Errorf("%s: %+v is not among the rows", format, row)
			}
		}
	}
}

func rowOf(e *record.Evidence) specimen.OutcomeRow {
	r := specimen.OutcomeRow{ID: string(e.ID), Label: string(e.EvidenceLabel)}
	if e.LabelBasis != nil {
		r.Start = string(e.LabelBasis.Start)
	}
	if e.Comparison != nil {
		r.Outcome = e.Comparison.Outcome
	}
	if x := e.Effect; x != nil {
		r.Measure, r.Value, r.Lower, r.Upper = x.Measure, string(x.Value), string(x.Lower), string(x.Upper)
		r.Participants, r.Studies = fmt.Sprint(x.Participants), fmt.Sprint(x.Studies)
		for _, risk := range x.Risks {
			r.Assumed, r.Per, r.Corresponding = string(risk.Assumed), fmt.Sprint(risk.Per), string(risk.Corresponding)
			r.RLower, r.RUpper = string(risk.Lower), string(risk.Upper)
		}
	}
	return r
}
