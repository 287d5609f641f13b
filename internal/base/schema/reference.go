package schema

// Reference is one that a record makes.
type Reference struct {
	*RefType
	To    string
	Index [2]int32 // which element, for each array on the path
	At    Pos
	File  uint8 // which of the tree's Files that is in
}

// Pointer returns the JSON Pointer to the reference, in a record that looks like the shape.
func (r *Reference) Pointer(s *Shape) string {
	steps, n := []any{}, 0
	for _, name := range r.Path {
		steps = append(steps, name)
		if m := s.Member(name); m != nil {
			if s = m.Shape; s.Type == Array {
				steps, s = append(steps, int(r.Index[n])), s.Elem
				n++
			}
		}
	}
	return Pointer(steps...)
}
