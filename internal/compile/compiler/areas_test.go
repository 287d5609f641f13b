package compiler_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

// TestAreasAreSeparate: a scheme of areas that no record uses changes the manifest and the listing
// of releases, which keeps the settings, but no file of records.
func TestAreasAreSeparate(t *testing.T) {
	folder := must.Get(specimen.Starter())(t)
	opt := compiler.Options{Date: "2026-02-01"}
	without := makeRelease(t, folder, opt)
	settings := folder["stele.yaml"].Data
	const scheme = "\nareas:\n  county: {title: Counties, codes: areas/codes.csv, changes: areas/changes.csv}\n"
	folder["stele.yaml"] = &fstest.MapFile{Data: append(bytes.Clone(settings), scheme...)}
	folder["areas/codes.csv"] = &fstest.MapFile{Data: []byte("code,name,level,parent,valid_from,valid_to\n1,One,,,,\n")}
	folder["areas/changes.csv"] = &fstest.MapFile{Data: []byte("date,from_code,to_code,kind,share,basis,note\n")}
	with := makeRelease(t, folder, opt)
	compared := 0
	for path, data := range without.files {
		if strings.HasPrefix(path, "manifest.json") || strings.HasPrefix(path, "index/releases.json") {
			continue
		}
		if compared++; !bytes.Equal(data, with.files[path]) {
			t.Errorf("%s differs if the settings name a scheme of areas", path)
		}
	}
	for path := range with.files {
		expected := strings.HasPrefix(path, "areas/county.") || strings.HasPrefix(path, "index/releases.json")
		if _, both := without.files[path]; !both && !expected {
			t.Errorf("a scheme of areas adds %s", path)
		}
	}
	if compared < 20 {
		t.Errorf("only %d files were compared", compared)
	}
}
