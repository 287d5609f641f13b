package audit

import (
	"slices"
	"strings"
)

// Verdict is the outcome of a check.
type Verdict string

// The verdicts, from best to worst.
const (
	Pass      Verdict = "pass"
	Info      Verdict = "info"
	NotTested Verdict = "not tested"
	Warn      Verdict = "warn"
	Fail      Verdict = "fail"
)

var severities = []Verdict{Pass, Info, NotTested, Warn, Fail}

// Report is the result of an audit.
type Report struct {
	Address  string   `json:"address"`
	Date     string   `json:"date,omitempty"`
	Program  string   `json:"program,omitempty"`
	Requests int64    `json:"requests"`
	Bytes    int64    `json:"bytes"` // encoded
	Summary  Summary  `json:"summary"`
	Results  []Result `json:"checks"`
}

// Summary counts checks by verdict. Whole means that all checks passed completely.
type Summary struct {
	Pass       int  `json:"pass"`
	Fail       int  `json:"fail"`
	Warn       int  `json:"warn"`
	Info       int  `json:"info"`
	NotTested  int  `json:"not_tested"`
	Unanswered int  `json:"unanswered"` // required checks without an answer or without anything to test
	Whole      bool `json:"whole"`
}

// Result is the result of a check.
type Result struct {
	Check
	Verdict  Verdict   `json:"verdict"` // the worst of its findings
	Tried    int       `json:"tried"`   // number of trials
	Findings []Finding `json:"findings,omitempty"`
}

// Finding is an observation: a fault, something that was not tested, or information. Findings that
// differ only in their paths are merged.
type Finding struct {
	Verdict   Verdict  `json:"verdict"`
	Message   string   `json:"message"`
	Addresses []string `json:"addresses,omitempty"` // the first paths
	Count     int      `json:"count"`               // number of paths
	Request   string   `json:"request,omitempty"`   // for the first path
	Answer    string   `json:"answer,omitempty"`    // its headers
	Curl      string   `json:"curl,omitempty"`      // the request as a curl command

	unanswered bool
}

// maxAddresses is the number of paths that a finding lists.
const maxAddresses = 10

// findings collects findings. Only one goroutine adds to it.
type findings map[string]*Result // by ID of the check

func newFindings() findings {
	b := findings{}
	for _, c := range Checks {
		b[c.ID] = &Result{Check: c, Verdict: Pass}
	}
	return b
}

func (b findings) countTrial(id string) { b[id].Tried++ }

// add adds a finding about an answer, which may be nil.
func (b findings) add(id string, v Verdict, message string, a *answer) {
	f := Finding{Verdict: v, Message: message}
	if a != nil {
		f.Addresses, f.Count = []string{a.path}, 1
		f.Request, f.Answer, f.Curl = a.requestText(), a.headerText(), a.curlCommand()
		f.unanswered = v == NotTested && (a.noAnswerReason() != "" || isLimit(a.bad))
	}
	r := b[id]
	i := slices.IndexFunc(r.Findings, func(o Finding) bool { return o.Verdict == v && o.Message == message })
	if i < 0 {
		r.Findings = append(r.Findings, f)
	} else if o := &r.Findings[i]; a != nil && !slices.Contains(o.Addresses, a.path) {
		if o.Count++; len(o.Addresses) < maxAddresses {
			o.Addresses = append(o.Addresses, a.path)
		}
	}
	if slices.Index(severities, v) > slices.Index(severities, r.Verdict) {
		r.Verdict = v
	}
}

func (b findings) addTo(r *Report) {
	for _, c := range Checks {
		result := *b[c.ID]
		slices.SortStableFunc(result.Findings, func(x, y Finding) int {
			return slices.Index(severities, y.Verdict) - slices.Index(severities, x.Verdict)
		})
		if result.Tried == 0 && len(result.Findings) == 0 {
			result.Verdict = NotTested
			result.Findings = []Finding{{Verdict: NotTested, Message: "nothing to test it with", unanswered: true}}
		}
		r.Results = append(r.Results, result)
		r.Summary.count(&result)
	}
	r.Summary.Whole = r.Summary.Fail+r.Summary.Warn+r.Summary.NotTested == 0
}

// count counts a result. A check that was tested in part also counts as not tested.
func (s *Summary) count(r *Result) {
	switch r.Verdict {
	case Pass:
		s.Pass++
	case Fail:
		s.Fail++
	case Warn:
		s.Warn++
	case Info:
		s.Info++
	}
	if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Verdict == NotTested }) {
		s.NotTested++
	}
	if r.Level == Required && slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.unanswered }) {
		s.Unanswered++
	}
}

func quoteShell(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,~", r))
	}) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
