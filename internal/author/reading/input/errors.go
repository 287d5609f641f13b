package input

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// reason returns an error without the path, which the problem names already.
func reason(err error) string {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err.Error()
	}
	return err.Error()
}

// linkFix says what to do about a symbolic link that leads nowhere good.
func linkFix(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "allow reading it"
	case errors.Is(err, syscall.ELOOP), errors.Is(err, fs.ErrNotExist):
		return "the link leads nowhere: put the file itself here"
	case strings.Contains(err.Error(), "escapes"): // os.Root has no error to compare with
		return "put the file itself here; links that lead out of the folder are not followed"
	}
	return ""
}
