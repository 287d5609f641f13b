package compiler

import (
	"crypto/sha256"

	"stele/internal/author/judging/check"
	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/compress"
	"stele/internal/compile/files"
	"stele/internal/disk/lists"
	"stele/internal/disk/spool"
	"stele/record"
	"stele/release"
)

// digest identifies the content of a record for later releases.
type digest struct {
	version int64
	sum     release.Digest
}

func (d *digest) recordDigest() *record.RecordDigest {
	return &record.RecordDigest{Version: d.version, SHA256: record.SHA256(d.sum.String())}
}

// encoded is the result of encoding a record: its location on the spool, and the facts for the
// index.
type encoded struct {
	facts   check.Facts
	ref     spool.Ref // zero for a record without a valid ID
	digest  digest
	updated record.Date
	source  *input.Source // nil if it is in no file
	err     error         // of writing to the spool
}

// encoder encodes records and writes them to a spool. Each goroutine has its own.
type encoder struct {
	decoder  record.Parser
	due      settings.Due
	look     check.Looker
	texts    *check.Texts // of sources
	spool    *spool.Writer
	parts    spool.Parts // its memory is reused
	variants bool
	files.Compressor
}

func newEncoder(opt *Options, s *settings.Settings, texts *check.Texts, to *spool.Spool) *encoder {
	return &encoder{
		decoder: record.Parser{Date: opt.Date}, texts: texts, spool: to.Writer(),
		variants: !opt.NoVariants, due: settings.Due{At: opt.At, Zone: s.Zone()},
	}
}

// encode decodes and checks a record, and encodes it for publication.
func (e *encoder) encode(i input.Item) encoded {
	facts, rec := check.CheckItem(&e.decoder, &e.due, &e.look, e.texts, i)
	if rec == nil || rec.Common().ID == "" {
		return encoded{facts: facts, source: i.Source}
	}
	c, p := rec.Common(), &e.parts
	p.Record = i.Kind.AppendJSON(p.Record[:0], rec)
	d := digest{c.Version, sha256.Sum256(p.Record)}
	p.Entry = lists.AppendEntry(p.Entry[:0], &release.Entry{
		ID: string(c.ID), Version: c.Version, Title: c.Title, Updated: string(c.UpdatedDate), SHA256: d.sum,
	})
	if e.variants && i.Kind.HasSingle() {
		for n, encoding := range compress.Encodings {
			p.Variants[n] = e.Compress(p.Variants[n][:0], encoding, p.Record)
		}
	} else {
		p.Variants = [3][]byte{}
	}
	ref, err := e.spool.Add(p)
	return encoded{facts, ref, d, max(c.UpdatedDate, c.PublishedDate), i.Source, err}
}
