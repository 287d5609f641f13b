package input

import (
	"path"
	"strconv"
	"strings"

	"stele/internal/author/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// checkAccept makes sure that what is accepted can be, and notes where it stands.
func checkAccept(s *settings.Settings, t *schema.Tree) (problems []schema.Problem) {
	places, patterns := elements(t, "accept"), 0
	for i := range s.Accept {
		a := &s.Accept[i]
		a.At = t.Nodes[places[i]].At
		wrong := func(member, message, fix string) {
			n := max(t.Find(places[i], member), places[i])
			problems = append(problems, fault(codes.WrongValue, SettingsFile, t.Nodes[n].At, message, fix))
		}
		info := codes.Code(a.Code).Info()
		switch {
		case a.Code == "" || a.Record == "" || a.Reason == "": // said already
		case info.Code == "":
			wrong("code", "there is no code "+strconv.Quote(a.Code), "write the code of a warning, such as SRC03; stele explain lists them")
		case a.ByName() && a.IsPattern():
			wrong("record", a.Code+" is accepted record by record, so that it hides none that comes later", "write the ID of the record, or stele.yaml for the settings")
		case strings.Trim(a.Record, "*") == "":
			wrong("record", strconv.Quote(a.Record)+" would hide every "+a.Code+" that ever comes", "write the ID of a record, or a pattern that says which: src-old-*")
		case info.Severity == codes.Error && !a.ByName():
			wrong("code", a.Code+" is an error, and errors cannot be accepted", "mend what it finds; only warnings can be accepted")
		}
		if a.IsPattern() {
			if patterns++; patterns == settings.MaxPatterns+1 {
				wrong("record", "this is pattern number "+strconv.Itoa(patterns)+"; at most "+strconv.Itoa(settings.MaxPatterns)+" can be accepted", "write fewer, each for more records; IDs themselves can be as many as there are")
			}
		}
		if _, err := path.Match(a.Record, ""); err != nil {
			wrong("record", strconv.Quote(a.Record)+" is no pattern of IDs", "write an ID, or a pattern in which * stands for any letters")
		}
	}
	return problems
}
