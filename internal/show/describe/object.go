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

// parseObject decodes data, a schema of this program. The values of its members stay encoded.
func parseObject(data []byte) (o object) {
	for m, err := range jsonline.Members(data) {
		if err != nil {
			panic("describe: " + err.Error()) // the program wrote it
		}
		o = append(o, member{string(m.Name), json.RawMessage(m.Value)})
	}
	return o
}

func properties(schema object) object {
	raw, _ := schema.Get("properties").(json.RawMessage)
	return parseObject(raw)
}

// encode encodes a document as JSON.
func encode(document any, indent string) []byte {
	data, err := jsonline.Marshal(document, indent)
	if err != nil {
		panic("describe: " + err.Error()) // texts and numbers can be encoded
	}
	return data
}

// putJSON writes document to path as indented JSON.
func putJSON(out render.Output, path string, document any) error {
	return out.Put(path, encode(document, "  "))
}
