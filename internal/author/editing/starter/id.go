package starter

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"stele/record"
)

var notInID = regexp.MustCompile(`[^a-z0-9]+`)

// ProposeID returns an unused ID for a record of kind k, made from its title.
func ProposeID(k *record.Kind, title string, taken func(id string) bool) string {
	const most = 50
	name := strings.Trim(notInID.ReplaceAllString(strings.ToLower(title), "-"), "-")
	stem := k.Prefix + cmp.Or(strings.TrimSuffix(name[:min(len(name), most)], "-"), "1")
	id := stem
	for n := 2; taken(id); n++ {
		id = stem + "-" + strconv.Itoa(n)
	}
	return id
}
