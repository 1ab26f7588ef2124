package forge

import (
	"encoding/json"
	"net/http"
	"strings"
)

// held keeps an answer back until what it tells of is stored.
type held struct {
	http.ResponseWriter
	sync  func() error
	begun bool
	lost  bool // the answer is that it could not be stored
}

// serveKept is serve for a forge whose directory is kept: a change is answered when it is stored, and
// refused when nothing can be stored any more. A read is answered at once, unless it tells of an id that is
// not stored.
func (s *Server) serveKept(w http.ResponseWriter, r *http.Request) {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || strings.HasSuffix(r.URL.Path, "/git-upload-pack")
	if err := s.keeper.trouble(); err != nil && !reads {
		refuse(w, err)
		return
	}
	h := &held{ResponseWriter: w, sync: s.keeper.sync}
	if reads {
		h.sync = func() error {
			if s.keeper.trouble() != nil || s.admin.state.Given() == s.keeper.given.Load() {
				return nil // what is there can still be read
			}
			return s.keeper.sync()
		}
	}
	s.route(h, r)
	h.begin(http.StatusOK)
}

func (h *held) begin(status int) bool {
	if h.begun {
		return false
	}
	h.begun = true
	if err := h.sync(); err != nil {
		h.lost = true
		refuse(h.ResponseWriter, err)
		return false
	}
	return status != 0
}

// WriteHeader implements http.ResponseWriter.
func (h *held) WriteHeader(status int) {
	if h.begin(status) {
		h.ResponseWriter.WriteHeader(status)
	}
}

// Write implements io.Writer.
func (h *held) Write(p []byte) (int, error) {
	h.begin(http.StatusOK)
	if h.lost {
		return len(p), nil
	}
	return h.ResponseWriter.Write(p)
}

// FlushError is what http.ResponseController calls.
func (h *held) FlushError() error {
	h.begin(http.StatusOK)
	return http.NewResponseController(h.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the writer below.
func (h *held) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// refuse answers that a change cannot be stored.
func refuse(w http.ResponseWriter, why error) {
	for name := range w.Header() {
		if name != "X-Github-Request-Id" {
			w.Header().Del(name)
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusInsufficientStorage)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": "understudy: nothing can be stored any more: " + why.Error()})
}
