package action

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/almanac-sched/almanac/engine"
)

// The headers of a webhook that is signed. The signature is the HMAC-SHA256, in hexadecimal, of the timestamp, a full stop and the body.
const (
	headerTimestamp = "X-Almanac-Timestamp"
	headerSignature = "X-Almanac-Signature"
)

// textLimit is how many bytes of text a message to a chat has: the smallest limit of the services is 4,096.
const textLimit = 3500

type object = map[string]any

// formed is the body of a message in the words of a service.
func formed(kind string, m engine.AlertMessage) any {
	text := cut(m.Text, textLimit)
	switch kind {
	case engine.SinkSlack:
		plainText := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
		return object{"text": plainText.Replace(m.Title), "blocks": []any{
			object{"type": "section", "text": object{"type": "mrkdwn", "text": "*" + plainText.Replace(cut(m.Title, 500)) + "*\n" + plainText.Replace(cut(text, 2000))}},
		}}
	case engine.SinkFeishu:
		return object{"msg_type": "text", "content": object{"text": m.Title + "\n" + text}}
	case engine.SinkDingTalk:
		return object{"msgtype": "markdown", "markdown": object{"title": m.Title, "text": "#### " + m.Title + "\n\n" + strings.ReplaceAll(text, "\n", "\n\n")}}
	case engine.SinkWeCom:
		return object{"msgtype": "markdown", "markdown": object{"content": "**" + cut(m.Title, 300) + "**\n" + text}}
	}
	return m
}

// cut shortens a text to so many bytes, between characters.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + " …"
}

// sign puts the signature of a message where the receiver looks for it. Without a key nothing is signed.
func sign(kind, key string, now time.Time, request *http.Request, body []byte) ([]byte, error) {
	if key == "" {
		return body, nil
	}
	switch kind {
	case engine.SinkWebhook:
		at := strconv.FormatInt(now.Unix(), 10)
		request.Header.Set(headerTimestamp, at)
		request.Header.Set(headerSignature, "sha256="+hex.EncodeToString(mac(key, at+"."+string(body))))
	case engine.SinkDingTalk:
		at := strconv.FormatInt(now.UnixMilli(), 10)
		query := request.URL.Query()
		query.Set("timestamp", at)
		query.Set("sign", base64.StdEncoding.EncodeToString(mac(key, at+"\n"+key)))
		request.URL.RawQuery = query.Encode()
	case engine.SinkFeishu:
		// The key signs nothing: it is part of the key of an empty text.
		at := strconv.FormatInt(now.Unix(), 10)
		var members map[string]json.RawMessage
		if err := json.Unmarshal(body, &members); err != nil {
			return nil, fmt.Errorf("a message to feishu that is signed must be a JSON object: %w", err)
		}
		members["timestamp"] = json.RawMessage(strconv.Quote(at))
		members["sign"] = json.RawMessage(strconv.Quote(base64.StdEncoding.EncodeToString(mac(at+"\n"+key, ""))))
		return json.Marshal(members)
	}
	return body, nil
}

func mac(key, text string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	_, _ = h.Write([]byte(text))
	return h.Sum(nil)
}
