package series

import (
	"strconv"

	"stele/internal/base/jsonline"
)

// The structure of an indicator's SDMX-CSV as an SDMX-JSON 2.1 message, which describes it whole:
// dataflow, data structure definition, concepts and code lists.
type (
	sdmxMessage struct {
		Schema string   `json:"$schema"`
		Meta   sdmxMeta `json:"meta"`
		Data   sdmxData `json:"data"`
	}
	sdmxMeta struct {
		ID        string    `json:"id"`
		Prepared  string    `json:"prepared"`
		Languages []string  `json:"contentLanguages,omitempty"`
		Sender    sdmxParty `json:"sender"`
	}
	sdmxParty struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	sdmxData struct {
		Dataflows  []sdmxFlow          `json:"dataflows"`
		Structures []sdmxStructure     `json:"dataStructures"`
		Schemes    []sdmxConceptScheme `json:"conceptSchemes"`
		Lists      []sdmxCodeList      `json:"codelists"`
	}
	sdmxItem struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
	}
	sdmxArtefact struct {
		sdmxItem
		Version string `json:"version"`
		Agency  string `json:"agencyID"`
	}
	sdmxFlow struct {
		sdmxArtefact
		Structure string `json:"structure"`
	}
	sdmxConceptScheme struct {
		sdmxArtefact
		Concepts []sdmxItem `json:"concepts"`
	}
	sdmxCodeList struct {
		sdmxArtefact
		Codes []sdmxItem `json:"codes"`
	}
	sdmxStructure struct {
		sdmxArtefact
		Components struct {
			Dimensions struct {
				ID         string          `json:"id"`
				Dimensions []sdmxComponent `json:"dimensions"`
				Time       sdmxComponent   `json:"timeDimension"`
			} `json:"dimensionList"`
			Measures struct {
				ID       string          `json:"id"`
				Measures []sdmxComponent `json:"measures"`
			} `json:"measureList"`
			Attributes struct {
				ID         string          `json:"id"`
				Attributes []sdmxComponent `json:"attributes"`
			} `json:"attributeList"`
		} `json:"dataStructureComponents"`
	}
	sdmxComponent struct {
		ID             string              `json:"id"`
		Usage          string              `json:"usage,omitempty"`
		Position       *int                `json:"position,omitempty"`
		Relationship   *sdmxRelationship   `json:"attributeRelationship,omitempty"`
		Measures       []string            `json:"measureRelationship,omitempty"`
		Concept        string              `json:"conceptIdentity"`
		Representation *sdmxRepresentation `json:"localRepresentation"`
	}
	sdmxRelationship struct {
		Observation struct{} `json:"observation"`
	}
	sdmxRepresentation struct {
		Enumeration string          `json:"enumeration,omitempty"`
		Format      *sdmxTextFormat `json:"format,omitempty"`
		MinOccurs   *int            `json:"minOccurs,omitempty"`
		MaxOccurs   string          `json:"maxOccurs,omitempty"`
	}
	sdmxTextFormat struct {
		DataType string `json:"dataType"`
	}
)

// sdmxSchema is the schema of the message, by which readers know its form.
const sdmxSchema = "https://json.sdmx.org/2.1/sdmx-json-structure-schema.json"

// urn names an artefact.
func (w *writer) urn(class, id string) string {
	return "urn:sdmx:org.sdmx.infomodel." + class + "=" + w.agency() + ":" + id + "(" + sdmxVersion + ")"
}

// structure writes the structure of the SDMX-CSV.
func (p *part) structure(b []byte) ([]byte, error) {
	agency, flow := p.w.agency(), p.flow()
	artefact := func(id, name, doc string) sdmxArtefact {
		return sdmxArtefact{sdmxItem{id, name, doc}, sdmxVersion, agency}
	}
	concepts := "CS_" + flow
	m := sdmxMessage{Schema: sdmxSchema, Meta: sdmxMeta{
		ID: flow, Prepared: string(p.updated()), Sender: sdmxParty{codeOf(agency), p.w.Release().Publisher},
	}}
	if language := p.w.Release().Language; language != "" {
		m.Meta.Languages = []string{language}
	}
	m.Data.Dataflows = []sdmxFlow{{artefact(flow, p.title, p.flowDoc()), p.w.urn("datastructure.DataStructure", "DSD_"+flow)}}
	scheme := sdmxConceptScheme{sdmxArtefact: artefact(concepts, "Concepts of "+p.title, "")}
	dsd := sdmxStructure{sdmxArtefact: artefact("DSD_"+flow, "Structure of "+p.title, "")}
	parts := &dsd.Components
	parts.Dimensions.ID, parts.Measures.ID, parts.Attributes.ID = "DimensionDescriptor", "MeasureDescriptor", "AttributeDescriptor"
	for _, c := range p.components() {
		scheme.Concepts = append(scheme.Concepts, sdmxItem{c.id, c.name, c.doc})
		out := sdmxComponent{
			ID: c.id, Concept: p.w.urn("conceptscheme.Concept", concepts) + "." + c.id, Representation: p.representation(c, flow),
		}
		if c.codes != nil {
			list := sdmxCodeList{artefact(listID(c, flow), c.codes.name, ""), c.codes.items()}
			m.Data.Lists = append(m.Data.Lists, list)
		}
		switch c.role {
		case isDimension:
			position := len(parts.Dimensions.Dimensions)
			out.Position = &position
			parts.Dimensions.Dimensions = append(parts.Dimensions.Dimensions, out)
		case isTime:
			parts.Dimensions.Time = out
		case isMeasure:
			out.Usage = "optional"
			parts.Measures.Measures = append(parts.Measures.Measures, out)
		case isAttribute:
			out.Usage, out.Relationship, out.Measures = "optional", &sdmxRelationship{}, []string{"OBS_VALUE"}
			if c.required {
				out.Usage = "mandatory"
			}
			parts.Attributes.Attributes = append(parts.Attributes.Attributes, out)
		}
	}
	m.Data.Structures, m.Data.Schemes = []sdmxStructure{dsd}, []sdmxConceptScheme{scheme}
	data, err := jsonline.Marshal(m, " ")
	return append(b, data...), err
}

// listID is the ID of a component's code list, which is the indicator's own: its codes are those
// that the values have.
func listID(c component, flow string) string { return c.codes.id + "_" + flow }

// representation says what the values of a component are.
func (p *part) representation(c component, flow string) *sdmxRepresentation {
	r := &sdmxRepresentation{}
	if c.codes != nil {
		r.Enumeration = p.w.urn("codelist.Codelist", listID(c, flow))
	} else {
		r.Format = &sdmxTextFormat{c.dataType}
	}
	if c.multiple {
		none := 0
		r.MinOccurs, r.MaxOccurs = &none, "unbounded"
	}
	return r
}

func (l *codeList) items() (list []sdmxItem) {
	for _, c := range l.codes {
		list = append(list, sdmxItem{c.id, c.name, c.description})
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
