package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// TokenControl makes, lists and revokes tokens. The errors are as those of Control.
type TokenControl interface {
	CreateToken(ctx context.Context, k engine.TokenRow, actor, note string, now time.Time) (engine.TokenRow, error)
	RevokeToken(ctx context.Context, id int64, actor, note string, now time.Time) (engine.TokenRow, error)
	Tokens(ctx context.Context, after int64, limit int) ([]engine.TokenRow, error)
}

// Whoami is who makes the request.
type Whoami struct {
	Name        string    `json:"name" doc:"What the history names as the actor" example:"ann"`
	Role        Role      `json:"role" enum:"viewer,operator,editor,admin"`
	Permissions []string  `json:"permissions" doc:"What the role permits: an operation whose x-permission is among them" example:"viewer,operator"`
	Token       ID        `json:"token,omitempty" doc:"Id of the token; absent when none was needed, or it is of this start of the server only"`
	ExpiresAt   time.Time `json:"expiresAt,omitzero" doc:"When the token is refused; absent is never"`
}

// An APIToken is an API token. Its secret is shown once, to who makes it.
type APIToken struct {
	ID        ID        `json:"id"`
	Name      string    `json:"name" doc:"What the history names as the actor" example:"grafana"`
	Role      Role      `json:"role" doc:"viewer, operator, editor or admin; one that this program does not know may do nothing"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt,omitzero" doc:"The first instant at which it is refused; absent is never"`
	Expired   bool      `json:"expired,omitempty"`
	Yours     bool      `json:"yours,omitempty" doc:"The request was made with it"`
	Secret    string    `json:"secret,omitempty" doc:"In the first answer to who makes it, and nowhere else" example:"alm_…"`
}

// A TokenPage is a page of tokens, by id.
type TokenPage struct {
	Items []APIToken `json:"items"`
	Next  string     `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

// A TokenRequest says what token to make.
type TokenRequest struct {
	Name      string     `json:"name" minLength:"1" maxLength:"100" doc:"Of who will use it: what the history names as the actor" example:"grafana"`
	Role      Role       `json:"role" enum:"viewer,operator,editor,admin" doc:"What it may do"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"The first instant at which it is refused; absent is never"`
	Note      string     `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and to the server's audit log"`
}

// A RevokeRequest says which token to end.
type RevokeRequest struct {
	Note string `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and to the server's audit log"`
	Own  bool   `json:"own,omitempty" doc:"Also when it is the one that the request is made with, which is refused otherwise"`
}

type whoamiOutput struct{ Body Whoami }

func (s *server) whoami(ctx context.Context, _ *struct{}) (*whoamiOutput, error) {
	who := exchangeOf(ctx).principal
	out := &whoamiOutput{Whoami{Name: who.name, Role: who.role, Permissions: []string{}, Token: ID(who.token), ExpiresAt: utc(who.expires)}}
	for p := Viewer; p <= Admin; p++ {
		if who.role.allows(p) {
			out.Body.Permissions = append(out.Body.Permissions, p.String())
		}
	}
	return out, nil
}

type listTokensInput struct {
	Cursor int64 `query:"cursor" minimum:"0" doc:"next of the page before"`
	Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}

type tokenPageOutput struct{ Body TokenPage }

