package explain_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/author/judging/explain"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
	"stele/internal/trust/audit"
	"stele/record"
	"stele/release"
)

// releaseDate lies after every date in the starter folder and the good examples.
const releaseDate = record.Date("2026-02-01")

func TestEveryCodeHasAFile(t *testing.T) {
	var want []string
	for _, info := range codes.Table {
		want = append(want, filepath.Join("codes", string(info.Code)+".txtar"))
	}
	slices.Sort(want)
	have := must.Get(filepath.Glob("codes/*"))(t)
	if !slices.Equal(have, want) {
		t.Errorf("files are\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// TestExamples lays each example over the starter folder: a bad one gives its own code and no
// other, a good one gives none.
func TestExamples(t *testing.T) {
	files := must.Get(specimen.StarterFiles())(t)
	for i, info := range codes.Table {
		if race.Enabled && i%10 != 0 { // what runs at once is the same for all of them
			continue
		}
		t.Run(string(info.Code), func(t *testing.T) {
			e := must.Get(explain.Find(info.Code))(t)
			if e.Text == "" || len(e.Bad) == 0 || len(e.Good) == 0 {
				t.Fatal("needs a text, a bad example and a good one")
			}
			if strings.HasPrefix(string(info.Code), "OUT") {
				checkDamaged(t, files, e)
				return
			}
			bad := problems(t, files, e, e.Bad)
			if len(bad) == 0 {
				t.Error("nothing is wrong with the bad example")
			}
			for _, p := range bad {
				if p.Code != info.Code {
					t.Errorf("the bad example has another problem: %v", &p)
				}
			}
			for _, p := range problems(t, files, e, e.Good) {
				t.Errorf("the good example has a problem: %v", &p)
			}
		})
	}
}

func TestText(t *testing.T) {
	plain := must.Get(explain.Text(string(codes.UnknownReference), false))(t)
	for _, want := range []string{
		"REF01 (error)  refers to a record that does not exist\n\nThe record names",
		"\n\nBad: records/signals/sig-example-rise.yaml\n    statistic_ids: [sta-example-case-2025]\n",
		"\n\nGood: records/signals/sig-example-rise.yaml\n    statistic_ids: [sta-example-cases-2025]\n",
	} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is missing in\n%s", want, plain)
		}
	}
	colored := must.Get(explain.Text(string(codes.UnknownReference), true))(t)
	if without := regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(colored, ""); without != plain {
		t.Errorf("colour changes the text:\n%s", without)
	}
	if _, err := explain.Text("NONE1", false); err == nil {
		t.Error("an unknown code is explained")
	}
}

// TestChecks: each check of an audit is explained, and goes by a name that no code has.
func TestChecks(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range audit.Checks {
		found, ok := audit.Find(c.ID)
		if !ok || found != c || seen[c.ID] || codes.Code(c.ID).Info().Code != "" {
			t.Errorf("%s is not the name of one check", c.ID)
		}
		seen[c.ID] = true
		want := c.ID + " (" + string(c.Level) + ")  " + c.Title + "\n\n" + c.Text + "\n\nSee " + c.Part + ".\n"
		if text := must.Get(explain.Text(c.ID, false))(t); text != want || len(c.Text) < 80 {
			t.Errorf("%s", text)
		}
	}
}

// problems checks the starter folder with an example laid over it; if it matters what was there
// before, against a release of that.
func problems(t *testing.T, files map[string][]byte, e *explain.Explanation, example []explain.File) []schema.Problem {
	t.Helper()
	now := specimen.FolderWith(files, e.Info.Code, example)
	if e.Before == nil {
		result := must.Get(specimen.Check(now, compiler.Options{Date: releaseDate}))(t)
		return result.Problems
	}
	opt := compiler.Options{Date: releaseDate, NoVariants: true}
	before := makeRelease(t, specimen.FolderWith(files, e.Info.Code, e.Before), opt)
	outcome := must.Get(compiler.Build(context.Background(), now, store.NewMemory(),
		compiler.Options{Date: releaseDate, Previous: before, NoVariants: true, AllowMove: true}))(t)
	return outcome.Check.Problems
}

// checkDamaged lays the bad example over a release, and verifies that.
func checkDamaged(t *testing.T, files map[string][]byte, e *explain.Explanation) {
	t.Helper()
	opt := compiler.Options{Date: releaseDate, NoVariants: true}
	if e.Before != nil { // so long ago that its events are archived
		opt.Previous = makeRelease(t, specimen.FolderWith(files, e.Info.Code, e.Before), opt)
		opt.Date = "2028-02-01"
	}
	good := makeRelease(t, specimen.FolderWith(files, e.Info.Code, e.Good), opt)
	if r, err := good.Verify(t.Context(), nil); err != nil || len(r.Faults) > 0 {
		t.Errorf("the good example has faults: %v, %v", r, err)
	}
	damaged := *good
	damaged.Files = overlay{good.Files, e.Bad}
	r := must.Get(damaged.Verify(t.Context(), nil))(t)
	if !slices.ContainsFunc(r.Faults, func(f release.Fault) bool { return f.Code == string(e.Info.Code) }) {
		t.Errorf("verifying the bad example finds %q", r.Faults)
	}
}

// overlay is a file system in which some files are others.
type overlay struct {
	fs.FS
	files []explain.File
}

func (o overlay) Open(name string) (fs.File, error) {
	for _, f := range o.files {
		if f.Name == name {
			return fstest.MapFS{name: {Data: []byte(f.Text)}}.Open(name)
		}
	}
	return o.FS.Open(name)
}

func makeRelease(t *testing.T, records fs.FS, opt compiler.Options) *release.Release {
	t.Helper()
	return must.Get(specimen.Build(records, opt))(t).Release
}
