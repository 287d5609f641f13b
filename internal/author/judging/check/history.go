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

// History checks the records against an earlier release: published records stay published, and
// changes are explained. It needs the index of a Checker, and the old and new state of each changed
// record, which the caller provides.
type History struct {
	c       *Checker
	release string            // ID of the earlier release
	date    record.Date       // date of the earlier release
	allowed map[string]string // by ID: records that may be missing, with reasons
	// patterns of IDs, as for path.Match
	patterns []allowedPattern
}

type allowedPattern struct{ pattern, reason string }

// CompareWith returns the rules against an earlier release. The records that allowRemoved names may
// be missing. An entry can end with a colon, a space and a reason.
func (c *Checker) CompareWith(releaseID string, date record.Date, allowRemoved []string) *History {
	h := &History{c: c, release: releaseID, date: date, allowed: map[string]string{}}
	for _, words := range allowRemoved {
		id, reason := splitReason(words)
		if strings.ContainsAny(id, "*?[") {
			h.patterns = append(h.patterns, allowedPattern{id, reason})
		} else {
			h.allowed[id] = reason
		}
	}
	return h
}

// splitReason splits an entry of allowRemoved into the ID and the reason.
func splitReason(words string) (id, reason string) {
	id, reason, _ = strings.Cut(words, ": ")
	return id, strings.TrimSpace(reason)
}

// ReadAllowed expands entries of the form @FILE to the lines of the file. It skips empty lines and
// lines that begin with #.
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
		id, _ := splitReason(word)
		if _, err := path.Match(id, ""); err != nil {
			return nil, fmt.Errorf("%q is not a valid pattern: * matches any characters, ? matches one character, and [ab] matches a or b", word)
		}
	}
	return list, nil
}

// CheckChanged checks record n, which differs from the earlier release.
func (h *History) CheckChanged(n int32, c *Change) {
	c.ignoreRedactedTexts()
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

// checkVersion reports VER01, VER02 and VER04.
func (h *History) checkVersion(n int32, c *Change) {
	was, is := c.Was.Version, c.Is.Version
	switch {
	case is == was:
		h.report(codes.ChangedWithoutVersion, n, "/version",
			fmt.Sprintf("the record changed (%s), but its version is still %d", firstFields(c.Fields()), is),
			fmt.Sprintf("write version: %d", was+1)+h.rowVersionPath(n))
	case is < was:
		h.report(codes.VersionFell, n, "/version", fmt.Sprintf("the version fell from %d to %d", was, is),
			fmt.Sprintf("this may be an old copy: restore version %d first; if the record really changed later, write version: %d", was, was+1))
	case is > was+1:
		h.report(codes.VersionWithoutChange, n, "/version",
			fmt.Sprintf("the version jumps from %d to %d, and no release up to %s of %s has a version in between", was, is, h.release, h.date),
			"if one was published, fetch that release from its server or a backup, and build on it"+
				strings.Replace(acceptHint(codes.VersionWithoutChange, h.c.ID(n)), "if it is right", "if none was", 1))
	case slices.Equal(c.Fields(), []string{"/version"}):
		h.report(codes.VersionWithoutChange, n, "/version", "the version rose, but nothing else changed",
			fmt.Sprintf("write version: %d", was))
	case slices.Equal(c.Fields(), []string{"/updated_date", "/version"}) && c.Is.UpdatedDate > c.Was.UpdatedDate:
		h.report(codes.VersionWithoutChange, n, "/version", "the version rose, but nothing else changed",
			fmt.Sprintf("write version: %d and updated_date: %s", was, c.Was.UpdatedDate))
	}
}

// rowVersionPath returns the position of the version for a row whose corrections are in a file next
// to its table.
func (h *History) rowVersionPath(n int32) string {
	file := h.c.files[h.c.entry(n).file]
	if !strings.EqualFold(path.Ext(file), ".csv") {
		return ""
	}
	return ", or use that number for in_version of its last correction in " + path.Base(input.CorrectionsPath(file))
}

// checkKept reports COR02: corrections and source updates cannot change. It returns whether all are
// unchanged.
func (h *History) checkKept(n int32, c *Change) (kept bool) {
	kept = true
	lost := func(list, what string, date record.Date, i int) {
		kept = false
		h.report(codes.CorrectionLost, n, "/"+list,
			fmt.Sprintf("the %s of %s (number %d in release %s) was deleted or edited", what, date, i+1, h.release),
			"restore it; add a new "+what+" for additions")
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

// checkNewCorrections reports COR01 and COR05: new corrections need a new version. It does nothing
// if a correction was edited, because that looks like a new one.
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
			h.checkNamedOnce(n, c, i)
		} else {
			h.report(codes.WrongInVersion, n, fmt.Sprintf("/corrections/%d/in_version", i),
				fmt.Sprintf("a new correction has in_version %d, but that version was published without it", is.InVersion),
				"write in_version: "+strconv.FormatInt(c.Is.Version, 10))
		}
	}
	if corrected && !misnamed {
		h.checkFieldsNamed(n, c)
	}
}

