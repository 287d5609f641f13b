package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/jsonline/jsondiff"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/trust/standing"
	"stele/record"
)

// History checks the records against an earlier release: what was published stays published, and
// what changed says so. It needs the index of a Checker, and of records that changed what they were
// and are; where these come from is the caller's business.
type History struct {
	c       *Checker
	release string            // the ID of the earlier release
	date    record.Date       // its date
	allowed map[string]string // by ID: the records that may be gone, and why
	// patterns of such IDs, as path.Match knows them
	patterns []allowedPattern
}

type allowedPattern struct{ pattern, reason string }

// Since returns the rules against an earlier release, from which the records that are named in
// allowRemoved may be gone. Behind a name, a colon and a space can stand the reason.
func (c *Checker) Since(releaseID string, date record.Date, allowRemoved []string) *History {
	h := &History{c: c, release: releaseID, date: date, allowed: map[string]string{}}
	for _, words := range allowRemoved {
		id, reason := cutReason(words)
		if strings.ContainsAny(id, "*?[") {
			h.patterns = append(h.patterns, allowedPattern{id, reason})
		} else {
			h.allowed[id] = reason
		}
	}
	return h
}

// cutReason divides what names records that may be gone from the reason.
func cutReason(words string) (id, reason string) {
	id, reason, _ = strings.Cut(words, ": ")
	return id, strings.TrimSpace(reason)
}

// ReadAllowed reads which records may be gone: what is given, or what the lines of a file say
// whose name stands behind an @. Empty lines and those that begin with # are left out.
func ReadAllowed(words []string) ([]string, error) {
	var list []string
	for _, word := range words {
		name, isFile := strings.CutPrefix(word, "@")
		if !isFile {
			list = append(list, word)
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				list = append(list, line)
			}
		}
	}
	for _, word := range list {
		id, _ := cutReason(word)
		if _, err := path.Match(id, ""); err != nil {
			return nil, fmt.Errorf("%q is not a pattern: * stands for any letters, ? for one, [ab] for one of several", word)
		}
	}
	return list, nil
}

// Changed checks record n, which the earlier release has in another form.
func (h *History) Changed(n int32, c *Change) {
	c.excuseTexts()
	h.checkIdentity(n, c)
	h.checkValue(n, c)
	h.checkSuppressed(n, c)
	h.checkLabel(n, c)
	if h.checkKept(n, c) || slices.ContainsFunc(c.Differences, func(d jsondiff.Difference) bool {
		name := schema.TopMember(d.Pointer)
		return name != "corrections" && name != "source_updates"
	}) {
		h.checkVersion(n, c)
	}
	h.checkNewCorrections(n, c)
	h.checkMovedEvidence(n, c)
	h.checkNewSourceUpdates(n, c)
	h.checkDates(n, c)
}

// checkVersion looks for VER01, VER02 and VER04.
func (h *History) checkVersion(n int32, c *Change) {
	was, is := c.Was.Version, c.Is.Version
	switch {
	case is == was:
		h.report(codes.ChangedWithoutVersion, n, "/version",
			fmt.Sprintf("the record changed (%s), but its version is %d still", firstFew(c.Fields()), is),
			fmt.Sprintf("write version: %d", was+1)+h.inTable(n))
	case is < was:
		h.report(codes.VersionFell, n, "/version", fmt.Sprintf("the version fell from %d to %d", was, is),
			fmt.Sprintf("this may be an old copy: get version %d back first; if the record really changed since then, write version: %d", was, was+1))
	case is > was+1:
		h.report(codes.VersionWithoutChange, n, "/version",
			fmt.Sprintf("the version rose from %d to %d, and no release up to %s of %s has one between", was, is, h.release, h.date),
			"if one was published, get that release back from where it is live or from a backup, and build on it"+
				strings.Replace(orAccept(codes.VersionWithoutChange, h.c.ID(n)), "if it is right", "if none was", 1))
	case slices.Equal(c.Fields(), []string{"/version"}):
		h.report(codes.VersionWithoutChange, n, "/version", "the version rose, but nothing else changed",
			fmt.Sprintf("write version: %d", was))
	case slices.Equal(c.Fields(), []string{"/updated_date", "/version"}) && c.Is.UpdatedDate > c.Was.UpdatedDate:
		h.report(codes.VersionWithoutChange, n, "/version", "the version rose, but nothing else changed",
			fmt.Sprintf("write version: %d and updated_date: %s", was, c.Was.UpdatedDate))
	}
}

