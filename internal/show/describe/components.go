package describe

import (
	"stele/internal/base/layout"
	"stele/record"
)

// componentRef returns a reference to a component of the OpenAPI document.
func componentRef(section, name string) object {
	return object{{"$ref", "#/components/" + section + "/" + name}}
}

func collectionComponent(k *record.Kind) string { return camelCase(k.Name) + "Collection" }

// header is a response header of the server.
type header struct{ name, doc, example string }

// responseHeaders lists the headers that the server sends with every file.
var responseHeaders = []header{
	{"ETag", "Identifies these bytes in this encoding. Send it back in If-None-Match.", `"4be81d50c3f7"`},
	{"Cache-Control", "How long a cached copy may be used before revalidation.", "max-age=300"},
	{"Vary", "The file is available in several encodings.", "Accept-Encoding"},
	{"Repr-Digest", "The SHA-256 of the bytes (RFC 9530).", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"},
	{"Access-Control-Allow-Origin", "Pages of all origins may read the file.", "*"},
}

var allow = header{"Allow", "The supported methods.", "GET, HEAD, OPTIONS"}

// components returns the OpenAPI components that routes share.
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
			{"description", "The ETag of your copy. If the file has not changed, the answer is 304 without a body."},
			{"schema", object{{"type", "string"}}},
			{"example", responseHeaders[0].example},
		}}}},
		{"headers", headers},
		{"responses", object{
			{"NotModified", object{{"description", "Your copy is current."}, {"headers", object{{"ETag", componentRef("headers", "ETag")}}}}},
			{"NotFound", problemResponse("No such file or record.", 404, "Not Found", "No such record in release "+s.release.Release+".")},
			{"MethodNotAllowed", problemResponse("Any method but GET, HEAD and OPTIONS: records are read-only.", 405, "Method Not Allowed", "Records are read-only.", allow)},
			{"Gone", problemResponse("The record was removed on purpose.", 410, "Gone", "The record was removed.")},
		}},
	}
}

// componentSchemas returns the published schemas of all kinds as components.
func (s *service) componentSchemas() object {
	members := properties(parseObject(record.EnvelopeSchema()))
	schemas := object{{"RecordID", members.Get("id")}}
	for _, k := range record.Kinds {
		all := s.collectionSchema(k, "#/components/schemas/"+camelCase(k.Name))
		schemas = append(schemas,
			member{camelCase(k.Name), s.component(s.recordSchema(k), recordSchemaPath(k))},
			member{collectionComponent(k), s.component(all, collectionSchemaPath(k))})
	}
	if len(s.indicators()) > 0 {
		schemas = append(schemas, member{"IndicatorRecords", seriesSchema()})
	}
	return append(schemas, member{"Problem", problemSchema})
}

// component returns schema as a component, with a link to the published schema at path. It omits
// the rules between members, because generators ignore them and linters misread them.
func (s *service) component(schema object, path string) object {
	return schema.Without("$schema", "$id", "allOf").With("externalDocs", object{{"description", "This schema as a separate document"}, {"url", s.urlOf(path)}})
}

// problemSchema is the RFC 9457 schema with the server's additional members.
var problemSchema = object{
	{"title", "Problem"},
	{"description", "An error answer (RFC 9457). " + noStability},
	{"type", "object"},
	{"properties", object{
		{"type", object{{"description", "The type of the problem."}, {"type", "string"}}},
		{"title", object{{"description", "The problem in a few words."}, {"type", "string"}}},
		{"status", object{{"description", "The status code of the answer."}, {"type", "integer"}}},
		{"detail", object{{"description", "What is wrong with this request."}, {"type", "string"}}},
		{"nearest", object{{"description", "The URL that was probably meant."}, {"type", "string"}}},
		{"collection", object{{"description", "The URL of all records of the kind."}, {"type", "string"}}},
		{"event", object{{"description", "The change event that removed the record."}, {"$ref", "#/components/schemas/" + camelCase(changeEventKind().Name)}}},
	}},
	{"required", []string{"title", "status"}},
}

// problemResponse returns the description of an error response.
func problemResponse(doc string, status int, title, detail string, headers ...header) object {
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
