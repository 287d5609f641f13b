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

// settingsCheck checks the rules of settings that their shapes cannot express.
type settingsCheck struct {
	*settings.Settings
	tree     *schema.Tree
	problems []schema.Problem
}

// report adds a problem at the member to which steps lead, or at its nearest existing parent.
func (c *settingsCheck) report(code codes.Code, message, fix string, steps ...any) {
	n, _ := c.tree.At(schema.Pointer(steps...))
	c.problems = append(c.problems, *newProblem(code, SettingsFile, c.tree.Nodes[n].At, message, fix))
}

func (c *settingsCheck) reportInvalid(message, fix string, steps ...any) {
	c.report(codes.WrongValue, message, fix, steps...)
}

// checkAcceptances checks the accepted warnings, and stores their positions.
func (c *settingsCheck) checkAcceptances() {
	places, patterns := listElements(c.tree, "accept"), 0
	for i := range c.Accept {
		a := &c.Accept[i]
		a.At = c.tree.Nodes[places[i]].At
		wrong := func(member, message, fix string) { c.reportInvalid(message, fix, "accept", i, member) }
		info := codes.Code(a.Code).Info()
		switch {
		case a.Code == "" || a.Record == "" || a.Reason == "": // already reported
		case info.Code == "":
			wrong("code", "unknown code "+strconv.Quote(a.Code), "write the code of a warning, such as SRC03; stele explain lists them")
		case a.NeedsEachRecord() && a.IsPattern():
			wrong("record", a.Code+" must be accepted for each record, so that later ones are not hidden", "write the ID of the record, or stele.yaml for the settings")
		case strings.Trim(a.Record, "*") == "":
			wrong("record", strconv.Quote(a.Record)+" would hide every "+a.Code+" in the future", "write the ID of a record, or a pattern such as src-old-*")
		case info.Severity == codes.Error && !a.NeedsEachRecord():
			wrong("code", a.Code+" is an error, and errors cannot be accepted", "fix the error; only warnings can be accepted")
		}
		if a.IsPattern() {
			if patterns++; patterns == settings.MaxPatterns+1 {
				wrong("record", "this is pattern number "+strconv.Itoa(patterns)+"; at most "+strconv.Itoa(settings.MaxPatterns)+" can be accepted", "write fewer patterns that match more records each; the number of IDs is not limited")
			}
		}
		if _, err := path.Match(a.Record, ""); err != nil {
			wrong("record", strconv.Quote(a.Record)+" is not a valid ID pattern", "write an ID, or a pattern in which * matches any characters")
		}
	}
}

// checkReviews checks that each kind in review_after is verified, and that each value is a length
// of time.
func (c *settingsCheck) checkReviews() {
	for _, term := range c.ReviewAfter {
		wrong := func(message, fix string) { c.reportInvalid(message, fix, "review_after", term.Name) }
		k, near := FindKind(term.Name)
		if k != nil {
			near = k.Name
		}
		switch _, ok := settings.ParseSpan(term.Text); {
		case near != term.Name && near != "":
			wrong("unknown kind "+strconv.Quote(term.Name), "did you mean "+near+"?")
		case k == nil:
			wrong("unknown kind "+strconv.Quote(term.Name), "write the name of a kind, such as evidence")
		case !k.HasNode():
			wrong(k.Many+" are not verified, and never due for review", "delete it")
		case !ok:
			wrong(strconv.Quote(term.Text)+" is not a length of time", "write a number up to 1000 and a unit (days, weeks, months or years), such as 18 months")
		}
	}
}

// checkAxes checks that the starts of axes are numbers.
func (c *settingsCheck) checkAxes() {
	for _, term := range c.AxisFrom {
		if n := record.Number(term.Text).Float(); math.IsNaN(n) || math.IsInf(n, 0) {
			c.reportInvalid(strconv.Quote(term.Text)+" is not a number", "write the value at which the axis begins, such as 40", "axis_from", term.Name)
		}
	}
}

// checkHome checks the parts of the first page.
func (c *settingsCheck) checkHome() {
	for i, name := range c.Home {
		switch {
		case !slices.Contains(settings.HomeParts, name):
			fix := "choose from " + strings.Join(settings.HomeParts, ", ")
			if near := suggest.Closest(name, settings.HomeParts); near != "" {
				fix = "did you mean " + near + "?"
			}
			c.reportInvalid("unknown part of the first page: "+strconv.Quote(name), fix, "home", i)
		case slices.Contains(c.Home[:i], name):
			c.reportInvalid("duplicate part of the first page: "+strconv.Quote(name)+" already", "delete it", "home", i)
		}
	}
}

