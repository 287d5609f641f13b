package jsondiff

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestTrim(t *testing.T) {
	many := `{"a":1` + strings.Repeat(`,"b":2`, 300) + `}`
	for _, c := range []struct{ old, now, was, is string }{
		{`{}`, `{}`, `{}`, `{}`},
		{`{"a":1,"b":[2,{"c":"}"}],"d":"x"}`, `{"a":1,"b":[2,{"c":"}"}],"d":"y"}`, `{"d":"x"}`, `{"d":"y"}`},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, `{}`, `{}`},
		{`{"a":1}`, `{"b":1,"a":1}`, `{}`, `{"b":1}`},
		{`{"a":1,"b":1,"c":1}`, `{"c":1}`, `{"a":1,"b":1}`, `{}`},
		{`{"v":1,"a":1}`, `{"v":1,"a":1}`, `{"v":1}`, `{"v":1}`},
		{`{"a":"\"","b":"\\"}`, `{"a":"\"","b":"\\\""}`, `{"b":"\\"}`, `{"b":"\\\""}`},
		{`{"":0}`, `{"":0}`, `{}`, `{}`},
		{`{"a": 1}`, `{"\u0061":1 }`, `{}`, `{}`},
		// These cannot be taken apart.
		{`{"a":1,"a":2}`, `{"a":2}`, `{"a":1,"a":2}`, `{"a":2}`},
		{many, `{}`, many, `{}`},
		{`[1]`, `[1]`, `[1]`, `[1]`},
		{`1`, ``, `1`, ``},
	} {
		was, is := Trim([]byte(c.old), []byte(c.now), "v")
		if string(was) != c.was || string(is) != c.is {
			t.Errorf("of %s and %s it leaves %s and %s; want %s and %s", c.old, c.now, was, is, c.was, c.is)
		}
	}
}

func TestMembersOfNone(t *testing.T) {
	for _, text := range []string{``, `{`, `}`, `{"`, `{"a`, `{"a"`, `{"a"}`, `{"a":}`, `{"a":"}`, `{"a":"\"}`, `{"a":1,}`, `{,"a":1}`, `{"a":[}`, `{"a":]}`, `{"a":{}`, `{"a":1}}`, `{a:1}`, `{"a"1}`, `{"a":,}`, `[]`} {
		if list, ok := parseMembers([]byte(text)); ok {
			t.Errorf("%s has members: %q", text, list)
		}
	}
}

// FuzzTrim: what differs between two objects also differs between what is left of them, in the
// same way.
func FuzzTrim(f *testing.F) {
	for _, text := range []string{`{"a":1,"b":{"c":["\"",null]}}`, `{"b":{"c":["\"",true]},"a":1}`, `{"a":"\\","":[],"a":2}`, `{"a" :1}`, `{}`, `[]`, "{\"a\":\"\xff\"}"} {
		f.Add(text, `{"a":1,"b":2}`)
		f.Add(`{"version":3,"a":[1,2]}`, text)
	}
	f.Fuzz(func(t *testing.T, old, now string) {
		was, is := Trim([]byte(old), []byte(now), "version")
		if !json.Valid([]byte(old)) || !json.Valid([]byte(now)) {
			return
		}
		a, _ := decode([]byte(old))
		b, _ := decode([]byte(now))
		c, err1 := decode(was)
		d, err2 := decode(is)
		if err1 != nil || err2 != nil {
			t.Fatalf("of %s and %s it leaves %s (%v) and %s (%v)", old, now, was, err1, is, err2)
		}
		var whole, left []Difference
		compareValues("", a, b, &whole)
		compareValues("", c, d, &left)
		if sortByPointer(whole); !reflect.DeepEqual(whole, sortByPointer(left)) {
			t.Errorf("%s and %s differ in %v, and what is left of them in %v", old, now, whole, left)
		}
	})
}
