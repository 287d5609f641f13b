package input

import (
	"io/fs"

	"go.yaml.in/yaml/v3"

	"stele/record"
)

// SettingsFile is the file that makes a folder a publisher's.
const SettingsFile = "stele.yaml"

// Settings are what concerns the publisher and not a record.
type Settings struct {
	Title       string     `json:"title" max:"160" doc:"What the service is called."`
	Description string     `json:"description,omitempty" doc:"What it is, in the publisher's words."`
	BaseURL     record.URL `json:"base_url" doc:"The address that it is published at, such as https://data.example.org."`
	Publisher   string     `json:"publisher" doc:"Who publishes it."`
	License     string     `json:"license" doc:"The SPDX identifier of the licence of the records, such as CC-BY-4.0."`
	Contact     string     `json:"contact" doc:"Where to write to: a mail or web address."`
	Language    string     `json:"language" doc:"The language of the records as a BCP 47 tag, such as en."`
	Notice      string     `json:"notice" doc:"What readers must know: for instance that nothing is promised."`
	AccentColor string     `json:"accent_color,omitempty" doc:"The colour of links and marks on the pages, as six hexadecimal digits in quotation marks, such as \"#0b5c6b\". It must be dark enough to be read on a light page."`
	Logo        string     `json:"logo,omitempty" doc:"The publisher's logo on the pages: an SVG, PNG or WebP file in this folder, such as logo.svg."`
	// Accept are findings that the publisher looked at and lives with.
	Accept []Acceptance `json:"accept,omitempty" doc:"Warnings that were looked at and are accepted, each with a reason."`

	LogoData string `json:"-"` // what the logo's file holds
}

// ReadSettings reads stele.yaml. Where that is missing, the error is fs.ErrNotExist.
func ReadSettings(fsys fs.FS) (Settings, []record.Problem, error) {
	var s Settings
	if _, err := fs.Stat(fsys, SettingsFile); isNotExist(err) {
		return s, nil, err
	}
	if _, problem := ordinary(fsys, SettingsFile); problem != nil {
		return s, []record.Problem{*problem}, nil
	}
	data, problem := readWhole(fsys, SettingsFile)
	if problem != nil {
		return s, []record.Problem{*problem}, nil
	}
	var problems []record.Problem
	found := false
	problem = eachDocument(SettingsFile, data, func(n *yaml.Node) *record.Problem {
		if found {
			p := fault(record.Malformed, SettingsFile, record.Pos{Line: int32(n.Line)}, "settings are one document, and another begins here", "delete the line ---")
			return &p
		}
		found = true
		var t record.Tree
		t.Reset(SettingsFile)
		w := yamlWriter{to: &t, file: SettingsFile}
		if problem := w.add(n); problem != nil {
			return problem
		}
		problems = record.DecodeInto(&t, &s)
		problems = append(problems, s.checkLook(fsys, &t)...)
		problems = append(problems, s.checkAccept(&t)...)
		return nil
	})
	if problem != nil {
		problems = append(problems, *problem)
	}
	if !found && problem == nil {
		problems = append(problems, fault(record.WrongValue, SettingsFile, record.Pos{Line: 1}, "the settings are empty", "write at least title, base_url, publisher, license, contact, language and notice"))
	}
	return s, problems, nil
}
