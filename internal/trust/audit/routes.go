package audit

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"stele/internal/base/layout"
)

func (a *answer) requiresCredentials() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusProxyAuthRequired ||
		a.status == http.StatusForbidden && a.header.Get("WWW-Authenticate") != ""
}

func (a *answer) isPage() bool { return a.status == http.StatusOK && a.bad != nil && a.hasMarkup() }

// hasMarkup reports whether an answer is HTML, as hosts send for missing files.
func (a *answer) hasMarkup() bool {
	media, _, _ := mime.ParseMediaType(a.header.Get("Content-Type")) // a malformed one matches nothing
	return a.markup || media == "text/html" || media == "application/xhtml+xml"
}

// absenceReason returns the reason why a route counts as missing, or "" if it exists.
func (a *answer) absenceReason() string {
	switch {
	case len(a.via) > hops:
		return "too many redirects"
	case a.away != "":
		return fmt.Sprintf("redirect to another host, %.200s, which is not followed", a.away)
	case a.status != http.StatusOK:
		return "answer " + a.statusText()
	case a.isPage():
		return "answer with an HTML page"
	}
	return ""
}

// checkRoute checks that a route exists, is public and returns JSON, and reports whether all three
// are true.
func (a *audit) checkRoute(got *answer, id string, absent Verdict) bool {
	for _, check := range []string{id, isPublic} {
		a.findings.countTrial(check)
	}
	if why := got.noAnswerReason(); why != "" {
		a.findings.add(id, NotTested, why, got)
		return false
	}
	if got.requiresCredentials() {
		a.findings.add(isPublic, Fail, "the route requires credentials: "+got.statusText(), got)
		return false
	}
	if why := got.absenceReason(); why != "" {
		a.findings.add(id, absent, why, got)
		return false
	}
	a.findings.countTrial(isJSON)
	a.findings.countTrial(noRedirects)
	if len(got.via) > 0 {
		a.findings.add(noRedirects, Warn, "the route redirects before it answers", got)
	}
	switch {
	case got.bad == nil:
		return true
	case isLimit(got.bad):
		a.findings.add(isJSON, NotTested, got.bad.Error(), got)
	default:
		a.findings.add(isJSON, Fail, "not JSON: "+strings.TrimPrefix(got.bad.Error(), "jsontext: "), got)
	}
	return false
}

func (a *audit) checkRoutes() {
	for _, c := range a.kinds {
		absent := Fail
		if c.kind.Collection.Listing != layout.Both {
			absent = Info
		}
		if !a.checkRoute(c.answer, hasRoute, absent) {
			c.there = false
			if absent == Info && c.answer.absenceReason() != "" && c.answer.noAnswerReason() == "" {
				continue
			}
			a.findings.add(hasIDs, NotTested, "the collection is unreadable", c.answer)
		} else if c.list == nil {
			a.findings.add(hasIDs, NotTested, "no list of records recognized in the collection", c.answer)
		}
	}
}

func (a *audit) checkData() {
	for _, c := range a.kinds {
		if !c.there || c.list == nil {
			continue
		}
		a.findings.countTrial(hasIDs)
		switch {
		case len(c.duplicates) > 0:
			a.findings.add(hasIDs, Fail, fmt.Sprintf("duplicate ID %q", truncate(c.duplicates[0])), c.answer)
		case c.nameless == c.records && c.records > 0:
			a.findings.add(hasIDs, NotTested, "no ID member recognized in the records", c.answer)
		case c.nameless > 0:
			a.findings.add(hasIDs, Fail, strconv.Itoa(c.nameless)+" of its records have no ID", c.answer)
		}
		a.findings.countTrial(countsAgree)
		for _, n := range c.counts {
			if n.value != strconv.Itoa(c.records) {
				a.findings.add(countsAgree, Fail, fmt.Sprintf("%s is %s, but the collection contains %d records",
					truncate(n.name), truncate(n.value), c.records), c.answer)
			}
		}
		if c.more != "" {
			a.findings.add(countsAgree, Warn, fmt.Sprintf("the member %s leads to another page: a collection must contain all records", truncate(c.more)), c.answer)
		}
	}
	a.checkReferences()
}
