package lookup

import "testing"

func TestIndicatorCode(t *testing.T) {
	for in, want := range map[string]string{
		`{"title":"a \"indicator\":\"no\"","indicator":"mcv1","x_indicator":"no"}`: "mcv1",
		`{"indicator":"a\"b\\"}`: `a"b\`,
	} {
		if got, _, err := indicatorCode([]byte(in), map[string]string{}); err != nil || got != want {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	if _, _, err := indicatorCode([]byte(`{}`), nil); err == nil {
		t.Error("no error")
	}
}
