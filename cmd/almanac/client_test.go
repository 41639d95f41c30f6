package main

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A handler in this process is treated as one behind a network: who does not read an answer to its
// end fails nothing, and an answer that the handler gives up is cut off.
func TestAHandlerInThisProcess(t *testing.T) {
	answer := func(handler http.HandlerFunc) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/x", nil)
		require.NoError(t, err)
		response, err := handlerTransport{handler}.RoundTrip(request)
		require.NoError(t, err)
		return response
	}

	written := error(nil)
	unread := answer(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		<-r.Context().Done() // nobody listens any more
		_, written = w.Write(bytes.Repeat([]byte("x"), 1<<20))
	})
	require.NoError(t, unread.Body.Close())
	require.NoError(t, written)

	cut := answer(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		panic(http.ErrAbortHandler)
	})
	text, err := io.ReadAll(cut.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "half", string(text))
	require.NoError(t, cut.Body.Close())

	given := answer(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	require.Equal(t, http.StatusInternalServerError, given.StatusCode)
	require.NoError(t, given.Body.Close())
}
