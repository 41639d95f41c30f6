package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

type logInput struct {
	ID     int64 `path:"id" minimum:"1" doc:"The attempt's id"`
	Offset int64 `query:"offset" minimum:"0" doc:"First byte"`
	Limit  int64 `query:"limit" minimum:"1" maximum:"16777216" default:"1048576" doc:"Bytes at most"`
}

// readLog answers with a part of a log. A log is bytes that anybody may have written: it is served as plain text that a browser is told to
// save and not to look into, under a name made of nothing but the attempt's id.
func (s *server) readLog(ctx context.Context, in *logInput) (*huma.StreamResponse, error) {
	// The row is read first: what has ended by then does not grow any more, so that a size read later is the last one.
	attempt, err := s.attempt(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	log, size, err := s.cfg.Logs.Open(in.ID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		log, size = nil, 0 // it wrote nothing yet, or never will
	case err != nil:
		return nil, err
	}
	n := max(0, min(in.Limit, size-in.Offset))
	if n > 0 {
		if _, err := log.Seek(in.Offset, io.SeekStart); err != nil {
			log.Close()
			return nil, fmt.Errorf("seek in the log of attempt %d: %w", in.ID, err)
		}
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		if log != nil {
			defer log.Close()
		}
		hc.SetHeader("Content-Type", "text/plain; charset=utf-8")
		hc.SetHeader("Content-Disposition", `attachment; filename="attempt-`+strconv.FormatInt(in.ID, 10)+`.log"`)
		hc.SetHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox")
		hc.SetHeader("X-Log-Size", strconv.FormatInt(size, 10))
		hc.SetHeader("X-Log-Complete", strconv.FormatBool(attempt.Result != nil && in.Offset+n >= size))
		hc.SetStatus(200)
		if n > 0 && hc.Method() != "HEAD" {
			if _, err := io.CopyN(hc.BodyWriter(), log, n); err != nil {
				s.log.Debug("a log was not read to its end", "request", exchangeOf(ctx).id, "error", err)
			}
		}
	}}, nil
}

// logResponse describes the answer, which the OpenAPI library cannot see.
func logResponse() *huma.Response {
	return &huma.Response{
		Description: "The bytes of the log from offset on",
		Headers: map[string]*huma.Param{
			"X-Log-Size":     {Description: "How long the log is now, in bytes", Schema: &huma.Schema{Type: huma.TypeInteger}},
			"X-Log-Complete": {Description: "Whether the attempt has ended and this part reaches the end of its log", Schema: &huma.Schema{Type: huma.TypeBoolean}},
		},
		Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}, Example: "42 orders loaded\n"}},
	}
}
