package serve

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"stele/internal/deliver/library"
	"stele/internal/testkit/must"
)

// TestMetricsParse: the parser of Prometheus reads all metrics, with their types and numbers.
func TestMetricsParse(t *testing.T) {
	odd := "a \\ and a\nline \"quoted\""
	s := New(library.Blank(nil, library.Options{}), Options{Measures: []func(string) []Measure{func(string) []Measure {
		return []Measure{{"stele_odd", odd, math.Inf(1), false}, {"stele_more_total", "More.", 1e21, true}}
	}}})
	t.Cleanup(func() { s.Shutdown(t.Context()) })
	s.metrics.requests[404].Add(3)
	s.metrics.refusals[refusedSlow].Add(2)
	w := httptest.NewRecorder()
	s.AdminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if format := expfmt.ResponseFormat(w.Header()); format.FormatType() != expfmt.TypeTextPlain {
		t.Errorf("the type is %q", w.Header().Get("Content-Type"))
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	all, err := parser.TextToMetricFamilies(strings.NewReader(w.Body.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Body)
	}
	if m := all["stele_odd"]; m.GetHelp() != odd || m.GetMetric()[0].GetGauge().GetValue() != math.Inf(1) {
		t.Errorf("stele_odd is %v", m)
	}
	if m := all["stele_more_total"]; m.GetType() != dto.MetricType_COUNTER || m.GetMetric()[0].GetCounter().GetValue() != 1e21 {
		t.Errorf("stele_more_total is %v", m)
	}
	if m := all["stele_requests_total"].GetMetric(); len(m) != 1 || m[0].GetCounter().GetValue() != 3 ||
		m[0].GetLabel()[0].GetName() != "status" || m[0].GetLabel()[0].GetValue() != "404" {
		t.Errorf("stele_requests_total is %v", m)
	}
	if m := all["stele_release_info"].GetMetric(); len(m) != 1 || len(m[0].GetLabel()) != 2 {
		t.Errorf("stele_release_info is %v", m)
	}
	if m := all["go_gc_duration_seconds"].GetMetric(); len(m) != 1 || len(m[0].GetSummary().GetQuantile()) != 5 {
		t.Errorf("go_gc_duration_seconds is %v", m)
	}
}

// TestLabels: what stands in a label comes out of the parser as it was.
func TestLabels(t *testing.T) {
	var e exposition
	value := "a \\ and a\nline \"quoted\", é"
	e.writeHeader("m", gauge, "")
	e.writeSample("m", 1.5, "one", value, "two", "")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	all := must.Get(parser.TextToMetricFamilies(&e))(t)
	if labels := all["m"].GetMetric()[0].GetLabel(); len(labels) != 2 || labels[0].GetValue() != value {
		t.Errorf("the labels are %v", labels)
	}
}
