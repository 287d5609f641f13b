package codes

// Severity says whether a problem stops a build.
type Severity uint8

const (
	Warning Severity = iota + 1 // does not stop a build
	Error                       // stops a build
)

func (s Severity) String() string { return [...]string{"", "warning", "error"}[s] }
