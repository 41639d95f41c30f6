package main

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// receiver TEMPLATE FILE KEY is a program of the scripts: a webhook and a mail server on free ports, until it is killed. It writes FILE from TEMPLATE
// with WEBHOOK and PORT replaced, and then a file received/SINK-CLASS for each message that it gets: of a webhook only when the signature under KEY is
// right, and of a mail its text.
func receiver() {
	template, file, key := os.Args[1], os.Args[2], os.Args[3]
	must(os.MkdirAll("received", 0o755))
	hooks, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	mails, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	text, err := os.ReadFile(template)
	must(err)
	_, port, err := net.SplitHostPort(mails.Addr().String())
	must(err)
	done := strings.NewReplacer("WEBHOOK", "http://"+hooks.Addr().String(), "PORT", port).Replace(string(text))
	must(os.WriteFile(file+".new", []byte(done), 0o644))
	must(os.Rename(file+".new", file))
	go func() {
		for {
			conn, err := mails.Accept()
			must(err)
			go takeMail(conn)
		}
	}()
	must(http.Serve(hooks, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		must(err)
		sum := hmac.New(sha256.New, []byte(key))
		fmt.Fprintf(sum, "%s.%s", r.Header.Get("X-Almanac-Timestamp"), body)
		if r.Header.Get("X-Almanac-Signature") != "sha256="+hex.EncodeToString(sum.Sum(nil)) {
			http.Error(w, "the signature is wrong", http.StatusForbidden)
			return
		}
		var m struct{ Class string }
		must(json.Unmarshal(body, &m))
		keep(strings.Trim(r.URL.Path, "/")+"-"+m.Class, string(body))
	})))
}

func keep(name, text string) {
	at := filepath.Join("received", name)
	must(os.WriteFile(at+".new", []byte(text), 0o644))
	must(os.Rename(at+".new", at))
}

// takeMail speaks as much of SMTP as one mail needs.
func takeMail(conn net.Conn) {
	defer conn.Close()
	say := func(line string) { fmt.Fprintf(conn, "%s\r\n", line) }
	lines := bufio.NewScanner(conn)
	say("220 test")
	for lines.Scan() {
		switch word, _, _ := strings.Cut(strings.ToUpper(lines.Text()), " "); word {
		case "EHLO":
			say("250 test")
		case "DATA":
			say("354 go on")
			var text strings.Builder
			for lines.Scan() && lines.Text() != "." {
				text.WriteString(lines.Text() + "\n")
			}
			keep("mail", text.String())
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
