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
	mostRecords = 2_000_000 // of all collections; of each some bytes are kept
	mostNested  = 3         // objects around a list of records
	longest     = 16 << 20  // bytes of a record, or of anything else that is read at once
)

var (
	errLong = errors.New("a record, or another part of the answer, is larger than the audit reads at once")
	errMany = errors.New("there are more records than the audit keeps in mind")
	errDeep = errors.New("it is nested deeper than the audit reads")
)

// collection is what the file of a kind holds, as far as an audit needs it.
type collection struct {
	kind   *record.Kind
	answer *answer
	there  bool // whether it was read to its end, and is JSON
	sum    release.Digest
	size   int64
	first  byte // of the body
	*list       // nil if no list of records was recognised
}

// list is a list of objects in a file: the records, as a rule.
type list struct {
	at     string // the members that it lies in, with slashes; "" for the file itself
	rank   int    // of its name: the lower, the likelier that it holds the records
	counts []count
	more   string // a member beside it that leads to another page

	records  int
	nameless int // records whose ID was not recognised
	ids      map[layout.Short]bool
	twice    []string // IDs that are there again
	chosen   []choice
	refs     map[reference]example
}

type count struct{ name, value string }

// choice is a record whose single file is tried.
type choice struct {
	key layout.Short // by which it is chosen
	id  string
	sum layout.Short // of its canonical form
}

// reader reads a file that holds records, whatever is wrapped around them, one at a time.
type reader struct {
	names  *names
	single bool // whether records have files of their own, of which some are chosen
	most   int  // how many; 0 for all
	total  *atomic.Int64
	each   func(l *list, id string, value []byte) // called with each record; may be nil

	d     *jsontext.Decoder
	in    *bounded
	inner *jsontext.Decoder
	lists []*list
}

// bounded lets a decoder read so far and no further, so that nothing that it reads at once is
// large, and digests what it reads.
type bounded struct {
	in    io.Reader
	sum   hash.Hash
	size  int64
	until int64
	first byte
	long  bool
}

func (b *bounded) Read(p []byte) (int, error) {
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

// strict is how JSON is read: numbers as they are, and names twice, which only SHOULD not be (RFC
// 8259, section 4).
var strict = []jsontext.Options{jsontext.AllowDuplicateNames(true)}

// read reads a file to its end. The error says why it is no JSON, or is one of the limits.
func (r *reader) read(in io.Reader, into *collection) error {
	r.in = &bounded{in: in, sum: sha256.New()}
	r.d, r.lists = jsontext.NewDecoder(r.in, strict...), nil
	r.inner = jsontext.NewDecoder(bytes.NewReader(nil), strict...)
	err := r.value("", 0)
	if err == nil {
		r.far()
		if _, err = r.d.ReadToken(); err == nil {
			err = errors.New("something follows after the JSON")
		} else if err == io.EOF {
			err = nil
		}
	}
	if r.in.long {
		return errLong
	}
	if err != nil {
		return deep(err)
	}
	into.sum, into.size, into.first = release.Digest(r.in.sum.Sum(nil)), r.in.size, r.in.first
	into.there, into.list = true, r.choose()
	return nil
}

// deep names the limit of the decoder as ours.
func deep(err error) error {
	if strings.Contains(err.Error(), "max depth") {
		return errDeep
	}
	return err
}

// far lets the decoder read what comes next.
func (r *reader) far() { r.in.until = r.d.InputOffset() + int64(len(r.d.UnreadBuffer())) + longest }

// value reads a value that may hold a list of records.
func (r *reader) value(at string, depth int) error {
	r.far()
	switch kind := r.d.PeekKind(); {
	case kind == '[':
		return r.array(at)
	case kind == '{' && depth < mostNested:
		return r.object(at, depth)
	}
	return r.d.SkipValue()
}

// object reads the members of an object around the records. What is said beside a list concerns it.
func (r *reader) object(at string, depth int) error {
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	first, beside := len(r.lists), &list{}
	for r.d.PeekKind() != '}' {
		r.far()
		t, err := r.d.ReadToken()
		if err != nil {
			return err
		}
		name := t.String()
		switch kind := r.d.PeekKind(); {
		case kind == '[' || kind == '{':
			err = r.value(strings.TrimPrefix(at+"/"+name, "/"), depth+1)
		default:
			r.far()
			if t, err = r.d.ReadToken(); err == nil {
				beside.say(name, t)
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

// say remembers what a member beside a list says of it.
func (l *list) say(name string, t jsontext.Token) {
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

// array reads an array, and counts it as a list of records if it has nothing but objects.
func (r *reader) array(at string) error {
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	l := &list{at: at, rank: r.names.rank(at), ids: map[layout.Short]bool{}, refs: map[reference]example{}}
	for r.d.PeekKind() != ']' {
		r.far()
		isObject := r.d.PeekKind() == '{'
		value, err := r.d.ReadValue()
		if err != nil {
			return err
		}
		if !isObject {
			l.rank = -1
		} else if err := r.record(l, value); err != nil {
			return err
		}
	}
	if l.rank >= 0 {
		r.lists = append(r.lists, l)
	}
	_, err := r.d.ReadToken()
	return err
}

// record takes down what is needed of a record.
func (r *reader) record(l *list, value jsontext.Value) error {
	if r.total.Add(1) > mostRecords {
		return errMany
	}
	l.records++
	r.inner.Reset(bytes.NewReader(value), strict...)
	seen := facts{rank: len(r.names.ids)}
	if err := r.names.walk(r.inner, &seen, nothing, 0); err != nil {
		return err
	}
	for _, ref := range seen.refs {
		if _, known := l.refs[ref.reference]; !known {
			if r.total.Add(1) > mostRecords {
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
		l.twice = append(l.twice[:min(len(l.twice), 2)], seen.id)
	}
	l.ids[key] = true
	if r.each != nil {
		r.each(l, seen.id, value)
	}
	if r.single {
		return l.consider(r.most, key, seen.id, value)
	}
	return nil
}

// consider chooses a record if its key is among the least.
func (l *list) consider(most int, key layout.Short, id string, value jsontext.Value) error {
	i, there := slices.BinarySearchFunc(l.chosen, key, func(c choice, k layout.Short) int { return c.key.Compare(k) })
	if most == 0 { // all of them: sorted in the end
		i, there = len(l.chosen), false
	}
	if there || most > 0 && i >= most {
		return nil
	}
	sum, err := canonical(value)
	if err != nil {
		return err
	}
	l.chosen = slices.Insert(l.chosen, i, choice{key, id, sum})
	if most > 0 && len(l.chosen) > most {
		l.chosen = l.chosen[:most]
	}
	return nil
}

// canonical digests what a record says, however it is written. Digits of numbers count.
func canonical(value jsontext.Value) (layout.Short, error) {
	value = value.Clone()
	err := value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false),
		jsontext.AllowDuplicateNames(true))
	return layout.Shorten([]byte(value)), err
}

// choose finds the list of records among all lists of objects: by its name, or by its length.
func (r *reader) choose() *list {
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
		return nil // an empty list of anything
	}
	slices.SortFunc(l.chosen, func(a, b choice) int { return a.key.Compare(b.key) })
	return l
}
