package audit

import (
	"slices"
	"strings"
)

// Verdict is what was found.
type Verdict string

// The verdicts, from the best to the worst.
const (
	Pass      Verdict = "pass"
	Info      Verdict = "info"
	NotTested Verdict = "not tested"
	Warn      Verdict = "warn"
	Fail      Verdict = "fail"
)

var worse = []Verdict{Pass, Info, NotTested, Warn, Fail}

// Report is what an audit found.
type Report struct {
	Address  string   `json:"address"`
	Date     string   `json:"date,omitempty"`
	Program  string   `json:"program,omitempty"`
	Requests int64    `json:"requests"`
	Bytes    int64    `json:"bytes"` // as they came
	Summary  Summary  `json:"summary"`
	Results  []Result `json:"checks"`
}

// Summary counts checks by their verdicts. Whole says that nothing failed, warned or went untested.
type Summary struct {
	Pass       int  `json:"pass"`
	Fail       int  `json:"fail"`
	Warn       int  `json:"warn"`
	Info       int  `json:"info"`
	NotTested  int  `json:"not_tested"`
	Unanswered int  `json:"unanswered"` // required checks that the service gave no answer to, or nothing to try with
	Whole      bool `json:"whole"`
}

// Result is what came of a check.
type Result struct {
	Check
	Verdict  Verdict   `json:"verdict"` // the worst of its findings
	Tried    int       `json:"tried"`   // how often it was tried
	Findings []Finding `json:"findings,omitempty"`
}

// Finding is something that an audit shows: what is wrong, what was not tested, what is worth
// knowing. Findings that differ only in their addresses are one.
type Finding struct {
	Verdict   Verdict  `json:"verdict"`
	Message   string   `json:"message"`
	Addresses []string `json:"addresses,omitempty"` // paths, the first few
	Count     int      `json:"count"`               // of all addresses
	Request   string   `json:"request,omitempty"`   // for the first address
	Answer    string   `json:"answer,omitempty"`    // its head
	Curl      string   `json:"curl,omitempty"`      // the same request from a shell

	unanswered bool
}

// mostAddresses is how many addresses of a finding are shown.
const mostAddresses = 10

// book collects what is found. It is written by one goroutine.
type book map[string]*Result // by the ID of the check

func newBook() book {
	b := book{}
	for _, c := range Checks {
		b[c.ID] = &Result{Check: c, Verdict: Pass}
	}
	return b
}

// tried counts a trial of a check, whatever comes of it.
func (b book) tried(id string) { b[id].Tried++ }

// found adds a finding about an answer, which may be nil.
func (b book) found(id string, v Verdict, message string, a *answer) {
	f := Finding{Verdict: v, Message: message}
	if a != nil {
		f.Addresses, f.Count = []string{a.path}, 1
		f.Request, f.Answer, f.Curl = a.request(), a.head(), a.curl()
		f.unanswered = v == NotTested && (a.silent() != "" || isLimit(a.bad))
	}
	r := b[id]
	i := slices.IndexFunc(r.Findings, func(o Finding) bool { return o.Verdict == v && o.Message == message })
	if i < 0 {
		r.Findings = append(r.Findings, f)
	} else if o := &r.Findings[i]; a != nil && !slices.Contains(o.Addresses, a.path) {
		if o.Count++; len(o.Addresses) < mostAddresses {
			o.Addresses = append(o.Addresses, a.path)
		}
	}
	if slices.Index(worse, v) > slices.Index(worse, r.Verdict) {
		r.Verdict = v
	}
}

// report sums up.
func (b book) report(r *Report) {
	for _, c := range Checks {
		result := *b[c.ID]
		slices.SortStableFunc(result.Findings, func(x, y Finding) int {
			return slices.Index(worse, y.Verdict) - slices.Index(worse, x.Verdict)
		})
		if result.Tried == 0 && len(result.Findings) == 0 {
			result.Verdict = NotTested
			result.Findings = []Finding{{Verdict: NotTested, Message: "there was nothing to try it with", unanswered: true}}
		}
		r.Results = append(r.Results, result)
		r.Summary.add(&result)
	}
	r.Summary.Whole = r.Summary.Fail+r.Summary.Warn+r.Summary.NotTested == 0
}

// add counts a result. What was tested in part counts as not tested too.
func (s *Summary) add(r *Result) {
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

// quoteShell writes a word as a shell takes it.
func quoteShell(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,~", r))
	}) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
