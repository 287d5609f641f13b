package scrutiny

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// shortest is the minimum length of a secret's prefix.
const shortest = 10

// ofSecrets contains the bytes that secrets consist of.
var ofSecrets = func() (set [256]bool) {
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+" {
		set[c] = true
	}
	return set
}()

// secret is a type of secret: its prefixes and its minimum length.
type secret struct {
	begins string
	least  int
	name   string
}

var shapes = []secret{
	{"ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", 30, "a GitHub token"},
	{"glpat- gldt-", 20, "a GitLab token"},
	{"AKIA ASIA", 20, "an AWS key"},
	{"AIza", 35, "a Google key"},
	{"GOCSPX-", 28, "a Google secret"},
	{"xoxb- xoxp- xoxa- xapp-", 20, "a Slack token"},
	{"npm_", 36, "an npm token"},
	{"pypi-AgEI", 40, "a PyPI token"},
	{"sk_live_ rk_live_", 20, "a Stripe key"},
	{"sk-ant-", 30, "an Anthropic key"},
	{"AGE-SECRET-KEY-1", 40, "a private age key"},
	{"RWRTY0Iy", 40, "a private minisign key"},
	{"PRIVATE+KEY+", 12, "a private key that signs releases"},
}

// isSecretStart contains the first bytes of the prefixes.
var isSecretStart = func() (set [256]bool) {
	for _, s := range shapes {
		for begin := range strings.FieldsSeq(s.begins) {
			set[begin[0]] = true
		}
	}
	set['-'], set['e'] = true, true
	return set
}()

// reportSecrets reports tokens and private keys by their prefixes. A secret covers at least every
// tenth position of the text, so it looks only at those.
func reportSecrets(s string, l *Looker) {
	for i := shortest - 1; i < len(s); i += shortest {
		if !ofSecrets[s[i]] {
			continue
		}
		from, to := i, i+1
		for from > 0 && ofSecrets[s[from-1]] {
			from--
		}
		for to < len(s) && ofSecrets[s[to]] {
			to++
		}
		if to-from >= shortest && isSecretStart[s[from]] {
			if name := secretType(s[from:], to-from); name != "" {
				l.report(codes.SecretText, "the text contains "+name, "remove it, and revoke it: it may already be known to others")
				return
			}
		}
		i = max(i, to-to%shortest-1)
	}
}

// secretType returns the type of the secret at the start of s, whose first run has length run.
func secretType(s string, run int) string {
	for _, shape := range shapes {
		for begin := range strings.FieldsSeq(shape.begins) {
			if run >= shape.least && strings.HasPrefix(s, begin) &&
				(shape.least < 20 || hasLettersAndDigits(s[len(begin):run])) {
				return shape.name
			}
		}
	}
	if strings.HasPrefix(s, "-----BEGIN") {
		if line, _, _ := strings.Cut(s, "\n"); strings.Contains(line, "PRIVATE KEY") {
			return "a private key"
		}
	}
	if strings.HasPrefix(s, "eyJ") && run > 12 && jwt.MatchString(s) {
		return "a JSON web token"
	}
	return ""
}

var jwt = regexp.MustCompile(`^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{10,}`)

// hasLettersAndDigits reports whether s contains letters and digits, as random text does.
func hasLettersAndDigits(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, unicode.IsLetter)
}

var mailForm = regexp.MustCompile(`[A-Za-z0-9._%+-]+@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})`)

// reportEmail reports email addresses, except those of example domains.
func reportEmail(s string, l *Looker) {
	for _, m := range mailForm.FindAllStringSubmatchIndex(s, -1) {
		word := s[strings.LastIndexAny(s[:m[0]], " \t\n<\"(")+1 : m[0]]
		if strings.Contains(word, "://") { // of a mailing list, in the URL of its archive
			continue
		}
		host := strings.ToLower(s[m[2]:m[3]])
		if strings.HasSuffix(host, ".example") || strings.HasSuffix(host, ".test") || strings.HasSuffix(host, ".invalid") ||
			host == "example.org" || host == "example.com" || host == "example.net" || strings.HasSuffix(host, ".example.org") {
			continue
		}
		l.report(codes.PersonalText, "the text contains the email address "+s[m[0]:m[1]], "remove it; use contact in stele.yaml to name an address for readers")
		return
	}
}

var (
	phoneForm  = regexp.MustCompile(`(?:^|[\s(:;,])(\+[1-9][0-9]{0,2}(?:[ .\-/()]{0,2}[0-9]){7,13})(?:$|[^0-9,.])`)
	localForm  = regexp.MustCompile(`(?:^|[\s:;,])(\([0-9]{3}\) [0-9]{3}-[0-9]{4})(?:$|[^0-9-])`)
	calledForm = regexp.MustCompile(`(?i)(?:\b|_)(?:tele)?(?:phone|tel|mobile|fax)[.:]{0,2} ?(?:no\.? ?)?(\(?[0-9](?:[ .\-/()]{0,2}[0-9]){6,13})(?:$|[^0-9])`)
)

