package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) artifactRoutes() []route {
	const runs = "/repos/{owner}/{repo}/actions/runs"
	const artifacts = "/repos/{owner}/{repo}/actions/artifacts"
	return []route{
		{method: http.MethodGet, pattern: runs + "/{id}/artifacts", list: true, query: []string{"name"}, do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil || id == 0 {
				return answer{}, wire.NotFound()
			}
			all, err := a.State.Artifacts(c.who, c.repo(), id, c.URL.Query().Get("name"))
			return counted(c, a.Base, "artifacts", all, err)
		}},
		{method: http.MethodGet, pattern: artifacts, list: true, query: []string{"name"}, do: func(c *call) (answer, error) {
			all, err := a.State.Artifacts(c.who, c.repo(), 0, c.URL.Query().Get("name"))
			return counted(c, a.Base, "artifacts", all, err)
		}},
		{method: http.MethodGet, pattern: artifacts + "/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			v, err := a.State.Artifact(c.who, c.repo(), id)
			if err != nil {
				return answer{}, err
			}
			return ok(v)
		}},
		{method: http.MethodGet, pattern: artifacts + "/{id}/{format}", do: a.downloadArtifact},
		{method: http.MethodDelete, pattern: artifacts + "/{id}", do: a.deleteArtifact},
	}
}

func (a *API) downloadArtifact(c *call) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	if c.param["format"] != "zip" {
		return answer{}, wire.NotFound()
	}
	if err := a.State.SeeArtifact(c.who, c.repo(), id); err != nil {
		return answer{}, err
	}
	return a.redirect(c, signedArtifact, id)
}

func (a *API) deleteArtifact(c *call) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	if err := a.State.DeleteArtifact(c.who, c.repo(), id); err != nil {
		return answer{}, err
	}
	if err := a.DropArtifact(id); err != nil {
		return answer{}, err
	}
	return noContent()
}
