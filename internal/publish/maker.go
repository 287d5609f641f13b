package publish

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"

	"stele/internal/check"
	"stele/internal/compress"
	"stele/internal/input"
	"stele/record"
	"stele/release"
)

// piece is what the release needs of a record: where the spool has its canonical bytes, its line of
// the listing, its node of the graph and its compressed variants, and what the index keeps.
type piece struct {
	facts    check.Facts
	stored   stored    // nothing of a record whose ID is none
	data     []byte    // the record, if its file is written at once
	variants [3][]byte // by place in compress.Encodings; likewise
	digest   digest
	updated  record.Date
	err      error // of writing to the spool
}

// maker makes pieces. Each goroutine has its own.
type maker struct {
	decoder  record.Decoder
	variants bool
	buf      bytes.Buffer
	json     []byte // the record
	line     []byte // its line of the listing
	node     []byte
	records  section
	lines    section
}

// newMaker makes a maker that writes to a spool. If it keeps, records stay in memory as long as
// their pieces do.
func newMaker(opt Options, s *spool, keeps bool) *maker {
	return &maker{
		decoder: record.Decoder{Date: opt.Date}, variants: !opt.NoVariants,
		records: section{file: &s.records, keeps: keeps}, lines: section{file: &s.lines},
	}
}

func (m *maker) make(i input.Item) piece {
	facts, rec := check.Gather(&m.decoder, i)
	p := piece{facts: facts}
	if rec == nil || rec.Common().ID == "" {
		return p
	}
	e := rec.Common()
	p.digest.version, p.updated = e.Version, max(e.UpdatedDate, e.PublishedDate)
	if p.err = m.addRecord(&p, i.Kind, rec); p.err == nil {
		p.err = m.addLines(&p, i.Kind, e)
	}
	return p
}

// addRecord puts the record and its variants on the spool.
func (m *maker) addRecord(p *piece, k *record.Kind, rec record.Record) error {
	m.json = record.AppendJSON(m.json[:0], k, rec)
	p.digest.sum = release.Sum(m.json)
	var variants [3][]byte
	if m.variants && k.HasSingle() {
		variants = m.compress(m.json)
	}
	data, offset, err := m.records.add(m.json, variants[0], variants[1], variants[2])
	if err != nil {
		return err
	}
	p.stored.offset, p.stored.record = offset, uint32(len(m.json))
	for i, v := range variants {
		p.stored.variants[i] = uint32(len(v))
	}
	if m.records.keeps {
		p.data, p.variants = data[:len(m.json)], variants
	}
	return nil
}

// addLines puts the record's line of the listing and its node of the graph on the spool.
func (m *maker) addLines(p *piece, k *record.Kind, e *record.Envelope) (err error) {
	m.line, m.node = appendEntry(m.line[:0], e, p.digest.sum), m.node[:0]
	if k.HasNode() {
		m.node = appendNode(m.node, e)
	}
	p.stored.index, p.stored.node = uint32(len(m.line)), uint32(len(m.node))
	_, p.stored.lines, err = m.lines.add(m.line, m.node)
	return err
}

// flush writes what is not on the spool yet.
func (m *maker) flush() error { return errors.Join(m.records.flush(), m.lines.flush()) }

// compress makes the variants of a record that save a network packet.
func (m *maker) compress(data []byte) (variants [3][]byte) {
	for i, e := range compress.Encodings {
		variants[i] = m.encode(e, data)
	}
	return variants
}

// encode is a variant, or nil if it would not save a network packet.
func (m *maker) encode(e compress.Encoding, data []byte) []byte {
	if !compress.Saves(int64(len(data)), 1) {
		return nil
	}
	m.buf.Reset()
	if err := e.Encode(&m.buf, bytes.NewReader(data), int64(len(data))); err != nil {
		return nil // memory does not fail; and a file without this variant is a file all the same
	}
	if !compress.Saves(int64(len(data)), int64(m.buf.Len())) {
		return nil
	}
	return bytes.Clone(m.buf.Bytes())
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