// inTable says where the version of a row stands whose corrections stand beside its table.
func (h *History) inTable(n int32) string {
	file := h.c.files[h.c.entry(n).file]
	if !strings.EqualFold(path.Ext(file), ".csv") {
		return ""
	}
	return ", or that as in_version of its last correction in " + path.Base(input.BesideOf(file))
}

// checkKept looks for COR02: what was said stays said. It reports whether it did.
func (h *History) checkKept(n int32, c *Change) (kept bool) {
	kept = true
	lost := func(list, what string, date record.Date, i int) {
		kept = false
		h.report(codes.CorrectionLost, n, "/"+list,
			fmt.Sprintf("the %s of %s (number %d in release %s) was deleted or edited", what, date, i+1, h.release),
			"put it back as it was; add a new "+what+" if there is more to say")
	}
	for i, was := range c.Was.Corrections {
		if !hasCorrection(&c.Is, was) {
			lost("corrections", "correction", was.Date, i)
		}
	}
	for i, was := range c.Was.SourceUpdates {
		if !slices.Contains(c.Is.SourceUpdates, was) {
			lost("source_updates", "source update", was.Date, i)
		}
	}
	return kept
}

// checkNewCorrections looks for COR01 and COR05: what is new belongs to a new version. It says
// nothing where a correction was edited, which looks like a new one.
func (h *History) checkNewCorrections(n int32, c *Change) {
	edited := slices.ContainsFunc(c.Was.Corrections,
		func(was record.Correction) bool { return !hasCorrection(&c.Is, was) })
	if edited || c.Is.Version <= c.Was.Version {
		return
	}
	misnamed, corrected := false, false
	for i, is := range c.Is.Corrections {
		if hasCorrection(&c.Was, is) {
			continue
		}
		corrected = true
		misnamed = h.checkCorrected(n, c, i) || misnamed
		if is.InVersion > c.Was.Version {
			h.checkOnce(n, c, i)
		} else {
			h.report(codes.WrongInVersion, n, fmt.Sprintf("/corrections/%d/in_version", i),
				fmt.Sprintf("a new correction says in_version %d, but that version is published without it", is.InVersion),
				"write in_version: "+strconv.FormatInt(c.Is.Version, 10))
		}
	}
	if corrected && !misnamed {
		h.checkNamed(n, c)
	}
}

// checkOnce looks for COR07: two corrections of one member in one version, of which at least one is
// new. Two people wrote them, and what one of them says is not so.
func (h *History) checkOnce(n int32, c *Change, i int) {
	is := &c.Is.Corrections[i]
	for j := range c.Is.Corrections {
		other := &c.Is.Corrections[j]
		later := j > i && !hasCorrection(&c.Was, *other) // which is held to this one when it is its turn
		if j == i || later || other.InVersion != is.InVersion || !changesContent(other) || !changesContent(is) {
			continue
		}
		for _, field := range is.Fields {
			name := schema.TopMember(field)
			if slices.ContainsFunc(other.Fields, func(f string) bool { return schema.TopMember(f) == name }) {
				h.report(codes.CorrectedTwice, n, fmt.Sprintf("/corrections/%d", i),
					fmt.Sprintf("two corrections of %s in version %d: %s and %s", name, is.InVersion, quote(other.Summary), quote(is.Summary)),
					"keep the one that says what the record says now, or write one for both; a correction that is published stays")
				break
			}
		}
	}
}

// checkCorrected looks for COR05: a member that a new correction names did not change. It reports
// whether it found one. Doubts and retractions may leave everything else as it was.
func (h *History) checkCorrected(n int32, c *Change, i int) (misnamed bool) {
	is := c.Is.Corrections[i]
	if !changesContent(&is) {
		return false
	}
	fix := "name the members that the correction changed: " + firstFew(c.content())
	if len(is.Fields) == 0 && len(is.BecauseOf) == 0 && !h.acknowledges(is.Summary) {
		if len(c.content()) == 0 {
			fix = "delete it: nothing changed since release " + h.release
		}
		misnamed = true
		h.report(codes.FieldNotCorrected, n, fmt.Sprintf("/corrections/%d/fields", i), "a new correction names no member", fix)
	}
	for j, field := range is.Fields {
		if !c.touches(field) {
			misnamed = true
			h.report(codes.FieldNotCorrected, n, fmt.Sprintf("/corrections/%d/fields/%d", i, j),
				fmt.Sprintf("a new correction names %s, which is as it was in release %s", field, h.release), fix)
		}
	}
	return misnamed
}

