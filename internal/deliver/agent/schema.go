package agent

import (
	"reflect"
	"strings"
)

// outputSchema returns a short schema of an answer of type of: the names of its members, and the
// types of members other than lists and objects. Models read it before the first question, so the
// schema must be short.
func outputSchema(of reflect.Type) map[string]any {
	properties := map[string]any{}
	addProperties(properties, of)
	return map[string]any{"type": "object", "properties": properties}
}

func addProperties(to map[string]any, of reflect.Type) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	types := map[reflect.Kind]string{
		reflect.String: "string", reflect.Int: "integer", reflect.Int64: "integer", reflect.Bool: "boolean",
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			addProperties(to, field.Type)
		case field.IsExported() && name != "" && name != "-":
			to[name] = map[string]any{}
			if is := types[field.Type.Kind()]; is != "" {
				to[name] = map[string]any{"type": is}
			}
		}
	}
}
