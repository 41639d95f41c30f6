package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// deliver STATUS DIR WORKFLOW/JOB SECRET ID BODY sends a signed delivery to the webhook of a job, which must be answered with that status.
func deliverCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 6 {
		ts.Fatalf("usage: deliver STATUS DIR WORKFLOW/JOB SECRET ID BODY")
	}
	f, ok := readServerFile(ts.MkAbs(args[1]))
	if !ok {
		ts.Fatalf("no server in %s", args[1])
	}
	id, body, stamp := args[4], args[5], strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(args[3]))
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	r, err := http.NewRequest(http.MethodPost, f.Address+"/hooks/"+args[2], strings.NewReader(body))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Almanac-Delivery", id)
	r.Header.Set("X-Almanac-Timestamp", stamp)
	r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	w, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	ts.Check(err)
	ts.Logf("%d %s", w.StatusCode, text)
	if strconv.Itoa(w.StatusCode) != args[0] {
		ts.Fatalf("status %d, not %s", w.StatusCode, args[0])
	}
}
