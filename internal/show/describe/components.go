package describe

import (
	"stele/internal/base/layout"
	"stele/record"
)

// componentRef refers to a part of the OpenAPI document.
func componentRef(section, name string) object {
	return object{{"$ref", "#/components/" + section + "/" + name}}
}

func collectionComponent(k *record.Kind) string { return camel(k.Name) + "Collection" }

// header is a response header of the server.
type header struct{ name, doc, example string }

// responseHeaders come with every file.
var responseHeaders = []header{
	{"ETag", "Names these bytes in this encoding. Send it back in If-None-Match.", `"4be81d50c3f7"`},
	{"Cache-Control", "How long a copy may be used without asking again.", "max-age=300"},
	{"Vary", "Files are kept in several encodings.", "Accept-Encoding"},
	{"Repr-Digest", "The SHA-256 of the bytes (RFC 9530).", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"},
	{"Access-Control-Allow-Origin", "Pages of other origins may read the file.", "*"},
}

var allow = header{"Allow", "The methods that there are.", "GET, HEAD, OPTIONS"}

// components are the parts that routes share.
func (s *service) components() object {
	headers := object{}
	for _, h := range append(responseHeaders[:len(responseHeaders):len(responseHeaders)], allow) {
		headers = append(headers, member{h.name, object{{"description", h.doc}, {"schema", object{{"type", "string"}}}, {"example", h.example}}})
	}
	return object{
		{"schemas", s.componentSchemas()},
		{"parameters", object{{"IfNoneMatch", object{
			{"name", "If-None-Match"},
			{"in", "header"},
			{"description", "The ETag of the copy that you have. If it is still the same, the answer is 304 and has no body."},
			{"schema", object{{"type", "string"}}},
			{"example", responseHeaders[0].example},
		}}}},
		{"headers", headers},
		{"responses", object{
			{"NotModified", object{{"description", "Your copy is still the same."}, {"headers", object{{"ETag", componentRef("headers", "ETag")}}}}},
			{"NotFound", problem("There is no such file or record.", 404, "Not Found", "There is no such record in release "+s.release.Release+".")},
			{"MethodNotAllowed", problem("Any method but GET, HEAD and OPTIONS: clients can only read.", 405, "Method Not Allowed", "Records can only be read.", allow)},
			{"Gone", problem("The record was removed on purpose.", 410, "Gone", "The record was removed.")},
		}},
	}
}

// componentSchemas are those of all kinds, as they are published too, without what makes them
// documents of their own.
func (s *service) componentSchemas() object {
	members := properties(schemaObject(record.EnvelopeSchema()))
	schemas := object{{"RecordID", members.Get("id")}}
	for _, k := range record.Kinds {
		all := s.collectionSchema(k, "#/components/schemas/"+camel(k.Name))
		schemas = append(schemas,
			member{camel(k.Name), s.component(s.recordSchema(k), recordSchemaPath(k))},
			member{collectionComponent(k), s.component(all, collectionSchemaPath(k))})
	}
	if len(s.indicators()) > 0 {
		schemas = append(schemas, member{"IndicatorRecords", seriesSchema()})
	}
	return append(schemas, member{"Problem", problemSchema})
}

// component is a schema as a part of the document, which says where the schema is published by
// itself. Only there are the rules that tie members to one another: generators make no types from
// them, and linters mistake them.
func (s *service) component(schema object, path string) object {
	return schema.Without("$schema", "$id", "allOf").With("externalDocs", object{{"description", "This schema as a document of its own"}, {"url", s.at(path)}})
}

// problemSchema is that of RFC 9457, with what the server adds.
var problemSchema = object{
	{"title", "Problem"},
	{"description", "Why there is no file (RFC 9457). " + noStability},
	{"type", "object"},
	{"properties", object{
		{"type", object{{"description", "What sort of problem it is."}, {"type", "string"}}},
		{"title", object{{"description", "The problem in a few words."}, {"type", "string"}}},
		{"status", object{{"description", "The status code of the answer."}, {"type", "integer"}}},
		{"detail", object{{"description", "What is wrong with this request."}, {"type", "string"}}},
		{"collection", object{{"description", "The address of all records of the kind."}, {"type", "string"}}},
		{"event", object{{"description", "The change event that removed the record."}, {"$ref", "#/components/schemas/" + camel(changes().Name)}}},
	}},
	{"required", []string{"title", "status"}},
}

// problem is an answer that tells why there is no file.
func problem(doc string, status int, title, detail string, headers ...header) object {
	o := object{{"description", doc}}
	if len(headers) > 0 {
		list := object{}
		for _, h := range headers {
			list = append(list, member{h.name, componentRef("headers", h.name)})
		}
		o = append(o, member{"headers", list})
	}
	return append(o, member{"content", object{{layout.TypeProblem, object{
		{"schema", componentRef("schemas", "Problem")},
		{"example", object{{"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}}},
	}}}})
}
