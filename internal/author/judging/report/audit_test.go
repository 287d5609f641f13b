package report_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"stele/internal/author/judging/report"
	"stele/internal/testkit/must"
	"stele/internal/trust/audit"
)

// evil is what a service could send.
const evil = "\x1b[31m</pre><script>alert(1)</script>\u202e"

// auditReport has a finding of each verdict.
func auditReport() *audit.Report {
	finding := func(v audit.Verdict, message string) []audit.Finding {
		return []audit.Finding{{
			Verdict: v, Message: message, Addresses: []string{"/api/v1/signals.json", "/api/v1/proof.json"}, Count: 2,
			Request: "GET " + evil, Answer: "HTTP/1.1 200 OK\nX-Evil: " + evil, Curl: "curl 'https://data.example.org/" + evil + "'",
		}}
	}
	r := &audit.Report{
		Address: "https://data.example.org/a&b", Date: "2026-11-17", Requests: 3, Bytes: 1234,
		Summary: audit.Summary{Pass: 1, Fail: 1, Warn: 1, Info: 1, NotTested: 1},
	}
	for i, v := range []audit.Verdict{audit.Pass, audit.Fail, audit.Warn, audit.Info, audit.NotTested} {
		result := audit.Result{Check: audit.Checks[i*5], Verdict: v, Tried: 2}
		if v != audit.Pass {
			result.Findings = finding(v, "it is "+evil)
		}
		r.Results = append(r.Results, result)
	}
	return r
}

func audited(t *testing.T, format string, r *audit.Report, quiet bool) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, report.WriteAudit(&b, format, r, quiet, false))
	if strings.ContainsAny(b.String(), "\x1b\u202e") {
		t.Errorf("%s steers the terminal: %q", format, b.String())
	}
	return b.String()
}

func TestAuditForPrograms(t *testing.T) {
	var back audit.Report
	must.Do(t, json.Unmarshal([]byte(audited(t, "json", auditReport(), false)), &back))
	if got := back.Results[1]; got.ID != "SPEC-SAME" || got.Verdict != audit.Fail || got.Findings[0].Message != "it is "+evil {
		t.Errorf("%+v", got)
	}
	var junit struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
				Out     string    `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	must.Do(t, xml.Unmarshal([]byte(audited(t, "junit", auditReport(), false)), &junit))
	if junit.Tests != 5 || junit.Failures != 1 || junit.Skipped != 1 || len(junit.Suites) != 2 ||
		junit.Suites[0].Cases[1].Failure == nil || junit.Suites[1].Cases[2].Skipped == nil ||
		!strings.HasPrefix(junit.Suites[1].Cases[0].Out, "warn: /api/v1/signals.json and 1 more: it is") {
		t.Errorf("%+v", junit)
	}
}
