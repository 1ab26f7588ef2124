#!/usr/bin/env bash
# postroom: agents behind desks. A label brings an issue to a desk; the desk's agent leaves one text;
# the text is held to the desk's pattern and becomes a comment and a label. It needs bash, git and
# coreutils on the runner, and the agent's program. It speaks plain HTTP, so only to a local forge.
#
#   postroom install OWNER/NAME    POSTROOM_SERVER and POSTROOM_TOKEN in the environment
#   postroom open|work|deliver     the steps of the workflow that install commits
set -euo pipefail
export LC_ALL=C                  # lengths are bytes
config=.postroom/desks.ini tray=postroom-tray

fail() { echo "postroom: $*" >&2; exit 1; }

# setting DESK KEY prints what the configuration says; DESK '' is the house.
setting() {
  local section='' line
  while IFS= read -r line; do
    case $line in
      \[*\]) section=${line:1:${#line}-2} ;;
      "$2 = "*) [[ $section != "$1" ]] || { printf '%s\n' "${line#"$2 = "}"; return; } ;;
    esac
  done <"$config"
  fail "$config: [$1] has no $2"
}

# desks prints the name of each desk.
desks() {
  local line
  while IFS= read -r line; do
    case $line in \[*\]) echo "${line:1:${#line}-2}" ;; esac
  done <"$config"
}

