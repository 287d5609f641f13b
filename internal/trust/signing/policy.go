package signing

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Policy lists the trusted keys of a log, and the witnesses that must have cosigned it. Its text
// format is c2sp.org/tlog-policy; a single public key is a policy too.
type Policy struct {
	keys      []note.Verifier
	keyTexts  []string
	witnesses []Witness
	groups    map[string]group
	quorum    string
}

// Witness is a witness in a policy.
type Witness struct {
	Name string // in the policy
	URL  string // to which checkpoints are sent, or ""
	key  *witnessKey
}

// group requires a quorum of its members.
type group struct {
	quorum  int
	members []string
}

// maxPolicy limits the number of logs, witnesses and groups in a policy.
const maxPolicy = 256

// ParsePolicy parses a policy, or a public key in one line.
func ParsePolicy(text string) (*Policy, error) {
	if len(text) > maxNote {
		return nil, errors.New("the policy is too long")
	}
	p := &Policy{groups: map[string]group{}}
	trimmed := strings.TrimSpace(text)
	if !strings.ContainsAny(trimmed, " \n\t") {
		p.quorum = none
		return p, p.addLog(trimmed)
	}
	for n, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if n > maxPolicy*4 {
			return nil, errors.New("the policy has too many lines")
		}
		if err := p.parseLine(fields); err != nil {
			return nil, fmt.Errorf("line %d of the policy: %w", n+1, err)
		}
	}
	if p.quorum == "" {
		return nil, errors.New(`the policy has no quorum: add "quorum none", or the name of a witness or group`)
	}
	if len(p.keys) == 0 {
		return nil, errors.New("the policy has no log: add \"log\" and its public key")
	}
	return p, nil
}

func (p *Policy) parseLine(fields []string) error {
	word, args := fields[0], fields[1:]
	switch {
	case word == "log" && (len(args) == 1 || len(args) == 2):
		return p.addLog(args[0])
	case word == "witness" && (len(args) == 2 || len(args) == 3):
		return p.addWitness(args)
	case word == "group" && len(args) >= 3:
		return p.addGroup(args)
	case word == "quorum" && len(args) == 1:
		if p.quorum != "" {
			return errors.New("duplicate quorum")
		}
		if args[0] != none && !p.hasName(args[0]) {
			return fmt.Errorf("unknown witness or group %q: define it before this line", args[0])
		}
		p.quorum = args[0]
		return nil
	}
	return fmt.Errorf("malformed line %q: want log, witness, group or quorum", strings.Join(fields, " "))
}

func (p *Policy) addLog(text string) error {
	v, err := parseKey(text)
	if err != nil {
		return err
	}
	if slices.Contains(p.keyTexts, text) {
		return errors.New("duplicate key")
	}
	if len(p.keys) > 0 && p.keys[0].Name() != v.Name() {
		return fmt.Errorf("the policy has keys of two logs, %q and %q: keep the keys of one log", p.keys[0].Name(), v.Name())
	}
	p.keys, p.keyTexts = append(p.keys, v), append(p.keyTexts, text)
	return nil
}

func (p *Policy) addWitness(args []string) error {
	w := Witness{Name: args[0]}
	var err error
	if w.key, err = parseWitnessKey(args[1]); err != nil {
		return err
	}
	if len(args) == 3 {
		w.URL = args[2]
	}
	same := func(o Witness) bool { return o.key.key.Equal(w.key.key) }
	if slices.ContainsFunc(p.witnesses, same) {
		return errors.New("duplicate witness")
	}
	if p.hasName(w.Name) || w.Name == none {
		return fmt.Errorf("duplicate name %q", w.Name)
	}
	p.witnesses = append(p.witnesses, w)
	return nil
}

func (p *Policy) addGroup(args []string) error {
	name, members := args[0], args[2:]
	if p.hasName(name) || name == none {
		return fmt.Errorf("duplicate name %q", name)
	}
	for i, m := range members {
		if !p.hasName(m) {
			return fmt.Errorf("unknown witness or group %q: define it before this line", m)
		}
		if slices.Contains(members[:i], m) || p.inGroup(m) {
			return fmt.Errorf("%q is already in a group", m)
		}
	}
	g := group{len(members), members}
	switch args[1] {
	case "all":
	case "any":
		g.quorum = 1
	default:
		k, err := strconv.Atoi(args[1])
		if err != nil || k < 1 || k > len(members) {
			return fmt.Errorf("invalid threshold %q: want all, any or a number from 1 to %d", args[1], len(members))
		}
		g.quorum = k
	}
	p.groups[name] = g
	return nil
}

// hasName reports whether a witness or group has this name.
func (p *Policy) hasName(name string) bool {
	_, ok := p.groups[name]
	return ok || slices.ContainsFunc(p.witnesses, func(w Witness) bool { return w.Name == name })
}

func (p *Policy) inGroup(name string) bool {
	for _, g := range p.groups {
		if slices.Contains(g.members, name) {
			return true
		}
	}
	return false
}

// Origin returns the name of the log.
func (p *Policy) Origin() string { return p.keys[0].Name() }

// hasQuorum reports whether the witnesses in have reach the quorum.
func (p *Policy) hasQuorum(have []string) bool {
	var ok func(name string) bool
	ok = func(name string) bool {
		g, is := p.groups[name]
		if !is {
			return slices.Contains(have, name)
		}
		n := 0
		for _, m := range g.members {
			if ok(m) {
				n++
			}
		}
		return n >= g.quorum
	}
	return p.quorum == none || ok(p.quorum)
}

// cosigners returns the names of the policy's witnesses that cosigned a checkpoint.
func (p *Policy) cosigners(s *signedCheckpoint) []string {
	var names []string
	for _, w := range p.witnesses {
		if s.isSignedBy(w.key) {
			names = append(names, w.Name)
		}
	}
	return names
}
