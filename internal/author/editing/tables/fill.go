package tables

import (
	"errors"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Fill returns the map text with shared, the members that all records share, by their paths.
// Members with an empty text are not changed.
func Fill(text string, shared map[string]string) (string, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return "", errors.Join(err, errors.New("the map is empty"))
	}
	top := doc.Content[0].Content
	for i := 1; i < len(top); i += 2 {
		for name, text := range shared {
			if text != "" && top[i-1].Value == "defaults" {
				nodeAt(top[i], strings.Split(name, "."), true).SetString(text)
			}
		}
	}
	filled, err := yaml.Marshal(&doc)
	return string(filled), err
}

// nodeAt returns the node at path below n. If create is true, it creates a missing node.
func nodeAt(n *yaml.Node, path []string, create bool) *yaml.Node {
	for _, step := range path {
		var next *yaml.Node
		if i, err := strconv.Atoi(step); err == nil && n.Kind == yaml.SequenceNode && i < len(n.Content) {
			next = n.Content[i]
		}
		for i := 1; i < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
			if n.Content[i-1].Value == step {
				next = n.Content[i]
			}
		}
		if next == nil && create {
			next = &yaml.Node{Kind: yaml.ScalarNode}
			n.Kind, n.Tag = yaml.MappingNode, ""
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: step}, next)
		}
		if n = next; n == nil {
			return nil
		}
	}
	return n
}
