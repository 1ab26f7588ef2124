#!/usr/bin/env bash
# sortingoffice: an issue labeled "ready" gets a branch and the label "routed"; one that is not gets "new". It
# holds whatever becomes of the events on their way; each named defect is a way that does not, see README.md.
set -euo pipefail

# api METHOD PATH [BODY] leaves the answer in $status and $answer.
api() {
  local at=${GITHUB_API_URL#http://} body=${3-}
  local host=${at%%/*} tries
  for tries in 1 2 3 4; do
    exec 3<>"/dev/tcp/${host%:*}/${host##*:}"
    printf '%s /%s%s HTTP/1.0\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
      "$1" "${at#*/}" "$2" "$host" "$TOKEN" "${#body}" "$body" >&3
    status='' # stays so where the connection ends without an answer
    read -r _ status _ <&3 || true
    answer=$(cat <&3)
    exec 3>&-
    again || return 0
  done
}
# again waits as the answer asks for, where the request is to be made once more.
again() {
  [[ ${DEFECT-} != no-retry ]] || return 1
  [[ -z $status || $status == 5?? || $status == 429 || $status == 403 && $answer == *"rate limit"* ]] || return 1
  [[ ! $answer =~ [Rr]etry-[Aa]fter:\ ([0-9]+) ]] || sleep "${BASH_REMATCH[1]}"
}
# must STATUS… fails unless the answer has one of them.
must() { [[ " $* " == *" $status "* ]] || { echo "status $status, not $*: ${answer##*$'\r\n'}" >&2 && exit 1; }; }
labeled() { [[ $answer =~ \"name\":\ ?\"$1\" ]]; }

install() {
  local defect=${2-} group='' only='always()'
  [[ $defect == newest-wins ]] && group='concurrency: {group: "issue-${{ github.event.issue.number }}", cancel-in-progress: true}'
  [[ $defect == newest-wins || $defect == only-own-event ]] && only="github.event.action == 'opened' || github.event.label.name == 'ready'"
  # shellcheck disable=SC2016 # git runs the helper: the token stays out of command lines and files
  git clone -q -c credential.helper='!printf "username=x\npassword=%s\n" "$TOKEN" #' "$SERVER/$1" checkout
  cd checkout && mkdir -p .github/workflows
  cat >.github/workflows/sort.yml <<END
on: {issues: {types: [opened, labeled]}}
$group
permissions: {issues: write, contents: write}
jobs:
  route:
    runs-on: ubuntu-latest
    steps:
      - if: $only
        run: platform.sh sort
        env:
          ISSUE: \${{ github.event.issue.number }}
          ACTION: \${{ github.event.action }}
          LABEL: \${{ github.event.label.name }}
          SHA: \${{ github.sha }}
          TOKEN: \${{ github.token }}
          DEFECT: "$defect"
END
  git add . && git -c user.name=platform -c user.email=platform@example.org commit -qm "Install the platform"
  git push -q
  [[ $defect == no-wait-for-index ]] && return
  for _ in 1 2 3 4 5; do
    api GET "/repos/$1/actions/workflows" && must 200
    [[ $answer == *sort.yml* ]] && return
  done
  echo "the workflow is still not indexed" >&2 && exit 1
}

sort() {
  local issue="/repos/$GITHUB_REPOSITORY/issues/$ISSUE" made="201 422" # 422: it is there already
  api GET "$issue/labels" && must 200
  if [[ $ACTION == opened ]]; then
    if [[ $DEFECT == late-event-trusted ]] || ! labeled ready; then
      api POST "$issue/labels" '{"labels": ["new"]}' && must 200
    fi
    return
  fi
  for _ in 1 2 3; do # the label may not be seen yet
    labeled "$LABEL" || [[ $DEFECT == one-look ]] && break
    api GET "$issue/labels" && must 200
  done
  labeled ready || return 0
  [[ $DEFECT == once-only ]] && made=201
  api POST "/repos/$GITHUB_REPOSITORY/git/refs" "{\"ref\": \"refs/heads/route/$ISSUE\", \"sha\": \"$SHA\"}"
  # shellcheck disable=SC2086 # words
  must $made
  api DELETE "$issue/labels/new" && must 200 404
  api POST "$issue/labels" '{"labels": ["routed"]}' && must 200
}

case "${1:-}" in
install) install "$2" "${3-}" ;;
sort) sort ;;
*) echo "usage: platform.sh install OWNER/NAME [DEFECT] | sort" >&2 && exit 2 ;;
esac