// reportTelephone reports telephone numbers: in international form, after a word such as phone, or
// in a member with such a name.
func reportTelephone(n *schema.Node, classes uint8, l *Looker) {
	s := n.Text
	number := ""
	if classes&plus != 0 {
		if m := phoneForm.FindStringSubmatch(s); m != nil && !hasDigitGroups(m[1]) {
			number = m[1]
		}
	}
	if number == "" && strings.Contains(s, ") ") {
		if m := localForm.FindStringSubmatch(s); m != nil {
			number = m[1]
		}
	}
	if number == "" && len(s) >= 12 && (strings.Contains(s, "hone") || strings.Contains(s, "Tel")) {
		if m := calledForm.FindStringSubmatch(s); m != nil {
			number = m[1]
		}
	}
	if number == "" && strings.HasPrefix(n.Name, "x_") && containsWord(n.Name, "phone", "telephone", "tel", "mobile", "fax") &&
		countDigits(s) >= 7 && countDigits(s)*2 > len(s) {
		number = s
	}
	if number != "" {
		l.report(codes.PersonalText, "the text contains the telephone number "+number, "remove it; use contact in stele.yaml to say how to reach you")
	}
}

func containsWord(name string, words ...string) bool {
	return slices.ContainsFunc(strings.Split(name, "_"), func(word string) bool { return slices.Contains(words, word) })
}

func countDigits(s string) (count int) {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			count++
		}
	}
	return count
}

// hasDigitGroups reports whether s has groups of three digits, as in statistics: +12 345 678.
func hasDigitGroups(s string) bool {
	parts := strings.FieldsFunc(s[1:], func(r rune) bool { return r == ' ' || r == '.' })
	return len(parts) > 1 && !slices.ContainsFunc(parts[1:], func(p string) bool { return len(p) != 3 })
}

var (
	dateForm = `(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})|[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}|[A-Z][a-z]+ [0-9]{1,2}, [0-9]{4})`
	// the text before, the date, and the text after
	bornForm  = regexp.MustCompile(`^(.*?)\bborn(?: on)?[: ]{1,2}` + dateForm + `(.*)$`)
	birthForm = regexp.MustCompile(`(?i)(?:date of birth|\bd\.?o\.?b\b\.?)[: ]{1,2}` + dateForm)
	dateOnly  = regexp.MustCompile(`^` + dateForm + `$`)
	// births of a cohort are not personal
	cohort = regexp.MustCompile(`(?i)\b(?:children|infants|babies|newborns|people|persons|women|men|girls|boys|those|all|everyone|participants|patients|cohorts?|adults|mothers)\b[^.;]*$`)
	since  = regexp.MustCompile(`^ ?(?:or|to|and|until|onwards?|through|[-–])\b`)
)

// reportBirthDate reports a date of birth after a word such as born, or in a member with such a
// name.
func reportBirthDate(n *schema.Node, l *Looker) {
	s := n.Text
	is := strings.HasPrefix(n.Name, "x_") && containsWord(n.Name, "dob", "birthdate", "birthday", "birth") && dateOnly.MatchString(s)
	if !is && strings.Contains(s, "born") {
		m := bornForm.FindStringSubmatch(s)
		is = m != nil && !cohort.MatchString(m[1]) && !since.MatchString(m[2])
	}
	if !is && (strings.Contains(s, "irth") || strings.Contains(s, "B") && strings.ContainsAny(s, "Oo.")) {
		is = birthForm.MatchString(s)
	}
	if is {
		l.report(codes.PersonalText, "the text contains a person's date of birth", "remove it: records must not be about individual people")
	}
}

// numbers are patterns of personal numbers, with the words before them.
var numbers = []struct {
	hint, name string
	form       *regexp.Regexp
}{
	{"NHS", "an NHS number", regexp.MustCompile(`\bNHS(?: number| no\.?)?[:# ]{1,2}[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}\b`)},
	{"SSN", "a social security number", regexp.MustCompile(`\bSSN[:# ]{0,2}[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}\b`)},
	{"ocial", "a social security number", regexp.MustCompile(`[Ss]ocial [Ss]ecurity (?:[Nn]umber|[Nn]o\.?)[:# ]{1,2}[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}\b`)},
	{"MRN", "a patient number", regexp.MustCompile(`\bMRN[:# ]{0,2}[0-9]{5,}\b`)},
	{"ospital", "a patient number", regexp.MustCompile(`[Hh]ospital (?:[Nn]umber|[Nn]o\.?)[:# ]{1,2}[A-Z]?[0-9]{5,}\b`)},
	{"atient", "a patient number", regexp.MustCompile(`[Pp]atient (?:[Nn]umber|[Nn]o\.?|ID)[:# ]{1,2}[A-Z]?[0-9]{5,}\b`)},
}

