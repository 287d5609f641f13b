// Package audit tests any live service: whether it follows the specification, whether its data is
// consistent, and whether it follows HTTP and common practice. It sends GET, HEAD and OPTIONS
// requests, a few at a time, and trusts nothing: every answer is limited in size, time and depth.
// What could not be tested never counts as passed.
package audit

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"stele/internal/base/parallel"
	"stele/record"
)

// Options of an audit. Zero values mean the defaults.
type Options struct {
	All     bool          // test all single records instead of fifty of each kind
	Methods bool          // also test methods that write, at an unused path
	Time    time.Duration // in total; default one hour
	Bytes   int64         // total bytes to read, both encoded and decoded; default 4 GiB
	Pause   time.Duration // before the first repetition of a request; default half a second
	// Progress is called as answers come.
	Progress func(step string, done, total int64)
	// Transport replaces the network; nil for the network.
	Transport http.RoundTripper
}

const (
	atATime    = 4  // parallel requests
	sampleSize = 50 // single records tested of each kind
	unusedPath = "/api/v1/signals/stele-audit-of-an-address-that-nobody-uses.json"
	anyOrigin  = "https://audit.example"
)

// plainGet are the headers of most requests: those of a script on another site.
var plainGet = [][2]string{{"Accept-Encoding", "gzip"}, {"Origin", anyOrigin}}

func get(path string) query { return query{http.MethodGet, path, plainGet} }

// audit is the state of an audit.
type audit struct {
	opt      Options
	client   *client
	findings findings

	kinds []*collection // in the order of record.Kinds
	total atomic.Int64  // records and references in memory
}

// Run audits the service at the base URL address. It returns an error if no report is possible.
func Run(ctx context.Context, address string, opt Options) (*Report, error) {
	if opt.Time <= 0 {
		opt.Time = time.Hour
	}
	if opt.Bytes <= 0 {
		opt.Bytes = 4 << 30
	}
	if opt.Pause <= 0 {
		opt.Pause = 500 * time.Millisecond
	}
	if opt.Progress == nil {
		opt.Progress = func(string, int64, int64) {}
	}
	c, err := newClient(address, opt)
	if err != nil {
		return nil, err
	}
	defer c.http.CloseIdleConnections()
	inner, cancel := context.WithTimeoutCause(ctx, opt.Time, errTime)
	defer cancel()
	a := &audit{opt: opt, client: c, findings: newFindings()}
	opt.Progress("connecting", 0, 1)
	if got := c.sendWithRetries(inner, get(record.Kinds[0].Collection.Path), nil); got.status == 0 {
		return nil, cmp.Or(ctx.Err(), fmt.Errorf("cannot reach %s: %w", c.base, got.err))
	}
	a.readCollections(inner)
	if a.isService() {
		a.checkRoutes()
		a.checkData()
		a.testSingleRecords(inner)
		a.tryConventions(inner)
		a.tryMethods(inner)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &Report{Address: c.base, Requests: c.requests.Load(), Bytes: c.received.Load()}
	a.findings.addTo(r)
	return r, nil
}

// mapInOrder calls do for each of things, a few at a time, and yields the results in order.
func mapInOrder[In, Out any](things []In, do func(In) Out) iter.Seq[Out] {
	one := func(thing In) iter.Seq[Out] {
		return func(yield func(Out) bool) { yield(do(thing)) }
	}
	return parallel.Ordered(slices.Values(things), slices.Repeat([]func(In) iter.Seq[Out]{one}, atATime))
}

// newProgress returns a function that counts one finished part of step and reports the progress.
func (a *audit) newProgress(step string, total int) func() {
	var done atomic.Int64
	a.opt.Progress(step, 0, int64(total))
	return func() { a.opt.Progress(step, done.Add(1), int64(total)) }
}

func (a *audit) readCollections(ctx context.Context) {
	step := a.newProgress("collections", len(record.Kinds))
	for c := range mapInOrder(record.Kinds, func(k *record.Kind) *collection { return a.readCollection(ctx, k, nil) }) {
		a.kinds = append(a.kinds, c)
		step()
	}
}

// readCollection reads the collection of k and, if each is not nil, calls it for each record.
func (a *audit) readCollection(ctx context.Context, k *record.Kind, each func(*list, string, []byte)) *collection {
	c := &collection{kind: k}
	c.answer = a.client.sendWithRetries(ctx, get(k.Collection.Path), func(in io.Reader) error {
		*c = collection{kind: k}
		r := &reader{names: newNames(k), single: k.HasSingle(), sampleSize: sampleSize, total: &a.total, each: each}
		if each != nil { // its bytes were counted before
			r.single, r.total = false, new(atomic.Int64)
		}
		if a.opt.All {
			r.sampleSize = 0
		}
		return r.read(in, c)
	})
	if c.answer.err != nil {
		c.there = false
	}
	return c
}

// isService reports whether any route exists. If none does, it adds one finding for all.
func (a *audit) isService() bool {
	a.findings.countTrial(isService)
	silent := 0
	for _, c := range a.kinds {
		if c.answer.noAnswerReason() != "" || isLimit(c.answer.bad) {
			silent++
		} else if c.answer.status == http.StatusOK && !c.answer.isPage() || c.answer.requiresCredentials() {
			return true
		}
	}
	first := a.kinds[0]
	for _, c := range a.kinds { // a redirect to another host explains most
		if c.answer.away != "" {
			first = c
			break
		}
	}
	switch {
	case silent == len(a.kinds):
		a.findings.add(isService, NotTested, "the service answered no route: "+first.noAnswerReason(), first.answer)
	case first.answer.away != "":
		a.findings.add(isService, Fail, fmt.Sprintf("the routes redirect to another host, %.200s: audit that address", first.answer.away), first.answer)
	case first.answer.isPage():
		a.findings.add(isService, Fail, "no route found: the address has HTML pages", first.answer)
	default:
		a.findings.add(isService, Fail, "no route found: "+first.answer.absenceReason(), first.answer)
	}
	for _, c := range Checks {
		if c.ID != isService {
			a.findings.add(c.ID, NotTested, "no service found", nil)
		}
	}
	return false
}

// noAnswerReason returns the reason why the collection cannot be checked, or "".
func (c *collection) noAnswerReason() string {
	if s := c.answer.noAnswerReason(); s != "" {
		return s
	}
	if isLimit(c.answer.bad) {
		return c.answer.bad.Error()
	}
	return ""
}
