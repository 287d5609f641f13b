package mirror

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"stele/internal/base/layout"
	"stele/internal/disk/lists"
	"stele/internal/disk/store"
	"stele/record"
	"stele/release"
)

// chain is the deltas that lead from the collection in the old copy to the new one. It is not ok
// where there are none, or none are needed.
func (j *job) chain(k *release.Kind) ([]layout.Delta, bool) {
	if j.old == nil {
		return nil, false
	}
	was := j.old.Manifest.Kind(k.Kind)
	if was == nil || j.has(j.want.File(k.Collection)) {
		return nil, false
	}
	chain, ok := j.all.Chain(k.Kind, j.old.Manifest.File(was.Collection).SHA256)
	return chain, ok && len(chain) > 0
}

// derive makes the collection and the listing of a kind from those of the old copy. What does not
// come out with the right digest is fetched.
func (j *job) derive(k *release.Kind) error {
	collection, listing := j.want.File(k.Collection), j.want.File(k.Listing)
	newCollection, newListing, err := j.apply(k)
	if err != nil {
		return err
	}
	var missing []*release.File
	ok, err := j.keep(newCollection, collection)
	if err != nil {
		return errors.Join(err, newListing.discard())
	}
	if !ok {
		missing = append(missing, collection)
		delete(j.kept, k.Kind)
	}
	if j.has(listing) { // taken over already: it changes less often
		err = newListing.discard()
	} else if ok, err = j.keep(newListing, listing); !ok {
		missing = append(missing, listing)
	}
	if err != nil {
		return err
	}
	return j.fetchAll(missing)
}

// apply applies deltas to the collection of a kind, and makes the listing from the listing of old
// and the records that are new. Where they do not fit, both end there, and do not have the right
// digests.
func (j *job) apply(k *release.Kind) (collection, listing *digested, err error) {
	if listing, err = j.digestedOnScratch(); err != nil { // one at a time can be written to its place
		return nil, nil, err
	}
	if collection, err = j.digested(k.Collection); err != nil {
		return nil, nil, errors.Join(err, listing.discard())
	}
	err = j.applyTo(collection, listing, k)
	if damaged := new(release.DamagedError); err == nil || errors.As(err, &damaged) || errors.Is(err, errUnfit) {
		return collection, listing, nil
	}
	return nil, nil, errors.Join(err, collection.discard(), listing.discard())
}

func (j *job) applyTo(collection, listing *digested, k *release.Kind) error {
	chain, _ := j.chain(k)
	was := j.old.Manifest.Kind(k.Kind)
	old := j.old.Trusted() // what comes out has a digest
	lines, head := layout.Base(old.Records(k.Kind)), ""
	for _, d := range chain {
		s, err := j.new.Delta(k.Kind, d)
		if err != nil {
			return err
		}
		lines, head = s.Apply(lines), s.Head
	}
	entry, stop := oneByOne(old.Lines(was.Listing))
	defer stop()
	listed := beginListing(listing, k)
	collection.Write([]byte(head)) // errors stay until Flush
	kept := make([]bool, 0, k.Count)
	var made []byte
	for line, err := range lines {
		if err := context.Cause(j.ctx); err != nil {
			return err
		}
		if err != nil {
			return errors.Join(errUnfit, err)
		}
		collection.Line(line.Text)
		kept = append(kept, line.Base >= 0)
		if len(kept) > listed {
			continue
		}
		text := made
		if line.Base >= 0 {
			text, err = entry(line.Base)
		} else if made, err = appendEntry(made[:0], line.Text); err == nil {
			text = made
		}
		if err != nil {
			return errors.Join(errUnfit, err)
		}
		listing.Line(text)
	}
	j.kept[k.Kind] = kept
	collection.End()
	listing.End()
	return nil
}

// beginListing writes the head of a listing, and returns how many records it has.
func beginListing(listing *digested, k *release.Kind) (listed int) {
	listed = k.Count - k.Derived
	if k.Kind == record.KindChangeEvent { // all of them are listed
		listed = k.Count
	}
	listing.Write(fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, k.Kind, listed)) // errors stay until Flush
	return listed
}

