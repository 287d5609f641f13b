package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"stele/internal/base/layout"
)

// Pack writes the release in folder as a zip to target. The same files give the same bytes. It
// leaves out the links by digest. If progress is not nil, Pack calls it with the number of files
// packed so far.
func Pack(ctx context.Context, folder, target string, progress func(files int)) (err error) {
	files, closeFiles, err := openFiles(folder, true)
	if err != nil {
		return err
	}
	defer closeFiles() // it was only read
	w, err := NewWriter(target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	buffer, count := make([]byte, 256<<10), 0
	err = fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case entry.IsDir(), strings.HasPrefix(path, layout.ByHashFolder),
			strings.HasPrefix(entry.Name(), layout.TemporaryPrefix):
			return nil
		}
		if count++; progress != nil {
			progress(count)
		}
		return packFile(w, files, path, buffer)
	})
	if err != nil {
		return err
	}
	return w.Commit()
}

func packFile(w Writer, files fs.FS, path string, buffer []byte) error {
	in, err := files.Open(path)
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	n, err := io.ReadFull(in, buffer)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // buffer contains the whole file
		return w.Put(path, buffer[:n])
	}
	if err != nil {
		return err
	}
	out, err := w.Create(path)
	if err != nil {
		return err
	}
	_, err = out.Write(buffer[:n])
	if err == nil {
		_, err = io.Copy(out, in)
	}
	return errors.Join(err, out.Close())
}
