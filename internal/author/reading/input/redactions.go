package input

import (
	"io/fs"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/reading/input/scrutiny"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// ReadRedactions reads the redactions file. A missing file has no redactions.
func ReadRedactions(fsys fs.FS) (list []settings.Redaction, problems []schema.Problem) {
	if _, err := fs.Stat(fsys, RedactionsFile); isNotExist(err) {
		return nil, nil
	}
	data, problem := readWhole(fsys, RedactionsFile)
	if problem != nil {
		return nil, []schema.Problem{*problem}
	}
	_, list, problems = ParseRedactions(data)
	return list, problems
}

// ParseRedactions parses the text of the redactions file. It also returns the file's last document,
// or nil.
func ParseRedactions(data []byte) (last *schema.Tree, list []settings.Redaction, problems []schema.Problem) {
	problem := eachDocument(RedactionsFile, data, func(n *yaml.Node) *schema.Problem {
		w := newYAMLWriter(RedactionsFile)
		if problem := w.addNode(n); problem != nil {
			return problem
		}
		t := w.to
		var all settings.Redactions
		problems = append(problems, schema.DecodeInto(t, &all)...)
		for i, at := range listElements(t, "redactions") {
			if i == len(all.Redactions) {
				break
			}
			if kept := t.Find(at, "keep_digest"); kept >= 0 {
				problems = append(problems, *newProblem(codes.DigestKept, RedactionsFile, t.Nodes[kept].At,
					"keep_digest has no effect: releases omit the digests of all redacted versions", "delete it"))
			}
			if r := &all.Redactions[i]; r.ID != "" && r.Versions != "" {
				if _, _, ok := r.Span(); !ok {
					problems = append(problems, *newProblem(codes.WrongValue, RedactionsFile, t.Nodes[at].At,
						"versions is "+r.Versions+", which is not a version", "write a version or a range, such as 2 or 1-3"))
				}
			}
		}
		problems = append(problems, new(scrutiny.Looker).CheckTree(t, t, RedactionsFile)...)
		list, last = append(list, all.Redactions...), t
		return nil
	})
	if problem != nil {
		problems = append(problems, *problem)
	}
	return last, list, problems
}
