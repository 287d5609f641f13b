package frame

import (
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/record"
)

// linked is the schema.org description of a page that is not about a record.
type linked struct {
	Context      string       `json:"@context"`
	Type         string       `json:"@type"`
	ID           string       `json:"@id"`
	Name         string       `json:"name"`
	Description  string       `json:"description,omitempty"`
	Version      string       `json:"version,omitempty"`
	Modified     string       `json:"dateModified,omitempty"`
	License      string       `json:"license,omitempty"`
	Language     string       `json:"inLanguage,omitempty"`
	Publisher    *linkedName  `json:"publisher,omitempty"`
	PartOf       *linkedName  `json:"isPartOf,omitempty"`
	Distribution []linkedFile `json:"distribution,omitempty"`
	Datasets     []linkedName `json:"dataset,omitempty"`
	Variable     []linkedName `json:"variableMeasured,omitempty"`
}

type linkedName struct {
	Type string `json:"@type"`
	ID   string `json:"@id,omitempty"`
	Name string `json:"name"`
}

type linkedFile struct {
	Type   string `json:"@type"`
	URL    string `json:"contentUrl"`
	Format string `json:"encodingFormat"`
}

const schemaOrg = "https://schema.org"

// Measures adds a measured variable.
func (l *linked) Measures(name string) {
	l.Variable = append(l.Variable, linkedName{"StatisticalVariable", "", name})
}

// Distribute sets the files of a dataset, if it has any.
func (l *linked) Distribute(base string, files []render.Download) {
	if len(files) > 0 {
		l.Distribution = nil
	}
	for _, f := range files {
		l.Distribution = append(l.Distribution, linkedFile{"DataDownload", base + "/" + f.Path, f.MediaType})
	}
}

// Dataset returns the description of the records of k.
func (p *Page) Dataset(k *record.Kind) *linked {
	return &linked{
		Context: schemaOrg, Type: "Dataset", ID: p.Base + layout.ListAddress(k.Folder(), 0), Name: p.Words.Name(k),
		Description: p.Words.Doc(k), Modified: string(p.Records.AsOf(k)),
		License:  render.LicenseURL(p.Settings.License),
		Language: p.Settings.Language, Publisher: &linkedName{"Organization", "", p.Settings.Publisher},
		PartOf:       &linkedName{"DataCatalog", p.Base + "/", p.Settings.Title},
		Distribution: []linkedFile{{"DataDownload", p.Base + k.Collection.Path, layout.TypeJSON}},
	}
}

// Catalog returns the description of the service.
func (p *Page) Catalog() *linked {
	l := &linked{
		Context: schemaOrg, Type: "DataCatalog", ID: p.Base + "/", Name: p.Settings.Title,
		Description: p.Settings.Description, Version: p.Records.Release().Release,
		Modified: p.Records.Release().Date, License: render.LicenseURL(p.Settings.License),
		Language: p.Settings.Language, Publisher: &linkedName{"Organization", "", p.Settings.Publisher},
	}
	for _, k := range record.Kinds {
		l.Datasets = append(l.Datasets, linkedName{"Dataset", p.Base + layout.ListAddress(k.Folder(), 0), p.Words.Name(k)})
	}
	return l
}
