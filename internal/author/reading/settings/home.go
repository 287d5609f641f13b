package settings

// HomeParts are the parts of the first page, in their default order.
var HomeParts = []string{"search", "claims", "figures", "changes", "decisions", "kinds", "data"}

// HomeSections returns the parts of the first page in order.
func (s *Settings) HomeSections() []string {
	if len(s.Home) > 0 {
		return s.Home
	}
	return HomeParts
}
