package record_test

import (
	"encoding/json"
	"fmt"

	"stele/record"
)

// A record of a known kind is read and written with encoding/json. Numbers keep their digits, and
// the publisher's own members stay.
func Example() {
	const published = `{"id":"sta-mcv1-2024","kind":"healthcare_statistic","version":1,"title":"Measles vaccine, first dose",` +
		`"summary":"Coverage in France, 2024.","claim_boundary":{"statement":"Holds for the registered population."},` +
		`"source_links":[{"url":"https://example.org/coverage","role":"primary"}],"verification_date":"2026-01-10",` +
		`"source_updates":[],"corrections":[],"published_date":"2026-01-10","updated_date":"2026-01-10",` +
		`"indicator":"mcv1","ref_area_scheme":"iso3166","ref_area":"FRA","time_period":"2024","value":95.0,` +
		`"unit":"percent","unit_label":"per cent of one-year-olds","obs_status":"E","x_table":"3b"}`

	var s record.HealthcareStatistic
	if err := json.Unmarshal([]byte(published), &s); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Indicator, s.RefArea, s.Value, s.Value.Float() > 90)
	for _, x := range s.Extra {
		fmt.Println(x.Name, x.JSON)
	}
	again, err := json.Marshal(s)
	fmt.Println(string(again) == published, err)
	// Output:
	// mcv1 FRA 95.0 true
	// x_table "3b"
	// true <nil>
}

// A record of any kind says itself which kind it is of.
func ExampleUnmarshal() {
	for _, line := range []string{
		`{"id":"ent-measles","kind":"entity","version":1,"title":"Measles","entity_type":"condition","name":"Measles"}`,
		`{"id":"evd-1","kind":"evidence","version":2,"evidence_type":"guideline","finding":"Two doses protect.","evidence_label":"high"}`,
	} {
		rec, err := record.Unmarshal([]byte(line))
		if err != nil {
			fmt.Println(err)
			return
		}
		switch r := rec.(type) {
		case *record.Entity:
			fmt.Println(r.ID, "is called", r.Name)
		case *record.Evidence:
			fmt.Println(r.ID, "found:", r.Finding)
		}
	}
	// Output:
	// ent-measles is called Measles
	// evd-1 found: Two doses protect.
}

// The kinds are a table, with what each is called and where it is published.
func ExampleKind() {
	k := record.KindNamed(record.KindSignal)
	fmt.Println(k.Many, k.Collection.Path, k.SinglePath("sig-1"))
	fmt.Println(k.Shape().Member("version").Doc)
	// Output:
	// signals /api/v1/signals.json /api/v1/signals/sig-1.json
	// The version of this record: 1 at first, and one more after each change of its content.
}
