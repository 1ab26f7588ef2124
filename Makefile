SHELL := bash
.PHONY: check accept bench cold update refresh-openapi fuzz cover picture

check: ## formatting, vet, tests with the race detector, floors
	@test -z "$$(git ls-files '*.go' | xargs gofmt -l)" || { git ls-files '*.go' | xargs gofmt -l; exit 1; }
	go vet ./...
	go test -race -count=1 ./...

accept: ## the acceptance suite, clean and with each seeded defect
	go run ./cmd/understudy run examples/acceptance --defects
	go run ./cmd/understudy run examples/shell --out out/shell
	go run ./cmd/understudy run examples/acceptance/portable --defects --out out/portable-crew
	go run ./cmd/understudy run examples/shell/portable --defects --out out/portable-postroom

bench: ## figures beside their peers; BENCH_EMULATE=DIR names where npm installed emulate@0.12.2
	go test -run '^$$' -bench Figures -benchtime 1s -timeout 5m ./internal/bench
	go test -run '^$$' -bench Orders -benchtime 1x ./cli
	go test -run '^$$' -bench Snapshot -benchtime 50x ./emulator/forge

cold: ## CPU seconds of the main job from nothing (empty build cache, no job runner), and how many of them are runs
	@set -o pipefail; d=$$(mktemp -d); trap 'rm -rf $$d' EXIT; export GOCACHE=$$d/build XDG_CACHE_HOME=$$d/cache; TIMEFORMAT='%U %S'; \
	job() { { time go run ./cmd/understudy run examples/acceptance --out out/cold >/dev/null; } 2>&1 | tail -n 1; }; \
	cold=$$(job) && warm=$$(job) || { echo "a run failed: out/cold"; exit 1; }; \
	echo "$$cold $$warm" | awk '{printf "cold main job: %.0f s CPU: build %.0f s, runs %.0f s\n", $$1+$$2, $$1+$$2-$$3-$$4, $$3+$$4}'

update: ## golden files and docs/reference
	go test ./report/... ./result/... ./environment ./emulator/forge ./cli -update

refresh-openapi: ## GitHub's descriptions, which the tests check answers against, from npm; needs npm
	go run ./internal/conformance/refresh

picture: ## the pictures in docs/images, from a run with a seeded defect and a served forge; needs chromium
	go run ./internal/picture docs/images

fuzz: ## each fuzz target for 20 s
	@for p in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime 20s $$p || exit 1; \
	  done; done

cover: ## coverage, to look at; no threshold
	go test -coverprofile=out/cover.out ./... && go tool cover -func=out/cover.out | tail -n 1
