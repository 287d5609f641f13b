package describe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	unsafe "github.com/yuin/goldmark/renderer/html"
	"pgregory.net/rapid"

	"stele/internal/compile/compiler"
	"stele/internal/show/describe"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
	"stele/record"
)

// TestTwins: each record with a page has a twin, with everything that must be kept.
func TestTwins(t *testing.T) {
	files := theSample()
	count := 0
	for _, k := range record.Kinds {
		lines := strings.Split(string(file(t, files, k.Collection.Path[1:])), "\n")
		for _, line := range lines[1 : len(lines)-2] {
			var e record.Envelope
			must.Do(t, json.Unmarshal([]byte(strings.TrimSuffix(line, ",")), &e))
			path := k.Folder() + "/" + string(e.ID) + ".md"
			if !k.HasPage() {
				if files[path] != nil {
					t.Errorf("%s is there", path)
				}
				continue
			}
			count++
			text := visible(t, file(t, files, path))
			tells(t, path, text)
			wanted := []string{string(e.ID), string(e.VerificationDate), e.Title, e.Summary}
			for _, l := range e.SourceLinks {
				wanted = append(wanted, string(l.URL))
			}
			for _, u := range e.SourceUpdates {
				wanted = append(wanted, string(u.Date), u.Summary)
			}
			for _, c := range e.Corrections {
				wanted = append(wanted, string(c.Date), string(c.Type), c.Summary)
			}
			if e.ClaimBoundary != nil {
				wanted = append(wanted, e.ClaimBoundary.Statement)
			}
			for _, w := range wanted {
				if !strings.Contains(text, w) {
					t.Errorf("%s does not say %q:\n%s", path, w, text)
				}
			}
		}
	}
	if count < 100 {
		t.Errorf("%d twins", count)
	}
}

func TestTwinOfAClaim(t *testing.T) {
	text := string(file(t, theSample(), "proof/clm-one-dose-protects.md"))
	for _, want := range []string{
		"# One dose of MMR vaccine protects most children from measles\n",
		"\nProof claim `clm-one-dose-protects`, version 1.\n",
		"\n- evidence label: moderate (moderately confident: the true effect is probably close to the estimate)\n",
		"\n- corrections: none\n",
		"; stance: supports\n",
		"\n- ← supports `evd-mmr-one-dose` ([One dose of MMR vaccine and measles](" + base + "/evidence/evd-mmr-one-dose.md))\n",
		base + "/api/v1/proof/clm-one-dose-protects.json",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q:\n%s", want, text)
		}
	}
}

var commonMark = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(unsafe.WithUnsafe()))

// rendered is Markdown as a careless page shows it: HTML in it counts.
func rendered(t *testing.T, markdown []byte) string {
	var b bytes.Buffer
	must.Do(t, commonMark.Convert(markdown, &b))
	return b.String()
}

var tag = regexp.MustCompile(`<[^>]*>`)

// visible is what a reader of the page sees, on one line.
func visible(t *testing.T, markdown []byte) string {
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(rendered(t, markdown), ""))), " ")
}

// withTexts is the sample with an entity for each text, which says it in its title, its summary,
// its name and a member of the publisher's own.
func withTexts(texts []string) fs.FS {
	files := growing(len(texts))
	const file = "records/entities/more.ndjson"
	lines := strings.Split(string(files[file].Data), "\n")
	for i, text := range texts {
		quoted, _ := json.Marshal(text) // a text has no error
		q := string(quoted)
		lines[i] = strings.NewReplacer(`"name":"More"`, `"name":`+q+`,"x_own":`+q, `"summary":"More."`, `"summary":`+q, `"title":"More"`, `"title":`+q).Replace(lines[i])
	}
	files[file] = &fstest.MapFile{Data: []byte(strings.Join(lines, "\n"))}
	return files
}

// TestTextsStayTexts: whatever a record says, it is read as it was written, and makes neither HTML
// nor links nor headings.
func TestTextsStayTexts(t *testing.T) {
	race.LeaveOut(t, "looks at texts, in one goroutine")
	texts := []string{
		"harmless", "<script>alert(1)</script>", "[x](javascript:alert(1))", "![x](y)", "# heading", "- item", "+ item", "1. item", "23) item", "> quote", "=== x", "--- x", "***", "___",
		"`code`", "``` x", "~~~ x", "~~gone~~", "a\n\n# b", "&lt;b&gt; &amp;", `\*`, "| a | b |", "[^1]", "[x]: y", "<https-x://example>", "*a* _b_ **c** __d__", "- [ ] x", "&#35; x", "a  \nb",
	}
	hostile := rapid.StringMatching("[a1 .)(#+=<>&;|~`*_\\[\\]!\\\\-]{0,12}[a-z]")
	for seed := range 300 {
		texts = append(texts, hostile.Example(seed))
	}
	files := described(t, withTexts(texts), describe.Options{}, compiler.Options{})
	var want string
	for i, text := range texts {
		id := fmt.Sprintf("ent-more-%05d", i)
		twin := file(t, files, "entities/"+id+".md")
		got := strings.ReplaceAll(strings.Join(tag.FindAllString(rendered(t, twin), -1), ""), id, "ID")
		if i == 0 {
			want = got
		}
		if got != want {
			t.Errorf("%q makes %s, not %s:\n%s", text, got, want, twin)
		}
		if seen := visible(t, twin); strings.Count(seen, strings.Join(strings.Fields(text), " ")) < 3 {
			t.Errorf("%q is shown as:\n%s", text, seen)
		}
	}
}

// TestFindingsAsMarkdown: the twins of 23 rows of published tables have their figures.
func TestFindingsAsMarkdown(t *testing.T) {
	rows, folder, err := specimen.Outcomes()
	must.Do(t, err)
	files := described(t, folder, describe.Options{Downloads: downloads}, compiler.Options{})
	for _, r := range rows {
		text := string(file(t, files, "evidence/"+r.ID+".md"))
		want := []string{"- evidence label: " + strings.ReplaceAll(r.Label, "_", `\_`), "  - start: " + r.Start}
		if r.Value != "" {
			want = append(want, "  - value: "+r.Value+"\n", "  - lower: "+r.Lower+"\n", "  - participants: "+r.Participants)
		}
		if r.Corresponding != "" {
			want = append(want, "risks: assumed: "+r.Assumed+"; per: "+r.Per+"; corresponding: "+r.Corresponding+
				"; lower: "+r.RLower+"; upper: "+r.RUpper+"\n")
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q:\n%s", r.ID, w, text)
			}
		}
	}
}
