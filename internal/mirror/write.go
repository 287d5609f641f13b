package mirror

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"stele/internal/compress"
	"stele/internal/layout"
	"stele/internal/parallel"
	"stele/internal/store"
	"stele/record"
	"stele/release"
)

// atOnce is how many files are asked for at a time.
const atOnce = 16

// write writes the copy, the manifest last.
func (j *job) write() (err error) {
	j.kept = map[string][]bool{}
	j.histories = map[string]history{}
	j.superseded.byID = map[string][]oldVersion{}
	if j.superseded.texts, err = j.newTexts(); err != nil {
		return err
	}
	defer j.superseded.texts.close()
	derivable := map[string]bool{} // collections and listings for which there are deltas
	var kinds []*release.Kind
	for i := range j.want.Kinds {
		k := &j.want.Kinds[i]
		if _, ok := j.chain(k); ok {
			kinds = append(kinds, k)
			derivable[k.Collection], derivable[k.Listing] = true, true
		}
	}
	ndjson := map[string]*release.Kind{} // downloads that have the lines of collections
	for i := range j.want.Kinds {
		k := &j.want.Kinds[i]
		ndjson[layout.BulkFolder+layout.FolderOf(k.Listing)+".ndjson"] = k
	}
	var missing, lines []*release.File
	for i := range j.want.Files {
		f := &j.want.Files[i]
		switch {
		case j.has(f):
			if err := j.takeOver(f); err != nil {
				return err
			}
		case ndjson[f.Path] != nil:
			lines = append(lines, f)
		case f.Path == j.want.Histories && j.old != nil: // whether it can be made is known later
		case !derivable[f.Path]:
			missing = append(missing, f)
		}
	}
	if err := j.fetchAll(missing); err != nil {
		return err
	}
	for _, k := range kinds {
		if err := j.derive(k); err != nil {
			return err
		}
	}
	for _, f := range lines {
		if err := j.writeLines(f, ndjson[f.Path]); err != nil {
			return err
		}
	}
	for i := range j.want.Kinds {
		if err := j.writeSingles(&j.want.Kinds[i]); err != nil {
			return err
		}
	}
	if err := j.listHistories(); err != nil {
		return err
	}
	for _, listing := range j.want.FileListings() {
		if err := j.writeListed(listing); err != nil {
			return err
		}
	}
	if err := j.nameByHash(); err != nil {
		return err
	}
	beside := j.beside()
	for _, path := range slices.Sorted(maps.Keys(beside)) {
		if path == layout.ManifestPath || beside[path] == nil {
			continue
		}
		if err := j.w.Put(path, beside[path]); err != nil {
			return err
		}
	}
	return j.w.Put(layout.ManifestPath, j.data)
}

