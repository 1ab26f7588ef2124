package actions_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/actions"
)

func blockID(n int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "block-%06d", n)) // 12 bytes need no padding
}

func blockList(ids ...string) string {
	return "<BlockList><Latest>" + strings.Join(ids, "</Latest><Latest>") + "</Latest></BlockList>"
}

// onDisk counts the bytes of uploads that are not finished.
func (s *store) onDisk() (n int64) {
	s.t.Helper()
	err := filepath.WalkDir(s.dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		n += info.Size()
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// A client that repeats a block, because it got no answer, uses neither room nor the limit twice.
func TestBlocksRepeated(t *testing.T) {
	s := newStore(t, 10)
	upload := s.create("a")
	for _, body := range []string{"first ", "second", "third!"} {
		if status, answer := s.put(upload, "&comp=block&blockid="+blockID(1), body); status != 201 {
			t.Fatalf("%s: %d %s", body, status, answer)
		}
	}
	if n := s.onDisk(); n != 6 {
		t.Errorf("%d bytes are kept of a block of 6", n)
	}
	if status, answer := s.put(upload, "&comp=blocklist", blockList(blockID(1))); status != 201 {
		t.Fatal(status, answer)
	}
	if status, answer := s.call("FinalizeArtifact", `{`+who+`,"name":"a","size":"6"}`); status != 200 || string(s.zips[1]) != "third!" {
		t.Errorf("%d %v, stored %q", status, answer, s.zips[1])
	}
}

// Blocks over the limit, cut short, named twice in the list, or in it but never sent: the upload goes on
// as if they had not come.
func TestBlocksRefused(t *testing.T) {
	s := newStore(t, 10)
	upload := s.create("a")
	if status, answer := s.put(upload, "&comp=block&blockid="+blockID(1), "123456"); status != 201 {
		t.Fatal(status, answer)
	}
	for name, tc := range map[string]struct {
		query, body string
		status      int
		want        string
	}{
		"over the limit":          {"&comp=block&blockid=" + blockID(2), "12345", 413, "RequestBodyTooLarge"},
		"named twice":             {"&comp=blocklist", blockList(blockID(1), blockID(1)), 413, "RequestBodyTooLarge"},
		"never sent":              {"&comp=blocklist", blockList(blockID(1), blockID(3)), 400, "no Latest block"},
		"a list without end":      {"&comp=blocklist", "<BlockList><Latest>" + blockID(1) + "</Latest>", 400, "block list"},
		"an unknown kind of list": {"&comp=blocklist", "<BlockList><Oldest>" + blockID(1) + "</Oldest></BlockList>", 400, "no Oldest block"},
	} {
		if status, answer := s.put(upload, tc.query, tc.body); status != tc.status || !strings.Contains(answer, tc.want) {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	req, err := http.NewRequest("PUT", upload+"&comp=block&blockid="+blockID(4), io.MultiReader(strings.NewReader("12"), brokenReader{}))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Errorf("a body cut short: %s", res.Status)
	}
	if status, answer := s.put(upload, "&comp=block&blockid="+blockID(5), "7890"); status != 201 {
		t.Errorf("what fits is refused afterwards: %d %s", status, answer)
	}
	if status, answer := s.put(upload, "&comp=blocklist", blockList(blockID(1), blockID(5))); status != 201 {
		t.Error(status, answer)
	}
	if status, answer := s.call("FinalizeArtifact", `{`+who+`,"name":"a","size":"10"}`); status != 200 || string(s.zips[1]) != "1234567890" {
		t.Errorf("%d %v, stored %q", status, answer, s.zips[1])
	}
	if n := s.onDisk(); n != 0 {
		t.Errorf("%d bytes are left behind", n)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Blocks arrive side by side: one that is slow does not keep the others.
func TestBlocksSideBySide(t *testing.T) {
	s := newStore(t, 0)
	upload := s.create("a")
	slow, feed := io.Pipe()
	ids := []string{blockID(0)}
	var wg sync.WaitGroup
	put := func(id string, body io.Reader) {
		req, err := http.NewRequest("PUT", upload+"&comp=block&blockid="+id, body)
		if err != nil {
			t.Error(err)
			return
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		res.Body.Close()
		if res.StatusCode != 201 {
			t.Error(res.Status)
		}
	}
	var behind sync.WaitGroup
	behind.Go(func() { put(ids[0], slow) })
	feed.Write([]byte("0"))
	for n := 1; n < 9; n++ {
		ids = append(ids, blockID(n))
		wg.Go(func() { put(blockID(n), strings.NewReader(fmt.Sprint(n))) })
	}
	wg.Wait() // while the first is still being sent
	feed.Close()
	behind.Wait()
	if status, answer := s.put(upload, "&comp=blocklist", blockList(ids...)); status != 201 {
		t.Fatal(status, answer)
	}
	if status, answer := s.call("FinalizeArtifact", `{`+who+`,"name":"a","size":"9"}`); status != 200 || string(s.zips[1]) != "012345678" {
		t.Errorf("%d %v, stored %q", status, answer, s.zips[1])
	}
}

// Terms are kept by the shown clock, for artifacts and for uploads that nobody finishes.
func TestArtifactsExpire(t *testing.T) {
	s := newStore(t, 0)
	s.token = actions.SignToken([]byte("key"), 7, 70, s.now.AddDate(1, 0, 0))
	upload := func() (int, map[string]any) {
		return s.call("CreateArtifact", `{`+who+`,"name":"a","version":4,"expires_at":"`+s.now.AddDate(0, 0, 1).UTC().Format(time.RFC3339)+`"}`)
	}
	make := func(content string) {
		t.Helper()
		_, answer := upload()
		address, _ := answer["signed_upload_url"].(string)
		if status, text := s.put(address, "", content); status != 201 {
			t.Fatal(status, text, answer)
		}
		if status, answer := s.call("FinalizeArtifact", `{`+who+`,"name":"a","size":"`+fmt.Sprint(len(content))+`"}`); status != 200 {
			t.Fatal(status, answer)
		}
	}
	make("old")
	if status, answer := upload(); status != 409 {
		t.Errorf("the name is taken: %d %v", status, answer)
	}
	_, link := s.call("GetSignedArtifactURL", `{`+who+`,"name":"a"}`)
	s.now = s.now.AddDate(0, 0, 1).Add(time.Second)
	if _, answer := s.call("ListArtifacts", `{`+who+`}`); len(answer["artifacts"].([]any)) != 0 {
		t.Errorf("an expired artifact is listed: %v", answer)
	}
	if status, answer := s.call("GetSignedArtifactURL", `{`+who+`,"name":"a"}`); status != 404 {
		t.Errorf("an expired artifact has an address: %d %v", status, answer)
	}
	req, _ := http.NewRequest("GET", link["signed_url"].(string), nil)
	if status, _ := s.do(req); status == 200 {
		t.Error("an expired artifact is sent")
	}
	make("new")
	if len(s.artifacts) != 1 || string(s.zips[s.artifacts[0].ID]) != "new" {
		t.Errorf("stored %+v", s.artifacts)
	}
	if status, answer := s.call("CreateArtifact", `{`+who+`,"name":"b","version":4,"expires_at":"1999-01-01T00:00:00Z","x":1}`); status != 200 {
		t.Errorf("%d %v", status, answer)
	} else if status, text := s.put(answer["signed_upload_url"].(string), "", "half"); status != 201 {
		t.Error(status, text)
	}
	s.now = s.now.Add(2 * time.Hour)
	if status, answer := s.call("CreateArtifact", `{`+who+`,"name":"b","version":4}`); status != 200 {
		t.Errorf("an upload that nobody finished keeps its name: %d %v", status, answer)
	}
	if n := s.onDisk(); n != 0 {
		t.Errorf("%d bytes are left behind", n)
	}
	if status, answer := s.call("CreateArtifact", `{`+who+`,"name":"c","version":4,"expires_at":"1970-01-01T00:00:00Z"}`); status != 400 {
		t.Errorf("it has expired already: %d %v", status, answer)
	}
}

// FuzzArtifactProtocol sends bytes that no client would: every answer is a refusal in the service's own
// form or a success, and nothing is stored that was not sent.
func FuzzArtifactProtocol(f *testing.F) {
	for _, seed := range []string{
		`{` + who + `,"name":"a","version":4}`, `{"workflowRunBackendId":"7"}`, `{"size":1e99,"id_filter":"-"}`, `[]`, `{`, "null",
		`{` + who + `,"name":null,"expires_at":"x"}`, blockList(blockID(1)), "<BlockList/>", "<BlockList><Latest><b/></Latest>", "<!DOCTYPE x>",
	} {
		f.Add("CreateArtifact", seed, blockID(1))
		f.Add("FinalizeArtifact", seed, "")
	}
	f.Fuzz(func(t *testing.T, call, body, id string) {
		m := &memory{zips: map[int64][]byte{}}
		dir := t.TempDir()
		now := time.Unix(1000, 0)
		h := actions.ArtifactService(actions.ArtifactOptions{
			Store: m, TokenKey: []byte("key"), PublicURL: "http://127.0.0.1", Dir: dir, MaxSize: 1 << 10, Now: func() time.Time { return now },
		})
		address := ""
		ask := func(method, target, body string) {
			r, err := http.NewRequest(method, "http://127.0.0.1"+target, strings.NewReader(body))
			if err != nil {
				return
			}
			r.Header.Set("Authorization", "Bearer "+actions.SignToken([]byte("key"), 7, 70, time.Unix(2000, 0)))
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code >= 500 && w.Code != 501 {
				t.Fatalf("%s %s %q: %d %s", method, target, body, w.Code, w.Body)
			}
			var created struct {
				URL string `json:"signed_upload_url"`
			}
			if json.Unmarshal(w.Body.Bytes(), &created) == nil && address == "" {
				address = strings.TrimPrefix(created.URL, "http://127.0.0.1")
			}
		}
		const calls = "/twirp/github.actions.results.api.v1.ArtifactService/"
		ask("POST", calls+"CreateArtifact", `{`+who+`,"name":"a","version":4}`)
		ask("POST", calls+call, body)
		ask("PUT", address+"&comp=block&blockid="+id, body)
		ask("PUT", address+"&comp=blocklist", body)
		ask("POST", calls+"FinalizeArtifact", body)
		ask("GET", "/_artifacts/download/"+id+"?se=1&sig="+id, "")
		for id, zip := range m.zips {
			if len(zip) > 1<<10 {
				t.Errorf("artifact %d has %d bytes", id, len(zip))
			}
		}
	})
}
