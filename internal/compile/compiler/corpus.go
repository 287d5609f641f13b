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

// corpus contains the records of a folder: an index in memory, and their encoded forms on disk.
type corpus struct {
	settings settings.Settings
	// The versions that releases leave out permanently.
	redactions []settings.Redaction
	checker    *check.Checker
	spool      *spool.Spool         // nil if records are only checked
	digests    chunked.List[digest] // by number; empty without a previous release
	kinds      []kindRecords        // in the order of record.Kinds
	nodes      []bool               // by number: whether it is in the graph
	memory     *chunked.Memory      // shared by all lists of the index; nil in a preview
}

// kindRecords contains the records of a kind.
type kindRecords struct {
	*record.Kind
	numbers []int32     // sorted by ID
	asOf    record.Date // latest date in the records
}

// source says where records come from, and how to read them.
type source struct {
	fs.FS
	w     files.Writer
	opt   *Options
	cache *PreviewCache // results of previous previews; nil for a release
	// Shared by all lists of the index. It is nil in a preview, which keeps more in memory.
	memory *chunked.Memory
	// Whether records are only checked, without comparing them with a release.
	withoutRelease bool
}

// readCorpus reads and checks the records and writes their encoded forms to a spool, unless they
// are only checked. It does not read files whose results are cached.
func readCorpus(
	ctx context.Context, from source, s settings.Settings, problems []schema.Problem, before func() (*previous, error),
) (c *corpus, err error) {
	c = &corpus{settings: s, kinds: make([]kindRecords, len(record.Kinds)), memory: from.memory}
	for i, k := range record.Kinds {
		c.kinds[i].Kind = k
	}
	var texts *check.Texts
	c.checker, texts = check.NewForFolder(from.FS, from.opt.Date, &s, problems)
	c.checker.UseMemory(from.memory)
	c.digests.UseMemory(from.memory)
	c.redactions = texts.Redactions
	if from.opt.Drafts {
		c.checker.KeepHeld()
	}
	if from.withoutRelease {
		opt := check.Options{
			Date: from.opt.Date, At: from.opt.At, Workers: from.opt.Workers, Progress: from.opt.reportReading,
		}
		err := c.checker.Read(ctx, from.FS, opt)
		if from.opt.Previous == nil && !from.opt.PreviousUnknown {
			c.checker.CheckWaiting()
		}
		c.checker.CheckReferences()
		return c, err
	}
	if from.cache != nil {
		c.spool, err = from.cache.newSpool(from.opt.Date, texts.State, from.w)
	} else {
		c.spool, err = spool.New(from.w.Scratch)
	}
	if err != nil {
		return nil, err
	}
	c.spool.UseMemory(from.memory)
	if err = c.read(ctx, from.FS, texts, from.opt, newCacheBuilder(from.cache)); err == nil {
		err = c.addPublished(ctx, texts, from.opt, before)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	c.checker.CheckReferences()
	c.nodes = c.checker.GraphNodes(s.GraphStatistics)
	for _, k := range c.kinds {
		chunked.SortByText(k.numbers, from.memory, c.checker.ID)
	}
	return c, nil
}

func (c *corpus) close() {
	if c.spool != nil { // this also deletes its file
		c.spool.Close() // its content is deleted with it
	}
}

// read passes the records through the encoders.
func (c *corpus) read(ctx context.Context, fsys fs.FS, texts *check.Texts, opt *Options, k *cacheBuilder) error {
	var encoders []*encoder
	newWorker := func() func(input.Item) encoded {
		e := newEncoder(opt, &c.settings, texts, c.spool)
		encoders = append(encoders, e)
		return e.encode
	}
	for e := range input.Read(k.uncachedBatches(fsys, opt.reportReading), opt.Workers, newWorker) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if e.err != nil {
			return fmt.Errorf("write the spool: %w", e.err)
		}
		if e.source != nil && e.source.Known {
			k.reuse(e.source.Path, func(e *encoded) { c.add(e, false) })
			continue
		}
		k.add(&e)
		c.add(&e, opt.Previous != nil)
	}
	compress.FreeWriters() // pages and downloads need the memory next
	for _, e := range encoders {
		if err := e.spool.Flush(); err != nil {
			return fmt.Errorf("write the spool: %w", err)
		}
	}
	k.finish(c.spool)
	return nil
}

// addPublished adds the published versions of records whose change is withheld until a later day.
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

// addWaiting adds the records of a kind that are in waiting and in the listing l of the previous
// release.
func (c *corpus) addWaiting(
	ctx context.Context, e *encoder, k *record.Kind, before *previous, l *listing, waiting map[string]schema.Problem,
) error {
	parser, n := new(record.Parser), 0
	for id := range waiting {
		if !l.has(id) {
			delete(waiting, id)
		}
	}
	for line, err := range before.Records(k.Name) {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil || len(waiting) == 0 || n == l.len() {
			return err
		}
		id, at := l.idAt(n), l.digestAt(n)
		n++
		where, ok := waiting[id]
		if !ok {
			continue
		}
		delete(waiting, id)
		tree, err := parser.Tree(k, line)
		if err != nil || sha256.Sum256(line) != at.sum {
			return previousError(fmt.Errorf("record %s does not match its listing", id))
		}
		tree.Files = []string{where.File}
		for i := range tree.Nodes { // problems are shown at the withheld change
			tree.Nodes[i].At = schema.Pos{Line: int32(where.Line), Column: int32(where.Column)}
		}
		published := e.encode(input.Item{Kind: k, Tree: tree, Own: tree})
		if published.err != nil {
			return published.err
		}
		c.checker.MarkReplacedByPublished(id)
		c.add(&published, true)
	}
	return nil
}

// add adds the record e to the index. It adds the record's digest too if compared is true.
func (c *corpus) add(e *encoded, compared bool) {
	n := c.checker.Add(&e.facts)
	if n < 0 {
		return
	}
	k := &c.kinds[c.checker.Kind(n)]
	k.numbers = append(k.numbers, n)
	if e.updated > k.asOf {
		k.asOf = record.Date(strings.Clone(string(e.updated))) // so that it does not keep the file's text in memory
	}
	c.spool.Add(e.ref)
	if compared {
		c.digests.Add(e.digest)
	}
}

func (c *corpus) recordsOf(k *record.Kind) *kindRecords {
	return &c.kinds[slices.Index(record.Kinds, k)]
}

// digestOf returns the digest of record n. It requires a previous release.
func (c *corpus) digestOf(n int32) *digest { return c.digests.At(int(n)) }

// sortedNumbers yields the numbers of all records sorted by kind and ID, independent of the files
// they are in.
func (c *corpus) sortedNumbers() iter.Seq[int32] {
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
