package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// checkBody refuses a body that the route does not take, that is too long, or that is not said to be JSON. What answers unknown paths looks at
// none.
func checkBody(rt *route, r *http.Request) *Problem {
	if rt.register == nil && rt.face == nil && rt.serve == nil || r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if r.ContentLength > rt.BodyLimit || rt.BodyLimit == 0 {
		if rt.BodyLimit == 0 {
			return refusal(codeTooLarge, "this operation takes no body")
		}
		return refusal(codeTooLarge, fmt.Sprintf("the body is longer than %d bytes", rt.BodyLimit))
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" || params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8") {
		return refusal(codeMediaType, "the body is not said to be JSON")
	}
	return nil
}

// decodeStrict reads one JSON document: no deeper than maxDepth and without a member that is there twice, which two readers could
// understand in two ways. Unknown members are found by validation, with their places.
func decodeStrict(data []byte, v any) error {
	if err := checkJSON(data); err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

func checkJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var open []map[string]bool // the members seen of each object that is open; nil for a list
	key := false               // whether the next token is the name of a member
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the body is no JSON: %w", err)
		}
		if delimiter, ok := token.(json.Delim); ok {
			switch delimiter {
			case '{':
				open = append(open, map[string]bool{})
			case '[':
				open = append(open, nil)
			default:
				open = open[:len(open)-1]
			}
			if len(open) > maxDepth {
				return fmt.Errorf("the body is deeper than %d levels", maxDepth)
			}
		} else if key {
			members, name := open[len(open)-1], token.(string)
			if members[name] {
				return fmt.Errorf("the member %q is there twice", name)
			}
			members[name] = true
			key = false
			continue
		}
		key = len(open) > 0 && open[len(open)-1] != nil
	}
}
