package mirror

import (
	"bytes"
	"context"
	"crypto/sha256"
	"iter"
	"slices"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/release"
)

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
		if unchanged && j.link(path+e.Suffix, int64(b.Len())) {
			continue
		}
		if err := j.w.Put(path+e.Suffix, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
