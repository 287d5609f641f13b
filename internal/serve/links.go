package serve

import (
	"strings"

	"stele/release"
)

const describedBy = `rel="describedby"`

// link is the Link header line of a file: what describes it, and the same in another form. It is empty where there is neither.
func (l *Library) link(at string) []byte {
	var links []string
	add := func(to, attributes string) {
		if l.has(to) {
			links = append(links, "</"+strings.TrimSuffix(to, "index.html")+">; "+attributes)
		}
	}
	if k, id, ok := l.pageIn(at); ok {
		other := k.Collection
		if k.Single != "" {
			other = singleAt(k, id)
		}
		add(other, `rel="alternate"; type="application/json"`)
		add(folder(k)+"/"+id+".md", `rel="alternate"; type="text/markdown"`)
	}
	switch at {
	case release.ManifestPath:
		add("schemas/manifest.json", describedBy)
	case l.release.Manifest.Pages:
		add("schemas/pages.json", describedBy)
	}
	for i := range l.release.Kinds {
		k := &l.release.Kinds[i]
		page, schema := folder(k)+"/index.html", "schemas/"+folder(k)+".json"
		switch id, isSingle := idIn(k, at); {
		case at == page:
			add(k.Collection, `rel="alternate"; type="application/json"`)
			continue
		case at == k.Collection:
		case at == k.Index:
			schema = "schemas/index.json"
		case isSingle:
			page, schema = folder(k)+"/"+id+"/index.html", "schemas/"+folder(k)+"/record.json"
		default:
			continue
		}
		add(schema, describedBy)
		add(page, `rel="alternate"; type="text/html"`)
	}
	if len(links) == 0 {
		return nil
	}
	return []byte("Link: " + strings.Join(links, ", ") + "\r\n")
}

// has reports whether there is a file in the release, loaded or not.
func (l *Library) has(at string) bool {
	if l.listed[at] {
		return true
	}
	for i := range l.release.Kinds {
		if _, ok := idIn(&l.release.Kinds[i], at); ok { // only asked for records that have a page
			return true
		}
	}
	return l.shelf != nil && l.shelf.has(at)
}
