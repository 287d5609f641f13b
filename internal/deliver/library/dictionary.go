package library

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"stele/internal/base/compress"
	"stele/release"
)

// A client that has a collection of an earlier release can say so and get the newer one as what it
// differs by (RFC 9842). That is made in the background when a release takes the place of another,
// against what this server served before, and kept in memory; until it is made, and where it would
// not be much smaller, the client gets the collection as everybody does.
const (
	maxEarlier     = 2        // collections of a kind that are remembered
	maxRemembered  = 64 << 20 // bytes of them, compressed
	maxAgainst     = 64 << 20 // bytes of what is made for one release
	worthOfAgainst = 4        // how many times smaller than compressed it has to be
	leastAgainst   = 16 << 10 // bytes of a compressed collection for which all this is worth it
	// of the memory budget, what a collection may take: making something of it takes five times as
	// much
	dictionaryShare = 8
)

// againstDictionary is what was made for clients that have a dictionary.
type againstDictionary map[heldBy]*representation

// heldBy is a file, and the digest of what a client has of it.
type heldBy struct {
	file *resource
	sum  release.Digest
}

// chooseDictionaries decides what clients may keep as dictionaries: collections that are neither
// too small nor too large.
func (l *Library) chooseDictionaries() {
	if !l.options.Dictionaries {
		return
	}
	l.dictionaries = map[string]bool{}
	for i := range l.release.Manifest.Kinds {
		f := l.release.Manifest.File(l.release.Manifest.Kinds[i].Collection)
		small := f.Size
		for _, v := range f.Variants {
			small = min(small, v.Size)
		}
		if small >= leastAgainst && f.Size <= min(compress.MaxDictionary, l.options.Memory/dictionaryShare) {
			l.dictionaries[f.Path] = true
		}
	}
}

// useAsDictionary is the header line that lets clients keep a file as a dictionary for what will be
// at the same address, or nothing.
func (l *Library) useAsDictionary(at string) []byte {
	if !l.dictionaries[at] {
		return nil
	}
	return []byte(`Use-As-Dictionary: match="/` + at + "\"\r\n")
}

// chooseAgainst is the representation of a file for a client that says which dictionary it has, and
// that would get another without.
func (l *Library) chooseAgainst(file *resource, r *Request, without *representation) *representation {
	all := l.against.Load()
	if all == nil {
		return without
	}
	sum, ok := parseDigest(r.AvailableDictionary)
	if !ok {
		return without
	}
	f := (*all)[heldBy{file, sum}]
	w := parseAcceptEncoding(r.AcceptEncoding)
	if f == nil || w[compress.Dictionary] == 0 || without != nil && w[without.coding] > w[compress.Dictionary] {
		return without
	}
	return f
}

// parseDigest reads a SHA-256 as a byte sequence of RFC 9651, without parameters.
func parseDigest(s string) (sum release.Digest, ok bool) {
	s = trim(s)
	const digits = (len(sum) + 2) / 3 * 4
	if len(s) != digits+2 || s[0] != ':' || s[digits+1] != ':' {
		return sum, false
	}
	var text, data [digits]byte
	copy(text[:], s[1:])
	n, err := base64.StdEncoding.Decode(data[:], text[:])
	copy(sum[:], data[:])
	return sum, err == nil && n == len(sum)
}

// The entity tag of what was made against a dictionary begins as that of the file itself. So who
// has the file that way is told that it did not change, also when the server does not know that
// dictionary any more.
const (
	tagJoint  = "."
	tagDigits = 12 // after it
)

// againstTag is how such tags begin, with the quote.
func againstTag(plain *representation) string {
	tag := plain.etag()
	return string(tag[:len(tag)-1]) + tagJoint
}

// tagOfHeld is the header line with the first such tag in a list, if it has one, else another.
func tagOfHeld(list string, file *resource, otherwise []byte) []byte {
	at := strings.Index(list, file.againstTag)
	if at < 0 {
		return otherwise
	}
	tag := list[at:]
	if end := len(file.againstTag) + tagDigits; len(tag) > end && tag[end] == '"' {
		if _, err := base64.RawURLEncoding.DecodeString(tag[len(file.againstTag):end]); err == nil {
			return []byte("ETag: " + tag[:end+1] + "\r\n")
		}
	}
	return otherwise
}

// Past is what a server served before, as far as clients may still have it.
type Past struct {
	newest atomic.Pointer[Library] // which something is made for; nil for none
	making sync.WaitGroup          // those who remember or make something

	mu      sync.Mutex
	earlier []earlierCollection
	more    bool // whether something was remembered that nothing was made of yet
	busy    bool // whether somebody makes something
}

// earlierCollection is a collection of an earlier release, in its smallest form.
type earlierCollection struct {
	path     string
	size     int64
	sum      release.Digest
	encoding string // "" for none
	data     []byte
}

// Follow remembers what a server served until now, and makes of it what clients that have it need
// of what the server serves from now on. It returns at once. However quickly releases follow each
// other, one goroutine makes something, and none keeps an old release open for that.
func (p *Past) Follow(old, now *Library) {
	p.newest.Store(now)
	if len(old.dictionaries) == 0 || !old.Hold() {
		return
	}
	p.making.Go(func() {
		err := Safely(func() error { return p.remember(old) })
		if err = errors.Join(err, old.letGo(), p.learnAll()); err != nil {
			now.options.Log.Warn("clients that have an earlier release get all of a collection", "error", err)
		}
	})
}

