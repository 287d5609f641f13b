package release

import "fmt"

// Fault is a fault of a release.
type Fault struct {
	Code    string // as in stele explain, such as OUT01; "" for missing, additional and unreadable files
	Path    string // the faulty file; "" for an inconsistency between files
	Message string // includes the path
}

func (f Fault) String() string {
	if f.Code == "" {
		return f.Message
	}
	return f.Code + ": " + f.Message
}

// DamagedError means that a release is damaged.
type DamagedError struct{ Fault }

func (e *DamagedError) Error() string { return e.Fault.String() + ": the release is damaged" }

func damagedError(path, format string, args ...any) error {
	return &DamagedError{Fault{Path: path, Message: fmt.Sprintf(format, args...)}}
}
