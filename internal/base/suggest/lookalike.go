package suggest

// lookAlikes maps Cyrillic and Greek letters to the Latin letters that look the same.
var lookAlikes = func() map[rune]rune {
	m := map[rune]rune{}
	latin := []rune("aceiopsxyjhABCEHIJKMOPSTXYABEZHIKMNOPTYXo")
	for i, r := range []rune("асеіорѕхујһАВСЕНІЈКМОРЅТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧο") {
		m[r] = latin[i]
	}
	return m
}()

// ToLatin returns the Latin letter that looks like the Cyrillic or Greek letter r, or r itself.
func ToLatin(r rune) rune {
	if latin, ok := lookAlikes[r]; ok {
		return latin
	}
	return r
}
