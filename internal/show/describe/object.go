package describe

import (
	"encoding/json"

	"stele/internal/base/jsonline"
	"stele/internal/compile/render"
)

type (
	object = jsonline.Object
	member = jsonline.Named
)

// schemaObject reads a schema of the program's own, or a part of one. What is inside its members
// stays as it is.
func schemaObject(data []byte) (o object) {
	for m, err := range jsonline.Members(data) {
		if err != nil {
			panic("describe: " + err.Error()) // the program wrote it
		}
		o = append(o, member{string(m.Name), json.RawMessage(m.Value)})
	}
	return o
}

// properties are the members that a schema describes.
func properties(schema object) object {
	raw, _ := schema.Get("properties").(json.RawMessage)
	return schemaObject(raw)
}

// encode is what the program made as JSON.
func encode(document any, indent string) []byte {
	data, err := jsonline.Marshal(document, indent)
	if err != nil {
		panic("describe: " + err.Error()) // texts and numbers can be encoded
	}
	return data
}

// putJSON writes a JSON document for people's eyes too.
func putJSON(out render.Output, path string, document any) error {
	return out.Put(path, encode(document, "  "))
}
