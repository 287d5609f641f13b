package tables

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"stele/internal/base/schema"
	"stele/record"
)

// otherMembers is the member for a cell with all of the publisher's own members as one object.
const otherMembers = "x_*"

// unfoldCell fills members from a cell with an object or a list as JSON, as in the CSV of a
// release. Their names are paths such as dimensions.sex and source_links.0.url.
func (c *converter) unfoldCell(members map[string]string, member, text string) error {
	m := record.KindNamed(c.Kind).Shape().Member(member)
	if member != otherMembers && (m == nil || m.Shape.Type != schema.Object && m.Shape.Type != schema.Array) {
		members[member] = text
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("%.40q is not JSON: %w", text, err)
	}
	return flattenValue(members, strings.TrimPrefix(member, otherMembers), v)
}

func flattenValue(members map[string]string, name string, v any) error {
	inner := func(part string) string { return strings.TrimPrefix(name+"."+part, ".") }
	switch v := v.(type) {
	case map[string]any:
		for part, value := range v {
			if part == "" || strings.Contains(part, ".") {
				return fmt.Errorf("%q contains a dot, which is not allowed in column names", part)
			}
			if err := flattenValue(members, inner(part), value); err != nil {
				return err
			}
		}
	case []any:
		if len(v) == 1 && v[0] == "[]" {
			return fmt.Errorf("%s is the text [], which means an empty list in a table", name)
		}
		for i, value := range v {
			if err := flattenValue(members, inner(strconv.Itoa(i)), value); err != nil {
				return err
			}
		}
	case string:
		members[name] = v
	case nil:
	default:
		members[name] = fmt.Sprint(v)
	}
	return nil
}
