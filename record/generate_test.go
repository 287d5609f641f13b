package record

import (
	"cmp"
	"encoding/json"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"stele/internal/base/schema"
)

// goodRecord generates records of a kind that no rule objects to, from nothing but the kind's
// shape: members in any order, optional members now and then, and members of the publisher's own.
func goodRecord(k *Kind) *rapid.Generator[object] {
	return rapid.Custom(func(t *rapid.T) object {
		g := &generator{t: t, optional: rapid.Bool()}
		return g.record(k)
	})
}

// fullRecord is a record of a kind with every member that it can have.
func fullRecord(k *Kind) object {
	return rapid.Custom(func(t *rapid.T) object {
		g := &generator{t: t, optional: rapid.Just(true)}
		return g.record(k)
	}).Example(1)
}

type generator struct {
	t        *rapid.T
	optional *rapid.Generator[bool] // whether to write what may be left out
}

func (g *generator) record(k *Kind) object {
	o := settle(k, g.object(k.Shape()))
	if g.optional.Draw(g.t, "own members") {
		o = o.with("x_own", g.anything(3)).with("x_note: ü", g.anything(0))
	}
	return rapid.Permutation(o).Draw(g.t, "order")
}

func (g *generator) object(s *schema.Shape) object {
	o := object{}
	for i := range s.Members {
		m := &s.Members[i]
		if m.Required && !m.Implied || g.optional.Draw(g.t, m.Name+"?") {
			o = append(o, member{m.Name, g.member(m)})
		}
	}
	return o
}

func (g *generator) member(m *schema.Member) any {
	if m.Nullable && !g.optional.Draw(g.t, m.Name+" is there") {
		return nil
	}
	return g.value(m, m.Shape)
}

func (g *generator) value(m *schema.Member, s *schema.Shape) any {
	switch {
	case s.Open:
		return g.terms()
	case s.Type == schema.Object:
		return g.object(s)
	case s.Type == schema.Array:
		least := m.Items
		if g.optional.Draw(g.t, "not empty") {
			least = max(1, least)
		}
		list := array{}
		for range rapid.IntRange(least, least+2).Draw(g.t, "length of "+m.Name) {
			list = append(list, g.value(m, s.Elem))
		}
		return list
	case s.Integer:
		return json.Number(strconv.FormatInt(rapid.Int64Min(int64(m.Min)).Draw(g.t, m.Name), 10))
	case s.Type == schema.Digits:
		return json.Number(numbers.Draw(g.t, m.Name))
	case s.Type == schema.Bool:
		return rapid.Bool().Draw(g.t, m.Name)
	case s.List != nil:
		return rapid.SampledFrom(s.Words()).Draw(g.t, m.Name)
	case s.Format != nil:
		return goodTexts[s.Go].Draw(g.t, m.Name)
	}
	return g.text(min(cmp.Or(m.Max, 30), 30))
}

// numbers keep their digits, so noughts at the end and exponents are among them.
var numbers = rapid.StringMatching(`-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,10}0{0,2})?([eE][+-]?[0-9]{1,2})?`)

// goodTexts generates texts of each format.
var goodTexts = map[reflect.Type]*rapid.Generator[string]{
	reflect.TypeFor[ID]():     rapid.StringMatching(`[a-z]{3}-[A-Za-z0-9]{1,9}([._-][A-Za-z0-9]{1,9}){0,3}`),
	reflect.TypeFor[Date]():   rapid.StringMatching(`(199|20[0-9])[0-9]-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])`),
	reflect.TypeFor[URL]():    rapid.StringMatching(`https://[a-z]{1,9}\.example(:[1-9][0-9]{0,3})?(/[A-Za-z0-9._~()%2f-]{0,9}){0,3}(\?[a-z]=[0-9])?(#[a-z]{1,3})?`).Filter(func(s string) bool { return URL(s).Valid() }),
	reflect.TypeFor[Period](): rapid.StringMatching(`(19|20)[0-9]{2}(-Q[1-4]|-S[12]|-W(0[1-9]|[1-4][0-9])|-(0[1-9]|1[0-2])(-(0[1-9]|1[0-9]|2[0-8]))?(/P1Y6M)?|/P[1-9]Y)?`),
	reflect.TypeFor[Figure](): rapid.StringMatching(`(0|[1-9][0-9]{0,4})(\.[0-9]{1,3})?`),
	reflect.TypeFor[SHA256](): rapid.StringMatching(`[0-9a-f]{64}`),
}