func reportPersonalNumber(s string, l *Looker) {
	for _, n := range numbers {
		if strings.Contains(s, n.hint) && n.form.MatchString(s) {
			l.report(codes.PersonalText, "the text contains "+n.name, "remove it: records must not be about individual people")
			return
		}
	}
}

// isPersonDimension reports whether a dimension called name distinguishes individual people.
func isPersonDimension(name string) bool {
	switch name {
	case "patient", "patient_name", "patient_id", "person", "person_id", "person_name", "first_name", "last_name", "surname",
		"full_name", "dob", "date_of_birth", "birth_date", "birthdate", "birthday", "nhs_number", "ssn", "mrn", "hospital_number":
		return true
	}
	return false
}

var passwordForm = regexp.MustCompile(`(?i)\b(?:password|passwd|passwort|pwd|mot de passe) ?[:=] ?(\S{4,})`)

// reportPassword reports a password after a word such as password.
func reportPassword(s string, l *Looker) {
	if !strings.Contains(s, "ass") && !strings.Contains(s, "ASS") && !strings.Contains(s, "wd") && !strings.Contains(s, "WD") {
		return
	}
	if m := passwordForm.FindStringSubmatch(s); m != nil && hasLettersAndDigits(m[1]) {
		l.report(codes.SecretText, "the text contains a password", "remove it, and change it: it may already be known to others")
	}
}

// endsInBucketScheme reports whether s ends in the scheme of a bucket, which is not followed by a
// host.
func endsInBucketScheme(s string) bool {
	for _, scheme := range []string{"s3", "gs", "azblob"} {
		if rest, ok := strings.CutSuffix(s, scheme); ok {
			return rest == "" || !ofSecrets[rest[len(rest)-1]] && rest[len(rest)-1] != '.'
		}
	}
	return false
}

// reportURLs reports URLs that only the publisher can open, and URLs that contain a key.
func reportURLs(s string, l *Looker) {
	for rest := s; ; {
		before, after, ok := strings.Cut(rest, "://")
		if !ok {
			return
		}
		rest = after
		end := strings.IndexFunc(after, func(r rune) bool {
			return r <= ' ' || r == '"' || r == '<' || r == '>' || r == '\'' || r == '`'
		})
		if end >= 0 {
			after = after[:end]
		}
		if endsInBucketScheme(before) { // readers open neither it nor the endpoint in its parameters
			rest = rest[len(after):]
			continue
		}
		if message := reasonAgainstURL(after); message != "" {
			l.report(codes.PrivateAddress, message, "write a URL that readers can open")
			return
		}
	}
}

// reasonAgainstURL returns why readers should not have address, a URL without its scheme, or "".
func reasonAgainstURL(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, query, _ := strings.Cut(address, "?")
	host, _, _ := strings.Cut(address, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		if _, password, ok := strings.Cut(host[:i], ":"); ok && password != "" && !strings.ContainsAny(password, "{}$<>") {
			return "the URL contains a password"
		}
		host = host[i+1:]
	}
	if IsPrivateHost(host) {
		return "the host " + schema.Shorten(host) + " cannot be reached by readers"
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		switch strings.ToLower(name) {
		case "token", "key", "apikey", "api_key", "api-key", "access_token", "auth", "secret", "password", "passwd", "sig", "signature",
			"x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature":
			if len(value) >= 6 {
				return fmt.Sprintf("the query of the URL contains a %s, which may give readers access to more than intended", strings.ToLower(name))
			}
		}
	}
	return ""
}

// IsPrivateHost reports whether a host, with or without a port, belongs to a private network or the
// local machine.
func IsPrivateHost(host string) bool {
	if !strings.HasPrefix(host, "[") {
		host, _, _ = strings.Cut(host, ":")
	} else if end := strings.IndexByte(host, ']'); end > 0 {
		host = host[1:end]
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" || strings.ContainsAny(host, "{}$") { // a form to be filled in
		return false
	}
	if host[0] >= '0' && host[0] <= '9' || strings.Contains(host, ":") {
		if ip, err := netip.ParseAddr(host); err == nil {
			return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == host {
		return true
	}
	switch last {
	case "local", "localhost", "internal", "lan", "intranet", "corp", "home", "localdomain":
		return true
	}
	return false
}
