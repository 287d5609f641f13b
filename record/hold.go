package record

import (
	"reflect"
	"sync"

	"stele/internal/base/schema"
)

// Hold delays the publication of a record. Publishers write its members next to those of the
// record, but published records do not contain them.
type Hold struct {
	Draft     bool   `json:"draft,omitempty" doc:"True while the record must not be published."`
	NotBefore Moment `json:"not_before,omitempty" doc:"The day of the first release that may contain the record, or an hour with its time zone, such as 2026-12-10T09:30+01:00."`
}

// On reports whether the record is held back from a release on the given day. The command that
// builds the release waits for the hour.
func (h Hold) On(day Date) bool { return h.Draft || day != "" && h.NotBefore.Day() > day }

// Until returns the time from which the record may be published, or "" if that is not set.
func (h Hold) Until() Moment {
	if h.Draft {
		return ""
	}
	return h.NotBefore
}

var holdShape = sync.OnceValue(schema.ShapeOf[Hold])

// decodeHold decodes member i if it belongs to a Hold, and reports whether it did. The day in it
// may be in the future, and is not a date of the record.
func (c *checker) decodeHold(i int32) bool {
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
