// Package audit holds a live service against the specification, whoever made it: what is required,
// what must not contradict itself, and what HTTP and its users expect. It asks with GET, HEAD and
// OPTIONS, a few requests at a time, and trusts nothing that comes back: every answer is bounded in
// bytes, time and depth. What could not be tested is never counted as good.
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

// Options of an audit. Zero values stand for the defaults.
type Options struct {
	All     bool          // try all single records, not fifty of each kind
	Methods bool          // also try methods that write, at a made-up address
	Time    time.Duration // in all; default one hour
	Bytes   int64         // that may be read in all, as they come and decoded; default 4 GiB
	Pause   time.Duration // before a request is repeated, at first; default half a second
	// Progress is called as answers come.
	Progress func(step string, done, total int64)
	// Transport asks in the place of the network; nil for that.
	Transport http.RoundTripper
}

const (
	atATime   = 4  // requests
	sampled   = 50 // single records of each kind
	madeUp    = "/api/v1/signals/stele-audit-of-an-address-that-nobody-uses.json"
	anyOrigin = "https://audit.example"
)

// plainGet is how routes are asked: as a script on another site does that reads gzip.
var plainGet = [][2]string{{"Accept-Encoding", "gzip"}, {"Origin", anyOrigin}}

// plain asks for a file.
func plain(path string) query { return query{http.MethodGet, path, plainGet} }

// audit is an audit under way.
type audit struct {
	opt    Options
	client *client
	book   book

	kinds []*collection // in the order of record.Kinds
	total atomic.Int64  // records and references that are kept in mind
}

// Run audits the service at a base address. The error says why there is no report.
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
	a := &audit{opt: opt, client: c, book: newBook()}
	opt.Progress("connecting", 0, 1)
	if got := c.ask(inner, plain(record.Kinds[0].Collection.Path), nil); got.status == 0 {
		return nil, cmp.Or(ctx.Err(), fmt.Errorf("%s cannot be reached: %w", c.base, got.err))
	}
	a.readCollections(inner)
	if a.isService() {
		a.judgeRoutes()
		a.judgeData()
		a.trySingles(inner)
		a.tryConventions(inner)
		a.tryMethods(inner)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &Report{Address: c.base, Requests: c.requests.Load(), Bytes: c.came.Load()}
	a.book.report(r)
	return r, nil
}

// inOrder does something with each of some things, a few at a time, and yields what comes of it in
// their order.
func inOrder[In, Out any](things []In, do func(In) Out) iter.Seq[Out] {
	one := func(thing In) iter.Seq[Out] {
		return func(yield func(Out) bool) { yield(do(thing)) }
	}
	return parallel.Ordered(slices.Values(things), slices.Repeat([]func(In) iter.Seq[Out]{one}, atATime))
}

// steps counts how far a step has come.
func (a *audit) steps(step string, total int) func() {
	var done atomic.Int64
	a.opt.Progress(step, 0, int64(total))
	return func() { a.opt.Progress(step, done.Add(1), int64(total)) }
}

// readCollections reads all collections.
func (a *audit) readCollections(ctx context.Context) {
	step := a.steps("collections", len(record.Kinds))
	for c := range inOrder(record.Kinds, func(k *record.Kind) *collection { return a.readCollection(ctx, k, nil) }) {
		a.kinds = append(a.kinds, c)
		step()
	}
}

// readCollection reads the collection of a kind. each may be called with its records.
func (a *audit) readCollection(ctx context.Context, k *record.Kind, each func(*list, string, []byte)) *collection {
	c := &collection{kind: k}
	c.answer = a.client.ask(ctx, plain(k.Collection.Path), func(in io.Reader) error {
		*c = collection{kind: k}
		r := &reader{names: newNames(k), single: k.HasSingle(), most: sampled, total: &a.total, each: each}
		if each != nil { // it was read before
			r.single, r.total = false, new(atomic.Int64)
		}
		if a.opt.All {
			r.most = 0
		}
		return r.read(in, c)
	})
	if c.answer.err != nil {
		c.there = false
	}
	return c
}

// isService reports whether any route is there. Where none is, one finding says so.
func (a *audit) isService() bool {
	a.book.tried(isService)
	silent := 0
	for _, c := range a.kinds {
		if c.answer.silent() != "" || isLimit(c.answer.bad) {
			silent++
		} else if c.answer.status == http.StatusOK && !c.answer.isPage() || c.answer.asksWho() {
			return true
		}
	}
	first := a.kinds[0]
	for _, c := range a.kinds { // what leads elsewhere tells most
		if c.answer.away != "" {
			first = c
			break
		}
	}
	switch {
	case silent == len(a.kinds):
		a.book.found(isService, NotTested, "none of the routes was answered: "+first.silence(), first.answer)
	case first.answer.away != "":
		a.book.found(isService, Fail, fmt.Sprintf("the routes lead to another host, %.200s: audit that address", first.answer.away), first.answer)
	case first.answer.isPage():
		a.book.found(isService, Fail, "none of the routes is there: the address has pages for people", first.answer)
	default:
		a.book.found(isService, Fail, "none of the routes is there: "+first.answer.missing(), first.answer)
	}
	for _, c := range Checks {
		if c.ID != isService {
			a.book.found(c.ID, NotTested, "there is no service", nil)
		}
	}
	return false
}

// silence is why nothing can be said of a collection.
func (c *collection) silence() string {
	if s := c.answer.silent(); s != "" {
		return s
	}
	if isLimit(c.answer.bad) {
		return c.answer.bad.Error()
	}
	return ""
}
