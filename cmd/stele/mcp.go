package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"stele/client"
	"stele/internal/deliver/agent"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/internal/deliver/serve"
	"stele/internal/trust/signing"
)

func mcpCommand() *cobra.Command {
	var trust trustFlags
	var listen, address string
	c := &cobra.Command{
		Use:   "mcp release",
		Short: "Run a Model Context Protocol (MCP) server that lets agents read a release",
		Long: `Mcp lets an agent, such as a chat program with a language model, read a release through the Model
Context Protocol, on standard input and output, or over HTTP with --listen. The release is a folder,
a zip, a bucket or a URL.

The tools are search, record, trace, series and changes. Answers begin with any problem of a record;
retracted records are refused unless they are asked for. See docs/agents.md.`,
		Example: `  stele mcp https://data.example.org
  stele mcp release.zip --key data.example.org.pub
  stele mcp public --listen 127.0.0.1:8090`,
		Args: countArguments(1, 1),
		RunE: withInterrupt(func(c *cobra.Command, args []string) error {
			opt, err := clientOptions(false)
			if err != nil {
				return err
			}
			if trust.hasKey() {
				opt.Key, err = signing.ReadKeyOrPolicy(trust.key)
				if err == nil {
					opt.Seen, err = trust.seenDir()
				}
				if err != nil {
					return err
				}
			}
			return serveAgents(c, args[0], opt, listen, address)
		}),
	}
	trust.addKeyFlags(c.Flags())
	c.Flags().StringVar(&listen, "listen", "", "host:port for agents over HTTP; use a proxy for HTTPS (docs/agents.md)")
	c.Flags().StringVar(&address, "address", "", "public URL of the proxy for --listen, such as https://agents.example.org")
	return c
}

// serveAgents answers agents from the release at where, and from later releases there.
func serveAgents(c *cobra.Command, where string, opt client.Options, listen, address string) error {
	public, err := url.Parse(address)
	if address == "" {
		public = nil
	} else if err != nil || public.Host == "" || public.RawQuery != "" {
		return fmt.Errorf("--address %q is not a valid URL: write a URL such as https://agents.example.org", address)
	}
	if bucket.IsAddress(where) {
		t, err := bucket.OpenTransport(c.Context(), where, opt.Bytes, bucket.Options{})
		if err != nil {
			return err
		}
		defer t.Close() // only read
		where, opt.Transport = t.Name(), t
	}
	ctx, stop := context.WithCancel(c.Context())
	source, err := client.Open(ctx, where, opt)
	if err != nil {
		stop()
		return err
	}
	server := agent.New(source)
	if listen != "" {
		if err := server.Load(ctx); err != nil {
			stop()
			return errors.Join(err, source.Close())
		}
	}
	every := time.Second
	if opt.Transport != nil || fetch.IsURL(where) {
		every = 5 * time.Second
	}
	followed := make(chan error, 1)
	go func() { followed <- server.Follow(ctx, every, listen != "") }()
	if listen != "" {
		err = serveAgentsHTTP(ctx, c, server.Handler(public), listen)
	} else {
		err = server.MCP.Run(ctx, agent.Transport(os.Stdin, c.OutOrStdout()))
		if errors.Is(err, io.EOF) || ctx.Err() != nil { // the agent or the user ended it
			err = nil
		}
	}
	stop()
	return errors.Join(err, <-followed)
}

// serveAgentsHTTP answers agents over HTTP until ctx ends.
func serveAgentsHTTP(ctx context.Context, c *cobra.Command, handler http.Handler, address string) error {
	l, err := serve.Listen(address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	fmt.Fprintf(c.OutOrStdout(), "Serving agents at %s/\n  Agents cannot write. Press Ctrl-C to stop\n", serve.URL(l, false))
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	return serve.Shutdown(server)
}
