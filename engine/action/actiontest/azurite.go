//go:build unix

package actiontest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Azurite is the storage emulator with one account.
type Azurite struct {
	Address, Account string
	key              []byte
}

// Later is when the signatures end that are to be valid.
const Later = "2099-01-01T00:00:00Z"

// StartAzurite starts one with its queues in memory.
func StartAzurite(t *testing.T) *Azurite {
	t.Helper()
	path := Program(t, Azure)
	a := &Azurite{Account: "acct1", key: []byte("a key of 32 bytes, no more, none")}
	address, port := FreeAddress(t)
	a.Address = address
	cmd := exec.Command(path, "--queueHost", "127.0.0.1", "--queuePort", port, "--inMemoryPersistence", "--silent", "--disableTelemetry", "--skipApiVersionCheck")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "AZURITE_ACCOUNTS="+a.Account+":"+base64.StdEncoding.EncodeToString(a.key))
	Launch(t, a.Address, cmd)
	return a
}

func (a *Azurite) sign(lines ...string) string {
	sum := hmac.New(sha256.New, a.key)
	sum.Write([]byte(strings.Join(lines, "\n")))
	return url.QueryEscape(base64.StdEncoding.EncodeToString(sum.Sum(nil)))
}

// SAS is a signature that allows some things on one queue until a time, such as "a" to add (`azure-scheduler.md` §8).
func (a *Azurite) SAS(queue, allowed, until string) string {
	sig := a.sign(allowed, "", until, "/queue/"+a.Account+"/"+queue, "", "", "", "2018-11-09")
	return "sv=2018-11-09&se=" + url.QueryEscape(until) + "&sp=" + allowed + "&sig=" + sig
}

// Create makes a queue, by a signature for the account.
func (a *Azurite) Create(t *testing.T, queue string) {
	t.Helper()
	sig := a.sign(a.Account, "rwdlacup", "q", "sco", "", Later, "", "", "2018-11-09", "")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, fmt.Sprintf("http://%s/%s/%s?sv=2018-11-09&ss=q&srt=sco&sp=rwdlacup&se=%s&sig=%s",
		a.Address, a.Account, queue, url.QueryEscape(Later), sig), nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	require.Equal(t, http.StatusCreated, answer.StatusCode, "%s", text)
}

// Take removes the one message of a queue and returns it decoded.
func (a *Azurite) Take(t *testing.T, queue string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://%s/%s/%s/messages?numofmessages=32&%s",
		a.Address, a.Account, queue, a.SAS(queue, "p", Later)), nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	var list struct {
		Messages []struct{ MessageText string } `xml:"QueueMessage"`
	}
	require.NoError(t, xml.NewDecoder(answer.Body).Decode(&list))
	require.Len(t, list.Messages, 1)
	text, err := base64.StdEncoding.DecodeString(list.Messages[0].MessageText)
	require.NoError(t, err)
	return string(text)
}