// learnAll makes what can be made of all that is remembered, unless somebody does so already, who
// then goes on with what has come meanwhile.
func (p *Past) learnAll() (failed error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.more = true; p.busy {
		return nil
	}
	for p.busy = true; p.more; {
		p.more = false
		earlier := slices.Clone(p.earlier)
		p.mu.Unlock()
		err := Safely(func() error { return p.learn(p.newest.Load(), earlier) })
		failed = errors.Join(failed, err)
		p.mu.Lock()
	}
	p.busy = false
	return failed
}

// Stop lets nothing more be made.
func (p *Past) Stop() { p.newest.Store(nil) }

// remember keeps the collections of a release that was served.
func (p *Past) remember(l *Library) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var failed error
	for i := range l.release.Manifest.Kinds {
		f := l.release.Manifest.File(l.release.Manifest.Kinds[i].Collection)
		if !l.dictionaries[f.Path] {
			continue
		}
		small := smallest(l.files[f.Path])
		e := earlierCollection{path: f.Path, size: f.Size, sum: f.SHA256, data: make([]byte, small.Size)}
		if small.coding != compress.Identity {
			e.encoding = small.coding.String()
		}
		if err := small.ReadAt(e.data, 0); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", f.Path, err))
			continue
		}
		p.earlier = slices.DeleteFunc(p.earlier, func(was earlierCollection) bool {
			return was.path == e.path && was.sum == e.sum
		})
		p.earlier = append(p.earlier, e)
	}
	p.forget()
	return failed
}

// forget lets go of what is too old, or too much.
func (p *Past) forget() {
	size, of := 0, map[string]int{}
	for i := len(p.earlier) - 1; i >= 0; i-- {
		e := &p.earlier[i]
		of[e.path]++
		if size += len(e.data); of[e.path] > maxEarlier || size > maxRemembered {
			size -= len(e.data)
			p.earlier = slices.Delete(p.earlier, i, i+1)
		}
	}
}

// smallest is the representation that takes the fewest bytes.
func smallest(r *resource) *representation {
	small := &r.representations[0]
	for i := range r.representations {
		if r.representations[i].Size < small.Size {
			small = &r.representations[i]
		}
	}
	return small
}

// learn makes what clients of a release need who have what was served before, the newest first.
func (p *Past) learn(l *Library, earlier []earlierCollection) (failed error) {
	if l == nil || !l.Hold() { // the server stops, or there is another by now
		return nil
	}
	defer func() { failed = errors.Join(failed, l.letGo()) }()
	size := int64(0)
	for i := len(earlier) - 1; i >= 0 && p.newest.Load() == l; i-- {
		all := againstDictionary{}
		if was := l.against.Load(); was != nil {
			all = maps.Clone(*was)
		}
		e := &earlier[i]
		held := heldBy{l.files[e.path], e.sum}
		f := all[held]
		if f == nil {
			var err error
			f, err = l.compressAgainst(e)
			failed = errors.Join(failed, err)
		}
		if f == nil || size+f.Size > maxAgainst {
			continue
		}
		size += f.Size
		all[held] = f
		l.against.Store(&all)
	}
	return failed
}

// compressAgainst makes the representation of a collection for clients that have an earlier one. It
// is nil where that is not worth it.
func (l *Library) compressAgainst(e *earlierCollection) (*representation, error) {
	listed, file := l.release.Manifest.File(e.path), l.files[e.path]
	if !l.dictionaries[e.path] || listed.SHA256 == e.sum || !compress.TakesDictionary(listed.Size, e.size) {
		return nil, nil
	}
	dictionary, err := e.read()
	if err != nil {
		return nil, err
	}
	b := file.representations[0].Body
	data := b.Data
	if data == nil {
		data = make([]byte, b.Size)
		if err := b.ReadAt(data, 0); err != nil {
			return nil, fmt.Errorf("%s: %w", e.path, err)
		}
		if sha256.Sum256(data) != listed.SHA256 {
			return nil, fmt.Errorf("%s %w", e.path, errDamaged)
		}
	}
	coded, err := compress.AgainstDictionary(data, dictionary, e.sum)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.path, err)
	}
	size, usual := int64(len(coded)), smallest(file).Size
	if size > usual/worthOfAgainst || !compress.Saves(usual, size) {
		return nil, nil
	}
	sum := release.Digest(sha256.Sum256(coded))
	link := append(l.link(e.path), l.useAsDictionary(e.path)...)
	f := newRepresentation(compress.Dictionary, InMemory(bytes.Clone(coded)), sum, link)
	at := len(f.head) - len(f.tag)
	f.head = append(append(f.head[:at], "ETag: "...), file.againstTag...)
	f.head = base64.RawURLEncoding.AppendEncode(f.head, sum[:tagDigits*3/4])
	f.head = append(f.head, "\"\r\n"...)
	f.tag = f.head[at:]
	return &f, nil
}

// read is the collection as it was.
func (e *earlierCollection) read() ([]byte, error) {
	var in io.Reader = bytes.NewReader(e.data)
	if e.encoding != "" {
		encoding, _ := compress.Named(e.encoding) // or no release would have it
		var err error
		if in, err = encoding.Reader(in); err != nil {
			return nil, fmt.Errorf("%s: %w", e.path, err)
		}
	}
	data := make([]byte, e.size)
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, fmt.Errorf("%s: %w", e.path, err)
	}
	if sha256.Sum256(data) != e.sum {
		return nil, fmt.Errorf("%s of an earlier release %w", e.path, errDamaged)
	}
	return data, nil
}
