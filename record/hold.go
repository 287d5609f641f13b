package record

import (
	"reflect"
	"sync"

	"stele/internal/base/schema"
)

// Hold keeps a record from being published. Publishers write it among the record's members; it is
// not one of them, and a published record has no trace of it.
type Hold struct {
	Draft     bool   `json:"draft,omitempty" doc:"True while the record is not to be published."`
	NotBefore Moment `json:"not_before,omitempty" doc:"The day of the first release that may have the record, or the hour with its zone, such as 2026-12-10T09:30+01:00."`
}

// On reports whether the record is held back from a release of a day. Releases know no hours: who
// builds one waits for its hour.
func (h Hold) On(day Date) bool { return h.Draft || day != "" && h.NotBefore.Day() > day }

// Until says how long it is held back; "" where nobody knows yet.
func (h Hold) Until() Moment {
	if h.Draft {
		return ""
	}
	return h.NotBefore
}

var holdShape = sync.OnceValue(schema.ShapeOf[Hold])

// holds decodes node i if it is a member of a Hold. A day that is still to come is right there, and
// it is none that the record tells of.
func (c *checker) holds(i int32) bool {
	n := &c.Tree.Nodes[i]
	m := holdShape().Member(n.Name)
	if m == nil {
		return false
	}
	if c.Tree.Find(0, n.Name) != i {
		c.ReportDuplicate(n)
		return true
	}
	date, newest := c.Date, c.Latest
	c.Date = ""
	c.DecodeMember(i, m, m.Field(reflect.ValueOf(&c.hold).Elem()))
	c.Date, c.Latest = date, newest
	return true
}
