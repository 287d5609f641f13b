// Package clients_test runs the clients of all languages against the same releases and the same
// hostile hosts. What they are to answer is in cases.json.
package clients_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/client"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/store"
	"stele/internal/testkit/browsertest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// testCase is a row of the table.
type testCase struct {
	Name  string `json:"name"`
	Trick string `json:"trick"` // of the host, or a folder
	User  string `json:"user"`
	// Headers are lines that the host wants to see.
	Headers map[string]string `json:"headers"`
	Do      [][]string        `json:"do"`   // what is done after opening it
	Want    []string          `json:"want"` // what comes of each; of opening it alone, if that fails
	Asked   map[string]int    `json:"asked"`
	Without []string          `json:"without"` // languages that leave it out
}

func readCases(t *testing.T) (cases []testCase) {
	t.Helper()
	data := must.Get(os.ReadFile("cases.json"))(t)
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) < 50 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	return cases
}

// drivers run the table in other languages: how they are started.
var drivers = map[string][]string{
	"python": {"python3", "-B", "python/cases.py"},
	"node":   {"node", "typescript/cases.mjs"},
	"r":      {"Rscript", "--vanilla", "r/cases.R"},
	// with what sends the requests given by the caller
	"python-session": {"python3", "-B", "python/cases.py", "--session"},
	"node-fetch":     {"node", "typescript/cases.mjs", "--fetch"},
}

// needs is what a language has to have besides its interpreter: a program that fails without it.
var needs = map[string][]string{
	"r":              {"Rscript", "--vanilla", "-e", "for (p in c('jsonlite', 'openssl', 'curl')) loadNamespace(p)"},
	"python-session": {"python3", "-c", "import requests"},
}

// leavesOut reports whether a language leaves a case out.
func (c *testCase) leavesOut(language string) bool {
	language, _, _ = strings.Cut(language, "-")
	return slices.Contains(c.Without, language)
}

// interpreter skips a test, visibly, where a language is not on the machine.
func interpreter(t *testing.T, language string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short: it runs other programs")
	}
	if _, err := exec.LookPath(drivers[language][0]); err != nil {
		t.Skipf("tool not here: %v", err)
	}
	if n := needs[language]; n != nil && exec.Command(n[0], n[1:]...).Run() != nil {
		t.Skipf("tool not here: the packages that the client in %s needs", language)
	}
}

// releases are those that all cases are about.
var releases = sync.OnceValues(makeReleases)

var cleanUp = func() {}

func TestMain(m *testing.M) {
	code := browsertest.Tests{M: m}.Run()
	cleanUp()
	os.Exit(code)
}

// TestCases lets every client do the same, and compares what comes of it with the table.
func TestCases(t *testing.T) {
	testCases(t, "go", "go-client", "python", "python-session", "node", "node-fetch")
}

// TestLongCases does the same in R, which is large to install.
func TestLongCases(t *testing.T) {
	long.Only(t)
	testCases(t, "r")
}

func testCases(t *testing.T, languages ...string) {
	t.Helper()
	cases := readCases(t)
	for _, language := range languages {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if drivers[language] != nil {
				interpreter(t, language)
			}
			dir := must.Get(releases())(t)
			host := &service{first: filepath.Join(dir, "first"), second: filepath.Join(dir, "second")}
			server := httptest.NewServer(host)
			defer server.Close()
			var results map[string][]string
			if drivers[language] == nil {
				results = runGo(t, language, cases, dir, server.URL)
			} else {
				results = drive(t, language, "cases.json", dir, server.URL+"/"+language)
			}
			compare(t, language, cases, results, host, dir, server.URL+"/"+language)
		})
	}
}

// drive lets a language do what a table says.
func drive(t *testing.T, language, cases, dir, address string) (results map[string][]string) {
	t.Helper()
	args := append(slices.Clone(drivers[language]), cases, dir, address, firstID(t, dir))
	out := run(t, ".", args...)
	if strings.Contains(out, "sesame") {
		t.Errorf("a password is shown:\n%s", out)
	}
	if err := json.Unmarshal([]byte(out), &results); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return results
}

