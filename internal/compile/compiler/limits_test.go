//go:build !race

package compiler_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// TestLimitsAreThoseOfReaders: what check lets pass, readers of the release read. All texts of the
// settings that go into a release are as long as they may be, in characters that take the most
// bytes; so is a record. One character more is a finding.
func TestLimitsAreThoseOfReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("a record of 32 MiB is compressed")
	}
	folder, err := specimen.Starter()
	must.Do(t, err)
	texts := map[string]any{}
	for _, m := range schema.ShapeOf[settings.Settings]().Members {
		_, inManifest := reflect.TypeFor[release.Manifest]().FieldByNameFunc(func(name string) bool {
			f, _ := reflect.TypeFor[release.Manifest]().FieldByName(name)
			return f.Tag.Get("json") == m.Name || strings.HasPrefix(f.Tag.Get("json"), m.Name+",")
		})
		switch {
		case m.Name == "words" || m.Name == "time_zone": // one of a list
		case m.Shape.Format != nil && inManifest:
			texts[m.Name] = "https://example.org/" + strings.Repeat("a", 8000-len("https://example.org/"))
		case m.Shape.Type == schema.String && m.Max > 0:
			texts[m.Name] = strings.Repeat("𝄞", m.Max-1) + `"`
		case inManifest:
			t.Errorf("%s goes into the manifest, and has no limit", m.Name)
		}
	}
	if texts["notice"] == nil || texts["publisher"] == nil || texts["base_url"] == nil {
		t.Fatalf("only %d texts are tried", len(texts))
	}
	put := func(folder fstest.MapFS) {
		data := must.Get(json.Marshal(texts))(t) // which is YAML too
		folder["stele.yaml"] = &fstest.MapFile{Data: data}
	}
	put(folder)
	folder["records/entities/ent-long.json"] = &fstest.MapFile{Data: []byte(`{"id":"ent-long","version":1,"title":"Long","summary":"` +
		strings.Repeat(`\n\"`, 8<<20-1000) + `","entity_type":"place","name":"Long","source_links":[{"url":"https://example.org/","role":"primary"}],` +
		`"verification_date":"2026-01-10","source_updates":[],"corrections":[],"published_date":"2026-01-10","updated_date":"2026-01-10"}`)}
	w := newMemory()
	outcome, err := compiler.Build(context.Background(), folder, w, compiler.Options{Date: releaseDate})
	if err != nil || outcome.Manifest == nil {
		t.Fatalf("%v: %.1000s", err, problems(outcome))
	}
	report, err := w.open(t).Verify(context.Background(), nil)
	if err != nil || len(report.Faults) > 0 {
		t.Errorf("%v: %v", err, report.Faults)
	}
	for name, text := range texts {
		if name == "base_url" {
			texts[name] = text.(string) + "a"
		} else {
			texts[name] = text.(string) + "𝄞"
		}
		put(folder)
		outcome, err := compiler.Build(context.Background(), folder, newMemory(), compiler.Options{Date: releaseDate})
		if err != nil || outcome.Manifest != nil {
			t.Errorf("%s may be longer than it may be: %v", name, err)
		}
		texts[name] = text
		delete(folder, "records/entities/ent-long.json") // once is enough
	}
}

// TestTooMuchText: check, without a build, says which version has too much text, and in which
// member.
func TestTooMuchText(t *testing.T) {
	for name, c := range map[string]struct{ path, text, want string }{
		"one long text": {
			"ent-long.json", `{"id":"ent-long","summary":"Short.","x_log":"` + strings.Repeat("a", 17<<20) + `"}`,
			"this version of ent-long has 17.8 MB of text, 17.8 MB of it in x_log; at most 16.8 MB are allowed",
		},
		"aliases": {
			"ent-long.yaml",
			"id: ent-long\nx_one: &a " + strings.Repeat("a", 1<<20) +
				"\nx_all: [" + strings.Repeat("*a, ", 20) + "]\n",
			"this version of ent-long has 22.0 MB of text, 21.0 MB of it in x_all; at most 16.8 MB are allowed",
		},
	} {
		folder := must.Get(specimen.Starter())(t)
		folder["records/entities/"+c.path] = &fstest.MapFile{Data: []byte(c.text)}
		result := must.Get(specimen.Check(folder, compiler.Options{Date: releaseDate}))(t)
		if p := result.Problems; len(p) == 0 || p[0].Code != codes.TooLarge || p[0].Message != c.want {
			t.Errorf("%s: %.1000v", name, p)
		}
	}
}