// checkNamedOnce reports COR07: two corrections of one member in one version, of which at least one
// is new. One of them is probably false.
func (h *History) checkNamedOnce(n int32, c *Change, i int) {
	is := &c.Is.Corrections[i]
	for j := range c.Is.Corrections {
		other := &c.Is.Corrections[j]
		later := j > i && !hasCorrection(&c.Was, *other) // the other correction is compared with this one later
		if j == i || later || other.InVersion != is.InVersion || !changesContent(other) || !changesContent(is) {
			continue
		}
		for _, field := range is.Fields {
			name := schema.TopMember(field)
			if slices.ContainsFunc(other.Fields, func(f string) bool { return schema.TopMember(f) == name }) {
				h.report(codes.CorrectedTwice, n, fmt.Sprintf("/corrections/%d", i),
					fmt.Sprintf("two corrections of %s in version %d: %s and %s", name, is.InVersion, quoteText(other.Summary), quoteText(is.Summary)),
					"keep the one that agrees with the record, or write one correction for both; published corrections must stay")
				break
			}
		}
	}
}

// checkCorrected reports COR05: new correction i names an unchanged member. It returns whether
// there is such a member. Expressions of concern and retractions need no change.
func (h *History) checkCorrected(n int32, c *Change, i int) (misnamed bool) {
	is := c.Is.Corrections[i]
	if !changesContent(&is) {
		return false
	}
	fix := "name the corrected members: " + firstFields(c.contentFields())
	if len(is.Fields) == 0 && len(is.BecauseOf) == 0 && !h.namesRecord(is.Summary) {
		if len(c.contentFields()) == 0 {
			fix = "delete it: nothing changed since release " + h.release
		}
		misnamed = true
		h.report(codes.FieldNotCorrected, n, fmt.Sprintf("/corrections/%d/fields", i), "a new correction does not name a member", fix)
	}
	for j, field := range is.Fields {
		if !c.differsIn(field) {
			misnamed = true
			h.report(codes.FieldNotCorrected, n, fmt.Sprintf("/corrections/%d/fields/%d", i, j),
				fmt.Sprintf("a new correction names %s, which is unchanged since release %s", field, h.release), fix)
		}
	}
	return misnamed
}

func changesContent(c *record.Correction) bool {
	return c.Type == record.CorrectionCorrection || c.Type == record.CorrectionClarification ||
		c.Type == record.CorrectionPartialRetraction
}

// namesRecord reports whether text names a record. A record acknowledges a change to another record
// in this way.
func (h *History) namesRecord(text string) bool {
	for id := range possibleIDs(text) {
		if h.c.Number(id) >= 0 {
			return true
		}
	}
	return false
}

// differsIn reports whether a member, named as in corrections, differs.
func (c *Change) differsIn(field string) bool {
	name := schema.TopMember(field)
	return slices.ContainsFunc(c.Differences,
		func(d jsondiff.Difference) bool { return schema.TopMember(d.Pointer) == name })
}

// contentFields returns the differing members, without those that every change changes.
func (c *Change) contentFields() []string {
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

// checkNewSourceUpdates reports COR01 for source updates: a published version cannot contain a
// later source update.
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
			message = fmt.Sprintf("a new source update has in_version %d, but that version was published without it", is.InVersion)
		case is.InVersion == 0 && is.Effect == record.EffectRecordChanged:
			message = "a new source update changed the record, but in_version is missing"
		}
		if message != "" {
			h.report(codes.WrongInVersion, n, fmt.Sprintf("/source_updates/%d/in_version", i), message,
				"write in_version: "+strconv.FormatInt(c.Is.Version, 10))
		}
	}
}

