package suggest

// lookAlikes are letters of other alphabets that look like Latin ones, and which.
var lookAlikes = func() map[rune]rune {
	m := map[rune]rune{}
	latin := []rune("aceiopsxyjhABCEHIJKMOPSTXYABEZHIKMNOPTYXo")
	for i, r := range []rune("асеіорѕхујһАВСЕНІЈКМОРЅТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧο") {
		m[r] = latin[i]
	}
	return m
}()

// LooksLike returns the Latin letter that a Cyrillic or Greek one cannot be told from by eye, or
// the letter itself.
func LooksLike(r rune) rune {
	if latin, ok := lookAlikes[r]; ok {
		return latin
	}
	return r
}
