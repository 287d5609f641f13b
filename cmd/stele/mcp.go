package main

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"stele/client"
	"stele/internal/deliver/agent"
)

func mcpCommand() *cobra.Command {
	var trust trustFlags
	c := &cobra.Command{
		Use:   "mcp release",
		Short: "Let an agent read a release: a server of the Model Context Protocol",
		Long: `Mcp lets an agent, such as a chat program with a language model, read a release over the Model
Context Protocol, on standard input and output. The release is a folder, a zip or an address.

The tools are search, record, trace, series and changes. What is known against a record comes first;
what was retracted is refused unless it is asked for. See docs/agents.md.`,
		Example: `  stele mcp https://data.example.org
  stele mcp release.zip --key data.example.org.pub`,
		Args: arguments(1, 1),
		RunE: interruptible(func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			opt, err := clientOptions(false)
			if err != nil {
				return err
			}
			if trust.given() {
				opt.Key, err = fileOrLine(trust.key)
				if err == nil {
					opt.Seen, err = trust.seenDir()
				}
				if err != nil {
					return err
				}
			}
			source, err := client.Open(ctx, args[0], opt)
			if err != nil {
				return err
			}
			defer source.Close()
			err = agent.New(source).Run(ctx, agent.Transport(os.Stdin, c.OutOrStdout()))
			if errors.Is(err, io.EOF) || ctx.Err() != nil { // the agent, or whoever started it, has had enough
				return nil
			}
			return err
		}),
	}
	trust.addKey(c.Flags())
	return c
}
