package record

import (
	"cmp"
	"strings"
	"testing"

	"stele/internal/base/schema"
)

// The rules of the envelope and of each kind, beyond the shape of members.

func TestEnvelopeRules(t *testing.T) {
	const updates = `"source_updates": [{"date": "2026-11-14", "type": "new_version", "summary": "s", "effect": "none"`
	const corrections = `"corrections": [{"date": "2026-11-14", "type": "correction", "fields": [], "summary": "s", "in_version": `
	checkMessages(t, "healthcare_statistic", goodStatistic, []messageCase{
		{`"verification_date": "2026-11-14"`, `"verification_date": "2026-11-15"`, `8:24: error DAT02: verification_date is 2026-11-15, after the release date 2026-11-14; write the day on which it happened: a release cannot contain future events`},
		{`"verification_date": "2026-11-14"`, `"verification_date": "2062-11-14"`, `8:24: error DAT02: verification_date is 2062-11-14, after the release date 2026-11-14; did you mean 2026-11-14?`},
		{`"verification_date": "2026-11-14"`, `"verification_date": "2028-10-01"`, `8:24: error DAT02: verification_date is 2028-10-01, after the release date 2026-11-14; did you mean 2026-10-01?`},
		{`"2026-11-01"`, `"2026-11-15"`, `11:21: error DAT02: published_date is 2026-11-15, after the release date 2026-11-14; write the day on which it happened: a release cannot contain future events`},
		{`"source_updates": []`, strings.Replace(updates, "11-14", "11-15", 1) + `}]`, `9:31: error DAT02: date is 2026-11-15, after the release date 2026-11-14; write the day on which it happened: a release cannot contain future events`},
		{`"corrections": []`, strings.Replace(corrections, "11-14", "11-15", 1) + `2}]`, `10:28: error DAT02: date is 2026-11-15, after the release date 2026-11-14; write the day on which it happened: a release cannot contain future events`},
		{`"corrections": []`, strings.Replace(corrections, "11-14", "10-31", 1) + `2}]`, `10:28: error DAT06: corrected on 2026-10-31, before it was published on 2026-11-01; find out which of the two is wrong: published_date is the day of the first publication`},
		{`"2026-11-01"`, `"0001-01-01"`, `11:21: error DAT05: published_date is 0001-01-01, which is before 1400-01-01; write the correct day`},
		{`"2026-11-01"`, `"1970-01-01"`, `11:21: error DAT05: published_date is 1970-01-01, which is before records were published on the web; write the correct day`},
		{`"2026-11-01"`, `"1970-01-01", "first_published_elsewhere": "In print."`, ``},
		{
			`"2026-11-01",` + "\n" + `  "updated_date": "2026-11-14"`, `"2026-11-12", "updated_date": "2026-11-11"`, // which is also before verification_date
			`11:21: error DAT03: published on 2026-11-12, after it was updated on 2026-11-11; updated_date must be published_date or a later day
11:51: error DAT11: updated on 2026-11-11, but verification_date has 2026-11-14; write 2026-11-14, or the later day on which the record changed`,
		},
		{`"updated_date": "2026-11-14"`, `"updated_date": "2026-11-13"`, `12:19: error DAT11: updated on 2026-11-13, but verification_date has 2026-11-14; write 2026-11-14, or the later day on which the record changed`},
		{`"2026-11-01"`, `"2026-11-14"`, ``},
		{`"source_updates": []`, updates + `}]`, ``},
		{
			`"verification_date": "2026-11-14",` + "\n" + `  "source_updates": []`, `"verification_date": "2026-11-13", ` + updates + `}]`,
			`8:24: warning DAT04: verified on 2026-11-13, but a source changed on 2026-11-14; compare the record with the source again, and set verification_date to that day`,
		},
		{`"source_updates": []`, updates + `, "in_version": 2}]`, ``},
		{`"source_updates": []`, updates + `, "in_version": 3}]`, `9:116: error COR01: in_version is 3, but the record's version is 2; write a number from 2 to 2: the version with the change`},
		{`"corrections": []`, corrections + `2}]`, ``},
		{`"corrections": []`, corrections + `1}]`, `10:108: error COR01: in_version is 1, but the record's version is 2; write a number from 2 to 2: the version with the change`},
		{`"https://example.org/a"`, `"http://example.org/a"`, `7:28: warning SRC03: plain http; write https:// if the source answers there`},
		{`"role": "primary"}`, `"role": "primary"}, {"url": "https://example.org/a", "role": "archive"}`, `7:81: warning SRC03: an earlier source link has the same URL; delete one of the two, or point each at its own part with a #fragment`},
		{`"One-year-olds only."`, `"coverage was 86 PER CENT!"`, `6:35: warning BND02: the boundary only repeats the claim; say what the claim does not cover: other people, places, times or effects`},
	})
}

