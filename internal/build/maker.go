package build

import (
	"bytes"
	"encoding/hex"
	"strconv"

	"stele/internal/check"
	"stele/internal/compress"
	"stele/internal/source"
	"stele/record"
	"stele/release"
)

// piece is a record as the release needs it: its canonical bytes, its line of the listing, its node of the graph, and its compressed variants.
type piece struct {
	facts    check.Facts
	record   []byte
	index    []byte
	node     []byte
	variants [3][]byte // by place in compress.Encodings
	sum      release.Digest
	version  int64
	updated  record.Date
}

// maker makes pieces. Each goroutine has its own.
type maker struct {
	decoder  record.Decoder
	variants bool
	buf      bytes.Buffer
	arena    []byte
}

func newMaker(opt Options) *maker {
	return &maker{decoder: record.Decoder{Date: opt.Date}, variants: !opt.NoVariants}
}

func (m *maker) make(i source.Item) piece {
	facts, rec := check.Gather(&m.decoder, i)
	p := piece{facts: facts}
	if rec == nil || rec.Common().ID == "" {
		return p
	}
	e := rec.Common()
	p.version, p.updated = e.Version, max(e.UpdatedDate, e.PublishedDate)
	m.room()
	p.record = m.cut(func(b []byte) []byte { return record.AppendJSON(b, i.Kind, rec) })
	p.sum = release.Sum(p.record)
	p.index = m.cut(func(b []byte) []byte { return appendEntry(b, e, p.sum) })
	if hasNode(i.Kind) {
		p.node = m.cut(func(b []byte) []byte { return appendNode(b, e) })
	}
	if m.variants && i.Kind.Single.Path != "" {
		p.variants = m.compress(p.record)
	}
	return p
}

// room makes sure that most records find room in the arena, so that they do not need an allocation each.
func (m *maker) room() {
	const size = 256 << 10
	if cap(m.arena)-len(m.arena) < size/16 {
		m.arena = make([]byte, 0, size)
	}
}

// cut lets f append to the arena and answers with what it appended.
func (m *maker) cut(f func([]byte) []byte) []byte {
	start := len(m.arena)
	m.arena = f(m.arena)
	return m.arena[start:len(m.arena):len(m.arena)]
}

// compress makes the variants of a record that save a network packet.
func (m *maker) compress(data []byte) (variants [3][]byte) {
	if !compress.Saves(int64(len(data)), 1) {
		return variants
	}
	for i, e := range compress.Encodings {
		m.buf.Reset()
		if err := e.Encode(&m.buf, bytes.NewReader(data), int64(len(data))); err != nil {
			continue // memory does not fail; and a record without this variant is a record all the same
		}
		if compress.Saves(int64(len(data)), int64(m.buf.Len())) {
			variants[i] = bytes.Clone(m.buf.Bytes())
		}
	}
	return variants
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
