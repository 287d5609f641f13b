package audit

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"stele/internal/base/layout"
)

// asksWho reports whether a route wants credentials.
func (a *answer) asksWho() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusProxyAuthRequired ||
		a.status == http.StatusForbidden && a.header.Get("WWW-Authenticate") != ""
}

// isPage reports whether the answer is a page for people.
func (a *answer) isPage() bool { return a.status == http.StatusOK && a.bad != nil && a.hasMarkup() }

// hasMarkup reports whether an answer is for people, as hosts give it for what is not there.
func (a *answer) hasMarkup() bool {
	media, _, _ := mime.ParseMediaType(a.header.Get("Content-Type")) // one that cannot be read is none
	return a.markup || media == "text/html" || media == "application/xhtml+xml"
}

// missing says how a route is not there; "" if it is.
func (a *answer) missing() string {
	switch {
	case len(a.via) > hops:
		return "it leads from redirect to redirect"
	case a.away != "":
		return fmt.Sprintf("it leads to another host, %.200s, which is not followed", a.away)
	case a.status != http.StatusOK:
		return "it answers " + a.statusText()
	case a.isPage():
		return "it answers with a page for people"
	}
	return ""
}

// judge finds out whether a route is there, public, and JSON. It returns false if not.
func (a *audit) judge(got *answer, id string, absent Verdict) bool {
	for _, check := range []string{id, isPublic} {
		a.book.tried(check)
	}
	if why := got.silent(); why != "" {
		a.book.found(id, NotTested, why, got)
		return false
	}
	if got.asksWho() {
		a.book.found(isPublic, Fail, "it asks for credentials: "+got.statusText(), got)
		return false
	}
	if why := got.missing(); why != "" {
		a.book.found(id, absent, why, got)
		return false
	}
	a.book.tried(isJSON)
	a.book.tried(noRedirects)
	if len(got.via) > 0 {
		a.book.found(noRedirects, Warn, "it is answered by way of a redirect", got)
	}
	switch {
	case got.bad == nil:
		return true
	case isLimit(got.bad):
		a.book.found(isJSON, NotTested, got.bad.Error(), got)
	default:
		a.book.found(isJSON, Fail, "it is not JSON: "+strings.TrimPrefix(got.bad.Error(), "jsontext: "), got)
	}
	return false
}

// judgeRoutes judges the collections.
func (a *audit) judgeRoutes() {
	for _, c := range a.kinds {
		absent := Fail
		if c.kind.Collection.Listing != layout.Both {
			absent = Info
		}
		if !a.judge(c.answer, hasRoute, absent) {
			c.there = false
			if absent == Info && c.answer.missing() != "" && c.answer.silent() == "" {
				continue
			}
			a.book.found(hasIDs, NotTested, "the collection could not be read", c.answer)
		} else if c.list == nil {
			a.book.found(hasIDs, NotTested, "no list of records was recognised in the collection", c.answer)
		}
	}
}

// judgeData judges what the collections say together.
func (a *audit) judgeData() {
	for _, c := range a.kinds {
		if !c.there || c.list == nil {
			continue
		}
		a.book.tried(hasIDs)
		switch {
		case len(c.twice) > 0:
			a.book.found(hasIDs, Fail, fmt.Sprintf("the ID %q is there twice", cut(c.twice[0])), c.answer)
		case c.nameless == c.records && c.records > 0:
			a.book.found(hasIDs, NotTested, "no member with the ID was recognised in the records", c.answer)
		case c.nameless > 0:
			a.book.found(hasIDs, Fail, strconv.Itoa(c.nameless)+" of its records have no ID", c.answer)
		}
		a.book.tried(countsAgree)
		for _, n := range c.counts {
			if n.value != strconv.Itoa(c.records) {
				a.book.found(countsAgree, Fail, fmt.Sprintf("%s is %s, but there are %d records", cut(n.name), cut(n.value), c.records), c.answer)
			}
		}
		if c.more != "" {
			a.book.found(countsAgree, Warn, fmt.Sprintf("the member %s leads to more: a collection has all records", cut(c.more)), c.answer)
		}
	}
	a.judgeReferences()
}
