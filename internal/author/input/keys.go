package input

import (
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"stele/internal/author/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// checkKeys makes sure that the keys are public keys of a log.
func checkKeys(s *settings.Settings, t *schema.Tree) (problems []schema.Problem) {
	places := elements(t, "signing_keys")
	for i, key := range s.SigningKeys {
		wrong := func(message, fix string) {
			problems = append(problems, fault(codes.WrongValue, SettingsFile, t.Nodes[places[i]].At, message, fix))
		}
		if strings.HasPrefix(key, "PRIVATE+KEY+") {
			wrong("signing_keys has a private key, which must stay secret",
				"write the public key, which stele key show prints, and make a new pair: this one may have been seen")
		} else if _, err := note.NewVerifier(key); err != nil {
			wrong(fmt.Sprintf("signing_keys: %.60q is not a public key", key),
				"write the line that stele key show prints, such as data.example.org+4b3c2d1e+AX…")
		}
	}
	return problems
}