func changesContent(c *record.Correction) bool {
	return c.Type == record.CorrectionCorrection || c.Type == record.CorrectionClarification ||
		c.Type == record.CorrectionPartialRetraction
}

// acknowledges reports whether a text names a record: that is how a record shows that it knows what
// became of another, and need not change.
func (h *History) acknowledges(text string) bool {
	for id := range mentioned(text) {
		if h.c.Number(id) >= 0 {
			return true
		}
	}
	return false
}

// touches reports whether a member differs, which is named as corrections name them.
func (c *Change) touches(field string) bool {
	name := schema.TopMember(field)
	return slices.ContainsFunc(c.Differences,
		func(d jsondiff.Difference) bool { return schema.TopMember(d.Pointer) == name })
}

// content returns the members that differ, without those that differ in every change.
func (c *Change) content() []string {
	var list []string
	for _, d := range c.Differences {
		switch name := schema.TopMember(d.Pointer); name {
		case "version", "updated_date", "verification_date", "verified_by", "corrections", "source_updates":
		default:
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// checkNewSourceUpdates looks for COR01 for source updates: a version that is published took in no
// source update that came later.
func (h *History) checkNewSourceUpdates(n int32, c *Change) {
	kept := !slices.ContainsFunc(c.Was.SourceUpdates,
		func(u record.SourceUpdate) bool { return !slices.Contains(c.Is.SourceUpdates, u) })
	if !kept || c.Is.Version <= c.Was.Version {
		return
	}
	for i, is := range c.Is.SourceUpdates {
		message := ""
		switch {
		case slices.Contains(c.Was.SourceUpdates, is):
		case is.InVersion != 0 && is.InVersion <= c.Was.Version:
			message = fmt.Sprintf("a new source update says in_version %d, but that version is published without it", is.InVersion)
		case is.InVersion == 0 && is.Effect == record.EffectRecordChanged:
			message = "a new source update changed the record, and does not say in which version"
		}
		if message != "" {
			h.report(codes.WrongInVersion, n, fmt.Sprintf("/source_updates/%d/in_version", i), message,
				"write in_version: "+strconv.FormatInt(c.Is.Version, 10))
		}
	}
}

// checkDates looks for DAT07, DAT08 and DAT09: the day of the first publication stays, and the
// others go on with the record.
func (h *History) checkDates(n int32, c *Change) {
	was, is := &c.Was, &c.Is
	if was.PublishedDate != is.PublishedDate && was.PublishedDate != "" {
		h.report(codes.PublishedDateMoved, n, "/published_date",
			"published_date was "+string(was.PublishedDate)+" in release "+h.release+" and is "+orMissing(is.PublishedDate)+" now",
			"write published_date: "+string(was.PublishedDate))
	}
	back := func(name string, was, is record.Date) {
		if is < was {
			h.report(codes.DateWentBack, n, "/"+name,
				name+" was "+string(was)+" in release "+h.release+" and is "+orMissing(is)+" now",
				"write "+string(was)+" or the later day on which it happened again")
		}
	}
	back("updated_date", was.UpdatedDate, is.UpdatedDate)
	back("verification_date", was.VerificationDate, is.VerificationDate)
	// several releases of one day may bring a record in several versions
	if is.Version > was.Version && is.UpdatedDate != "" && is.UpdatedDate == was.UpdatedDate && is.UpdatedDate < h.date {
		h.report(codes.UpdatedDateStands, n, "/updated_date",
			"the record changed ("+firstFew(c.Fields())+"), but updated_date is "+string(is.UpdatedDate)+" still",
			"write the day of the change, "+string(h.date)+" or later")
	}
}

func orMissing(d record.Date) string { return cmp.Or(string(d), "missing") }

// Created checks record n, which the earlier release does not have. What is new was not published
// before that release, unless it says where.
func (h *History) Created(n int32) {
	e := h.c.entry(n)
	if e.flags&elsewhere == 0 && e.published != 0 && e.published < standing.DayOf(h.date) {
		h.report(codes.PublishedTooEarly, n, "/published_date",
			"the record is new since release "+h.release+" of "+string(h.date)+", and says that it was published on "+e.published.String(),
			"write the day of its first release; if it was published elsewhere before, say where in first_published_elsewhere")
	}
}

// Gone checks a record that the earlier release has and that is no longer there, or has another
// kind now. It reports whether that is allowed, and the reason that was given.
func (h *History) Gone(k *record.Kind, id string) (reason string, allowed bool) {
	reason, allowed = h.mayGo(id)
	p := schema.Problem{Code: codes.Vanished, File: "records", Record: id}
	switch n := h.c.Number(id); {
	case h.c.HeldBack(id) != "":
		p = h.c.held[id].where
		p.Code = codes.Vanished
		p.Message = quote(id) + " was in release " + h.release + " and is " + h.c.HeldBack(id) + " now"
		p.Fix = "what is published stays so: take draft or not_before out; if it no longer stands, retract it; if it should never have been published, redact it (stele redact " + id + ")"
	case n >= 0:
		p.Message = quote(id) + " was " + k.Name + " in release " + h.release + " and is " + h.c.kind(n).Name + " now"
		p.Fix = "IDs are never reused: give the new record another ID, and put the old one back"
	case allowed:
		return reason, true
	case h.c.waits(k.Name):
		return "", false
	default:
		p.Message = k.One + " " + quote(id) + " was in release " + h.release + " and is gone"
		p.Fix = "put it back; if it no longer stands, retract it with a correction; if it has another ID now, keep it and write replaced_by: ID into it; if it must go, allow that by name: --allow-removed " + id
	}
	h.c.Report(p)
	return "", false
}

// mayGo reports whether a record may be gone, by name or by a pattern, and why.
func (h *History) mayGo(id string) (reason string, ok bool) {
	if reason, ok = h.allowed[id]; ok {
		return reason, true
	}
	for _, p := range h.patterns {
		if ok, err := path.Match(p.pattern, id); ok && err == nil {
			return p.reason, true
		}
	}
	return "", false
}

// CheckAllowed finds records that may be gone and are there.
func (h *History) CheckAllowed() {
	for _, p := range h.patterns {
		if h.c.entries.Len() == 0 && p.reason == "" {
			h.c.Report(schema.Problem{
				Code: codes.Vanished, File: "records",
				Message: "--allow-removed " + p.pattern + " lets every record of release " + h.release + " go, without a reason",
				Fix:     "name the records, or add the reason, which every event then has: --allow-removed '*: Why they go.'",
			})
		}
	}
	for id := range h.allowed {
		if h.c.Number(id) >= 0 {
			h.c.Report(schema.Problem{
				Code: codes.Vanished, File: "records", Record: id,
				Message: "record " + quote(id) + " may be removed, but it is there",
				Fix:     "take it out of --allow-removed, or delete the record",
			})
		}
	}
}

// EventEdited reports change event n, which the earlier release has in another form.
func (h *History) EventEdited(n int32) {
	h.report(codes.CorrectionLost, n, "",
		"this change event was published in release "+h.release+" and has been edited since", "put it back as it was")
}

// TermsChanged reports that licence or notice are not those of the earlier release.
func (h *History) TermsChanged(sentence string) {
	h.c.Report(schema.Problem{
		Code: codes.TermsChanged, File: "stele.yaml", Message: "the terms changed since release " + h.release + ". " + sentence,
		Fix: "put back what stood there; if the change is meant, add --allow license, and an event for each kind tells of it",
	})
}

// AddressChanged reports that the service has another address than in the earlier release, with
// what others know by the old one.
func (h *History) AddressChanged(was, is string) {
	p := schema.Problem{
		Code: codes.AddressChanged, File: input.SettingsFile, Record: input.SettingsFile,
		Message: "base_url was " + cmp.Or(was, "missing") + " in release " + h.release + " and is " + cmp.Or(is, "missing") + " now: " +
			settings.AddressChange(was, is),
		Fix: "let the old address lead to the new one, and tell those who cite it or follow its feeds",
	}
	if was == "" {
		p.Message = "release " + h.release + " had no base_url, and it is " + is + " now: " + settings.AddressChange(was, is)
		p.Fix = "make sure that readers find the records there, because citations begin with it from now on"
	}
	h.c.Report(p)
}

// PlansChanged holds the calendar to that of the earlier release: a date that moved stays visible
// with the reason, and what was neither published nor cancelled stays planned.
func (h *History) PlansChanged(was, is []settings.Plan) {
	for _, before := range was {
		if before.Published != "" || before.Cancelled != "" {
			continue
		}
		i := slices.IndexFunc(is, func(p settings.Plan) bool { return p.What == before.What })
		p := schema.Problem{Code: codes.PlanChanged, File: "stele.yaml"}
		if i < 0 {
			p.Message = quote(before.What) + " was planned for " + string(before.Planned) + " in release " + h.release + ", and is not in the calendar any more"
			p.Fix = "put it back, with published and the day if it was published, or cancelled and why"
			h.c.Report(p)
			continue
		}
		p.Pointer = schema.Pointer("calendar", i)
		dates, now := before.Dates(), is[i].Dates()
		if len(now) < len(dates) || !slices.Equal(dates, now[:len(dates)]) {
			p.Message = quote(before.What) + " was planned for " + string(before.Planned) + " in release " + h.release + ", which is not said any more"
			p.Fix = "keep all that stood in moved, and add {from: " + string(before.Planned) + ", reason: …}"
			h.c.Report(p)
		}
	}
}

// PlansPublished finds plans that claim to have been published on a day without a release.
func (c *Checker) PlansPublished(plans []settings.Plan, days map[record.Date]bool) {
	for i, p := range plans {
		if p.Published == "" || days[p.Published] {
			continue
		}
		c.Report(schema.Problem{
			Code: codes.PublishedEarlier, File: input.SettingsFile, Pointer: schema.Pointer("calendar", i, "published"),
			Message: quote(p.What) + " was published on " + string(p.Published) + ", and this service has no release of that day",
			Fix:     "write the day of the release that has it; if it was published elsewhere, accept this finding",
		})
	}
}

// Removed is a record that an earlier release removed, as it was before that.
type Removed struct {
	ID      string
	Kind    string
	Version int64
	SHA256  string
	Release string // that removed it; "" for the one that is being made
}

func (r *Removed) where() string {
	if r.Release == "" {
		return "this release"
	}
	return "release " + r.Release
}

// Restored checks record n, whose ID, but for case, belonged to a record that was removed. It
// reports whether it is that record come back: to the byte, or as a higher version.
func (h *History) Restored(n int32, version int64, sha256 string, was *Removed) bool {
	id := h.c.ID(n)
	switch {
	case id != was.ID:
		h.report(codes.DuplicateID, n, "/id",
			"the ID "+quote(id)+" differs only in case from "+quote(was.ID)+", which belonged to a record that was removed in "+was.where(),
			"IDs are never reused: give the new record another")
	case h.c.kind(n).Name != was.Kind:
		h.report(codes.DuplicateID, n, "/id",
			"the ID "+quote(id)+" belonged to a record of another kind, "+was.Kind+", that was removed in "+was.where(),
			"IDs are never reused: give the new record another")
	case version > was.Version || version == was.Version && sha256 == was.SHA256:
		return true
	case version == was.Version:
		h.report(codes.ChangedWithoutVersion, n, "/version",
			fmt.Sprintf("the record was removed in %s and is back with other content, but its version is %d still", was.where(), version),
			fmt.Sprintf("put it back as it was, or write version: %d; if it is another record, give it another ID", was.Version+1))
	default:
		h.report(codes.VersionFell, n, "/version",
			fmt.Sprintf("the record was removed in %s as version %d and is back as version %d", was.where(), was.Version, version),
			fmt.Sprintf("put it back as it was, or write version: %d; if it is another record, give it another ID", was.Version+1))
	}
	return false
}

func (h *History) report(code codes.Code, n int32, pointer, message, fix string) {
	h.c.Report(h.c.Problem(code, n, pointer, message, fix))
}

// Change is what differs between two states of a record.
type Change struct {
	Was, Is     record.Envelope // version, dates, and those of the other members that differ
	Differences []jsondiff.Difference
	another     []turned // what makes the record another one
	// moved are entries of a claim's list of evidence that are gone, or have another stance now.
	moved []record.ClaimEvidence
	// Redacted is why something was taken out of earlier versions; nil where nothing was.
	Redacted *settings.Redaction
}

// takenOut reports whether a redaction may be why something differs: it names that or what is in
// it, or nothing.
func (c *Change) takenOut(pointer string) bool {
	inside := func(m string) bool { return m == pointer || strings.HasPrefix(m, pointer+"/") }
	return c.Redacted != nil && (len(c.Redacted.Members) == 0 || slices.ContainsFunc(c.Redacted.Members, inside))
}

// excuseTexts lets corrections and source updates stay what they were, of which a redaction changed
// the texts.
func (c *Change) excuseTexts() {
	for i := range min(len(c.Was.Corrections), len(c.Is.Corrections)) {
		if c.takenOut(fmt.Sprintf("/corrections/%d", i)) {
			was, is := c.Was.Corrections[i], c.Is.Corrections[i]
			if was.Summary, was.ReportedBy = is.Summary, is.ReportedBy; reflect.DeepEqual(was, is) {
				c.Was.Corrections[i] = is
			}
		}
	}
	for i := range min(len(c.Was.SourceUpdates), len(c.Is.SourceUpdates)) {
		if c.takenOut(fmt.Sprintf("/source_updates/%d", i)) {
			was, is := c.Was.SourceUpdates[i], c.Is.SourceUpdates[i]
			if was.Summary, was.NoticeURL = is.Summary, is.NoticeURL; was == is {
				c.Was.SourceUpdates[i] = is
			}
		}
	}
}

// Compare returns what differs between the JSON of a record of a kind before and after.
func Compare(k *record.Kind, old, now []byte) (c Change, err error) {
	whole := [2][]byte{old, now}
	// corrections and source updates that are the same tell nothing of a change
	old, now = jsondiff.Trim(old, now, "version", "published_date", "updated_date", "verification_date")
	if err = errors.Join(json.Unmarshal(old, &c.Was), json.Unmarshal(now, &c.Is)); err != nil {
		return c, err
	}
	if c.Differences, err = jsondiff.Compare(old, now); err != nil {
		return c, err
	}
	if err = c.compareIdentity(k, whole[0], whole[1]); err == nil && k != nil && k.Name == record.KindProofClaim {
		err = c.compareEvidence(whole[0], whole[1])
	}
	return c, err
}

// Fields returns the pointers of the members that differ. If these are very long together, they
// name only the members of the record itself, as readers take an event on one line.
func (c *Change) Fields() []string {
	const most = 1 << 20
	list, size := make([]string, len(c.Differences)), 0
	for i, d := range c.Differences {
		list[i] = d.Pointer
		size += len(d.Pointer)
	}
	if size <= most {
		return list
	}
	for i, pointer := range list {
		name, _, _ := strings.Cut(pointer[1:], "/")
		list[i] = "/" + name
	}
	return slices.Compact(list)
}

// Type returns the first type of change that fits.
func (c *Change) Type() record.ChangeType {
	corrected := false
	for _, is := range c.Is.Corrections {
		if !hasCorrection(&c.Was, is) {
			if t := changeOf(is.Type); t != record.ChangeCorrected {
				return t
			}
			corrected = true
		}
	}
	switch {
	case corrected:
		return record.ChangeCorrected
	case slices.ContainsFunc(c.Is.SourceUpdates,
		func(u record.SourceUpdate) bool { return !slices.Contains(c.Was.SourceUpdates, u) }):
		return record.ChangeSourceUpdated
	case !slices.ContainsFunc(c.Differences, func(d jsondiff.Difference) bool {
		return d.Pointer != "/verification_date" && d.Pointer != "/verified_by" && d.Pointer != "/updated_date" && d.Pointer != "/version"
	}) && c.Is.VerificationDate > c.Was.VerificationDate:
		return record.ChangeReverified
	}
	return record.ChangeUpdated
}

func hasCorrection(e *record.Envelope, c record.Correction) bool {
	return slices.ContainsFunc(e.Corrections, func(other record.Correction) bool { return reflect.DeepEqual(c, other) })
}

func firstFew(fields []string) string {
	if len(fields) > 4 {
		return strings.Join(fields[:4], ", ") + fmt.Sprintf(" and %d more", len(fields)-4)
	}
	return strings.Join(fields, ", ")
}
