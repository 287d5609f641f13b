package mirror

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"iter"
	"slices"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/disk/lists"
	"stele/release"
)

// deltaChain returns the deltas that lead from the old copy's collection to the new collection. ok
// is false if there are no such deltas or they are not needed.
func (j *job) deltaChain(k *release.Kind) ([]layout.Delta, bool) {
	if j.old == nil {
		return nil, false
	}
	was := j.old.Manifest.Kind(k.Kind)
	if was == nil || j.hasSame(j.want.File(k.Collection)) {
		return nil, false
	}
	chain, ok := j.all.Chain(k.Kind, j.old.Manifest.File(was.Collection).SHA256)
	return chain, ok && len(chain) > 0
}

// writeOrFetch writes a file with write. If the digest differs from the listed digest, it downloads
// the file. derived reports whether the file was written.
func (j *job) writeOrFetch(f *release.File, write func(*lists.Writer) error) (derived bool, err error) {
	file, err := j.w.Create(f.Path)
	if err != nil {
		return false, err
	}
	d := lists.NewWriter(file)
	if err = write(d); err == nil {
		err = d.Flush()
	}
	if err != nil || d.Digest() != f.SHA256 {
		if err = errors.Join(err, file.Discard()); err != nil {
			return false, err
		}
		return false, j.fetchAll([]*release.File{f})
	}
	if err := file.Close(); err != nil {
		return false, err
	}
	return true, j.writeVariants(f, compress.For(f.Path, f.Size))
}

// deriveCollection derives the collection of a kind from that of the old copy.
func (j *job) deriveCollection(k *release.Kind) error {
	made, err := j.writeOrFetch(j.want.File(k.Collection), func(d *lists.Writer) error {
		err := j.applyDeltas(d, k)
		if errors.As(err, new(*release.DamagedError)) || errors.Is(err, errMismatch) {
			return nil
		}
		return err
	})
	if !made {
		delete(j.kept, k.Kind)
	}
	return err
}

// applyDeltas applies the deltas to the collection of a kind. If a delta does not fit, applyDeltas
// stops, and the file's digest is then wrong.
func (j *job) applyDeltas(collection *lists.Writer, k *release.Kind) error {
	chain, _ := j.deltaChain(k)
	lines, head := layout.BaseLines(j.old.Trusted().Records(k.Kind)), "" // the digest of the result is checked
	for _, d := range chain {
		s, err := j.new.Delta(k.Kind, d)
		if err != nil {
			return err
		}
		lines, head = s.Apply(lines), s.Head
	}
	collection.Write([]byte(head)) // Flush returns the error
	kept := make([]bool, 0, k.Count)
	for line, err := range lines {
		if err != nil {
			return errors.Join(errMismatch, err)
		}
		collection.WriteLine(line.Text)
		kept = append(kept, line.Base >= 0)
	}
	j.kept[k.Kind] = kept
	collection.WriteEnd()
	return nil
}

// writeLines writes a download that consists of the lines of a collection.
func (j *job) writeLines(f *release.File, k *release.Kind) error {
	_, err := j.writeOrFetch(f, func(d *lists.Writer) error {
		for line, err := range j.new.Records(k.Kind) {
			if err != nil {
				return err
			}
			d.Write(line) // Flush returns the error
			d.Write([]byte{'\n'})
		}
		return nil
	})
	return err
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
		} else if j.hasSame(j.want.File(k.Collection)) && j.hasSame(j.want.File(k.Listing)) {
			unchanged = func(int) bool { return true }
		}
	}
	written := j.new.Trusted() // their digests were checked when they were written
	entries, stop := iter.Pull2(written.Lines(k.Listing))
	defer stop()
	i := 0
	for line, err := range written.Records(k.Kind) {
		if err != nil {
			return err
		}
		entry, err, ok := entries()
		if err != nil {
			return err
		}
		id, sum, err := entry.Pin()
		// unchanged records were checked when the old copy was made
		if !ok || err != nil || !unchanged(i) && sha256.Sum256(line) != sum {
			message := k.Collection + " does not match " + k.Listing + " describes"
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
	if !unchanged || !j.links.Link(path, int64(len(data)), release.Digest{}) {
		if err := j.w.Put(path, data); err != nil {
			return err
		}
	}
	if !slices.Contains(j.mirror.opt.Parts, layout.PartVariants) || !compress.Saves(int64(len(data)), 1) {
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
		if unchanged && j.links.Link(path+e.Suffix, int64(b.Len()), release.Digest{}) {
			continue
		}
		if err := j.w.Put(path+e.Suffix, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
