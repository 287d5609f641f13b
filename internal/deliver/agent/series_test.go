package agent_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stele/client"
	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/deliver/agent"
	"stele/internal/testkit/heap"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
)

// TestManySeries: questions about a large indicator that are asked at the same time take little
// memory together, and each is answered as if it was alone.
func TestManySeries(t *testing.T) {
	race.LeaveOut(t, "one goroutine reads each file")
	const areas, years, questions = 1000, 80, 32
	var table bytes.Buffer
	table.WriteString("area_code,area_name,time_period,value,standing,id,sources,claim_boundary\n")
	for a := range areas {
		for y := range years {
			fmt.Fprintf(&table, "a-%d,Area %[1]d,%d,%d,stands,sta-big-%[1]d-%[2]d,1,1\n", a, 1940+y, a*y)
		}
	}
	dir := filepath.Join(t.TempDir(), "release")
	must.Get(specimen.BuildTo(dir, must.Get(specimen.Starter())(t), compiler.Options{
		Date: "2026-02-01", NoVariants: true,
		Render: []render.Renderer{func(_ render.Records, out render.Output) error {
			return errors.Join(out.Put("healthcare-statistics/big.csv", table.Bytes()),
				out.Put("healthcare-statistics/big.metadata.json", []byte("{}")))
		}},
	}))(t)
	c := must.Get(client.Open(t.Context(), dir, client.Options{}))(t)
	defer c.Close()
	front := httptest.NewServer(agent.New(c).Handler(nil))
	defer front.Close()
	grown := heap.Growth(func() {
		var all sync.WaitGroup
		for i := range questions {
			all.Go(func() {
				arguments, want := `{"indicator":"big","area":"a-7","offset":79}`, "a-7,Area 7,2019,553,stands"
				if i%2 > 0 {
					arguments, want = `{"indicator":"big","limit":2,"offset":500}`, "a-501,Area 501,2019,39579,stands"
				}
				if _, body := ask(t, front.URL, "series", arguments, nil); !strings.Contains(body, want) {
					t.Errorf("%s: %.500s", arguments, body)
				}
			})
		}
		all.Wait()
	})
	if most := uint64(10 * table.Len()); grown > most {
		t.Errorf("%d questions about %d bytes take %d bytes of memory", questions, table.Len(), grown)
	}
}

// TestLatestOfAreas: without an area, series has the latest value of each area that is no forecast
// and was not withdrawn, of the area as a whole.
func TestLatestOfAreas(t *testing.T) {
	const table = "area_code,area_name,time_period,value,obs_status,standing,dim_sex,id\n" +
		"A,Aland,2019,1,A,stands,,sta-1\nA,Aland,2020,2,P,stands,,sta-2\nA,Aland,2020,7,A,stands,f,sta-3\nA,Aland,2030,9,F,stands,,sta-4\n" +
		"B,Bland,2019,3,A,stands,all,sta-5\nB,Bland,2020,,A,retracted,all,sta-6\nC,Cland,2030,5,F,stands,,sta-7\nC,Cland,2031,6,F,stands,,sta-8\n" +
		"D,Same,2020,1,A,stands,,sta-d\nE,Same,2024,1,A,stands,,sta-e\n"
	dir := filepath.Join(t.TempDir(), "release")
	must.Get(specimen.BuildTo(dir, must.Get(specimen.Starter())(t), compiler.Options{
		Date: "2026-02-01", NoVariants: true,
		Render: []render.Renderer{func(_ render.Records, out render.Output) error {
			return errors.Join(out.Put("healthcare-statistics/x.csv", []byte(table)), out.Put("healthcare-statistics/x.metadata.json", []byte("{}")))
		}},
	}))(t)
	c := must.Get(client.Open(t.Context(), dir, client.Options{}))(t)
	defer c.Close()
	front := httptest.NewServer(agent.New(c).Handler(nil))
	defer front.Close()
	_, body := ask(t, front.URL, "series", `{"indicator":"x"}`, nil)
	for id, want := range map[string]bool{"sta-1": false, "sta-2": true, "sta-3": false, "sta-4": false, "sta-5": true, "sta-6": false, "sta-7": true, "sta-8": false} {
		if strings.Contains(body, id) != want {
			t.Errorf("%s is in the answer: %v\n%s", id, !want, body)
		}
	}
	// figures of two areas with one name are not joined
	if _, body := ask(t, front.URL, "series", `{"indicator":"x","area":"Same"}`, nil); !strings.Contains(body, "give the code, such as D or E") {
		t.Errorf("%s", body)
	}
	if _, body := ask(t, front.URL, "series", `{"indicator":"x","area":"E"}`, nil); !strings.Contains(body, "sta-e") || strings.Contains(body, "sta-d") {
		t.Errorf("%s", body)
	}
}
