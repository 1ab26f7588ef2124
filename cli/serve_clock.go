package cli

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// clockPattern is where time is had pass in a served forge.
const clockPattern = "POST /_/clock"

// advanceClock answers `{"advance":"24h"}` and `{"to":"2036-12-01T03:00:00Z"}` of whoever has the token of admin.
func (sv *serving) advanceClock(w http.ResponseWriter, r *http.Request) {
	given := strings.TrimPrefix(strings.TrimPrefix(r.Header.Get("Authorization"), "token "), "Bearer ")
	if subtle.ConstantTimeCompare([]byte(given), []byte(sv.Tokens["admin"])) != 1 {
		answerJSON(w, http.StatusUnauthorized, map[string]any{"message": "the clock is for the token of admin: Authorization: Bearer TOKEN"})
		return
	}
	var in struct {
		Advance string    `json:"advance"`
		To      time.Time `json:"to"`
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10))
	dec.DisallowUnknownFields()
	err := dec.Decode(&in)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more than one object")
		}
	}
	var d time.Duration
	if err == nil && (in.Advance == "") == in.To.IsZero() {
		err = errors.New("want one of advance and to")
	}
	if err == nil && in.Advance != "" {
		d, err = time.ParseDuration(in.Advance)
	}
	if err != nil {
		answerJSON(w, http.StatusBadRequest, map[string]any{"message": err.Error() + `: {"advance":"24h"} or {"to":"2036-12-01T03:00:00Z"}`})
		return
	}
	admin := sv.Forge.Admin()
	advance := func() (forge.Advanced, error) { return admin.Advance(r.Context(), d) }
	if in.Advance == "" {
		advance = func() (forge.Advanced, error) { return admin.AdvanceTo(r.Context(), in.To) }
	}
	done, err := advance()
	if err != nil {
		answerJSON(w, http.StatusUnprocessableEntity, map[string]any{"message": err.Error()})
		return
	}
	answerJSON(w, http.StatusOK, map[string]any{"from": done.From, "to": done.To, "runs": done.Runs})
}

func answerJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // who has gone does not need it
}
