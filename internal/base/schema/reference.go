package schema

// Reference is a reference from a record to the record with the ID To.
type Reference struct {
	*RefType
	To    string
	Index [2]int32 // the element, for each array on the path
	At    Pos
	File  uint8 // index in the tree's Files
}

// Pointer returns the JSON Pointer to the reference in a record of shape s.
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
