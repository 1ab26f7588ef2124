#!/usr/bin/env bash
# signalbox: a label sends an issue on its way. One run at a time is meant to look at an issue, and a
# newer one to replace it; that is the mistake, see README.md.
set -euo pipefail
case "${1:-}" in
install)
  # shellcheck disable=SC2016 # git runs the helper: the token stays out of command lines and files
  git clone -q -c credential.helper='!printf "username=x\npassword=%s\n" "$TOKEN" #' "$SERVER/$2" checkout
  cd checkout && mkdir -p .github/workflows
  cat >.github/workflows/signals.yml <<'END'
on: {issues: {types: [labeled]}}
concurrency: {group: "issue-${{ github.event.issue.number }}", cancel-in-progress: true}
permissions: {issues: write}
jobs:
  route:
    runs-on: ubuntu-latest
    steps:
      - if: github.event.label.name == 'ready'
        run: platform.sh route
        env: {ISSUE: "${{ github.event.issue.number }}", TOKEN: "${{ github.token }}"}
END
  git add . && git -c user.name=platform -c user.email=platform@example.org commit -qm "Install the platform"
  git push -q ;;
route)
  at=${GITHUB_API_URL#http://} body='{"labels": ["routed"]}'
  host=${at%%/*}
  exec 3<>"/dev/tcp/${host%:*}/${host##*:}"
  printf 'POST /%s/repos/%s/issues/%s/labels HTTP/1.0\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
    "${at#*/}" "$GITHUB_REPOSITORY" "$ISSUE" "$host" "$TOKEN" "${#body}" "$body" >&3
  read -r _ status _ <&3
  [[ $status == 200 ]] || { echo "set label routed: status $status" >&2 && exit 1; } ;;
*) echo "usage: platform.sh install OWNER/NAME | route" >&2 && exit 2 ;;
esac