# json TEXT prints it as a JSON string.
json() {
  local s=${1//\\/\\\\}
  s=${s//\"/\\\"} s=${s//$'\n'/\\n} s=${s//$'\t'/\\t}
  printf '"%s"' "$(tr -d '\000-\037' <<<"$s")"
}

# post PATH BODY asks the forge, below this repository.
post() {
  local url=${GITHUB_API_URL#http://} status
  local host=${url%%/*}
  exec 3<>"/dev/tcp/${host%:*}/${host##*:}"
  printf 'POST /%s/repos/%s/%s HTTP/1.0\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
    "${url#*/}" "$GITHUB_REPOSITORY" "$1" "$host" "$GITHUB_TOKEN" "${#2}" "$2" >&3
  read -r _ status _ <&3
  cat <&3 >"$RUNNER_TEMP/answer"
  [[ $status == 2* ]] || fail "POST $1: $status: $(tail -n 1 "$RUNNER_TEMP/answer")"
}

comment() { post "issues/$ISSUE/comments" "{\"body\": $(json "$1")}"; }

# open says which desk the label belongs to, if any.
open() {
  local desk
  [[ $(setting '' open) == yes ]] || return 0
  for desk in $(desks); do
    [[ $(setting "$desk" label) != "$LABEL" ]] || echo "desk=$desk" >>"$GITHUB_OUTPUT"
  done
}

# refusal DESK FILE prints why the desk does not take the text, or nothing.
refusal() {
  local accept text
  accept=$(setting "$1" accept)
  [[ -f $2 ]] || { echo "there is no $(setting "$1" result)"; return; }
  text=$(cat "$2")
  [[ $text =~ ^($accept)$ ]] || echo "$(setting "$1" result) does not read $accept"
}

# work lets the agent work once, in a place and an environment of its own, and keeps what it left. The
# agent has a copy of the checkout, so that this script and its configuration stay what they were.
work() {
  local place=$RUNNER_TEMP/desk why
  mkdir -p "$place/out" "$tray"
  cp -R . "$place/repository"
  env -i PATH="$PATH" HOME="$place" DESK="$DESK" LETTER="$ISSUE" \
    understudy-job agent dummy --script .postroom/script.json --workspace "$place" --repo "$place/repository" \
    --results "$place/out/deeds.json" --proxy "$HTTP_PROXY" || echo "::warning::the agent ended with exit code $?"
  cp -R "$place/out/." "$tray"
  why=$(refusal "$DESK" "$place/$(setting "$DESK" result)")
  echo "${why:-accepted}" >"$tray/verdict"
  [[ -z $why ]] || fail "returned to sender: $why"
}

# deliver makes the text public, or says why not.
deliver() {
  local repository=$RUNNER_TEMP/desk/repository verdict branch text
  verdict=$(cat "$tray/verdict" || echo "the desk broke down")
  branch=$(git -C "$repository" branch --show-current)
  if [[ $verdict == accepted && $branch != "$GITHUB_REF_NAME" && $branch != postroom/* ]]; then
    verdict="branch $branch is not the postroom's to push"
  fi
  if [[ $verdict != accepted ]]; then
    comment "returned to sender: $verdict"
    exit 1
  fi
  [[ $branch == "$GITHUB_REF_NAME" ]] || git -C "$repository" push --quiet origin "HEAD:refs/heads/$branch"
  text=$(cat "$RUNNER_TEMP/desk/$(setting "$DESK" result)")
  comment "$text"
  post "issues/$ISSUE/labels" "{\"labels\": [$(json "$(setting "$DESK" done)")]}"
}

# install commits this script, its configuration and its workflow; --defect NAME breaks a line of the script.
install() {
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.extraHeader
  GIT_CONFIG_VALUE_0="Authorization: Basic $(printf 'x:%s' "$POSTROOM_TOKEN" | base64 | tr -d '\n')"
  export GIT_CONFIG_VALUE_0
  git clone --quiet "$POSTROOM_SERVER/$1" repository
  cp "$0" postroom.sh
  cd repository
  mkdir -p .postroom .github/workflows
  cp ../postroom.sh .postroom/postroom.sh
  [[ -z ${3-} ]] || plant "$3" .postroom/postroom.sh
  [[ -e $config ]] || desks_ini >"$config"
  workflow >.github/workflows/post.yaml
  git add .postroom .github
  git -c user.name=postroom -c user.email=postroom@example.com commit --quiet -m "Open the postroom"
  git push --quiet origin HEAD
}

# plant DEFECT FILE breaks what a test suite must notice.
plant() {
  local edit
  case $1 in
    takes-anything) edit='s/^  why=.*/  why=/' ;;                              # no text is held to the pattern
    pushes-anywhere) edit='s/ \&\& $branch != postroom.* ]]; then/ \&\& 1 == 2 ]]; then/' ;;
    any-label) edit='s/^    \[\[ .* != "$LABEL" ]] ||/   /' ;;                 # every desk works at every label
    never-closes) edit='s/ == yes ]]/ == * ]]/' ;;
    environment-leaks) edit='s/^  env -[i] /  env /' ;;
    *) fail "there is no defect $1" ;;
  esac
  sed "$edit" "$2" >"$2.broken"
  ! cmp -s "$2" "$2.broken" || fail "the defect $1 breaks no line"
  mv "$2.broken" "$2"
}

desks_ini() {
  cat <<'END'
; open = no closes the house; accept is a regular expression of bash, for the whole text
open = yes

[sort]
label = to-sort
result = out/shelf.txt
accept = shelf=(bugs|wishes)
done = sorted

[answer]
label = to-answer
result = out/letter.txt
accept = Dear [^,]+,.*
done = answered
END
}

workflow() {
  cat <<'END'
name: post
on:
  issues:
    types: [labeled]
permissions:
  contents: write
  issues: write
env:
  LABEL: ${{ github.event.label.name }}
  ISSUE: ${{ github.event.issue.number }}
jobs:
  door:
    runs-on: ubuntu-latest
    outputs:
      desk: ${{ steps.open.outputs.desk }}
    steps:
      - uses: actions/checkout@v4
      - id: open
        run: bash .postroom/postroom.sh open
  desk:
    name: desk ${{ needs.door.outputs.desk }}
    needs: door
    if: needs.door.outputs.desk != ''
    runs-on: ubuntu-latest
    env:
      DESK: ${{ needs.door.outputs.desk }}
    steps:
      - uses: actions/checkout@v4
      - run: bash .postroom/postroom.sh work
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: tray-${{ env.DESK }}
          path: postroom-tray
      - if: always()
        run: bash .postroom/postroom.sh deliver
        env:
          GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
END
}

case ${1-} in
  open | work | deliver) "$1" ;;
  install) [[ $# == 2 || ($# == 4 && $3 == --defect) ]] || fail "usage: postroom install OWNER/NAME [--defect NAME]"; install "${@:2}" ;;
  *) fail "usage: postroom install OWNER/NAME, or open, work, deliver in a job" ;;
esac
