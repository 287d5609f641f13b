package input

import (
	"path"
	"strconv"

	"stele/internal/author/settings"
	"stele/record"
)

// checkAccept makes sure that what is accepted can be, and notes where it stands.
func checkAccept(s *settings.Settings, t *record.Tree) (problems []record.Problem) {
	wrong := func(i int, member, message, fix string) {
		n, _ := t.At("/accept/" + strconv.Itoa(i) + "/" + member)
		problems = append(problems, fault(record.WrongValue, SettingsFile, t.Nodes[n].At, message, fix))
	}
	for i := range s.Accept {
		a := &s.Accept[i]
		n, _ := t.At("/accept/" + strconv.Itoa(i))
		a.At = t.Nodes[n].At
		info := record.Code(a.Code).Info()
		switch {
		case a.Code == "" || a.Record == "" || a.Reason == "": // said already
		case info.Code == "":
			wrong(i, "code", "there is no code "+strconv.Quote(a.Code), "write the code of a warning, such as SRC03; stele explain lists them")
		case info.Severity == record.Error:
			wrong(i, "code", a.Code+" is an error, and errors cannot be accepted", "mend what it finds; only warnings can be accepted")
		}
		if _, err := path.Match(a.Record, ""); err != nil {
			wrong(i, "record", strconv.Quote(a.Record)+" is no pattern of IDs", "write an ID, or a pattern in which * stands for any letters")
		}
	}
	return problems
}