func (s *server) listTokens(ctx context.Context, in *listTokensInput) (*tokenPageOutput, error) {
	list, err := s.cfg.Control.Tokens(ctx, in.Cursor, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &tokenPageOutput{TokenPage{Items: []APIToken{}}}
	for n := range list {
		if n == in.Limit {
			out.Body.Next = strconv.FormatInt(list[n-1].ID, 10)
			break
		}
		out.Body.Items = append(out.Body.Items, s.shownToken(ctx, &list[n]))
	}
	return out, nil
}

func (s *server) shownToken(ctx context.Context, k *engine.TokenRow) APIToken {
	return APIToken{
		ID: ID(k.ID), Name: k.Name, Role: Role(k.Role), CreatedAt: utc(k.CreatedAt), ExpiresAt: utc(k.ExpiresAt),
		Expired: !k.ExpiresAt.IsZero() && !s.cfg.Now().Before(k.ExpiresAt), Yours: k.ID == exchangeOf(ctx).principal.token,
	}
}

type createTokenInput struct{ Body TokenRequest }

type createdTokenOutput struct {
	Status int
	Body   APIToken
}

func (s *server) createToken(ctx context.Context, in *createTokenInput) (*createdTokenOutput, error) {
	x := exchangeOf(ctx)
	x.note = in.Body.Note
	secret, hash := NewToken()
	k := engine.TokenRow{Name: in.Body.Name, Hash: hash, Role: string(in.Body.Role)}
	now := s.cfg.Now()
	if in.Body.ExpiresAt != nil {
		if k.ExpiresAt = in.Body.ExpiresAt.UTC(); !now.Before(k.ExpiresAt) {
			return nil, invalid("body.expiresAt", "it has passed: the token could never be used")
		}
	}
	k, err := s.cfg.Control.CreateToken(ctx, k, x.principal.name, in.Body.Note, now)
	if err != nil {
		return nil, err
	}
	x.secret = secret
	out := &createdTokenOutput{http.StatusCreated, s.shownToken(ctx, &k)}
	out.Body.Secret = secret
	return out, nil
}

type revokeTokenInput struct {
	ID   int64 `path:"id" minimum:"1" doc:"The token's id"`
	Body *RevokeRequest
}

type tokenOutput struct{ Body APIToken }

func (s *server) revokeToken(ctx context.Context, in *revokeTokenInput) (*tokenOutput, error) {
	x, r := exchangeOf(ctx), RevokeRequest{}
	if in.Body != nil {
		r = *in.Body
	}
	x.note = r.Note
	if in.ID == x.principal.token && !r.Own {
		p := refusal(codeConflict, "this is the token that the request is made with: whoever uses it is let in no more")
		p.Hint = "say so with the member own, or use another token"
		return nil, p
	}
	k, err := s.cfg.Control.RevokeToken(ctx, in.ID, x.principal.name, r.Note, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	s.revoked.Add(1)
	return &tokenOutput{s.shownToken(ctx, &k)}, nil
}

// tokenRoutes are the routes of who may do what.
func tokenRoutes() []route {
	get, post := http.MethodGet, http.MethodPost
	made := exampleToken
	made.Secret = "alm_…"
	return []route{
		{Method: get, Pattern: prefix + "/whoami", Permission: Viewer, ID: "whoami", Tag: "admin",
			Summary: "Who makes the request, and what they may do", Answers: ok(exampleWhoami), register: operation((*server).whoami)},
		{Method: get, Pattern: prefix + "/tokens", Permission: Admin, ID: "listTokens", Tag: "admin",
			Summary: "List the tokens that were not revoked, by id", Text: "Expired ones are among them. Their secrets are not known.",
			Answers: ok(TokenPage{Items: []APIToken{exampleToken}}), register: operation((*server).listTokens)},
		{Method: post, Pattern: prefix + "/tokens", Permission: Admin, ID: "createToken", Tag: "admin",
			Audit: true, Idempotent: true, BodyLimit: maxBody, Summary: "Make a token",
			Text:    "Its secret is in this answer and nowhere else: an answer that is repeated for the same key is without it.",
			Request: TokenRequest{Name: "grafana", Role: RoleViewer}, Answers: map[int]any{http.StatusCreated: made}, register: operation((*server).createToken)},
		{Method: post, Pattern: prefix + "/tokens/{id}/revoke", Permission: Admin, ID: "revokeToken", Tag: "admin",
			Refuses: []int{http.StatusNotFound, http.StatusConflict}, Audit: true, Idempotent: true, BodyLimit: maxBody, Summary: "End a token for good",
			Text:    "Its bearer is nobody from the next request on, and streams that were begun with it end. The last valid token of an admin is not revoked.",
			Request: RevokeRequest{Note: "it leaked"}, Answers: ok(exampleToken), register: operation((*server).revokeToken)},
	}
}

var (
	exampleToken  = APIToken{ID: 17, Name: "grafana", Role: RoleViewer, CreatedAt: exampleTime, ExpiresAt: exampleTime.AddDate(0, 3, 0)}
	exampleWhoami = Whoami{Name: "ann", Role: RoleOperator, Permissions: []string{"viewer", "operator"}, Token: 12, ExpiresAt: exampleTime.AddDate(0, 3, 0)}
)
