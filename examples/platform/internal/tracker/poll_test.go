package tracker_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/crew/internal/event"
	"example.com/crew/internal/tracker"
)

// site answers with what is in pages, and keeps what is put.
type site struct {
	mu    sync.Mutex
	pages map[string]string // path without query → JSON
	wrote int
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, token, _ := r.BasicAuth(); token != "secret" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodPut {
		value, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.pages[r.URL.Path] = fmt.Sprintf(`{"value":%s}`, value)
		s.wrote++
		return
	}
	page, ok := s.pages[r.URL.Path]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	fmt.Fprint(w, page)
}

func newSite(t *testing.T) (*site, *tracker.Client) {
	t.Helper()
	const issue = "/rest/api/3/issue/APP-1"
	s := &site{pages: map[string]string{
		"/rest/api/3/project/APP/role":   `{"Developers":"http://x/rest/api/3/project/1/role/7","Guests":"http://x/rest/api/3/project/1/role/8"}`,
		"/rest/api/3/project/APP/role/7": `{"actors":[{"actorGroup":{"groupId":"g"}},{"actorUser":{"accountId":"ada"}}]}`,
		"/rest/api/3/group/member":       `{"total":1,"values":[{"accountId":"dana"}]}`,
		"/rest/api/3/search/jql":         `{"isLast":true,"issues":[{"id":"100","key":"APP-1","fields":{"labels":["b","c"],"creator":{"accountId":"ada","accountType":"atlassian"}}}]}`,
		issue + "/changelog": `{"total":1,"values":[{"id":"104","created":"2026-01-02T03:04:06.000+0000","author":{"accountId":"dana","accountType":"atlassian"},"items":[
			{"field":"summary","fromString":"x","toString":"y"},{"field":"labels","fromString":"a b","toString":"b c"}]}]}`,
		"/rest/api/2/issue/APP-1/comment": `{"total":1,"comments":[{"id":"203","created":"2026-01-02T03:04:05.000+0000","author":{"accountId":"bot","accountType":"app"},"body":"/crew-triage now"}]}`,
	}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	c, err := tracker.New(srv.URL, "a@example.test", "secret")
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func poll(t *testing.T, c *tracker.Client, stop string) (told []string, err error) {
	t.Helper()
	err = tracker.Poll(t.Context(), tracker.Options{Client: c, Project: "APP", Repo: "acme/app", Tell: func(id string, e event.Event) error {
		if id == stop {
			return errors.New("stopped")
		}
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
		told = append(told, fmt.Sprint(id, " ", e.Actor.ID, " ", e.Actor.Kind, " ", e.Actor.Role))
		return nil
	}})
	return told, err
}

func TestEachEventIsToldOnce(t *testing.T) {
	s, c := newSite(t)
	want := []string{
		"APP-1/opened ada human write",
		"APP-1/opened/label/added/a ada human write",
		"APP-1/opened/label/added/b ada human write",
		"APP-1/comment/203 bot bot none",
		"APP-1/changelog/104/label/added/c dana human write",
		"APP-1/changelog/104/label/removed/a dana human write",
	}
	got, err := poll(t, c, "")
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v\n got %s\nwant %s", err, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	if got, err = poll(t, c, ""); err != nil || len(got) != 0 {
		t.Errorf("the second poll told %q, %v", got, err)
	}
	if s.wrote != 1 {
		t.Errorf("the mark was written %d times; a poll without news writes nothing", s.wrote)
	}
}

// TestAPollThatIsCutOffLosesNothing: the next one tells the same events with the same ids.
func TestAPollThatIsCutOffLosesNothing(t *testing.T) {
	s, c := newSite(t)
	first, err := poll(t, c, "APP-1/comment/203")
	if err == nil || s.wrote != 0 {
		t.Fatalf("%v, and the mark was written %d times", err, s.wrote)
	}
	second, err := poll(t, c, "")
	if err != nil || len(first) != 3 || len(second) != 6 || !slices.Equal(first, second[:3]) {
		t.Errorf("%v: first %q, then %q", err, first, second)
	}
}

func TestNewsAfterTheMark(t *testing.T) {
	s, c := newSite(t)
	if _, err := poll(t, c, ""); err != nil {
		t.Fatal(err)
	}
	var page map[string]any
	if err := json.Unmarshal([]byte(s.pages["/rest/api/2/issue/APP-1/comment"]), &page); err != nil {
		t.Fatal(err)
	}
	page["total"] = 2
	page["comments"] = append(page["comments"].([]any), map[string]any{"id": "205", "created": "2026-01-02T03:04:07.000+0000", "author": map[string]any{"accountId": "eve"}, "body": "hello"})
	data, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	s.pages["/rest/api/2/issue/APP-1/comment"] = string(data)
	got, err := poll(t, c, "")
	if err != nil || !slices.Equal(got, []string{"APP-1/comment/205 eve human none"}) {
		t.Errorf("%q, %v", got, err)
	}
	s.pages["/rest/api/2/issue/APP-1/comment"] = strings.Replace(string(data), "2026-01-02T03:04:07.000+0000", "yesterday", 1)
	if got, err := poll(t, c, ""); err == nil || !strings.Contains(err.Error(), "yesterday") {
		t.Errorf("a time that is none: %q, %v", got, err)
	}
}

func TestRefusals(t *testing.T) {
	s, c := newSite(t)
	delete(s.pages, "/rest/api/3/project/APP/role")
	if _, err := poll(t, c, ""); err == nil || !strings.Contains(err.Error(), "read the roles of project APP") {
		t.Errorf("got %v", err)
	}
	for _, address := range []string{"", "ftp://x", "tracker"} {
		if _, err := tracker.New(address, "a", "b"); err == nil {
			t.Errorf("%q was taken for an address", address)
		}
	}
}