// compare compares what came of the cases with the table.
func compare(t *testing.T, language string, cases []testCase, results map[string][]string, host *service,
	dir, address string,
) {
	t.Helper()
	for _, c := range cases {
		if c.leavesOut(language) {
			continue
		}
		for _, result := range results[c.Name] {
			if _, message, failed := strings.Cut(result, "\t"); failed && !strings.HasPrefix(language, "go") &&
				!strings.HasPrefix(message, c.where(dir, address)+": ") {
				t.Errorf("%s: the error does not begin with the place: %s", c.Name, message)
			}
		}
		if diff := cmp.Diff(c.Want, first(results[c.Name]), likeGo(language)); diff != "" {
			t.Errorf("%s (-want +got):\n%s%q", c.Name, diff, results[c.Name])
		}
		for name, want := range c.Asked {
			if got := host.askedFor(language, c.Trick, name); got != want {
				t.Errorf("%s: asked %d times for %s, want %d", c.Name, got, name, want)
			}
		}
	}
}

// first is what stands before the message of an error.
func first(results []string) []string {
	heads := []string{}
	for _, r := range results {
		head, _, _ := strings.Cut(r, "\t")
		heads = append(heads, head)
	}
	return heads
}

// likeGo takes errors alike that package client does not tell apart.
func likeGo(language string) cmp.Option {
	return cmp.Transformer("outcome", func(text string) []byte {
		if strings.HasPrefix(language, "go") && (text == "refused" || text == "unavailable") {
			text = "failed"
		}
		return []byte(text)
	})
}

func firstID(t *testing.T, dir string) string {
	t.Helper()
	r, closeRelease, err := store.Open(filepath.Join(dir, "first"))
	must.Do(t, err)
	defer closeRelease()
	return r.Manifest.Release
}

// makeReleases writes a release, the one after it, and a damaged one.
func makeReleases() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "stele-clients-"); err != nil {
		return "", err
	}
	cleanUp = func() { os.RemoveAll(dir) }
	one, two, damaged := filepath.Join(dir, "first"), filepath.Join(dir, "second"), filepath.Join(dir, "damaged")
	folder, err := specimen.Starter()
	if err != nil {
		return "", err
	}
	derive := func(from, to string, replace ...string) {
		text := string(folder[from].Data)
		for i := 0; i < len(replace); i += 2 {
			if !strings.Contains(text, replace[i]) {
				err = errors.Join(err, fmt.Errorf("%s has no %q", from, replace[i]))
			}
			text = strings.ReplaceAll(text, replace[i], replace[i+1])
		}
		folder[to] = &fstest.MapFile{Data: []byte(text)}
	}
	const (
		statistic = "records/healthcare-statistics/sta-example-cases-2025.yaml"
		signal    = "records/signals/sig-example-rise.yaml"
		entity    = "records/entities/ent-example-coverage.yaml"
	)
	digits := func(letter, year, value, more string) {
		derive(statistic, "records/healthcare-statistics/sta-digits-"+letter+".yaml", "\nid: sta-example-cases-2025\n",
			"\nid: sta-digits-"+letter+"\n", "\nvalue: 120\n", "\nvalue: "+value+more+"\n", "\ntime_period: \"2025\"", "\ntime_period: \""+year+"\"")
	}
	digits("a", "2022", "0.050", "\nx_exact: 1.10")
	digits("b", "2023", "123456789012345678901234567890", "")
	digits("c", "2024", "-0.10000000000000000555", "")
	// texts in which every letter takes several bytes, so that some place cuts one apart
	derive("records/healthcare-statistics/sta-digits-a.yaml", "records/healthcare-statistics/sta-digits-a.yaml",
		"\ntitle: Reported measles cases, France, 2025\n", "\ntitle: 'Cases: \"0.050\", \\ -1.50e3, żółć 麻疹 😀'\n",
		"\nsummary: A made-up count of reported cases.\n", "\nsummary: AB"+strings.Repeat("😀", 50)+"\n")
	for _, of := range [][2]string{{"16", "2017"}, {"50", "2018"}} {
		derive(statistic, "records/healthcare-statistics/sta-area-"+of[1]+".yaml", "\nid: sta-example-cases-2025\n", "\nid: sta-area-"+of[1]+"\n",
			"\nref_area_scheme: iso3166\nref_area: FRA\n", "\nref_area_scheme: county\nref_area: \""+of[0]+"\"\n",
			"\ntime_period: \"2025\"", "\ntime_period: \""+of[1]+"\"")
	}
	derive("stele.yaml", "stele.yaml", "\nlicense: ", "\nareas:\n  county: {title: Counties, codes: areas/county.csv, changes: areas/changes.csv}\nlicense: ")
	folder["areas/county.csv"] = &fstest.MapFile{Data: []byte("code,name,level,parent,valid_from,valid_to\n" +
		"16,Sør-Trøndelag,,,,2017-12-31\n17,Nord-Trøndelag,,,,2017-12-31\n50,Trøndelag,,,2018-01-01,\n")}
	folder["areas/changes.csv"] = &fstest.MapFile{Data: []byte("date,from_code,to_code,kind,share,basis,note\n" +
		"2018-01-01,16,50,merge,,,\n2018-01-01,17,50,merge,,,\n")}
	retraction := func(date string) []string {
		return []string{
			"\nversion: 1\n", "\nversion: 2\n", "\nupdated_date: 2026-01-10\n", "\nupdated_date: " + date + "\n",
			"\ncorrections: []\n", "\ncorrections:\n  - {date: " + date + ", type: retraction, in_version: 2, fields: [observation], summary: It was not so.}\n",
		}
	}
	derive(signal, "records/signals/sig-later.yaml", "\nid: sig-example-rise\n", "\nid: sig-later\n")
	derive("records/signals/sig-later.yaml", "records/signals/sig-withdrawn.yaml",
		append(retraction("2026-02-01"), "\nid: sig-later\n", "\nid: sig-withdrawn\n")...)
	if err != nil {
		return "", err
	}
	if err := build(one, nil, folder, compiler.Options{Date: "2026-03-01"}); err != nil {
		return "", err
	}
	derive("records/signals/sig-later.yaml", "records/signals/sig-later.yaml", retraction("2026-03-02")...)
	derive(entity, "records/entities/ent-new.yaml", "\nid: ent-example-coverage\n", "\nid: ent-new\n",
		"ed_date: 2026-01-10\n", "ed_date: 2026-03-02\n")
	derive(entity, entity, "\nsummary: ", "\nsummary: Again, ", "\nversion: 1\n", "\nversion: 2\n", "\nupdated_date: 2026-01-10\n", "\nupdated_date: 2026-03-02\n")
	delete(folder, "records/public-references/ref-example-poster.yaml")
	if err != nil {
		return "", err
	}
	before, closeBefore, err := store.Open(one)
	if err != nil {
		return "", err
	}
	defer closeBefore()
	err = build(two, before, folder, compiler.Options{
		Date: "2026-03-02", PreviousDir: one, AllowRemoved: []string{"ref-example-poster"}, AllowShrink: true,
	})
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(damaged, os.DirFS(one)); err != nil {
		return "", err
	}
	for _, name := range []string{"api/v2/entities.json", "areas/county.json"} {
		path := filepath.Join(damaged, filepath.FromSlash(name))
		data, readErr := os.ReadFile(path)
		if readErr != nil {
			return "", readErr
		}
		data[len(data)-20] ^= 1
		err = errors.Join(err, os.WriteFile(path, data, 0o644))
	}
	return dir, err
}

