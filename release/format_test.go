package release_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"stele/internal/base/layout"
	"stele/release"
)

// TestFormat: a member of the manifest that older programs would not see goes with another number
// of the format, so that they refuse the release instead.
func TestFormat(t *testing.T) {
	members := map[string]bool{}
	var add func(reflect.Type)
	add = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice:
			add(of.Elem())
		case reflect.Struct:
			for field := range of.Fields() {
				if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
					members[of.Name()+"."+name] = true
					add(field.Type)
				}
			}
		}
	}
	add(reflect.TypeFor[release.Manifest]())
	const format = "stele-release/3"
	want := strings.Fields(`
		Archive.count Archive.path Archive.sha256 Archive.size Archive.year
		Built.at Built.by_hash Built.compressor Built.deltas Built.downloads Built.pages Built.program Built.standings
		Delta.before Delta.from Delta.path
		File.path File.sha256 File.size File.variants
		Kind.archives Kind.collection Kind.count Kind.deltas Kind.derived Kind.history Kind.index
		Kind.kind Kind.pack Kind.since Kind.single
		Manifest.base_url Manifest.built Manifest.contact Manifest.content Manifest.date Manifest.earlier
		Manifest.files Manifest.format Manifest.gave_up Manifest.histories Manifest.kinds Manifest.language
		Manifest.license Manifest.next_planned Manifest.notice Manifest.pages Manifest.previous Manifest.publisher
		Manifest.release Manifest.settings Manifest.title
		Previous.date Previous.release
		Variant.encoding Variant.path Variant.sha256 Variant.size
	`)
	var got []string
	for name := range members {
		got = append(got, name)
	}
	slices.Sort(got)
	if layout.Format != format || !slices.Equal(got, want) {
		t.Errorf("%s has the members\n%s\nand not\n%s: raise the number of the format with what older programs must not miss",
			layout.Format, strings.Join(got, " "), strings.Join(want, " "))
	}
}