// checkDates reports DAT07, DAT08 and DAT09: published_date cannot change, and the other dates
// cannot go back.
func (h *History) checkDates(n int32, c *Change) {
	was, is := &c.Was, &c.Is
	if was.PublishedDate != is.PublishedDate && was.PublishedDate != "" {
		h.report(codes.PublishedDateMoved, n, "/published_date",
			"published_date was "+string(was.PublishedDate)+" in release "+h.release+", now "+dateOrMissing(is.PublishedDate),
			"write published_date: "+string(was.PublishedDate))
	}
	back := func(name string, was, is record.Date) {
		if is < was {
			h.report(codes.DateWentBack, n, "/"+name,
				name+" was "+string(was)+" in release "+h.release+", now "+dateOrMissing(is),
				"write "+string(was)+", or a later day if the record was updated or verified again")
		}
	}
	back("updated_date", was.UpdatedDate, is.UpdatedDate)
	back("verification_date", was.VerificationDate, is.VerificationDate)
	// several releases of one day may contain several versions of a record
	if is.Version > was.Version && is.UpdatedDate != "" && is.UpdatedDate == was.UpdatedDate && is.UpdatedDate < h.date {
		h.report(codes.UpdatedDateStands, n, "/updated_date",
			"the record changed ("+firstFields(c.Fields())+"), but updated_date is still "+string(is.UpdatedDate),
			"write the day of the change, "+string(h.date)+" or later")
	}
}

func dateOrMissing(d record.Date) string { return cmp.Or(string(d), "missing") }

// CheckCreated checks record n, which is not in the earlier release. It cannot have been published
// before that release, unless it says where.
func (h *History) CheckCreated(n int32) {
	e := h.c.entry(n)
	if e.flags&elsewhere == 0 && e.published != 0 && e.published < standing.DayOf(h.date) {
		h.report(codes.PublishedTooEarly, n, "/published_date",
			"the record is new since release "+h.release+" of "+string(h.date)+", but its published_date is "+e.published.String(),
			"write the day of its first release; if it was published elsewhere before, set first_published_elsewhere")
	}
}

// CheckRemoved checks the record with the ID in the earlier release, which is missing now or has a
// different kind. It returns whether that is allowed, and the given reason.
func (h *History) CheckRemoved(k *record.Kind, id string) (reason string, allowed bool) {
	reason, allowed = h.mayBeRemoved(id)
	p := schema.Problem{Code: codes.Vanished, File: "records", Record: id}
	switch n := h.c.Number(id); {
	case h.c.HoldText(id) != "":
		p = h.c.held[id].where
		p.Code = codes.Vanished
		p.Message = quoteText(id) + " was in release " + h.release + ", but is now " + h.c.HoldText(id) + " now"
		p.Fix = "published records must stay published: remove draft or not_before; if it is no longer valid, retract it; if it should never have been published, redact it (stele redact " + id + ")"
	case n >= 0:
		p.Message = quoteText(id) + " was " + k.Name + " in release " + h.release + ", now " + h.c.kindOf(n).Name
		p.Fix = "IDs cannot be reused: give the new record another ID, and restore the old record"
	case allowed:
		return reason, true
	case h.c.mustWait(k.Name):
		return "", false
	default:
		p.Message = k.One + " " + quoteText(id) + " was in release " + h.release + ", but is now missing"
		p.Fix = "restore it; if it is no longer valid, retract it with a correction; if it has a new ID, keep it and add replaced_by: ID; if it must be removed, allow that by name: --allow-removed " + id
	}
	h.c.Report(p)
	return "", false
}

