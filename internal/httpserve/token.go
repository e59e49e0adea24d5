package httpserve

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"strings"
)

// LeastToken is how many characters keep those out who may try as many tokens as
// they like.
const LeastToken = 16

// NewToken returns a token that nobody guesses.
func NewToken() string { return rand.Text() }

// Bears reports whether a request carries a token, as in "Authorization: Bearer
// TOKEN".
func Bears(r *http.Request, token string) bool {
	said, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return Same(said, token)
}

// Same compares what was said with a token. How long that takes tells nothing of
// the token.
func Same(said, token string) bool {
	return subtle.ConstantTimeCompare([]byte(said), []byte(token)) == 1
}