func build(target string, before *release.Release, folder fs.FS, opt compiler.Options) error {
	opt.Previous, opt.ByHash = before, true
	_, err := specimen.BuildTo(target, folder, opt)
	return err
}

// runGo does what the drivers of other languages do. Package client hands out lost records with
// their standing, so what they refuse is left out here.
func runGo(t *testing.T, language string, cases []testCase, dir, server string) map[string][]string {
	t.Helper()
	results := map[string][]string{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, c := range cases {
		if c.leavesOut(language) {
			continue
		}
		opt := client.Options{Time: time.Minute}
		if !strings.Contains(c.Trick, " ") && (c.Headers != nil || language == "go-client") {
			opt.Transport = adding{c.Headers}
		}
		all.Go(func() {
			got := runGoCase(t.Context(), c, opt, dir, server+"/"+language, firstID(t, dir))
			mu.Lock()
			defer mu.Unlock()
			results[c.Name] = got
		})
	}
	all.Wait()
	return results
}

// adding sends requests with more header lines.
type adding struct{ headers map[string]string }

func (a adding) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range a.headers {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// where is the place that a case opens, without user and password.
func (c *testCase) where(dir, address string) string {
	if name, ok := strings.CutPrefix(c.Trick, "folder "); ok {
		return filepath.Join(dir, name)
	}
	if other, ok := strings.CutPrefix(c.Trick, "address "); ok {
		return other
	}
	return address + "/" + c.Trick
}

func runGoCase(ctx context.Context, c testCase, opt client.Options, dir, address, firstID string) (results []string) {
	opened, err := client.Open(ctx, strings.Replace(c.where(dir, address), "://", "://"+c.User, 1), opt)
	if err != nil {
		return []string{outcome(err)}
	}
	defer opened.Close()
	for _, do := range c.Do {
		text, err := goStep(ctx, opened, do, firstID)
		if err != nil {
			text = outcome(err)
		}
		results = append(results, text)
	}
	return results
}

// outcome names an error as the table does.
func outcome(err error) string {
	damaged, changed := new(release.DamagedError), new(fetch.ChangedError)
	switch {
	case errors.Is(err, context.Canceled):
		return "stopped"
	case errors.Is(err, errLost):
		return "lost"
	case errors.Is(err, client.ErrTooOld):
		return "too_old"
	case errors.Is(err, fs.ErrNotExist):
		return "not_found"
	case errors.As(err, &damaged) || errors.As(err, &changed):
		return "damaged"
	}
	return "failed\t" + err.Error()
}

func codesOf(list []client.Area) string {
	codes := make([]string, len(list))
	for i, a := range list {
		codes[i] = a.Code
	}
	return strings.Join(codes, " ")
}

var errLost = errors.New("it is lost")

func goStep(ctx context.Context, c *client.Client, do []string, firstID string) (string, error) {
	lost := do[len(do)-1] == "lost"
	switch do[0] {
	case "stop":
		stopped, stop := context.WithCancel(ctx)
		time.AfterFunc(100*time.Millisecond, stop)
		return goStep(stopped, c, []string{"records", do[1]}, firstID)
	case "verify":
		for i := range c.Manifest().Kinds {
			for _, err := range c.Release(ctx).Records(c.Manifest().Kinds[i].Kind) {
				if err != nil {
					return "", err
				}
			}
		}
		return "ok", nil
	case "area":
		found, err := client.Get[record.HealthcareStatistic](ctx, c, do[2])
		if err != nil {
			return "", err
		}
		a, err := c.Area(ctx, string(found.Record.RefAreaScheme), found.Record.RefArea)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s: %s > %s", a.Code, a.Name, codesOf(a.Predecessors), codesOf(a.Successors)), nil
	case "update":
		changed, err := c.Update(ctx)
		return map[bool]string{true: "yes", false: "no"}[changed], err
	case "standing":
		for s, err := range c.Release(ctx).Standings() {
			if err != nil || s.ID == do[1] {
				return s.Standing + " " + s.Since, err
			}
		}
		return "stands", nil
	}
	switch do[1] {
	case "signal":
		return goRecords[record.Signal](ctx, c, do, firstID, lost)
	case "entity":
		return goRecords[record.Entity](ctx, c, do, firstID, lost)
	case "opportunity":
		return goRecords[record.Opportunity](ctx, c, do, firstID, lost)
	case "public_reference":
		return goRecords[record.PublicReference](ctx, c, do, firstID, lost)
	case "healthcare_statistic":
		return goRecords[record.HealthcareStatistic](ctx, c, do, firstID, lost)
	case "policy": // which has no type
		switch do[0] {
		case "get":
			return "", fs.ErrNotExist
		case "changes":
			return "", client.ErrTooOld
		}
		return "", nil
	}
	return "", fmt.Errorf("no type for %s", do[1])
}

func goRecords[T any, P interface {
	*T
	record.Record
}](ctx context.Context, c *client.Client, do []string, firstID string, lost bool) (string, error) {
	isLost := func(f client.Found[T]) bool {
		return !lost && f.Standing != nil && (f.Standing.Standing == "retracted" || f.Standing.Standing == "unsupported")
	}
	show := func(f client.Found[T]) string {
		if f.Record == nil {
			return "-" + f.ID
		}
		if isLost(f) {
			return f.ID + "!" + f.Standing.Standing
		}
		text := fmt.Sprintf("%s@%d", f.ID, P(f.Record).Common().Version)
		if f.Standing != nil {
			text += ":" + f.Standing.Standing
		}
		return text
	}
	var found iter.Seq2[client.Found[T], error]
	switch do[0] {
	case "digits":
		f, err := client.Get[T, P](ctx, c, do[2])
		if err != nil {
			return "", err
		}
		data, err := json.Marshal(f.Record)
		if err != nil {
			return "", err
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(data, &members); err != nil {
			return "", err
		}
		var text string
		if json.Unmarshal(members[do[3]], &text) != nil {
			text = string(members[do[3]])
		}
		return text, nil
	case "get":
		f, err := client.Get[T, P](ctx, c, do[2])
		if err == nil && isLost(f) {
			err = errLost
		}
		if err != nil {
			return "", err
		}
		return show(f), nil
	case "records":
		found = client.All[T, P](ctx, c)
	case "changes":
		found = client.Changes[T, P](ctx, c, strings.Replace(do[2], "@first", firstID, 1))
	}
	var texts []string
	for f, err := range found {
		if err != nil {
			return "", err
		}
		if do[0] == "changes" || !isLost(f) {
			texts = append(texts, show(f))
		}
	}
	return strings.Join(texts, " "), nil
}