func TestStatisticRules(t *testing.T) {
	checkMessages(t, "healthcare_statistic", goodStatistic, []messageCase{
		{`"value": 86.0,`, ``, `1:1: error STA03: the value is missing; add value, or set obs_status to the reason why there is none, such as O`},
		{`"obs_status": "A"`, `"obs_status": "O"`, `19:12: error STA03: obs_status is O (the value is missing), but it has a value; delete value, or correct obs_status`},
		{`"value": 86.0`, `"value": 86.0, "lower": 86.00, "upper": 86`, ``},
		{`"value": 86.0`, `"value": 86.0, "lower": 86.00000000000000000001`, `19:12: error STA03: value 86.0 is outside the interval from 86.00000000000000000001; correct the value or its interval`},
		{`"value": 86.0`, `"value": 86.0, "upper": 85`, `19:12: error STA03: value 86.0 is outside the interval up to 85; correct the value or its interval`},
		{`"value": 86.0`, `"value": 86.0, "lower": 10, "upper": 85`, `19:12: error STA03: value 86.0 is outside 10 to 85; correct the value or its interval`},
		{`"value": 86.0`, `"value": 86.0, "lower": 90, "upper": 80`, `19:27: error STA03: lower 90 is above upper 80; swap the two`},
		{`"value": 86.0`, `"less_than": 5`, ``},
		{`"value": 86.0`, `"value": 86.0, "less_than": 5`, `19:31: error STA03: cannot have both value and less_than; keep the one that the source gives`},
		{`"value": 86.0`, `"less_than": 5, "greater_than": 1, "code": "yes", "indicator_id": "ent-1"`, `19:46: error STA03: cannot have both less_than and code; keep the one that the source gives`},
		{`"value": 86.0`, `"less_than": 5, "upper": 5`, `19:28: error STA03: interval without a value; delete the interval, or add the value`},
		{`"value": 86.0`, `"code": "60", "indicator_id": "ent-1"`, ``},
		{`"value": 86.0`, `"code": "60"`, `19:11: error STA03: code without indicator_id; add the ID of the entity whose measure lists the codes and what they mean`},
		{`"value": 86.0`, `"value": 86.0, "lower": 80, "upper": 90, "interval": "uncertainty", "level": 95`, ``},
		{`"value": 86.0`, `"value": 86.0, "lower": 80, "interval": "range"`, ``},
		{`"value": 86.0`, `"value": 86.0, "interval": "range"`, `19:30: error STA03: missing interval; add lower and upper, or delete interval and level`},
		{`"value": 86.0`, `"value": 86.0, "lower": 80, "level": 95`, `19:40: error STA03: level without a type of interval; add interval: confidence, credible, prediction or uncertainty`},
		{`"value": 86.0`, `"value": 86.0, "lower": 80, "interval": "range", "level": 95`, `19:61: error STA03: a range has no level; delete level, or set interval to the right type`},
		{`"value": 86.0`, `"value": 86.0, "lower": 80, "interval": "confidence", "level": 100`, `19:66: error STA03: level 100 is outside 0 to 100; write the level in per cent, such as 95`},
		{`"value": 86.0,`, `"note": "Not counted in the north.", "numerator": 43, "denominator": 50.0, "vintage": "2024-07", "value": 86,`, ``},
		{`"FRA"`, `"fra"`, `17:15: error STA02: "fra" is not an area code of iso3166; write FRA`},
		{`"iso3166"`, `"entity"`, ``},
		{`"2016"`, `"2016Q3"`, `18:18: error STA01: "2016Q3" is not a valid time period; write 2016-Q3`},
		{`"2016"`, `"2026"`, `18:18: error STA05: the period ends on 2026-12-31, after the release date 2026-11-14, but obs_status is A; set obs_status to F if the value is a forecast, or correct the period`},
		{`"2016"`, `"2026-10"`, ``},
		{`"id": "sta-1"`, `"id": "sta-1", "kind": "signal"`, `2:26: error SCH03: kind is "signal", but this is the folder of healthcare statistics; write healthcare_statistic, or move the record to the folder of that kind`},
	})
}

// TestObsStatus tries every status of SDMX with a value, a bound and nothing.
func TestObsStatus(t *testing.T) {
	want := map[string]string{"A": "v<", "J": "v< ", "N": "v< ", "Q": "< ", "H": " ", "K": " ", "L": " ", "M": " ", "O": " "}
	for _, v := range schema.ListOf[ObsStatus]() {
		got := ""
		for _, figure := range [][2]string{{"v", `"value": 86.0,`}, {"<", `"less_than": 5,`}, {" ", ``}} {
			text := strings.Replace(goodStatistic, `"value": 86.0,`, figure[1], 1)
			text = strings.Replace(text, `"obs_status": "A"`, `"obs_status": "`+v.Word+`"`, 1)
			if _, problems := decode(t, KindNamed(KindHealthcareStatistic), text); len(problems) == 0 {
				got += figure[0]
			}
		}
		if expected := cmp.Or(want[v.Word], want["A"]); got != expected {
			t.Errorf("%s (%s): %q is accepted, not %q", v.Word, v.Doc, got, expected)
		}
	}
}

