package settings

// HomeParts are the parts that the first page can have, in the order in which they stand where the
// publisher chooses none.
var HomeParts = []string{"search", "claims", "figures", "changes", "decisions", "kinds", "data"}

// HomeSections returns the parts of the first page, in their order.
func (s *Settings) HomeSections() []string {
	if len(s.Home) > 0 {
		return s.Home
	}
	return HomeParts
}
