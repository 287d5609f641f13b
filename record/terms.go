package record

// Term is a name with a text.
type Term struct{ Name, Text string }

// Terms are names with texts, in the order of their author: an object whose member names are the
// author's own.
type Terms []Term

// Get is the text of a name, or "".
func (t Terms) Get(name string) string {
	for _, term := range t {
		if term.Name == name {
			return term.Text
		}
	}
	return ""
}