func TestMeasureRules(t *testing.T) {
	checkMessages(t, "entity", `{
  "id": "ent-1", `+envelope+`
  "entity_type": "indicator", "name": "N",
  "measure": {"code": "mcv1", "unit": "percent", "min": 0, "max": 100, "codes": {"1": "yes", "0": "no"},
    "dimensions": [{"name": "sex", "label": "Sex", "codes": {"f": "Females", "m": "Males"}}],
    "breaks": [{"time_period": "2015", "summary": "Another register."}], "aggregation": "weighted_mean"}
}`, []messageCase{
		{`"indicator"`, `"place"`, `6:14: error SCH01: only an indicator can have a measure, but entity_type is place; delete the member measure, or set entity_type to indicator`},
		{`"min": 0`, `"min": 101`, `6:57: error STA03: min 101 is above max 100; swap the two`},
		{`"weighted_mean"`, `"average"`, `8:89: error SCH03: aggregation: unknown value "average"; write one of sum, mean, weighted_mean, none`},
		{`"code": "mcv1", `, ``, `6:14: error SCH01: member "code" is missing; add code: the short code of the indicator, which its statistics have in the member indicator`},
	})
}

// envelope is what the records below have in common.
const envelope = `"version": 1, "title": "T", "summary": "S", "claim_boundary": {"statement": "B"}, "source_links": [{"url": "https://example.org/a", "role": "primary"}],
  "verification_date": "2026-11-14", "source_updates": [], "corrections": [], "published_date": "2026-11-14", "updated_date": "2026-11-14",
  `

// TestWhatExamplesLeaveOut: cases of rules of single kinds that no example of stele explain has.
func TestWhatExamplesLeaveOut(t *testing.T) {
	checkMessages(t, "signal", `{
  "id": "sig-1", `+envelope+`
  "signal_type": "trend", "observation": "O", "detected_date": "2026-11-14",
  "statistic_ids": ["sta-1"]
}`, []messageCase{
		{`["sta-1"]`, `[]`, `1:1: error SCH01: a signal needs evidence_ids or statistic_ids; name at least one record that shows what was observed`},
		{`"statistic_ids"`, `"evidence_ids"`, ``},
	})
	checkMessages(t, "evidence", `{
  "id": "evd-1", `+envelope+`
  "evidence_type": "guideline", "finding": "F", "evidence_label": "not_rated",
  "effect": {"measure": "risk ratio", "value": 0.05}
}`, []messageCase{
		{`0.05`, `0.05, "lower": 0.06`, `6:48: error STA03: value 0.05 is outside the interval from 0.06; correct the value or its interval`},
	})
	checkMessages(t, "public_reference", `{
  "id": "ref-1", `+envelope+`
  "reference_note": "N", "illustrative": true
}`, []messageCase{
		{`true`, `false`, `5:42: error SCH01: a public reference must have illustrative: true; write illustrative: true`},
	})
}

func TestDecisionViewRules(t *testing.T) {
	checkMessages(t, "decision_view", `{
  "id": "dec-1", `+envelope+`
  "question": "Q?", "decision_label": "adopt",
  "options": [{"option_id": "one", "label": "L", "recommendation_ids": []}, {"option_id": "two", "label": "L", "recommendation_ids": []}],
  "chosen_option_id": "two"
}`, []messageCase{
		{`"adopt"`, `"undecided"`, `7:23: error LBL03: undecided, but an option is chosen; delete chosen_option_id, or set decision_label to the decision`},
		{`"chosen_option_id": "two"`, `"x_none": 1`, `5:39: error LBL03: decided (adopt), but no option is chosen; add chosen_option_id, or set decision_label to undecided`},
		{`"chosen_option_id": "two"`, `"chosen_option_id": "tow"`, `7:23: error REF01: option "tow" is not among the options; did you mean "two"?`},
		{`"option_id": "one"`, `"option_id": "two"`, `6:91: error ID02: duplicate option_id "two"; give each option its own option_id`},
	})
}

func TestRetractedAndWithdrawn(t *testing.T) {
	if len(schema.ListOf[CorrectionType]()) == 0 || len(schema.ListOf[UpdateType]()) == 0 {
		t.Fatal("no words to try")
	}
	for _, v := range schema.ListOf[ChangeType]() {
		if c := ChangeType(v.Word); c.Gravity() < 0 || c.OfKind() != (c == ChangeRelicensed || c == ChangeAreas) {
			t.Errorf("nothing says what holds for events of type %s", c)
		}
	}
	for _, v := range schema.ListOf[CorrectionType]() {
		e := Envelope{Corrections: []Correction{{Type: "clarification"}, {Type: CorrectionType(v.Word)}}}
		if e.Retracted() != (v.Word == "retraction") {
			t.Errorf("a %s retracts the record: %v", v.Word, e.Retracted())
		}
	}
	for _, v := range schema.ListOf[UpdateType]() {
		u := SourceUpdate{Type: UpdateType(v.Word)}
		if want := v.Word == "retraction" || v.Word == "withdrawal" || v.Word == "removal"; u.Withdrawn() != want {
			t.Errorf("a %s takes the source back: %v", v.Word, u.Withdrawn())
		}
	}
}
