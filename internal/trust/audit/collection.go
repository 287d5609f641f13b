package audit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/fold"
	"stele/internal/base/layout"
	"stele/record"
	"stele/release"
)

const (
	maxRecords = 2_000_000 // in all collections; each takes some bytes of memory
	maxNested  = 3         // objects around a list of records
	maxValue   = 16 << 20  // bytes of a record, or of any other value
)

var (
	errLong = errors.New("a record or another value is too large for the audit")
	errMany = errors.New("too many records for the audit")
	errDeep = errors.New("nested too deeply for the audit")
)

// collection describes the file of a kind.
type collection struct {
	kind   *record.Kind
	answer *answer
	there  bool // whether it was read completely and is JSON
	sum    release.Digest
	size   int64
	first  byte // byte of the body
	*list       // nil if no list of records was recognized
}

// list is a list of objects in a file. The objects may be the records.
type list struct {
	at     string // path of members, joined by slashes; "" for the root
	rank   int    // how likely its name is for a list of records: lower is likelier
	counts []count
	more   string // a member next to it that leads to another page

	records    int
	nameless   int // number of records without a recognized ID
	ids        map[layout.Short]bool
	duplicates []string // repeated IDs
	chosen     []choice
	refs       map[reference]example
}

type count struct{ name, value string }

// choice is a record whose single file is tested.
type choice struct {
	key layout.Short // by which it was chosen
	id  string
	sum layout.Short // of its canonical form
}

// reader reads a file with records in any wrapping, one record at a time.
type reader struct {
	names      *names
	single     bool // whether records have single files, some of which are chosen
	sampleSize int  // number to choose; 0 for all
	total      *atomic.Int64
	each       func(l *list, id string, readValue []byte) // called for each record; may be nil

	d     *jsontext.Decoder
	in    *limitedReader
	inner *jsontext.Decoder
	lists []*list
}

// limitedReader limits the bytes that a decoder reads ahead, so that no single value is large, and
// hashes the bytes.
type limitedReader struct {
	in    io.Reader
	sum   hash.Hash
	size  int64
	until int64
	first byte
	long  bool
}

func (b *limitedReader) Read(p []byte) (int, error) {
	if b.long = b.size >= b.until; b.long {
		return 0, errLong
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.until-b.size)])
	if b.size == 0 && n > 0 {
		b.first = p[0]
	}
	b.sum.Write(p[:n])
	b.size += int64(n)
	return n, err
}

// jsonOptions accept duplicate names, which RFC 8259, section 4, only discourages.
var jsonOptions = []jsontext.Options{jsontext.AllowDuplicateNames(true)}

// read reads a whole file. It returns an error if the file is not JSON or exceeds a limit.
func (r *reader) read(in io.Reader, into *collection) error {
	r.in = &limitedReader{in: in, sum: sha256.New()}
	r.d, r.lists = jsontext.NewDecoder(r.in, jsonOptions...), nil
	r.inner = jsontext.NewDecoder(bytes.NewReader(nil), jsonOptions...)
	err := r.readValue("", 0)
	if err == nil {
		r.extendLimit()
		if _, err = r.d.ReadToken(); err == nil {
			err = errors.New("extra data after the JSON")
		} else if err == io.EOF {
			err = nil
		}
	}
	if r.in.long {
		return errLong
	}
	if err != nil {
		return depthError(err)
	}
	into.sum, into.size, into.first = release.Digest(r.in.sum.Sum(nil)), r.in.size, r.in.first
	into.there, into.list = true, r.chooseList()
	return nil
}

// depthError replaces the decoder's error about depth.
func depthError(err error) error {
	if strings.Contains(err.Error(), "max depth") {
		return errDeep
	}
	return err
}

// extendLimit allows the decoder to read the next value.
func (r *reader) extendLimit() {
	r.in.until = r.d.InputOffset() + int64(len(r.d.UnreadBuffer())) + maxValue
}

// readValue reads a value that may contain a list of records.
func (r *reader) readValue(at string, depth int) error {
	r.extendLimit()
	switch kind := r.d.PeekKind(); {
	case kind == '[':
		return r.readArray(at)
	case kind == '{' && depth < maxNested:
		return r.readObject(at, depth)
	}
	return r.d.SkipValue()
}

