package serve

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestUnsent: of answers that nobody reads, the system has much where there are few clients, and
// little in a crowd.
func TestUnsent(t *testing.T) {
	_, address := onLoopback(t, openSpecimen(t, Options{}), Options{})
	if few := untilFull(t, address); few <= 2*unsentInCrowd {
		t.Fatalf("the system took %d bytes of a single client's answers: this test shows nothing", few)
	}
	for range crowd {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	if many := untilFull(t, address); many > 2*unsentInCrowd {
		t.Errorf("the system took %d bytes of answers that nobody reads, want about %d", many, unsentInCrowd)
	}
}

// untilFull asks for much, reads nothing, and gives back how many bytes the system then keeps.
func untilFull(t *testing.T, address string) (kept int64) {
	t.Helper()
	small := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) {
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		})
	}}
	conn, err := small.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	for range 400 {
		fmt.Fprintf(conn, "GET /api/v1/signals.json HTTP/1.1\r\nHost: a\r\n\r\n")
	}
	for before := int64(-1); before != kept || kept == 0; time.Sleep(50 * time.Millisecond) {
		before, kept = kept, sendQueue(t, address, conn.LocalAddr().String())
	}
	return kept
}

// sendQueue is how many bytes of a connection the system has that did not arrive at its other end.
func sendQueue(t *testing.T, from, to string) int64 {
	t.Helper()
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	ports := [2]string{}
	for i, address := range []string{from, to} {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(port)
		if err != nil {
			t.Fatal(err)
		}
		ports[i] = fmt.Sprintf(":%04X", n)
	}
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) > 4 && strings.HasSuffix(f[1], ports[0]) && strings.HasSuffix(f[2], ports[1]) {
			sending, _, _ := strings.Cut(f[4], ":")
			n, err := strconv.ParseInt(sending, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	return 0 // it has not been accepted yet
}
