package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// errorText returns the text of err without the path, which is part of the problem.
func errorText(err error) string {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err.Error()
	}
	return err.Error()
}

// linkFix returns the remedy for a symbolic link that cannot be followed.
func linkFix(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "allow reading it"
	case errors.Is(err, syscall.ELOOP), errors.Is(err, fs.ErrNotExist):
		return "the link has no valid target: put the file itself here"
	case strings.Contains(err.Error(), "escapes"): // os.Root has no error to compare with
		return "put the file itself here; links that lead out of the folder are not followed"
	}
	return ""
}

// formats maps file extensions to formats.
var formats = map[string]string{".yaml": ".yaml", ".yml": ".yaml", ".json": ".json", ".ndjson": ".ndjson", ".jsonl": ".ndjson", ".csv": ".csv"}

// readWhole reads a file into memory.
func readWhole(fsys fs.FS, at string) ([]byte, *schema.Problem) {
	most := int64(maxYAML)
	if formats[strings.ToLower(path.Ext(at))] == ".json" {
		most = maxJSON
	}
	data, problem := readUpTo(fsys, at, most, newProblem(codes.TooLarge, at, schema.Pos{},
		fmt.Sprintf("the file is larger than %d MiB", most>>20), "split it, or use NDJSON or CSV, which can be of any size"))
	return bytes.TrimPrefix(data, utf8BOM), problem
}

// readUpTo reads a regular file of at most maxSize bytes. If the file is larger, it returns
// tooLarge.
func readUpTo(fsys fs.FS, at string, maxSize int64, tooLarge *schema.Problem) ([]byte, *schema.Problem) {
	info, problem := statRegular(fsys, at)
	if problem != nil {
		return nil, problem
	}
	if info.Size() > maxSize {
		return nil, tooLarge
	}
	r, err := fsys.Open(at)
	if err != nil {
		return nil, unreadableProblem(at, err)
	}
	defer r.Close()
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	switch _, err := data.ReadFrom(io.LimitReader(r, maxSize+1)); { // it may grow while it is read
	case err != nil:
		return nil, unreadableProblem(at, err)
	case int64(data.Len()) > maxSize:
		return nil, tooLarge
	}
	return data.Bytes(), nil
}

func unreadableProblem(at string, err error) *schema.Problem {
	return newProblem(codes.Unreadable, at, schema.Pos{}, "the file cannot be read: "+errorText(err), linkFix(err))
}

// statRegular follows symbolic links and returns a problem unless the target is a regular file.
// Opening a pipe or a device could wait forever.
func statRegular(fsys fs.FS, at string) (fs.FileInfo, *schema.Problem) {
	info, err := fs.Stat(fsys, at)
	switch {
	case err != nil:
		return nil, unreadableProblem(at, err)
	case info.IsDir():
		return nil, newProblem(codes.Unreadable, at, schema.Pos{}, "this is a folder, or a link to one, where a file is expected", "rename or remove it")
	case !info.Mode().IsRegular():
		return nil, newProblem(codes.Unreadable, at, schema.Pos{}, "this is not a regular file", "remove it")
	}
	return info, nil
}
