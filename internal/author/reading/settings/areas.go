package settings

import (
	"encoding/json"
	"reflect"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
)

// AreaScheme names the tables of a scheme of areas.
type AreaScheme struct {
	AreaTables
	Name string
}

// AreaTables are the two tables of a scheme.
type AreaTables struct {
	Title   string `json:"title" max:"160" doc:"The name of the scheme for readers, such as English local authorities."`
	Codes   string `json:"codes" max:"4000" doc:"A CSV file in this folder with the columns code, name, level, parent, valid_from and valid_to."`
	Changes string `json:"changes" max:"4000" doc:"A CSV file in this folder with the columns date, from_code, to_code, kind, share, basis and note."`
}

// AreaSchemes are schemes in the order in which their author wrote them. In the file, they are an
// object whose member names are the names of the schemes.
type AreaSchemes []AreaScheme

func init() {
	schema.Define(reflect.TypeFor[AreaSchemes](), schema.Shape{
		Type: schema.Object, Open: true, Elem: schema.ShapeOf[AreaTables](),
	})
}

// MarshalJSON writes an object whose members keep their order.
func (s AreaSchemes) MarshalJSON() ([]byte, error) {
	o := jsonline.Object{}
	for _, scheme := range s {
		o = append(o, jsonline.Named{Name: scheme.Name, Value: scheme.AreaTables})
	}
	return json.Marshal(o)
}

// UnmarshalJSON reads an object and keeps the order of its members.
func (s *AreaSchemes) UnmarshalJSON(data []byte) error {
	*s = nil
	if string(data) == "null" { // by convention
		return nil
	}
	for m, err := range jsonline.Members(data) {
		scheme := AreaScheme{Name: string(m.Name)}
		if err == nil {
			err = json.Unmarshal(m.Value, &scheme.AreaTables)
		}
		if err != nil {
			return err
		}
		*s = append(*s, scheme)
	}
	return nil
}
