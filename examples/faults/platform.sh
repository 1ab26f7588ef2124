#!/usr/bin/env bash
# sortingoffice: an issue labeled "ready" gets a branch and the label "routed"; one that is not gets "new"; one labeled
# "filed" is kept in a branch that is pushed. It holds whatever becomes of events, requests and pushes on their way;
# each named defect is a way that does not, see README.md.
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
  [[ $DEFECT != no-retry ]] || return 1
  if [[ -z $status ]]; then
    [[ $DEFECT != silence-is-failure ]] || return 1
  elif [[ $status == 429 || $status == 403 && $answer == *"rate limit"* ]]; then
    [[ $DEFECT != limit-is-denial ]] || return 1
  else
    [[ $status == 5?? ]] || return 1
  fi
  [[ ! $answer =~ [Rr]etry-[Aa]fter:\ ([0-9]+) ]] || sleep "${BASH_REMATCH[1]}"
}
# must STATUS… fails unless the answer has one of them.
must() { [[ " $* " == *" $status "* ]] || { echo "status $status, not $*: ${answer##*$'\r\n'}" >&2 && exit 1; }; }
# tries DEFECT COMMAND… until it succeeds, a few times; with the defect once, and an installation takes whatever
# comes of it.
tries() {
  local defect=$1
  shift
  if [[ $DEFECT == "$defect" ]]; then
    "$@" || [[ -z ${ISSUE-} ]]
    return
  fi
  for _ in 1 2 3 4; do
    "$@" && return
  done
  "$@" || { echo "still in vain: $*" >&2 && exit 1; }
}
# answers STATUS METHOD PATH [BODY] is whether a request is answered so.
answers() { api "${@:2}" && [[ $status == "$1" ]]; }
# as_me COMMAND… lets git use $TOKEN by a helper, so that it stays out of command lines and files.
# shellcheck disable=SC2016 # git runs the helper
as_me() { git -c credential.helper='!printf "username=x\npassword=%s\n" "$TOKEN" #' -c user.name=platform -c user.email=platform@example.org "$@"; }
labeled() { [[ $answer =~ \"name\":\ ?\"$1\" ]]; }

# makes FULLNAME makes a repository. A name that is taken although nothing has it was deleted a moment ago.
makes() {
  api POST "/orgs/${1%%/*}/repos" "{\"name\": \"${1#*/}\", \"auto_init\": true}"
  [[ $status != 422 ]] || ! answers 404 GET "/repos/$1"
}
# gives FULLNAME is whether the clerk is seen to have the role that he was given; it is left in $clerk.
gives() {
  api GET "/repos/$1/collaborators/clerk/permission" && must 200
  [[ $answer =~ \"role_name\":\"([a-z]+)\" ]] && clerk=${BASH_REMATCH[1]}
  [[ $clerk == write ]]
}

# desk FULLNAME makes what the office needs beside the repository: a public desk with the rules, a fork for drafts
# with an inbox, and a clerk who may write.
desk() {
  makes "$1-desk" && api DELETE "/repos/$1-desk" && must 204 # may the token tidy up?
  tries taken-is-there makes "$1-desk"
  rules="/repos/$1-desk/contents/rules"
  if [[ $answer == *'"private":true'* && $DEFECT != public-for-granted ]]; then
    rules="/repos/$1/contents/.sortingoffice/rules" # jobs do not see a private desk
    mkdir -p .sortingoffice && echo "ready first" >.sortingoffice/rules
  else
    local rule='{"message": "Rules", "content": "cmVhZHkgZmlyc3QK"}'
    if [[ $DEFECT == taken-is-there ]]; then api PUT "$rules" "$rule"; else tries first-commit-for-granted answers 201 PUT "$rules" "$rule"; fi
  fi
  api POST "/repos/$1/forks" "{\"organization\": \"${1%%/*}\", \"name\": \"${1#*/}-drafts\"}" && must 202
  tries fork-for-granted answers 201 POST "/repos/$1-drafts/git/refs" "{\"ref\": \"refs/heads/inbox\", \"sha\": \"$(git rev-parse HEAD)\"}"
  api PUT "/repos/$1/collaborators/clerk" '{"permission": "push"}' && must 204
  tries role-asked-once gives "$1"
}

install() {
  local group='' only='always()' rules='' clerk=''
  DEFECT=${2-}
  [[ $DEFECT == newest-wins ]] && group='concurrency: {group: "issue-${{ github.event.issue.number }}", cancel-in-progress: true}'
  [[ $DEFECT == newest-wins || $DEFECT == only-own-event ]] && only="github.event.action == 'opened' || github.event.label.name == 'ready'"
  as_me clone -q "$SERVER/$1" checkout
  cd checkout && mkdir -p .github/workflows
  desk "$1"
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
          RULES: $rules
          CLERK: $clerk
          DEFECT: "$DEFECT"
END
  git add . && as_me commit -qm "Install the platform"
  as_me push -q
  [[ $DEFECT == no-wait-for-index ]] && return
  for _ in 1 2 3 4 5; do
    api GET "/repos/$1/actions/workflows" && must 200
    [[ $answer == *sort.yml* ]] && return
  done
  echo "the workflow is still not indexed" >&2 && exit 1
}

# file keeps the issue in a branch of its own. A push of what is there already is none.
file() {
  tries fetch-once as_me clone -q "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" filed || exit 1
  cd filed && echo "$ISSUE" >"$ISSUE" && git add . && as_me commit -qm "File $ISSUE"
  tries push-once as_me push -q origin "HEAD:refs/heads/filed/$ISSUE" || exit 1
  cd .. && api POST "/repos/$GITHUB_REPOSITORY/issues/$ISSUE/labels" '{"labels": ["kept"]}' && must 200
}

# greet labels a new issue, unless it has become more meanwhile.
greet() {
  if [[ $DEFECT == whole-list-written ]]; then
    api PUT "$1/labels" '{"labels": ["new"]}' && must 200
    return
  fi
  api POST "$1/labels" '{"labels": ["new"]}' && must 200
  [[ $DEFECT != late-event-trusted ]] || return 0
  ! labeled ready || { api DELETE "$1/labels/new" && must 200 404; }
}

# equipped fails unless the desk, the drafts and the clerk are as the installation should have left them.
equipped() {
  api GET "$RULES" && must 200
  api GET "/repos/$GITHUB_REPOSITORY-drafts/git/ref/heads/inbox" && must 200
  [[ $CLERK == write ]] || { echo "the clerk's role is $CLERK" >&2 && exit 1; }
}

sort() {
  local issue="/repos/$GITHUB_REPOSITORY/issues/$ISSUE" made="201 422" # 422: it is there already
  [[ ${LABEL-} != filed ]] || { file && return; }
  api GET "$issue/labels" && must 200
  if [[ $ACTION == opened ]]; then
    [[ $DEFECT != late-event-trusted ]] && labeled ready || greet "$issue"
    return
  fi
  for _ in 1 2 3; do # the label may not be seen yet
    labeled "$LABEL" || [[ $DEFECT == one-look ]] && break
    api GET "$issue/labels" && must 200
  done
  labeled ready || return 0
  equipped
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
