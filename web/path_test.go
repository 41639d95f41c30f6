package web_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPathsHaveOneReading sends each line of testdata/paths.txt over a connection, as a viewer and as nobody: what is refused is refused to both
// in the same way.
func TestPathsHaveOneReading(t *testing.T) {
	f := newFixture(t)
	server := httptest.NewServer(f.handler)
	defer server.Close()
	send := func(target, secret string) int {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		defer conn.Close()
		authorization := ""
		if secret != "" {
			authorization = "Authorization: Bearer " + secret + "\r\n"
		}
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n%sConnection: close\r\n\r\n", target, authorization)
		require.NoError(t, err)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		defer response.Body.Close()
		return response.StatusCode
	}
	table, err := os.ReadFile("testdata/paths.txt")
	require.NoError(t, err)
	n := 0
	for line := range bytes.Lines(table) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		require.Len(t, fields, 3, "%s", line)
		n++
		require.Equal(t, fields[0], fmt.Sprint(send(fields[2], "")), "%s without a token", fields[2])
		require.Equal(t, fields[1], fmt.Sprint(send(fields[2], f.tokens["viewer"])), "%s as a viewer", fields[2])
	}
	require.Greater(t, n, 30)
}

func TestNamesAreMatchedDecodedAndOnce(t *testing.T) {
	f := newFixture(t)
	// A percent sign in a name is a name, not the beginning of another encoding.
	p := refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/%2541", ""), 404, "not-found")
	require.Contains(t, p.Detail, "retail/%41")
	p = refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/T%c3%a4glich/l%C3%A4den", ""), 404, "not-found")
	require.Contains(t, p.Detail, "Täglich/läden")
	require.Equal(t, 200, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/%6frders", "").Code)
}