// readObject reads the members of an object around the records. Hints in the object concern the
// lists in it.
func (r *reader) readObject(at string, depth int) error {
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	first, beside := len(r.lists), &list{}
	for r.d.PeekKind() != '}' {
		r.extendLimit()
		t, err := r.d.ReadToken()
		if err != nil {
			return err
		}
		name := t.String()
		switch kind := r.d.PeekKind(); {
		case kind == '[' || kind == '{':
			err = r.readValue(strings.TrimPrefix(at+"/"+name, "/"), depth+1)
		default:
			r.extendLimit()
			if t, err = r.d.ReadToken(); err == nil {
				beside.addHint(name, t)
			}
		}
		if err != nil {
			return err
		}
	}
	for _, l := range r.lists[first:] {
		l.counts, l.more = append(l.counts, beside.counts...), l.more+beside.more
	}
	_, err := r.d.ReadToken()
	return err
}

// addHint stores a count, or a member that leads to another page.
func (l *list) addHint(name string, t jsontext.Token) {
	switch plain := fold.Letters(name); {
	case t.Kind() == '0' && slices.Contains(countNames, plain):
		l.counts = append(l.counts, count{name, t.String()})
	case t.Kind() == '"' && t.String() != "" && slices.Contains(moreNames, plain):
		l.more = name
	}
}

var (
	countNames = []string{"count", "total", "totalcount", "recordcount", "totalrecords", "totalitems", "size", "length", "n"}
	moreNames  = []string{"next", "nextpage", "nexturl", "nextlink", "nextcursor", "nexttoken", "cursor"}
)

// readArray reads an array, and adds it to the lists if it contains only objects.
func (r *reader) readArray(at string) error {
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	l := &list{at: at, rank: r.names.rank(at), ids: map[layout.Short]bool{}, refs: map[reference]example{}}
	for r.d.PeekKind() != ']' {
		r.extendLimit()
		isObject := r.d.PeekKind() == '{'
		value, err := r.d.ReadValue()
		if err != nil {
			return err
		}
		if !isObject {
			l.rank = -1
		} else if err := r.addRecord(l, value); err != nil {
			return err
		}
	}
	if l.rank >= 0 {
		r.lists = append(r.lists, l)
	}
	_, err := r.d.ReadToken()
	return err
}

// addRecord stores the ID, the digest and the references of a record.
func (r *reader) addRecord(l *list, value jsontext.Value) error {
	if r.total.Add(1) > maxRecords {
		return errMany
	}
	l.records++
	r.inner.Reset(bytes.NewReader(value), jsonOptions...)
	seen := facts{rank: len(r.names.ids)}
	if err := r.names.walk(r.inner, &seen, nothing, 0); err != nil {
		return err
	}
	for _, ref := range seen.refs {
		if _, known := l.refs[ref.reference]; !known {
			if r.total.Add(1) > maxRecords {
				return errMany
			}
			l.refs[ref.reference] = example{seen.id, ref.member, ref.text}
		}
	}
	if seen.id == "" {
		l.nameless++
		return nil
	}
	key := layout.Shorten(seen.id)
	if l.ids[key] {
		l.duplicates = append(l.duplicates[:min(len(l.duplicates), 2)], seen.id)
	}
	l.ids[key] = true
	if r.each != nil {
		r.each(l, seen.id, value)
	}
	if r.single {
		return l.addToSample(r.sampleSize, key, seen.id, value)
	}
	return nil
}

// addToSample adds a record to the sample if its key is one of the smallest. The sample has at most
// size records, or all if size is 0.
func (l *list) addToSample(size int, key layout.Short, id string, value jsontext.Value) error {
	i, there := slices.BinarySearchFunc(l.chosen, key, func(c choice, k layout.Short) int { return c.key.Compare(k) })
	if size == 0 { // sorted at the end
		i, there = len(l.chosen), false
	}
	if there || size > 0 && i >= size {
		return nil
	}
	sum, err := canonicalDigest(value)
	if err != nil {
		return err
	}
	l.chosen = slices.Insert(l.chosen, i, choice{key, id, sum})
	if size > 0 && len(l.chosen) > size {
		l.chosen = l.chosen[:size]
	}
	return nil
}

// canonicalDigest returns a digest of a record that does not depend on formatting. The digits of
// numbers count.
func canonicalDigest(value jsontext.Value) (layout.Short, error) {
	value = value.Clone()
	err := value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false),
		jsontext.AllowDuplicateNames(true))
	return layout.Shorten([]byte(value)), err
}

// chooseList returns the list of records: the one with the likeliest name, or else the longest.
func (r *reader) chooseList() *list {
	if len(r.lists) == 0 {
		return nil
	}
	l := slices.MinFunc(r.lists, func(a, b *list) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		return b.records - a.records
	})
	if l.rank == unknownName && l.records == 0 {
		return nil // an empty list of something else
	}
	slices.SortFunc(l.chosen, func(a, b choice) int { return a.key.Compare(b.key) })
	return l
}
