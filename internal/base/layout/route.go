package layout

// Route is an address of the specification.
type Route struct {
	Path    string // with the record's ID in braces, if it has one
	Listing Listing
}

// Listing says in which of the two published route listings a route stands.
type Listing uint8

const (
	First Listing = 1 << iota
	Second
	Both = First | Second
)

func (l Listing) String() string {
	return [...]string{"neither listing", "first listing only", "second listing only", "both listings"}[l&Both]
}
