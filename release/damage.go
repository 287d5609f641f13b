package release

import "fmt"

// Fault is something that is wrong with a release.
type Fault struct {
	Code    string // as stele explain has it, such as OUT01; "" for files that are missing or not theirs
	Path    string // the file that is at fault; "" for what files say together
	Message string // names the file too
}

func (f Fault) String() string {
	if f.Code == "" {
		return f.Message
	}
	return f.Code + ": " + f.Message
}

// DamagedError says that a release is not what it says of itself.
type DamagedError struct{ Fault }

func (e *DamagedError) Error() string { return e.Fault.String() + ": the release is damaged" }

func damaged(path, format string, args ...any) error {
	return &DamagedError{Fault{Path: path, Message: fmt.Sprintf(format, args...)}}
}