// chain is the deltas that lead from the collection in the old copy to the new one. It is not ok
// where there are none, or none are needed.
func (j *job) chain(k *release.Kind) ([]release.Delta, bool) {
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

// has reports whether the old copy has a file, at the same path.
func (j *job) has(f *release.File) bool {
	if j.old == nil {
		return false
	}
	was := j.old.Manifest.File(f.Path)
	return was != nil && was.SHA256 == f.SHA256 && was.Size == f.Size
}

// takeOver takes a file and its variants over from the old copy. What is not as it should be is
// fetched.
func (j *job) takeOver(f *release.File) error {
	if err := j.takeOverOne(f, nil); err != nil {
		return err
	}
	return j.writeVariants(f)
}

func (j *job) takeOverOne(f *release.File, v *release.Variant) error {
	path, size, sum := f.Path, f.Size, f.SHA256
	if v != nil {
		path, size, sum = v.Path, v.Size, v.SHA256
	}
	if j.link(path, size) {
		return nil
	}
	// A file of a folder that was written to since is digested. The checksum that a zip has of a
	// file, and that is checked while it is read, says as much as the time does.
	var want *release.Digest
	if j.oldDir != "" {
		want = &sum
	}
	out, err := j.w.Create(path)
	if err != nil {
		return err
	}
	if copyChecked(out, j.old, path, size, want) == nil {
		return out.Close()
	}
	if err := out.(discarder).Discard(); err != nil {
		return err
	}
	scratch, err := j.w.Scratch()
	if err != nil {
		return err
	}
	defer scratch.Close() // it has no name any more, and goes with this
	if v != nil {
		err = j.mirror.source.FetchVariant(j.ctx, v, scratch)
	} else {
		err = j.mirror.source.Fetch(j.ctx, j.sent(f), scratch)
	}
	if err != nil {
		return err
	}
	return j.put(path, scratch)
}

// copyChecked copies a file of a release that must have a size and, if one is given, a digest.
func copyChecked(to io.Writer, from *release.Release, path string, size int64, want *release.Digest) error {
	in, err := from.Files.Open(path)
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	sum := sha256.New()
	if want != nil {
		to = io.MultiWriter(to, sum)
	}
	n, err := io.Copy(to, io.LimitReader(in, size+1))
	if err == nil && (n != size || want != nil && release.Digest(sum.Sum(nil)) != *want) {
		err = fmt.Errorf("%s is damaged", path)
	}
	return err
}

func rewind(f *os.File) error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// link takes a file over from an old copy that is a folder.
func (j *job) link(path string, size int64) bool {
	return j.linker != nil && j.oldDir != "" &&
		j.linker.Link(path, filepath.Join(j.oldDir, filepath.FromSlash(path)), size, j.written)
}

// put writes what a scratch file holds.
func (j *job) put(path string, from *os.File) error {
	if err := rewind(from); err != nil {
		return err
	}
	out, err := j.w.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, parallel.Reader(j.ctx, from)); err != nil {
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

// fetched is a file that was fetched.
type fetched struct {
	file *release.File
	on   *os.File
	err  error
}

// sent is a file with all variants that it can be sent in, also where the copy has none.
func (j *job) sent(f *release.File) *release.File {
	if listed := j.all.File(f.Path); listed != nil {
		return listed
	}
	return f // a page
}

// fetchAll fetches files, several at a time, and writes them with their variants.
func (j *job) fetchAll(files []*release.File) error {
	var done, total int64
	for _, f := range files {
		total += smallest(j.sent(f))
	}
	for f := range j.fetch(slices.Values(files)) {
		if f.err != nil {
			return f.err
		}
		err := j.put(f.file.Path, f.on)
		if err = errors.Join(err, f.on.Close()); err != nil {
			return err
		}
		if err := j.writeVariants(f.file); err != nil {
			return err
		}
		done += smallest(j.sent(f.file))
		j.mirror.opt.progress("fetching", done, total)
	}
	return nil
}

// fetch fetches files, several at a time, in their order.
func (j *job) fetch(files iter.Seq[*release.File]) iter.Seq[fetched] {
	ctx, cancel := context.WithCancel(j.ctx)
	workers := make([]func(*release.File) iter.Seq[fetched], atOnce)
	for i := range workers {
		workers[i] = func(f *release.File) iter.Seq[fetched] {
			return func(yield func(fetched) bool) {
				if err := ctx.Err(); err != nil {
					yield(fetched{f, nil, err})
					return
				}
				scratch, err := j.w.Scratch()
				if err == nil {
					if err = j.mirror.source.Fetch(ctx, j.sent(f), scratch); err != nil {
						err = errors.Join(err, scratch.Close())
					}
				}
				yield(fetched{f, scratch, err})
			}
		}
	}
	return func(yield func(fetched) bool) {
		next, stop := iter.Pull(parallel.Ordered(files, workers))
		defer stop()
		defer cancel() // before the workers are waited for
		for f, ok := next(); ok; f, ok = next() {
			if !yield(f) {
				break
			}
		}
		cancel()
		for f, ok := next(); ok; f, ok = next() { // what was fetched, and nobody waits for any more
			if f.err == nil {
				f.on.Close() // it has no name any more, and goes with this
			}
		}
	}
}

// writeVariants writes the variants of a file that is written already. They are made here, which
// gives the same bytes if the publisher has the same version of the program, and fetched if not.
func (j *job) writeVariants(f *release.File) error {
	for i := range f.Variants {
		v := &f.Variants[i]
		if j.hasVariant(f, v) {
			if err := j.takeOverOne(f, v); err != nil {
				return err
			}
			continue
		}
		scratch, err := j.w.Scratch()
		if err != nil {
			return err
		}
		err = j.makeVariant(f, v, compress.For(f.Path, f.Size), scratch)
		if err = errors.Join(err, scratch.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) hasVariant(f *release.File, v *release.Variant) bool {
	if !j.has(f) {
		return false
	}
	return slices.Contains(j.old.Manifest.File(f.Path).Variants, *v)
}

// makeVariant compresses a file as the publisher did, or fetches the variant.
func (j *job) makeVariant(f *release.File, v *release.Variant, as []compress.Encoding, scratch *os.File) error {
	if i := slices.IndexFunc(as, func(e compress.Encoding) bool { return e.Name == v.Encoding }); i >= 0 {
		e := as[i]
		in, err := j.w.Open(f.Path)
		if err != nil {
			return err
		}
		sum := sha256.New()
		err = e.Encode(io.MultiWriter(scratch, sum), parallel.Reader(j.ctx, in), f.Size)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
		if release.Digest(sum.Sum(nil)) == v.SHA256 {
			return j.put(v.Path, scratch)
		}
		if err := errors.Join(scratch.Truncate(0), rewind(scratch)); err != nil {
			return err
		}
	}
	if err := j.mirror.source.FetchVariant(j.ctx, v, scratch); err != nil {
		return err
	}
	return j.put(v.Path, scratch)
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

// errUnfit says that nothing can be made of what the old copy has.
var errUnfit = errors.New("the old copy does not fit")

func (j *job) applyTo(collection, listing *digested, k *release.Kind) error {
	chain, _ := j.chain(k)
	was := j.old.Manifest.Kind(k.Kind)
	old := j.old.Trusted() // what comes out has a digest
	lines, head := release.Base(old.Records(k.Kind)), ""
	for _, d := range chain {
		s, err := j.new.Delta(k.Kind, d)
		if err != nil {
			return err
		}
		lines, head = s.Apply(j.noting(k, s, lines)), s.Head
	}
	entries, stop := iter.Pull2(old.Lines(was.Listing))
	defer stop()
	at := int64(-1) // of the entry that was read last
	var entry release.Line
	listed := k.Count - k.Derived
	if k.Kind == record.KindChangeEvent { // all of them are listed
		listed = k.Count
	}
	collection.begin([]byte(head))
	listing.begin(fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, k.Kind, listed))
	kept := make([]bool, 0, k.Count)
	var made []byte
	for line, err := range lines {
		if err := context.Cause(j.ctx); err != nil {
			return err
		}
		if err != nil {
			return errors.Join(errUnfit, err)
		}
		collection.line(line.Text)
		kept = append(kept, line.Base >= 0)
		if len(kept) > listed {
			continue
		}
		if line.Base < 0 {
			if made, err = appendEntry(made[:0], line.Text); err != nil {
				return errors.Join(errUnfit, err)
			}
			listing.line(made)
			continue
		}
		for at < line.Base {
			var ok bool
			if entry, err, ok = entries(); err != nil || !ok {
				return errors.Join(errUnfit, err)
			}
			at++
		}
		listing.line(entry.Text)
	}
	j.kept[k.Kind] = kept
	collection.end()
	listing.end()
	return nil
}

// appendEntry writes the line of a listing for a record.
func appendEntry(b, line []byte) ([]byte, error) {
	var e struct {
		ID      string `json:"id"`
		Version int64  `json:"version"`
		Title   string `json:"title"`
		Updated string `json:"updated_date"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return nil, err
	}
	b = record.AppendText(append(b, `{"id":`...), e.ID)
	b = strconv.AppendInt(append(b, `,"version":`...), e.Version, 10)
	if e.Title != "" {
		b = record.AppendText(append(b, `,"title":`...), e.Title)
	}
	if e.Updated != "" {
		b = record.AppendText(append(b, `,"updated_date":`...), e.Updated)
	}
	sum := sha256.Sum256(line)
	b = hex.AppendEncode(append(b, `,"sha256":"`...), sum[:])
	return append(b, `"}`...), nil
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
		d.w.Write(line) // errors stay until Flush
		d.w.WriteByte('\n')
	}
	if ok, err := j.keep(d, f); ok || err != nil {
		return err
	}
	return j.fetchAll([]*release.File{f})
}

// writeSingles writes the files of single records, which are the lines of their collection.
func (j *job) writeSingles(k *release.Kind) error {
	if k.Single == "" {
		return nil
	}
	unchanged := func(int) bool { return false }
	if j.old != nil {
		if kept, ok := j.kept[k.Kind]; ok {
			unchanged = func(i int) bool { return kept[i] }
		} else if j.has(j.want.File(k.Collection)) && j.has(j.want.File(k.Listing)) {
			unchanged = func(int) bool { return true }
		}
	}
	written := j.new.Trusted() // both were held to their digests when they were written
	entries, stop := iter.Pull2(written.Lines(k.Listing))
	defer stop()
	i := 0
	for line, err := range written.Records(k.Kind) {
		if err != nil {
			return err
		}
		if err := context.Cause(j.ctx); err != nil {
			return err
		}
		entry, err, ok := entries()
		if err != nil {
			return err
		}
		id, sum, err := entry.Pin()
		// what did not change fitted when the old copy was made
		if !ok || err != nil || !unchanged(i) && sha256.Sum256(line) != sum {
			message := k.Collection + " is not what " + k.Listing + " describes"
			return &release.DamagedError{Fault: release.Fault{Path: k.Collection, Message: message}}
		}
		if err := j.writeSingle(k.SinglePath(string(id)), line, unchanged(i)); err != nil {
			return err
		}
		i++
	}
	return nil
}

func (j *job) writeSingle(path string, data []byte, unchanged bool) error {
	if !unchanged || !j.link(path, int64(len(data))) {
		if err := j.w.Put(path, data); err != nil {
			return err
		}
	}
	if !slices.Contains(j.mirror.opt.Parts, release.PartVariants) || !compress.Saves(int64(len(data)), 1) {
		return nil
	}
	for _, e := range compress.Encodings {
		var b bytes.Buffer
		if err := e.Encode(&b, bytes.NewReader(data), int64(len(data))); err != nil {
			return err
		}
		if !compress.Saves(int64(len(data)), int64(b.Len())) {
			continue
		}
		if unchanged && j.link(path+e.Suffix, int64(b.Len())) {
			continue
		}
		if err := j.w.Put(path+e.Suffix, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// short is what tells all lines of the world apart.
type short [16]byte

func shorten(line []byte) short {
	sum := sha256.Sum256(line)
	return short(sum[:])
}

// writeListed writes the files of a listing, which is there already.
func (j *job) writeListed(listing string) error {
	there, err := j.keepListed(listing)
	if err != nil {
		return err
	}
	var failed error // set where the listing is read, and known when there is nothing more to fetch
	missing := func(yield func(*release.File) bool) {
		i := 0
		for f, err := range j.new.ListedFiles(listing) {
			if failed = err; err != nil || !there[i] && !yield(&f.File) {
				return
			}
			i++
		}
	}
	count := int64(0)
	for f := range j.fetch(missing) {
		if f.err != nil {
			return f.err
		}
		err := j.put(f.file.Path, f.on)
		if err = errors.Join(err, f.on.Close()); err != nil {
			return err
		}
		if err := j.writePageVariants(f.file); err != nil {
			return err
		}
		count++
		j.mirror.opt.progress("fetching pages", count, 0)
	}
	return failed
}

// keepListed writes what the old copy has and what was made of a listing, and answers with which
// these are.
func (j *job) keepListed(listing string) (there []bool, err error) {
	had := j.oldLines(listing)
	for f, err := range j.new.ListedFiles(listing) {
		if err == nil {
			err = context.Cause(j.ctx)
		}
		if err != nil {
			return nil, err
		}
		j.pages += smallest(&f.File)
		kept := false
		if _, found := slices.BinarySearchFunc(had, shorten(f.Line.Text), compareShort); found {
			kept, err = j.keepPage(&f.File)
		} else {
			kept, err = j.putHistory(&f)
		}
		if err != nil {
			return nil, err
		}
		there = append(there, kept)
	}
	return there, nil
}

func compareShort(x, y short) int { return bytes.Compare(x[:], y[:]) }

// oldLines are the files that the old copy has of a listing, by digests of their lines.
func (j *job) oldLines(listing string) (list []short) {
	if j.old == nil {
		return nil
	}
	files := j.old.Histories()
	if listing == j.want.Pages {
		if j.old.Manifest.Pages == "" {
			return nil
		}
		files = j.old.ListedFiles(j.old.Manifest.Pages)
	}
	for f, err := range files {
		if err != nil {
			return nil // then they are fetched
		}
		list = append(list, shorten(f.Line.Text))
	}
	slices.SortFunc(list, compareShort)
	return list
}

// keepPage takes a page and its variants over from the old copy.
func (j *job) keepPage(f *release.File) (ok bool, err error) {
	if j.oldDir != "" {
		return j.linkPage(f), nil
	}
	const most = 1 << 20 // of what is read into memory
	files := []release.File{{Path: f.Path, Size: f.Size, SHA256: f.SHA256}}
	for _, v := range f.Variants {
		files = append(files, release.File{Path: v.Path, Size: v.Size, SHA256: v.SHA256})
	}
	data := make([][]byte, len(files))
	for i, one := range files {
		data[i], err = j.old.ReadFile(one.Path, min(one.Size, most))
		if err != nil || sha256.Sum256(data[i]) != one.SHA256 {
			return false, nil // it is fetched
		}
	}
	for i, one := range files {
		if err := j.w.Put(one.Path, data[i]); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (j *job) linkPage(f *release.File) bool {
	if !j.link(f.Path, f.Size) {
		return false
	}
	for _, v := range f.Variants {
		if !j.link(v.Path, v.Size) {
			return false
		}
	}
	return true
}

// writePageVariants writes the variants of a page, which its listing has, so that a copy with pages
// has them too.
func (j *job) writePageVariants(f *release.File) error {
	for i := range f.Variants {
		v := &f.Variants[i]
		scratch, err := j.w.Scratch()
		if err != nil {
			return err
		}
		err = j.makeVariant(f, v, []compress.Encoding{compress.Quick}, scratch)
		if err = errors.Join(err, scratch.Close()); err != nil {
			return err
		}
	}
	return nil
}

// nameByHash lets what the manifest lists be read by digest too, as a build does.
func (j *job) nameByHash() error {
	if j.linker == nil || j.mirror.opt.NoByHash {
		return nil
	}
	named := map[release.Digest]bool{}
	for f := range j.want.Each() {
		if named[f.SHA256] {
			continue
		}
		named[f.SHA256] = true
		if err := j.linker.Alias(layout.ByHashPath(f.SHA256.String()), f.Path); err != nil {
			return err
		}
	}
	if j.old == nil || j.oldDir == "" {
		return nil
	}
	for f := range j.old.Manifest.Each() {
		if !named[f.SHA256] { // what cannot be linked is not there
			from := filepath.Join(j.oldDir, filepath.FromSlash(f.Path))
			j.linker.Link(layout.ByHashPath(f.SHA256.String()), from, f.Size, j.written)
		}
	}
	return nil
}

// digested is a list of records on its way to disk.
type digested struct {
	file  discarder
	w     *bufio.Writer
	sum   hash.Hash
	lines int
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

func newDigested(file discarder) *digested {
	sum := sha256.New()
	return &digested{file: file, w: bufio.NewWriterSize(io.MultiWriter(file, sum), 256<<10), sum: sum}
}

func (d *digested) begin(head []byte) { d.w.Write(head) } // errors stay until Flush

func (d *digested) line(text []byte) {
	if d.lines++; d.lines > 1 {
		d.w.WriteByte(',')
	}
	d.w.WriteByte('\n')
	d.w.Write(text)
}

func (d *digested) end() { d.w.WriteString("\n]}\n") }

func (d *digested) discard() error { return d.file.Discard() }

// keep keeps what was made, with its variants, if it has the digest that is listed.
func (j *job) keep(d *digested, f *release.File) (ok bool, err error) {
	if err := d.w.Flush(); err != nil {
		return false, errors.Join(err, d.discard())
	}
	if release.Digest(d.sum.Sum(nil)) != f.SHA256 {
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
