// Package sample contains the records that come with Stele: a small, real story about measles and
// immunization. Figures are cited; every record is marked illustrative.
package sample

import "embed"

// Files is a publisher's folder, with stele.yaml at its root.
//
//go:embed stele.yaml all:records
var Files embed.FS
