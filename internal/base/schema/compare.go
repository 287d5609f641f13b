package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Difference is how a member differs between two JSON Schemas.
type Difference struct {
	Member string `json:"member" doc:"The member, as a path: what stands in a list has that of the list. Empty for the record as a whole."`
	Change string `json:"change" doc:"How it differs: added, removed, required, optional, narrowed (fewer values are allowed), widened (more are) or changed."`
}

// Compare returns how a JSON Schema differs from an earlier one in what it allows, in the order of
// members. What only people read does not count: titles and descriptions.
func Compare(before, after []byte) ([]Difference, error) {
	var was, is map[string]any
	for data, to := range map[*[]byte]*map[string]any{&before: &was, &after: &is} {
		if err := json.Unmarshal(*data, to); err != nil {
			return nil, fmt.Errorf("a JSON Schema: %w", err)
		}
	}
	var c comparison
	c.values("", was, is)
	return c, nil
}

// comparison collects differences.
type comparison []Difference

func (c *comparison) add(member, change string) {
	*c = append(*c, Difference{strings.TrimPrefix(member, "/"), change})
}

// members compares what two objects may have.
func (c *comparison) members(at string, was, is map[string]any) {
	old, now := object(was["properties"]), object(is["properties"])
	needed, needs := texts(was["required"]), texts(is["required"])
	for _, name := range keys(old, now) {
		member := at + "/" + name
		before, had := old[name]
		after, has := now[name]
		switch {
		case !had:
			c.add(member, "added")
			continue
		case !has:
			c.add(member, "removed")
			continue
		case slices.Contains(needs, name) && !slices.Contains(needed, name):
			c.add(member, "required")
		case slices.Contains(needed, name) && !slices.Contains(needs, name):
			c.add(member, "optional")
		}
		c.values(member, object(before), object(after))
	}
}

// values compares which values a member may have, and goes on with what these hold.
func (c *comparison) values(at string, was, is map[string]any) {
	var narrower, wider, other bool
	for _, key := range keys(was, is) {
		before, had := was[key]
		after, has := is[key]
		if reflect.DeepEqual(before, after) {
			continue
		}
		switch key {
		case "title", "description", "examples", "$id", "$schema", "properties", "required", "items":
		case "enum":
			old, now := texts(before), texts(after)
			narrower = narrower || has && (!had || !holds(now, old))
			wider = wider || had && (!has || !holds(old, now))
		case "maxLength", "maximum", "maxItems", "minLength", "minimum", "minItems":
			closer := !had || has && (number(after) < number(before)) == strings.HasPrefix(key, "max")
			narrower, wider = narrower || closer, wider || !closer
		default:
			other = true
		}
	}
	switch {
	case other || narrower && wider:
		c.add(at, "changed")
	case narrower:
		c.add(at, "narrowed")
	case wider:
		c.add(at, "widened")
	}
	c.members(at, was, is)
	if old, now := object(was["items"]), object(is["items"]); old != nil && now != nil {
		c.values(at, old, now)
	}
}

// keys are those of both, in order.
func keys(a, b map[string]any) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}

func object(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}

// texts are the values of a list, as texts.
func texts(value any) (list []string) {
	values, _ := value.([]any)
	for _, v := range values {
		list = append(list, fmt.Sprint(v))
	}
	return list
}

func number(value any) float64 {
	n, _ := value.(float64)
	return n
}

// holds reports whether a list has all values of another.
func holds(list, all []string) bool {
	return !slices.ContainsFunc(all, func(text string) bool { return !slices.Contains(list, text) })
}
