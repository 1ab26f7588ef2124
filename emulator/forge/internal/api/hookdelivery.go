package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// cursorForm begins a cursor of a list of deliveries; the id of a delivery follows.
const cursorForm = "v1_"

func (h hookRoutes) deliveries() []route {
	all := h.one() + "/deliveries"
	return []route{
		{method: http.MethodGet, pattern: all, query: []string{"per_page", "cursor", "status"}, do: h.withID(h.listDeliveries)},
		{method: http.MethodGet, pattern: all + "/{delivery_id}", do: h.withID(func(c *call, id int64) (answer, error) {
			delivery, err := c.number("delivery_id")
			if err != nil {
				return answer{}, err
			}
			v, err := h.State.Delivery(c.who, h.owner(c), id, delivery)
			return answer{status: http.StatusOK, body: v}, err
		})},
		{method: http.MethodPost, pattern: all + "/{delivery_id}/attempts", do: h.withID(func(c *call, id int64) (answer, error) {
			delivery, err := c.number("delivery_id")
			if err != nil {
				return answer{}, err
			}
			if err := c.decode(smallBody, &struct{}{}); err != nil {
				return answer{}, err
			}
			return answer{status: http.StatusAccepted, body: struct{}{}}, h.State.Redeliver(c.who, h.owner(c), id, delivery)
		})},
	}
}

// listDeliveries answers one page, newest first. The Link header names the next one by its cursor.
func (h hookRoutes) listDeliveries(c *call, id int64) (answer, error) {
	q := c.URL.Query()
	from, err := cursor(q.Get("cursor"))
	if err != nil {
		return answer{}, err
	}
	status, err := c.oneOf("status", "", "success", "failure")
	if err != nil {
		return answer{}, err
	}
	all, err := h.State.Deliveries(c.who, h.owner(c), id, from, status)
	if err != nil {
		return answer{}, err
	}
	if size := min(positive(q.Get("per_page"), 30), 100); len(all) > size {
		q.Set("cursor", cursorForm+strconv.FormatInt(all[size].ID, 10))
		c.header.Set("Link", fmt.Sprintf(`<%s?%s>; rel="next"`, h.Base.API("%s", c.path), q.Encode()))
		all = all[:size]
	}
	return ok(all)
}

// cursor reads the id of the delivery that a page begins with; "" is 0, the newest.
func cursor(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(text, cursorForm), 10, 64)
	if err != nil || n < 1 {
		return 0, wire.NewError(http.StatusBadRequest, "Invalid cursor")
	}
	return n, nil
}
