package mirror

import (
	"errors"
	"io"
	"slices"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/disk/steps"
	"stele/release"
)

// takeStep writes the files that the step from the old release has, and returns those that are
// still missing. What does not come out with the right digest is missing too.
func (j *job) takeStep(missing []*release.File) ([]*release.File, error) {
	if j.old == nil {
		return missing, nil
	}
	path := layout.StepPath(j.old.Manifest.Release)
	i := slices.IndexFunc(missing, func(f *release.File) bool { return f.Path == path })
	if i < 0 || missing[i].Size > steps.Most {
		return missing, nil
	}
	if err := j.fetchAll(missing[i : i+1]); err != nil {
		return nil, err
	}
	in, err := j.w.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	missing = slices.Delete(missing, i, i+1)
	files, err := steps.Read(data, j.old)
	if err != nil {
		return missing, nil // they are fetched one by one
	}
	for _, f := range files {
		i := slices.IndexFunc(missing, func(m *release.File) bool { return m.Path == f.Path })
		if i < 0 {
			continue
		}
		written, err := j.writeFrom(&f, missing[i])
		if err != nil {
			return nil, err
		}
		if written {
			missing = slices.Delete(missing, i, i+1)
		}
	}
	return missing, nil
}

// writeFrom writes a file of a step with its variants, if it is the one that is listed.
func (j *job) writeFrom(f *steps.File, listed *release.File) (bool, error) {
	d, err := j.digested(listed.Path)
	if err != nil {
		return false, err
	}
	was := j.old.Manifest.File(f.Path)
	switch {
	case !f.Rest:
		d.Write(f.Text) // errors stay until Flush
	case was != nil:
		err = copyChecked(d, j.old, f.Path, was.Size, nil)
	}
	if f.Rest && err == nil {
		err = compress.Zstandard.Stream(d, func(w io.Writer) error {
			_, err := w.Write(f.Text)
			return err
		})
	}
	if err != nil { // of the old copy, or of the disk, which is noticed again
		return false, d.discard()
	}
	return j.keep(d, listed)
}