func (g *generator) text(most int) string {
	s := rapid.StringN(1, most, -1).Draw(g.t, "text")
	if strings.Trim(s, " \t\n\f\r") == "" {
		return "<a & b>\u2028"
	}
	return s
}

func (g *generator) terms() object {
	names := rapid.SliceOfNDistinct(rapid.StringN(1, 8, -1), 1, 3, rapid.ID[string]).Draw(g.t, "names")
	o := object{}
	for _, name := range names {
		o = append(o, member{name, g.text(12)})
	}
	return o
}

// anything is a JSON value of any sort, nested at most so deep.
func (g *generator) anything(depth int) any {
	sorts := []string{"null", "bool", "number", "text", "array", "object"}
	if depth == 0 {
		sorts = sorts[:4]
	}
	switch rapid.SampledFrom(sorts).Draw(g.t, "sort") {
	case "bool":
		return rapid.Bool().Draw(g.t, "bool")
	case "number":
		return json.Number(numbers.Draw(g.t, "number"))
	case "text":
		return rapid.StringN(0, 12, -1).Draw(g.t, "text")
	case "array":
		list := array{}
		for range rapid.IntRange(0, 3).Draw(g.t, "length") {
			list = append(list, g.anything(depth-1))
		}
		return list
	case "object":
		o := object{}
		for _, name := range rapid.SliceOfNDistinct(rapid.StringN(0, 8, -1), 0, 3, rapid.ID[string]).Draw(g.t, "names") {
			o = append(o, member{name, g.anything(depth - 1)})
		}
		return o
	}
	return nil
}

// settle makes a record obey the rules that tie members to one another.
func settle(k *Kind, o object) object {
	if o.at("kind") >= 0 {
		o = o.with("kind", k.Name)
	}
	if name := k.IDMember(); o.at(name) >= 0 {
		o = o.with(name, o.get("id"))
	}
	if o.at("updated_date") >= 0 {
		o = o.with("updated_date", newestDateIn(o))
	}
	if published, ok := o.get("published_date").(string); ok {
		for i, c := range asArray(o.get("corrections")) {
			c := c.(object)
			o.get("corrections").(array)[i] = c.with("date", max(published, c.get("date").(string)))
		}
	}
	for i, c := range asArray(o.get("corrections")) {
		c := c.(object).with("fields", array{"version", "/x_own/0"})
		if c.get("type") == "reinstatement" { // takes back a retraction of an earlier version, and there is none
			c = c.with("type", "retraction")
		}
		o.get("corrections").(array)[i] = c
	}
	for _, list := range []string{"corrections", "source_updates"} {
		for i, c := range asArray(o.get(list)) {
			if c := c.(object); c.at("in_version") >= 0 {
				o = o.with("version", json.Number("2"))
				o.get(list).(array)[i] = c.with("in_version", json.Number("2"))
			}
		}
	}
	if rule := settleKind[k.Name]; rule != nil {
		return rule(o)
	}
	return o
}

func asArray(v any) array {
	list, _ := v.(array)
	return list
}

