// Package must ends a test at an error that the test is not about.
package must

// T is what a test is here: that of package testing, or of one that tries values at random.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Do ends the test if there is an error.
func Do(t T, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Get is the value of a call that may not fail: must.Get(os.ReadFile(path))(t).
func Get[V any](value V, err error) func(T) V {
	return func(t T) V {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return value
	}
}
