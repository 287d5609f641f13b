package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/reading/input"
	"stele/record"
)

// newDefaults returns the beginning of a new defaults file: the map's defaults, and the names of
// members to fill in. It leaves out members that parent folders have. It returns nil if the folder
// has a defaults file.
func (u *Update) newDefaults(fsys fs.FS, date record.Date) ([]byte, error) {
	has := u.memberNames()
	above, there, err := defaultsAbove(fsys, path.Dir(u.Path))
	if err != nil || there {
		return nil, cmp.Or(err, u.checkComplete(has, above))
	}
	var b strings.Builder
	b.WriteString("# Members that all statistics in this folder share. values.csv contains the others, and the values that replace {…}.\n# Fill in the empty members; `stele check` lists what is missing.\n")
	said := map[string]string{} // by the map
	for _, d := range u.Values.defaults {
		for i := 0; i+1 < len(d.Content); i += 2 {
			if isUnfilled(d.Content[i+1]) {
				continue
			}
			text, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: d.Content[i : i+2]})
			if err != nil {
				return nil, err
			}
			said[d.Content[i].Value] = string(text)
		}
	}
	for _, m := range u.defaultsTemplate(has, date) {
		name, _, _ := strings.Cut(m, ":")
		switch {
		case said[name] != "":
			b.WriteString(said[name])
		case !above[name] && (!has[name] || name == "obs_status"):
			b.WriteString(m + "\n")
		}
		delete(said, name)
		above[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		b.WriteString(said[name])
		above[name] = true
	}
	return []byte(b.String()), u.checkComplete(has, above)
}

// defaultsAbove returns the members that defaults files set for folder dir, and whether dir itself
// contains one.
func defaultsAbove(fsys fs.FS, dir string) (above map[string]bool, there bool, err error) {
	above = map[string]bool{}
	for at := dir; at != "."; at = path.Dir(at) {
		data, err := fs.ReadFile(fsys, path.Join(at, input.DefaultsFile))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var members map[string]yaml.Node
		if err == nil {
			err = yaml.Unmarshal(data, &members)
		}
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", path.Join(at, input.DefaultsFile), err)
		}
		for name := range members {
			above[name] = true
		}
		there = there || at == dir
	}
	return above, there, nil
}

// isUnfilled reports whether n, a value in a map, must still be filled in.
func isUnfilled(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode {
		return n.Value == "" || n.Tag == "!!null"
	}
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	for i := step - 1; i < len(n.Content); i += step {
		if !isUnfilled(n.Content[i]) && (step == 1 || n.Content[i-1].Value != "role") {
			return false
		}
	}
	return len(n.Content) > 0
}

// checkComplete returns an error unless a statistic has the members that identify it.
func (u *Update) checkComplete(has, above map[string]bool) error {
	statistics := "records/" + record.KindNamed(record.KindHealthcareStatistic).Folder() + "/"
	for _, member := range []string{"ref_area", "time_period"} {
		if strings.HasPrefix(u.Path, statistics) && !has[member] && !above[member] {
			return fmt.Errorf("%s: missing %s: add its column to columns in the map, or its value to set", u.Path, member)
		}
	}
	return nil
}

func (u *Update) defaultsTemplate(has map[string]bool, date record.Date) []string {
	name := path.Base(path.Dir(u.Path))
	if u.id != "" { // another kind
		return []string{"version: 1", "verification_date: " + string(date), "published_date: " + string(date), "updated_date: " + string(date), "source_updates: []", "corrections: []"}
	}
	id := "sta-" + name
	for _, member := range slices.Sorted(maps.Keys(u.owned)) {
		if strings.HasPrefix(member, "dimensions.") && len(member) > len("dimensions.") {
			has[member] = true
		}
	}
	members := []string{"ref_area", "time_period"}
	if u.owned["vintage"] {
		members = append(members, "vintage")
	}
	for _, member := range slices.Sorted(maps.Keys(has)) {
		if strings.HasPrefix(member, "dimensions.") {
			members = append(members, member)
		}
	}
	for _, member := range members {
		id += "-{" + member + "}"
	}
	title := cmp.Or(u.title, name) + ", {ref_area}"
	if has["x_area_name"] {
		title = cmp.Or(u.title, name) + ", {x_area_name}"
	}
	for _, member := range members[1:] {
		if !slices.ContainsFunc(u.Rows, func(row map[string]string) bool { return row[member] == "" }) {
			title += ", {" + member + "}"
		}
	}
	return []string{
		`id: "` + id + `"`,
		"version: 1",
		"title: " + strconv.Quote(title),
		`summary: ""`,
		"indicator: " + name,
		`unit: ""`,
		`unit_label: ""`,
		"obs_status: A # or E if the values are estimates",
		"claim_boundary:\n  statement: \"\" # what a value does not cover",
		"source_links:\n  - url: \"\" # the address of the table\n    role: primary",
		"verification_date: " + string(date),
		"published_date: " + string(date),
		"updated_date: " + string(date),
		"source_updates: []",
		"corrections: []",
	}
}
