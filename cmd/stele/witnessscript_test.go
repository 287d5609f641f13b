package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"stele/internal/testkit/witnesstest"
)

// witnessCommand is a command for scripts about witnesses.
//
//	witness start NAME...   starts witnesses for the log of signer.key.pub, and writes policy.txt,
//	                        which asks for all of them
//	witness open NAME       lets requests through again
//	witness shut NAME       lets none through
//	witness mute NAME       loses the answers, after the witness has cosigned
//	witness stuck NAME      the same, and keeps whoever asks waiting
//	witness asked NAME      waits until an answer was lost
func witnessCommand(program string) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		running := ts.Value(witnessKey{}).(map[string]*witnesstest.Witness)
		if args[0] == "start" {
			log, policy := strings.TrimSpace(ts.ReadFile("signer.key.pub")), ""
			for _, name := range args[1:] {
				w, end, err := witnesstest.Start(program, ts.MkAbs("."), name+".example", log)
				ts.Check(err)
				ts.Defer(end)
				running[name] = w
				policy += fmt.Sprintf("witness %s %s %s\n", name, w.Key, w.URL)
			}
			policy = fmt.Sprintf("log %s\n%sgroup all all %s\nquorum all\n", log, policy, strings.Join(args[1:], " "))
			ts.Check(os.WriteFile(ts.MkAbs("policy.txt"), []byte(policy), 0o644))
			return
		}
		w := running[args[1]]
		doors := map[string]witnesstest.Door{
			"open": witnesstest.Open, "shut": witnesstest.Shut, "mute": witnesstest.Mute, "stuck": witnesstest.Stuck,
		}
		if door, ok := doors[args[0]]; ok {
			w.Lost.Store(0)
			w.Set(door)
			return
		}
		for w.Lost.Load() == 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// witnessKey is where a script keeps its witnesses.
type witnessKey struct{}