// checkCalendar checks that plans differ, and that their members agree.
func (c *settingsCheck) checkCalendar() {
	seen := map[string]bool{}
	for i, p := range c.Calendar {
		wrong := func(member, message, fix string) { c.reportInvalid(message, fix, "calendar", i, member) }
		dates := p.Dates()
		switch {
		case i == settings.MostPlans:
			wrong("what", "the calendar has more than "+strconv.Itoa(settings.MostPlans)+" plans", "remove the published plans")
		case seen[p.What] && p.What != "":
			wrong("what", strconv.Quote(p.What)+" is duplicate in the calendar", "give each plan a different text")
		case p.Published != "" && p.Cancelled != "":
			wrong("cancelled", "the plan has both published and cancelled", "keep one of the two")
		case len(slices.Compact(slices.Clone(dates))) < len(dates):
			wrong("moved", "from and planned are the same date", "write the old date in from, and the new date in planned")
		}
		seen[p.What] = true
	}
}

// checkLanguage checks that pages exist in the publisher's language.
func (c *settingsCheck) checkLanguage() {
	var tags []string
	for _, l := range settings.Languages {
		tags = append(tags, l.Tag)
	}
	there := strings.Join(tags, ", ")
	switch {
	case c.Words != "" && !slices.Contains(tags, c.Words):
		c.reportInvalid("there are no translations for "+strconv.Quote(c.Words), "write one of "+there, "words")
	case c.Words == "" && c.Language != "" && c.IsForeign():
		c.report(codes.NoWords, "there are no translations for "+strconv.Quote(c.Language)+", so pages are in English",
			"if that is intended, write words: en; available languages: "+there, "language")
	}
}

// checkKeys checks that signing_keys contains public keys.
func (c *settingsCheck) checkKeys() {
	for i, key := range c.SigningKeys {
		if strings.HasPrefix(key, "PRIVATE+KEY+") {
			c.reportInvalid("signing_keys contains a private key, which must stay secret",
				"replace it by the public key, which `stele key show` prints, and create a new key: this one may be known to others", "signing_keys", i)
		} else if _, err := note.NewVerifier(key); err != nil {
			c.reportInvalid(fmt.Sprintf("signing_keys: %.60q is not a public key", key),
				"write the line that `stele key show` prints, such as data.example.org+4b3c2d1e+AX…", "signing_keys", i)
		}
	}
}

// checkTexts checks texts for disclosures, and base_url for a query or a fragment.
func (c *settingsCheck) checkTexts(cut []schema.Problem) {
	for _, p := range slices.Concat(new(scrutiny.Looker).CheckTree(c.tree, c.tree, SettingsFile, "contact", "signing_keys"), cut) {
		p.Record = SettingsFile
		c.problems = append(c.problems, p)
	}
	if before, _, ok := strings.Cut(strings.ReplaceAll(string(c.BaseURL), "#", "?"), "?"); ok {
		c.reportInvalid("base_url must not have a query or a fragment, because all URLs are formed by appending to it", "write "+before, "base_url")
	}
}

// checkZone checks the time zone.
func (c *settingsCheck) checkZone() {
	if _, err := clock.Zone(c.TimeZone); err != nil {
		c.reportInvalid("time_zone: "+err.Error(), "write a name of the IANA database, such as Europe/Paris or UTC", "time_zone")
	}
}

// checkAddress reports base_url if it is the example.
func (c *settingsCheck) checkAddress() {
	if settings.IsExample(c.BaseURL) {
		c.report(codes.ExampleAddress, "base_url is the example "+string(c.BaseURL)+", which every page, citation and feed would contain: it cannot be published",
			"write the URL at which readers will find the releases; if you do not know it yet, remove base_url", "base_url")
		c.problems[len(c.problems)-1].Record = SettingsFile
	}
}

// listElements returns the nodes of the list called name.
func listElements(t *schema.Tree, name string) []int32 {
	if i := t.Find(0, name); i >= 0 {
		return slices.Collect(t.Children(i))
	}
	return nil
}
