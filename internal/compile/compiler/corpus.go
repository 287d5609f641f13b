package compiler

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"

	"stele/internal/author/judging/check"
	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/compress"
	"stele/internal/base/parallel/chunked"
	"stele/internal/base/schema"
	"stele/internal/compile/files"
	"stele/internal/disk/spool"
	"stele/record"
)

// corpus is the records of a folder: an index in memory, and on disk what was made of them.
type corpus struct {
	settings settings.Settings
	// what the release leaves out for good
	redactions []settings.Redaction
	checker    *check.Checker
	spool      *spool.Spool         // nil where records are only checked
	digests    chunked.List[digest] // by number; only where there is a release to compare with
	kinds      []kindRecords        // in the order of the table
	nodes      []bool               // by number: whether it is in the graph
	memory     *chunked.Memory      // which what is kept of each record shares; nil for a preview
}

// kindRecords is the records of a kind.
type kindRecords struct {
	*record.Kind
	numbers []int32     // in the order of IDs
	asOf    record.Date // the newest date in them
}

// source is where records come from, and how they are read.
type source struct {
	fs.FS
	w    files.Writer
	opt  *Options
	kept *Kept // of the previews before this one; nil for a release
	// what is kept of each record shares it; nil for a preview, which keeps more
	memory *chunked.Memory
	// whether records are only checked: there is nothing that they have to be compared with
	light bool
}

// readCorpus reads the records, checks them, and puts what is made of them on a spool, unless they
// are only checked. Files of which something is kept, if anything is, are not read again.
func readCorpus(
	ctx context.Context, from source, s settings.Settings, problems []schema.Problem, before func() (*previous, error),
) (c *corpus, err error) {
	c = &corpus{settings: s, kinds: make([]kindRecords, len(record.Kinds)), memory: from.memory}
	for i, k := range record.Kinds {
		c.kinds[i].Kind = k
	}
	var texts *check.Texts
	c.checker, texts = check.Begin(from.FS, from.opt.Date, &s, problems)
	c.checker.Within(from.memory)
	c.digests.UseMemory(from.memory)
	c.redactions = texts.Redactions
	if from.opt.Drafts {
		c.checker.KeepHeld()
	}
	if from.light {
		opt := check.Options{
			Date: from.opt.Date, At: from.opt.At, Workers: from.opt.Workers, Progress: from.opt.reading,
		}
		err := c.checker.Read(ctx, from.FS, opt)
		if from.opt.Previous == nil && !from.opt.PreviousUnknown {
			c.checker.CheckWaiting()
		}
		c.checker.CheckReferences()
		return c, err
	}
	if from.kept != nil {
		c.spool, err = from.kept.begin(from.opt.Date, texts.State, from.w)
	} else {
		c.spool, err = spool.New(from.w.Scratch)
	}
	if err != nil {
		return nil, err
	}
	c.spool.UseMemory(from.memory)
	if err = c.read(ctx, from.FS, texts, from.opt, newKeeper(from.kept)); err == nil {
		err = c.addPublished(ctx, texts, from.opt, before)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	c.checker.CheckReferences()
	c.nodes = c.checker.InGraph(s.GraphStatistics)
	for _, k := range c.kinds {
		chunked.SortByText(k.numbers, from.memory, c.checker.ID)
	}
	return c, nil
}

func (c *corpus) close() {
	if c.spool != nil {
		c.spool.Close() // what it held is gone with it
	}
}

// read streams the records through the encoders.
func (c *corpus) read(ctx context.Context, fsys fs.FS, texts *check.Texts, opt *Options, k *keeper) error {
	var encoders []*encoder
	newWorker := func() func(input.Item) encoded {
		e := newEncoder(opt, &c.settings, texts, c.spool)
		encoders = append(encoders, e)
		return e.encode
	}
	for e := range input.Read(k.batches(fsys, opt.reading), opt.Workers, newWorker) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if e.err != nil {
			return fmt.Errorf("write the spool: %w", e.err)
		}
		if e.source != nil && e.source.Known {
			k.again(e.source.Path, func(e *encoded) { c.add(e, false) })
			continue
		}
		k.keep(&e)
		c.add(&e, opt.Previous != nil)
	}
	compress.FreeWriters() // pages and downloads need the memory next
	for _, e := range encoders {
		if err := e.spool.Flush(); err != nil {
			return fmt.Errorf("write the spool: %w", err)
		}
	}
	k.done(c.spool)
	return nil
}

// addPublished adds records as the previous release has them, if a change of them is held back.
func (c *corpus) addPublished(
	ctx context.Context, texts *check.Texts, opt *Options, before func() (*previous, error),
) error {
	if opt.Previous == nil {
		if !opt.PreviousUnknown {
			c.checker.CheckWaiting()
		}
		return nil
	}
	e := newEncoder(opt, &c.settings, texts, c.spool)
	for i, k := range record.Kinds {
		waiting := maps.Collect(c.checker.Waiting(k))
		if len(waiting) == 0 {
			continue
		}
		was, err := before()
		if err != nil {
			return err
		}
		if err := c.addWaiting(ctx, e, k, was, &was.kinds[i], waiting); err != nil {
			return err
		}
	}
	return e.spool.Flush()
}

// addWaiting adds those records of a kind that a listing has.
func (c *corpus) addWaiting(
	ctx context.Context, e *encoder, k *record.Kind, was *previous, l *listing, waiting map[string]schema.Problem,
) error {
	parser, n := new(record.Parser), 0
	for id := range waiting {
		if !l.has(id) {
			delete(waiting, id)
		}
	}
	for line, err := range was.Records(k.Name) {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil || len(waiting) == 0 || n == l.len() {
			return err
		}
		id, at := l.id(n), l.at(n)
		n++
		where, ok := waiting[id]
		if !ok {
			continue
		}
		delete(waiting, id)
		tree, err := parser.Tree(k, line)
		if err != nil || sha256.Sum256(line) != at.sum {
			return unreadable(fmt.Errorf("record %s is not the one that its listing describes", id))
		}
		tree.Files = []string{where.File}
		for i := range tree.Nodes { // what is wrong with it is shown where its change is written
			tree.Nodes[i].At = schema.Pos{Line: int32(where.Line), Column: int32(where.Column)}
		}
		published := e.encode(input.Item{Kind: k, Tree: tree, Own: tree})
		if published.err != nil {
			return published.err
		}
		c.checker.StandsIn(id)
		c.add(&published, true)
	}
	return nil
}

// add notes a record that was read.
func (c *corpus) add(e *encoded, compared bool) {
	n := c.checker.Add(&e.facts)
	if n < 0 {
		return
	}
	k := &c.kinds[c.checker.Kind(n)]
	k.numbers = append(k.numbers, n)
	if e.updated > k.asOf {
		k.asOf = record.Date(strings.Clone(string(e.updated))) // the file's text must not be kept
	}
	c.spool.Add(e.ref)
	if compared {
		c.digests.Add(e.digest)
	}
}

// of returns the records of a kind.
func (c *corpus) of(k *record.Kind) *kindRecords { return &c.kinds[slices.Index(record.Kinds, k)] }

// digest returns that of a record, if there is a release to compare with.
func (c *corpus) digest(n int32) *digest { return c.digests.At(int(n)) }

// inOrder are the numbers of all records, in the order of kinds and IDs: not of the files that they
// are written in.
func (c *corpus) inOrder() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := range c.kinds {
			for _, n := range c.kinds[i].numbers {
				if !yield(n) {
					return
				}
			}
		}
	}
}