// list makes the listing of a kind from its collection, or fetches it if it comes out otherwise.
func (j *job) list(k *release.Kind) error {
	f := j.want.File(k.Listing)
	d, err := j.digested(f.Path)
	if err != nil {
		return err
	}
	left := beginListing(d, k)
	var entry []byte
	for line, err := range j.new.Trusted().Records(k.Kind) {
		if err == nil {
			err = context.Cause(j.ctx)
		}
		if err == nil && left > 0 {
			entry, err = appendEntry(entry[:0], line)
		}
		if err != nil {
			return errors.Join(err, d.discard())
		}
		if left--; left >= 0 {
			d.Line(entry)
		}
	}
	d.End()
	if ok, err := j.keep(d, f); ok || err != nil {
		return err
	}
	return j.fetchAll([]*release.File{f})
}

// oneByOne reads the lines of a listing by their places, which must not go back.
func oneByOne(lines iter.Seq2[release.Line, error]) (entry func(place int64) ([]byte, error), stop func()) {
	next, stop := iter.Pull2(lines)
	at := int64(-1) // of the one that was read last
	var line release.Line
	return func(place int64) ([]byte, error) {
		for ; at < place; at++ {
			var err error
			var ok bool
			if line, err, ok = next(); err != nil || !ok {
				return nil, cmp.Or(err, errUnfit)
			}
		}
		return line.Text, nil
	}, stop
}

// appendEntry writes the line of a listing for a record.
func appendEntry(b, line []byte) ([]byte, error) {
	var e release.Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return nil, err
	}
	e.SHA256 = sha256.Sum256(line)
	return lists.AppendEntry(b, &e), nil
}

// writeLines makes a download that has the lines of a collection, or fetches it if it has others.
func (j *job) writeLines(f *release.File, k *release.Kind) error {
	d, err := j.digested(f.Path)
	if err != nil {
		return err
	}
	for line, err := range j.new.Records(k.Kind) {
		if err == nil {
			err = context.Cause(j.ctx)
		}
		if err != nil {
			return errors.Join(err, d.discard())
		}
		d.Write(line) // errors stay until Flush
		d.Write([]byte{'\n'})
	}
	if ok, err := j.keep(d, f); ok || err != nil {
		return err
	}
	return j.fetchAll([]*release.File{f})
}

// digested is a list of records on its way to disk.
type digested struct {
	*lists.Writer
	file discarder
}

// discarder is a file that can be given up.
type discarder interface {
	io.WriteCloser
	store.Discarder
}

// scratchFile is one that is put in its place later.
type scratchFile struct{ *os.File }

func (f scratchFile) Discard() error { return f.Close() }

// digested begins a file in its place.
func (j *job) digested(path string) (*digested, error) {
	file, err := j.w.Create(path)
	if err != nil {
		return nil, err
	}
	return newDigested(file.(discarder)), nil
}

// digestedOnScratch begins one that is put in its place later.
func (j *job) digestedOnScratch() (*digested, error) {
	file, err := j.w.Scratch()
	if err != nil {
		return nil, err
	}
	return newDigested(scratchFile{file}), nil
}

func newDigested(file discarder) *digested { return &digested{lists.NewWriter(file), file} }

func (d *digested) discard() error { return d.file.Discard() }

// keep keeps what was made, with its variants, if it has the digest that is listed.
func (j *job) keep(d *digested, f *release.File) (ok bool, err error) {
	if err := d.Flush(); err != nil {
		return false, errors.Join(err, d.discard())
	}
	if d.Digest() != f.SHA256 {
		return false, d.discard()
	}
	if scratch, ok := d.file.(scratchFile); ok {
		err = j.put(f.Path, scratch.File)
	}
	if err = errors.Join(err, d.file.Close()); err != nil {
		return false, err
	}
	return true, j.writeVariants(f)
}
