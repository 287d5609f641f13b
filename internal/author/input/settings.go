package input

import (
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/input/scrutiny"
	"stele/internal/author/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// SettingsFile is the file that makes a folder a publisher's.
const SettingsFile = "stele.yaml"

// Names are the files and folders of a publisher's folder that count: the settings, the records,
// the texts of sources, and what the settings name.
func Names(fsys fs.FS) []string {
	names := []string{SettingsFile, RedactionsFile, "records", TextsFolder}
	s, _, err := ReadSettings(fsys)
	for _, name := range []string{s.Logo, s.Style} {
		if err == nil && name != "" && fs.ValidPath(name) {
			names = append(names, name)
		}
	}
	return names
}

// elements returns the nodes in a list of the settings.
func elements(t *schema.Tree, name string) []int32 {
	if i := t.Find(0, name); i >= 0 {
		return slices.Collect(t.Children(i))
	}
	return nil
}

// members returns where the members of an object of the settings stand, by their names.
func members(t *schema.Tree, name string) map[string]schema.Pos {
	places := map[string]schema.Pos{}
	if i := t.Find(0, name); i >= 0 {
		for n := range t.Children(i) {
			places[t.Nodes[n].Name] = t.Nodes[n].At
		}
	}
	return places
}

// checkTexts finds what is doubtful in the texts of the settings, and a base_url to which nothing
// can be added.
func checkTexts(s *settings.Settings, t *schema.Tree, cut []schema.Problem) []schema.Problem {
	problems := append(slices.Clone(new(scrutiny.Looker).Tree(t, t, SettingsFile, "contact", "signing_keys")), cut...)
	for i := range problems {
		problems[i].Record = SettingsFile
	}
	if before, _, ok := strings.Cut(strings.ReplaceAll(string(s.BaseURL), "#", "?"), "?"); ok {
		at := t.Nodes[max(t.Find(0, "base_url"), 0)].At
		problems = append(problems, fault(codes.WrongValue, SettingsFile, at, "base_url has a query or a fragment, and every address is made by adding to it", "write "+before))
	}
	return problems
}

// ReadSettings reads stele.yaml. Where that is missing, the error is fs.ErrNotExist.
func ReadSettings(fsys fs.FS) (settings.Settings, []schema.Problem, error) {
	var s settings.Settings
	if _, err := fs.Stat(fsys, SettingsFile); isNotExist(err) {
		return s, nil, err
	}
	if _, problem := ordinary(fsys, SettingsFile); problem != nil {
		return s, []schema.Problem{*problem}, nil
	}
	data, problem := readWhole(fsys, SettingsFile)
	if problem != nil {
		return s, []schema.Problem{*problem}, nil
	}
	var problems []schema.Problem
	found := false
	problem = eachDocument(SettingsFile, data, func(n *yaml.Node) *schema.Problem {
		if found {
			p := fault(codes.Malformed, SettingsFile, schema.Pos{Line: int32(n.Line)}, "settings are one document, and another begins here", "delete the line ---")
			return &p
		}
		found = true
		var t schema.Tree
		t.Reset(SettingsFile)
		w := yamlWriter{to: &t, file: SettingsFile}
		if problem := w.add(n); problem != nil {
			return problem
		}
		problems = schema.DecodeInto(&t, &s)
		problems = append(problems, checkLook(&s, fsys, &t)...)
		problems = append(problems, checkAccept(&s, &t)...)
		problems = append(problems, checkReview(&s, &t)...)
		problems = append(problems, checkAxes(&s, &t)...)
		problems = append(problems, checkHome(&s, &t)...)
		problems = append(problems, checkLanguage(&s, &t)...)
		problems = append(problems, checkKeys(&s, &t)...)
		problems = append(problems, checkTexts(&s, &t, w.cut)...)
		return nil
	})
	if problem != nil {
		problems = append(problems, *problem)
	}
	if !found && problem == nil {
		problems = append(problems, fault(codes.WrongValue, SettingsFile, schema.Pos{Line: 1}, "the settings are empty", "write at least title, base_url, publisher, license, contact, language and notice"))
	}
	return s, problems, nil
}
