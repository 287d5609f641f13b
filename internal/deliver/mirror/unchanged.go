package mirror

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"stele/internal/base/parallel"
	"stele/internal/disk/lists"
	"stele/release"
)

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
	_, err = lists.Copy(to, in, size, want)
	return err
}

func rewind(f *os.File) error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

func (j *job) link(path string, size int64) bool {
	return j.linker != nil && j.oldDir != "" &&
		j.linker.Link(path, filepath.Join(j.oldDir, filepath.FromSlash(path)), size, j.written)
}

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
