package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/trust/signing"
)

func witnessCommand() *cobra.Command {
	var listen, key, dir string
	var logs []string
	c := &cobra.Command{
		Use:   "witness",
		Short: "Cosign the logs of publishers, so that none of them can show two histories",
		Long: `Witness is a small server that publishers ask to cosign their logs. It remembers the newest state of each log it knows, and signs only what
continues that. So a publisher, or somebody who stole a key, cannot show one history to some and another to others unnoticed.
It speaks the protocol of c2sp.org/tlog-witness. Run it on a machine that the publisher does not control, behind a proxy with TLS.`,
		Example: "  stele key new witness.example.net\n  stele witness --key witness.example.net.key --log data.example.org.key.pub --memory seen --listen 127.0.0.1:8090",
		Args:    arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if key == "" || dir == "" || len(logs) == 0 {
				return errors.New("say which key signs (--key), which logs are known (--log), and where to remember them (--memory)")
			}
			private, err := readPrivateKey(key)
			if err != nil {
				return err
			}
			for i := range logs {
				if logs[i], err = fileOrLine(logs[i]); err != nil {
					return err
				}
			}
			w, err := signing.NewWitnessServer(private, dir, logs, time.Now)
			if err != nil {
				return err
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "Stele is a witness for %d logs at http://%s\n  in policies: witness NAME %s http://%s\n", len(logs), l.Addr(), w.PublicKey(), l.Addr())
			ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return serveWitness(ctx, l, w)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8090", "address to listen at")
	c.Flags().StringVar(&key, "key", "", "file of the witness's private key")
	c.Flags().StringArrayVar(&logs, "log", nil, "public key of a log that is known: a file, or the line itself; can be given several times")
	c.Flags().StringVar(&dir, "memory", "", "folder in which to remember the newest state of each log")
	return c
}

// serveWitness answers until the context ends.
func serveWitness(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 20 * time.Second, WriteTimeout: 20 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	done := make(chan error, 1)
	go func() {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		done <- server.Shutdown(end)
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-done
}
