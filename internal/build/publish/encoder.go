package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"stele/internal/author/check"
	"stele/internal/author/input"
	"stele/internal/base/compress"
	"stele/internal/disk/spool"
	"stele/record"
	"stele/release"
)

// encoded is what the release needs of a record: where the spool has it, and what the index keeps.
type encoded struct {
	facts   check.Facts
	ref     spool.Ref // that of nothing for a record whose ID is none
	digest  digest
	updated record.Date
	source  *input.Source // nil where it stands in no file
	err     error         // of writing to the spool
}

// encoder encodes records and puts them on a spool. Each goroutine has its own.
type encoder struct {
	decoder  record.Decoder
	texts    *check.Texts // of sources
	spool    *spool.Writer
	parts    spool.Parts // whose memory is used again
	variants bool
	compressor
}

func newEncoder(opt *Options, texts *check.Texts, s *spool.Spool) *encoder {
	return &encoder{
		decoder: record.Decoder{Date: opt.Date}, texts: texts, spool: s.Writer(),
		variants: !opt.NoVariants,
	}
}

// encode decodes and checks a record, and encodes it as it is published.
func (e *encoder) encode(i input.Item) encoded {
	facts, rec := check.Gather(&e.decoder, e.texts, i)
	if rec == nil || rec.Common().ID == "" {
		return encoded{facts: facts, source: i.Source}
	}
	c, p := rec.Common(), &e.parts
	p.Record = record.AppendJSON(p.Record[:0], i.Kind, rec)
	d := digest{c.Version, sha256.Sum256(p.Record)}
	p.Entry = appendEntry(p.Entry[:0], c, d.sum)
	if p.Node = p.Node[:0]; i.Kind.HasNode() {
		p.Node = appendNode(p.Node, c)
	}
	if e.variants && i.Kind.HasSingle() {
		for n, encoding := range compress.Encodings {
			p.Variants[n] = e.compress(p.Variants[n][:0], encoding, p.Record)
		}
	} else {
		p.Variants = [3][]byte{}
	}
	ref, err := e.spool.Add(p)
	return encoded{facts, ref, d, max(c.UpdatedDate, c.PublishedDate), i.Source, err}
}

// compressor compresses small files.
type compressor struct{ buf bytes.Buffer }

// compress appends the variant of a file to b, unless it would not save a network packet.
func (c *compressor) compress(b []byte, e compress.Encoding, data []byte) []byte {
	if !compress.Saves(int64(len(data)), 1) {
		return b
	}
	c.buf.Reset()
	if err := e.Encode(&c.buf, bytes.NewReader(data), int64(len(data))); err != nil {
		return b // memory does not fail; and a file without this variant is a file all the same
	}
	if !compress.Saves(int64(len(data)), int64(c.buf.Len())) {
		return b
	}
	return append(b, c.buf.Bytes()...)
}

// titleIn is the title in a line of a listing; "" if there is none. What it looks for cannot stand
// in a text, where quotation marks are escaped.
func titleIn(line []byte) string {
	_, rest, _ := bytes.Cut(line, []byte(`,"title":"`))
	text, _, _ := bytes.Cut(rest, []byte{'"'})
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text)
	}
	var e release.Entry
	if json.Unmarshal(line, &e) != nil { // it was written a moment ago
		return ""
	}
	return e.Title
}

// appendEntry writes a line of a listing; release.Entry reads it.
func appendEntry(b []byte, e *record.Envelope, sum release.Digest) []byte {
	b = append(b, `{"id":"`...)
	b = append(b, e.ID...)
	b = append(b, `","version":`...)
	b = strconv.AppendInt(b, e.Version, 10)
	if e.Title != "" {
		b = record.AppendText(append(b, `,"title":`...), e.Title)
	}
	if e.UpdatedDate != "" {
		b = append(append(append(b, `,"updated_date":"`...), e.UpdatedDate...), '"')
	}
	b = append(b, `,"sha256":"`...)
	b = hex.AppendEncode(b, sum[:])
	return append(b, `"}`...)
}