// mayBeRemoved reports whether the record with the ID may be missing, and returns the reason.
func (h *History) mayBeRemoved(id string) (reason string, ok bool) {
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

// CheckAllowed reports records that may be missing but are present.
func (h *History) CheckAllowed() {
	for _, p := range h.patterns {
		if h.c.entries.Len() == 0 && p.reason == "" {
			h.c.reportIn("records", codes.Vanished, "", "",
				"--allow-removed "+p.pattern+" allows every record of release "+h.release+" to be missing, without a reason",
				"name the records, or add a reason, which all events will contain: --allow-removed '*: Reason.'")
		}
	}
	for id := range h.allowed {
		if h.c.Number(id) >= 0 {
			h.c.reportIn("records", codes.Vanished, id, "", "record "+quoteText(id)+" may be missing, but is present",
				"remove it from --allow-removed, or delete the record")
		}
	}
}

// ReportEditedEvent reports change event n, which differs from the earlier release.
func (h *History) ReportEditedEvent(n int32) {
	h.report(codes.CorrectionLost, n, "",
		"this change event was published in release "+h.release+" and was edited later", "restore it")
}

// ReportTerms reports that the licence or the notice differs from the earlier release.
func (h *History) ReportTerms(sentence string) {
	h.c.reportIn(input.SettingsFile, codes.TermsChanged, "", "", "the terms changed since release "+h.release+". "+sentence,
		"restore the old text; if the change is intended, add --allow license, and an event for each kind will announce it")
}

// ReportAddress reports that base_url differs from the earlier release, with the consequences.
func (h *History) ReportAddress(old, address string) {
	message := "base_url was " + old + " in release " + h.release + ", and is now " + cmp.Or(address, "missing") + ": "
	fix := "redirect the old address to the new one, and tell people who cite it or follow its feeds"
	if old == "" {
		message = "release " + h.release + " had no base_url, and it is now " + address + ": "
		fix = "check that readers find the records there, because citations will begin with it"
	}
	message += settings.AddressChange(old, address)
	h.c.reportIn(input.SettingsFile, codes.AddressChanged, input.SettingsFile, "", message, fix)
}

// CheckPlans compares the calendar with that of the earlier release: a date that moved stays
// visible with its reason, and a plan that was neither published nor cancelled stays planned.
func (h *History) CheckPlans(was, is []settings.Plan) {
	for _, before := range was {
		if before.Published != "" || before.Cancelled != "" {
			continue
		}
		i := slices.IndexFunc(is, func(p settings.Plan) bool { return p.What == before.What })
		p := schema.Problem{Code: codes.PlanChanged, File: "stele.yaml"}
		if i < 0 {
			p.Message = quoteText(before.What) + " was planned for " + string(before.Planned) + " in release " + h.release + ", but is now missing from the calendar"
			p.Fix = "restore it; if it was published, add published with the day; if it was cancelled, add cancelled with the reason"
			h.c.Report(p)
			continue
		}
		p.Pointer = schema.Pointer("calendar", i)
		dates, now := before.Dates(), is[i].Dates()
		if len(now) < len(dates) || !slices.Equal(dates, now[:len(dates)]) {
			p.Message = quoteText(before.What) + " was planned for " + string(before.Planned) + " in release " + h.release + ", but moved does not say so"
			p.Fix = "keep all entries of moved, and add {from: " + string(before.Planned) + ", reason: …}"
			h.c.Report(p)
		}
	}
}

// CheckPublishedPlans reports plans that were published on a day without a release, according to
// the calendar.
func (c *Checker) CheckPublishedPlans(plans []settings.Plan, days map[record.Date]bool) {
	for i, p := range plans {
		if p.Published == "" || days[p.Published] {
			continue
		}
		c.reportIn(input.SettingsFile, codes.PublishedEarlier, "", schema.Pointer("calendar", i, "published"),
			quoteText(p.What)+" was published on "+string(p.Published)+", but there is no release of that day",
			"write the day of the release that contains it; if it was published elsewhere, accept this problem")
	}
}

// Removed is the last state of a record that an earlier release removed.
type Removed struct {
	ID      string
	Kind    string
	Version int64
	SHA256  string
	Release string // the release that removed it; "" for the one being built
}

func (r *Removed) locationText() string {
	if r.Release == "" {
		return "this release"
	}
	return "release " + r.Release
}

// CheckRestored checks record n, whose ID, ignoring case, belonged to a removed record. It reports
// whether it is the same record: byte for byte, or with a higher version.
func (h *History) CheckRestored(n int32, version int64, sha256 string, was *Removed) bool {
	id := h.c.ID(n)
	switch {
	case id != was.ID:
		h.report(codes.DuplicateID, n, "/id",
			"the ID "+quoteText(id)+" differs only in case from "+quoteText(was.ID)+", which belonged to a record that was removed in "+was.locationText(),
			"IDs cannot be reused: give the new record another ID")
	case h.c.kindOf(n).Name != was.Kind:
		h.report(codes.DuplicateID, n, "/id",
			"the ID "+quoteText(id)+" belonged to a record of another kind, "+was.Kind+", that was removed in "+was.locationText(),
			"IDs cannot be reused: give the new record another ID")
	case version > was.Version || version == was.Version && sha256 == was.SHA256:
		return true
	case version == was.Version:
		h.report(codes.ChangedWithoutVersion, n, "/version",
			fmt.Sprintf("the record was removed in %s and is back with different content, but its version is still %d", was.locationText(), version),
			fmt.Sprintf("restore its old content, or write version: %d; if it is another record, give it another ID", was.Version+1))
	default:
		h.report(codes.VersionFell, n, "/version",
			fmt.Sprintf("the record was removed in %s as version %d and is back as version %d", was.locationText(), was.Version, version),
			fmt.Sprintf("restore its old content, or write version: %d; if it is another record, give it another ID", was.Version+1))
	}
	return false
}

func (h *History) report(code codes.Code, n int32, pointer, message, fix string) {
	h.c.Report(h.c.Problem(code, n, pointer, message, fix))
}

// Change contains the differences between two states of a record.
type Change struct {
	Was, Is     record.Envelope // version, dates, and other members that differ
	Differences []jsondiff.Difference
	another     []identityChange // members that make it a different record
	// moved are entries of a claim's evidence that are missing or have a new stance.
	moved []record.ClaimEvidence
	// Redacted is the redaction of earlier versions, or nil.
	Redacted *settings.Redaction
}

// isRedacted reports whether a redaction may explain a difference: it names the member, a part of
// it, or no member.
func (c *Change) isRedacted(pointer string) bool {
	inside := func(m string) bool { return m == pointer || strings.HasPrefix(m, pointer+"/") }
	return c.Redacted != nil && (len(c.Redacted.Members) == 0 || slices.ContainsFunc(c.Redacted.Members, inside))
}

// ignoreRedactedTexts ignores changes that a redaction made to texts of corrections and source
// updates.
func (c *Change) ignoreRedactedTexts() {
	for i := range min(len(c.Was.Corrections), len(c.Is.Corrections)) {
		if c.isRedacted(fmt.Sprintf("/corrections/%d", i)) {
			was, is := c.Was.Corrections[i], c.Is.Corrections[i]
			if was.Summary, was.ReportedBy = is.Summary, is.ReportedBy; reflect.DeepEqual(was, is) {
				c.Was.Corrections[i] = is
			}
		}
	}
	for i := range min(len(c.Was.SourceUpdates), len(c.Is.SourceUpdates)) {
		if c.isRedacted(fmt.Sprintf("/source_updates/%d", i)) {
			was, is := c.Was.SourceUpdates[i], c.Is.SourceUpdates[i]
			if was.Summary, was.NoticeURL = is.Summary, is.NoticeURL; was == is {
				c.Was.SourceUpdates[i] = is
			}
		}
	}
}

// Compare returns the differences between two states of a record of kind k, given as JSON.
func Compare(k *record.Kind, old, now []byte) (c Change, err error) {
	whole := [2][]byte{old, now}
	// equal corrections and source updates need not be compared
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

// Fields returns the JSON Pointers of the differing members. If these are too long for one line of
// an event, it returns only top-level members.
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

// Type returns the first change type that fits.
func (c *Change) Type() record.ChangeType {
	corrected := false
	for _, is := range c.Is.Corrections {
		if !hasCorrection(&c.Was, is) {
			if t := changeTypeOf(is.Type); t != record.ChangeCorrected {
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

func firstFields(fields []string) string {
	if len(fields) > 4 {
		return strings.Join(fields[:4], ", ") + fmt.Sprintf(" and %d more", len(fields)-4)
	}
	return strings.Join(fields, ", ")
}
