package series

import (
	"strconv"

	"stele/internal/base/jsonline"
)

// The structure of an indicator's SDMX-CSV as an SDMX-JSON 2.1 message, which describes it whole:
// dataflow, data structure definition, concepts and code lists.
type sdmxObject = map[string]any

// sdmxSchema is the schema of the message, by which readers know its form.
const sdmxSchema = "https://json.sdmx.org/2.1/sdmx-json-structure-schema.json"

// urn names an artefact.
func (w *writer) urn(class, id string) string {
	return "urn:sdmx:org.sdmx.infomodel." + class + "=" + w.agency() + ":" + id + "(" + sdmxVersion + ")"
}

// structure writes the structure of the SDMX-CSV.
func (p *part) structure(b []byte) ([]byte, error) {
	agency, flow := p.w.agency(), p.flow()
	artefact := func(id, name, member string, value any) sdmxObject {
		return sdmxObject{"id": id, "name": name, "version": sdmxVersion, "agencyID": agency, member: value}
	}
	concepts := "CS_" + flow
	list := map[string][]sdmxObject{} // of components, by their role
	var items, codes []sdmxObject
	var time sdmxObject
	for _, c := range p.components() {
		items = append(items, sdmxItem(c.id, c.name, c.doc))
		out := sdmxObject{
			"id": c.id, "conceptIdentity": p.w.urn("conceptscheme.Concept", concepts) + "." + c.id,
			"localRepresentation": p.representation(c, flow),
		}
		if c.codes != nil {
			codes = append(codes, artefact(listID(c, flow), c.codes.name, "codes", c.codes.items()))
		}
		switch c.role {
		case isDimension:
			out["position"] = len(list["dimensions"])
			list["dimensions"] = append(list["dimensions"], out)
		case isTime:
			time = out
		case isMeasure:
			out["usage"] = "optional"
			list["measures"] = append(list["measures"], out)
		case isAttribute:
			out["usage"], out["measureRelationship"] = "optional", []string{"OBS_VALUE"}
			out["attributeRelationship"] = sdmxObject{"observation": sdmxObject{}}
			if c.required {
				out["usage"] = "mandatory"
			}
			list["attributes"] = append(list["attributes"], out)
		}
	}
	dataflow := artefact(flow, p.title, "structure", p.w.urn("datastructure.DataStructure", "DSD_"+flow))
	dataflow["description"] = p.flowDoc()
	meta := sdmxObject{
		"id": flow, "prepared": string(p.updated()), "sender": sdmxItem(codeOf(agency), p.w.Release().Publisher, ""),
	}
	if language := p.w.Release().Language; language != "" {
		meta["contentLanguages"] = []string{language}
	}
	data, err := jsonline.Marshal(sdmxObject{"$schema": sdmxSchema, "meta": meta, "data": sdmxObject{
		"dataflows": []any{dataflow}, "codelists": codes,
		"conceptSchemes": []any{artefact(concepts, "Concepts of "+p.title, "concepts", items)},
		"dataStructures": []any{artefact("DSD_"+flow, "Structure of "+p.title, "dataStructureComponents", sdmxObject{
			"dimensionList": sdmxObject{"id": "DimensionDescriptor", "dimensions": list["dimensions"], "timeDimension": time},
			"measureList":   sdmxObject{"id": "MeasureDescriptor", "measures": list["measures"]},
			"attributeList": sdmxObject{"id": "AttributeDescriptor", "attributes": list["attributes"]},
		})},
	}}, " ")
	return append(b, data...), err
}

// sdmxItem is what has an ID and a name, and perhaps a description.
func sdmxItem(id, name, doc string) sdmxObject {
	item := sdmxObject{"id": id, "name": name}
	if doc != "" {
		item["description"] = doc
	}
	return item
}

// listID is the ID of a component's code list, which is the indicator's own: its codes are those
// that the values have.
func listID(c component, flow string) string { return c.codes.id + "_" + flow }

// representation says what the values of a component are.
func (p *part) representation(c component, flow string) sdmxObject {
	r := sdmxObject{}
	if c.codes != nil {
		r["enumeration"] = p.w.urn("codelist.Codelist", listID(c, flow))
	} else {
		r["format"] = sdmxObject{"dataType": c.dataType}
	}
	if c.multiple {
		r["minOccurs"], r["maxOccurs"] = 0, "unbounded"
	}
	return r
}

func (l *codeList) items() (list []sdmxObject) {
	for _, c := range l.codes {
		list = append(list, sdmxItem(c.id, c.name, c.description))
	}
	return list
}

// flowDoc says what the data are, and what they leave out.
func (p *part) flowDoc() string {
	lost := 0
	for i := range p.rows {
		if p.rows[i].standing.Standing.Lost() {
			lost++
		}
	}
	m := p.w.Release()
	doc := p.citation() + " " + m.Notice
	if p.summary != "" {
		doc = p.summary + " " + doc
	}
	if lost > 0 {
		doc += " Left out: " + strconv.Itoa(lost) + " values that were retracted, or that nothing supports any more."
	}
	return doc
}
