package httpserve

import "net/http"

// Pass lets those see pages who know a token. A terminal prints it in an address;
// the browser gets a cookie for it, so that neither a projector nor a history shows
// it.
type Pass struct {
	Token    string // "": everybody may
	Cookie   string // its name; hosts have cookies, and their ports don't
	Path     string // of the pages
	SameSite http.SameSite
	Secure   bool   // they are served over TLS alone
	Remedy   string // where the address with the token is
}

// Opens reports whether a request may see the pages. One that may not is answered,
// and so is one that has the token in its address: with the cookie, and the way to
// Path.
func (p Pass) Opens(w http.ResponseWriter, r *http.Request) bool {
	query := r.URL.Query()
	kept, err := r.Cookie(p.Cookie)
	switch {
	case p.Token == "":
		return true
	case query.Has("token") && Same(query.Get("token"), p.Token):
		p.exchange(w, r)
	case !query.Has("token") && (Bears(r, p.Token) || err == nil && Same(kept.Value, p.Token)):
		return true
	default:
		http.Error(w, "the token is wrong, or missing: "+p.Remedy, http.StatusUnauthorized)
	}
	return false
}

func (p Pass) exchange(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name: p.Cookie, Value: p.Token, Path: p.Path,
		HttpOnly: true, SameSite: p.SameSite, Secure: p.Secure,
	})
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, p.Path, http.StatusSeeOther)
}
