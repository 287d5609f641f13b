package layout

// Route is a URL of the specification.
type Route struct {
	Path    string // with the name of the ID member in braces, if it has one
	Listing Listing
}

// Listing says which of the two published route listings contain a route.
type Listing uint8

const (
	First Listing = 1 << iota
	Second
	Both = First | Second
)

func (l Listing) String() string {
	return [...]string{"neither listing", "first listing only", "second listing only", "both listings"}[l&Both]
}
