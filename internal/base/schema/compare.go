package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Difference describes how a member differs between two JSON Schemas.
type Difference struct {
	Member string `json:"member" doc:"The path of the member. Elements of a list have the path of the list. Empty for the record itself."`
	Change string `json:"change" doc:"The difference: added, removed, required, optional, narrowed (allows fewer values), widened (allows more values) or changed."`
}

// Compare returns the differences between the values that two JSON Schemas allow, in the order of
// members. It ignores titles and descriptions.
func Compare(before, after []byte) ([]Difference, error) {
	var was, is map[string]any
	for data, to := range map[*[]byte]*map[string]any{&before: &was, &after: &is} {
		if err := json.Unmarshal(*data, to); err != nil {
			return nil, fmt.Errorf("invalid JSON Schema: %w", err)
		}
	}
	var c comparison
	c.compareValues("", was, is)
	return c, nil
}

// comparison is a list of differences.
type comparison []Difference

func (c *comparison) add(member, change string) {
	*c = append(*c, Difference{strings.TrimPrefix(member, "/"), change})
}

// compareMembers compares the members that two object schemas allow.
func (c *comparison) compareMembers(at string, was, is map[string]any) {
	old, now := asObject(was["properties"]), asObject(is["properties"])
	needed, needs := asTexts(was["required"]), asTexts(is["required"])
	for _, name := range allKeys(old, now) {
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
		c.compareValues(member, asObject(before), asObject(after))
	}
}

// compareValues compares the values that two schemas of a member allow, then the members and
// elements of these values.
func (c *comparison) compareValues(at string, was, is map[string]any) {
	var narrower, wider, other bool
	for _, key := range allKeys(was, is) {
		before, had := was[key]
		after, has := is[key]
		if reflect.DeepEqual(before, after) {
			continue
		}
		switch key {
		case "title", "description", "examples", "$id", "$schema", "properties", "required", "items":
		case "enum":
			old, now := asTexts(before), asTexts(after)
			narrower = narrower || has && (!had || !containsAll(now, old))
			wider = wider || had && (!has || !containsAll(old, now))
		case "maxLength", "maximum", "maxItems", "minLength", "minimum", "minItems":
			closer := !had || has && (asNumber(after) < asNumber(before)) == strings.HasPrefix(key, "max")
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
	c.compareMembers(at, was, is)
	if old, now := asObject(was["items"]), asObject(is["items"]); old != nil && now != nil {
		c.compareValues(at, old, now)
	}
}

// allKeys returns the keys of both maps, sorted.
func allKeys(a, b map[string]any) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}

func asObject(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}

// asTexts returns the elements of a list as texts.
func asTexts(value any) (list []string) {
	values, _ := value.([]any)
	for _, v := range values {
		list = append(list, fmt.Sprint(v))
	}
	return list
}

func asNumber(value any) float64 {
	n, _ := value.(float64)
	return n
}

func containsAll(list, all []string) bool {
	return !slices.ContainsFunc(all, func(text string) bool { return !slices.Contains(list, text) })
}