var settleKind = map[string]func(object) object{
	"signal": func(o object) object {
		if len(asArray(o.get("evidence_ids"))) == 0 && len(asArray(o.get("statistic_ids"))) == 0 {
			return o.with("statistic_ids", array{"sta-1"})
		}
		return o
	},
	"evidence": func(o object) object {
		if o.at("label_basis") < 0 {
			o = o.with("evidence_label", "not_rated")
		}
		if effect, ok := o.get("effect").(object); ok {
			return o.with("effect", inOrder(effect, "lower", "value", "upper"))
		}
		return o
	},
	"healthcare_statistic": func(o object) object {
		codes := map[string]string{"iso3166": "US-CA", "un_m49": "001", "entity": "ent-place"}
		for _, name := range []string{"indicator", "unit"} {
			o = o.with(name, asCode(o.get(name).(string)))
		}
		o = o.with("ref_area", codes[o.get("ref_area_scheme").(string)])
		return settleFigure(o)
	},
	"entity": func(o object) object {
		m, ok := o.get("measure").(object)
		if !ok {
			return o
		}
		for _, name := range []string{"code", "unit"} {
			if text, ok := m.get(name).(string); ok {
				m = m.with(name, asCode(text))
			}
		}
		return o.with("entity_type", "indicator").with("measure", inOrder(m, "min", "max"))
	},
	"public_reference": func(o object) object { return o.with("illustrative", true) },
	"graph_edge":       func(o object) object { return o.with("target", "not-"+o.get("source").(string)) },
	"decision_view": func(o object) object {
		for i, option := range o.get("options").(array) {
			o.get("options").(array)[i] = option.(object).with("option_id", "option-"+strconv.Itoa(i))
		}
		if o.get("decision_label") == "undecided" {
			return o.without("chosen_option_id")
		}
		return o.with("chosen_option_id", "option-0")
	},
}

// settleFigure leaves a statistic the one figure that its status wants, and what is said of it.
func settleFigure(o object) object {
	there := -1
	for i, name := range figures {
		switch rule := statuses[ObsStatus(o.get("obs_status").(string))].figure; {
		case o.at(name) < 0:
		case there >= 0, rule == never, rule == boundOnly && (i == 0 || i == 3):
			o = o.without(name)
		default:
			there = i
		}
	}
	if there < 0 && statuses[ObsStatus(o.get("obs_status").(string))].figure == always {
		o, there = o.with("value", json.Number("0.050")), 0
	}
	if there > 0 {
		o = o.without("lower").without("upper")
	}
	if there == 3 {
		o = o.with("indicator_id", "ent-ind")
	}
	if o.at("lower") < 0 && o.at("upper") < 0 {
		o = o.without("interval")
	}
	if o.at("interval") < 0 || o.get("interval") == "range" {
		o = o.without("level")
	}
	if o.at("level") >= 0 {
		o = o.with("level", json.Number("95"))
	}
	return inOrder(o, "lower", "value", "upper")
}

// inOrder swaps the values of members until they rise.
func inOrder(o object, names ...string) object {
	var at []int
	var sorted []json.Number
	for _, name := range names {
		if i := o.at(name); i >= 0 {
			at, sorted = append(at, i), append(sorted, o[i].value.(json.Number))
		}
	}
	slices.SortFunc(sorted, func(a, b json.Number) int {
		x, _ := new(big.Rat).SetString(string(a))
		y, _ := new(big.Rat).SetString(string(b))
		return x.Cmp(y)
	})
	for i := range at {
		o[at[i]].value = sorted[i]
	}
	return o
}

var aDate = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// newestDateIn is the newest date in a value, at any depth.
func newestDateIn(v any) (newest string) {
	switch v := v.(type) {
	case string:
		if aDate.MatchString(v) {
			return v
		}
	case array:
		for _, e := range v {
			newest = max(newest, newestDateIn(e))
		}
	case object:
		for _, m := range v {
			newest = max(newest, newestDateIn(m.value))
		}
	}
	return newest
}

// asCode returns what can be a code of a text.
func asCode(s string) string {
	return "c" + strings.Map(func(r rune) rune {
		if r < '!' || r > '~' {
			return -1
		}
		return r
	}, s)
}
