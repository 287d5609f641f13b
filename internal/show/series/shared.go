package series

import (
	"bytes"

	"stele/internal/base/jsonline"
)

// object is a JSON object, split into members.
type object []jsonline.Member

// parseObject splits data, a JSON object, into members, reusing the memory of o.
func parseObject(o object, data []byte) (object, error) {
	o = o[:0]
	for m, err := range jsonline.Members(data) {
		if err != nil {
			return nil, err
		}
		o = append(o, m)
	}
	return o, nil
}

// get returns the value of the member with the given name, which is usually at index at.
func (o object) get(name string, at int) []byte {
	if at < len(o) && string(o[at].Name) == name {
		return o[at].Value
	}
	for i := range o {
		if string(o[i].Name) == name {
			return o[i].Value
		}
	}
	return nil
}

// shared contains the members that several objects share. For members that are objects, it contains
// their shared members.
type shared struct {
	members []sharedMember
	number  map[string]int
	room    object // for splitting members
}

type sharedMember struct {
	name   string
	value  []byte  // nil if the objects differ
	within *shared // the members that differing objects share; nil if none
}

// newShared returns all members of o as shared.
func newShared(o object) *shared {
	s := &shared{number: map[string]int{}}
	for _, m := range o {
		s.number[string(m.Name)] = len(s.members)
		s.members = append(s.members, sharedMember{name: string(m.Name), value: bytes.Clone(m.Value)})
	}
	return s
}

// intersect keeps only the members that o also has, with the same values.
func (s *shared) intersect(o object) error {
	for i := range s.members {
		m := &s.members[i]
		if m.value == nil && m.within == nil {
			continue
		}
		value := o.get(m.name, i)
		switch {
		case m.value != nil && bytes.Equal(m.value, value):
			continue
		case len(value) == 0 || value[0] != '{' || m.value != nil && m.value[0] != '{':
			m.value, m.within = nil, nil
			continue
		}
		if m.within == nil {
			first, err := parseObject(nil, m.value)
			if err != nil {
				return err
			}
			m.value, m.within = nil, newShared(first)
		}
		other, err := parseObject(s.room, value)
		if err != nil {
			return err
		}
		s.room = other
		if err := m.within.intersect(other); err != nil {
			return err
		}
		if m.within.isEmpty() {
			m.within = nil
		}
	}
	return nil
}

func (s *shared) isEmpty() bool {
	for i := range s.members {
		if s.members[i].value != nil || s.members[i].within != nil {
			return false
		}
	}
	return true
}

// appendTo appends the shared members to b as a JSON object.
func (s *shared) appendTo(b []byte) []byte {
	b = append(b, '{')
	for i := range s.members {
		switch m := &s.members[i]; {
		case m.value != nil:
			b = jsonline.AppendMember(b, m.name, m.value)
		case m.within != nil:
			b = jsonline.AppendMember(b, m.name, nil)
			b = m.within.appendTo(b)
		}
	}
	return append(b, '}')
}

// appendRest appends the members of o that are not shared to b.
func (s *shared) appendRest(b []byte, o object) ([]byte, error) {
	b = append(b, '{')
	for _, m := range o {
		i, known := s.number[string(m.Name)]
		switch {
		case known && s.members[i].value != nil:
			continue
		case known && s.members[i].within != nil:
			inner, err := parseObject(s.room, m.Value)
			if err != nil {
				return nil, err
			}
			s.room = inner
			b = jsonline.AppendMember(b, string(m.Name), nil)
			if b, err = s.members[i].within.appendRest(b, inner); err != nil {
				return nil, err
			}
		default:
			b = jsonline.AppendMember(b, string(m.Name), m.Value)
		}
	}
	return append(b, '}'), nil
}
