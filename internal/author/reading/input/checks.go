package input

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"stele/internal/author/reading/input/scrutiny"
	"stele/internal/author/reading/settings"
	"stele/internal/base/clock"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
	"stele/record"
)

// settingsCheck holds settings to what the shapes of their members do not say.
type settingsCheck struct {
	*settings.Settings
	tree     *schema.Tree
	problems []schema.Problem
}

// report adds a problem with what steps lead to, or with the nearest that is there.
func (c *settingsCheck) report(code codes.Code, message, fix string, steps ...any) {
	n, _ := c.tree.At(schema.Pointer(steps...))
	c.problems = append(c.problems, *fault(code, SettingsFile, c.tree.Nodes[n].At, message, fix))
}

func (c *settingsCheck) wrong(message, fix string, steps ...any) {
	c.report(codes.WrongValue, message, fix, steps...)
}

// acceptances makes sure that what is accepted can be, and notes where it stands.
func (c *settingsCheck) acceptances() {
	places, patterns := elements(c.tree, "accept"), 0
	for i := range c.Accept {
		a := &c.Accept[i]
		a.At = c.tree.Nodes[places[i]].At
		wrong := func(member, message, fix string) { c.wrong(message, fix, "accept", i, member) }
		info := codes.Code(a.Code).Info()
		switch {
		case a.Code == "" || a.Record == "" || a.Reason == "": // reported already
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
			wrong("record", strconv.Quote(a.Record)+" is not a pattern of IDs", "write an ID, or a pattern in which * stands for any letters")
		}
	}
}

// reviews makes sure that each span is one, for a kind that is verified.
func (c *settingsCheck) reviews() {
	for _, term := range c.ReviewAfter {
		wrong := func(message, fix string) { c.wrong(message, fix, "review_after", term.Name) }
		k, near := FindKind(term.Name)
		if k != nil {
			near = k.Name
		}
		switch _, ok := settings.ParseSpan(term.Text); {
		case near != term.Name && near != "":
			wrong("there is no kind "+strconv.Quote(term.Name), "did you mean "+near+"?")
		case k == nil:
			wrong("there is no kind "+strconv.Quote(term.Name), "write the name of a kind, such as evidence")
		case !k.HasNode():
			wrong(k.Many+" are not verified, and never due for review", "delete it")
		case !ok:
			wrong(strconv.Quote(term.Text)+" is not a length of time", "write a number up to 1000 and days, weeks, months or years, such as 18 months")
		}
	}
}

// axes makes sure that axes begin at a number.
func (c *settingsCheck) axes() {
	for _, term := range c.AxisFrom {
		if n := record.Number(term.Text).Float(); math.IsNaN(n) || math.IsInf(n, 0) {
			c.wrong(strconv.Quote(term.Text)+" is not a number", "write the value at which the axis begins, such as 40", "axis_from", term.Name)
		}
	}
}

// home makes sure that the first page has parts that there are, each once.
func (c *settingsCheck) home() {
	for i, name := range c.Home {
		switch {
		case !slices.Contains(settings.HomeParts, name):
			fix := "write some of " + strings.Join(settings.HomeParts, ", ")
			if near := suggest.Closest(name, settings.HomeParts); near != "" {
				fix = "did you mean " + near + "?"
			}
			c.wrong("the first page has no part "+strconv.Quote(name), fix, "home", i)
		case slices.Contains(c.Home[:i], name):
			c.wrong("the first page has the part "+strconv.Quote(name)+" already", "delete it", "home", i)
		}
	}
}

// calendar makes sure that plans can be told apart, and that what is said of one agrees.
func (c *settingsCheck) calendar() {
	seen := map[string]bool{}
	for i, p := range c.Calendar {
		wrong := func(member, message, fix string) { c.wrong(message, fix, "calendar", i, member) }
		dates := p.Dates()
		switch {
		case i == settings.MostPlans:
			wrong("what", "the calendar has more than "+strconv.Itoa(settings.MostPlans)+" plans", "take out those that were published")
		case seen[p.What] && p.What != "":
			wrong("what", strconv.Quote(p.What)+" is in the calendar twice", "give each plan words of its own")
		case p.Published != "" && p.Cancelled != "":
			wrong("cancelled", "it was published, and cancelled", "keep one of the two")
		case len(slices.Compact(slices.Clone(dates))) < len(dates):
			wrong("moved", "it is moved to the date that it had", "write in from when it was planned before, and in planned when it is now")
		}
		seen[p.What] = true
	}
}

// language makes sure that the pages speak the language that the publisher wants.
func (c *settingsCheck) language() {
	var tags []string
	for _, l := range settings.Languages {
		tags = append(tags, l.Tag)
	}
	there := strings.Join(tags, ", ")
	switch {
	case c.Words != "" && !slices.Contains(tags, c.Words):
		c.wrong("pages have no words in "+strconv.Quote(c.Words), "write one of "+there, "words")
	case c.Words == "" && c.Language != "" && c.Foreign():
		c.report(codes.NoWords, "pages have no words of their own in "+strconv.Quote(c.Language)+", so these are in English",
			"to want that, write words: en; there are words in "+there, "language")
	}
}

// keys makes sure that the keys are public keys of a log.
func (c *settingsCheck) keys() {
	for i, key := range c.SigningKeys {
		if strings.HasPrefix(key, "PRIVATE+KEY+") {
			c.wrong("signing_keys has a private key, which must stay secret",
				"write the public key, which stele key show prints, and make a new pair: this one may have been seen", "signing_keys", i)
		} else if _, err := note.NewVerifier(key); err != nil {
			c.wrong(fmt.Sprintf("signing_keys: %.60q is not a public key", key),
				"write the line that stele key show prints, such as data.example.org+4b3c2d1e+AX…", "signing_keys", i)
		}
	}
}

// texts finds what is doubtful in the texts, and a base_url to which nothing can be added.
func (c *settingsCheck) texts(cut []schema.Problem) {
	for _, p := range slices.Concat(new(scrutiny.Looker).Tree(c.tree, c.tree, SettingsFile, "contact", "signing_keys"), cut) {
		p.Record = SettingsFile
		c.problems = append(c.problems, p)
	}
	if before, _, ok := strings.Cut(strings.ReplaceAll(string(c.BaseURL), "#", "?"), "?"); ok {
		c.wrong("base_url has a query or a fragment, and every address is made by adding to it", "write "+before, "base_url")
	}
}

// zone makes sure that the time zone is one.
func (c *settingsCheck) zone() {
	if _, err := clock.Zone(c.TimeZone); err != nil {
		c.wrong("time_zone: "+err.Error(), "write a name of the IANA database, such as Europe/Paris or UTC", "time_zone")
	}
}

// address finds the address of the example.
func (c *settingsCheck) address() {
	if settings.IsExample(c.BaseURL) {
		c.report(codes.ExampleAddress, "base_url is the example "+string(c.BaseURL)+", and every page, citation and feed names it: nothing is published with it",
			"write the address at which readers will find the releases; leave base_url out as long as it is not known", "base_url")
		c.problems[len(c.problems)-1].Record = SettingsFile
	}
}

// elements returns the nodes in a list.
func elements(t *schema.Tree, name string) []int32 {
	if i := t.Find(0, name); i >= 0 {
		return slices.Collect(t.Children(i))
	}
	return nil
}
