// Does with octokit what an agent platform does on a forge, as a person and as an app with a webhook:
//
//	node octokit.mjs NODE_MODULES
//
// FORGE, TOKEN, APP_ID, PRIVATE_KEY and SECRET say where and as whom. The last line says how many
// requests were answered as octokit understands them.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const modules = process.argv[2]
const { Octokit, App } = await import(pathToFileURL(join(modules, 'octokit/dist-bundle/index.js')))
const { FORGE, TOKEN, APP_ID, PRIVATE_KEY, SECRET } = process.env
let calls = 0
const Client = Octokit.defaults({ baseUrl: `${FORGE}/api/v3`, throttle: { enabled: false }, retry: { enabled: false }, log: { debug() {}, info() {}, warn: console.error, error() {} } })
const counted = o => (o.hook.after('request', () => { calls++ }), o.hook.error('request', e => { calls++; throw e }), o)
const { rest, paginate, request } = counted(new Client({ auth: TOKEN }))
const at = { owner: 'acme', repo: 'app' }
const refused = async (promise, status, what) => {
  const e = await promise.then(() => assert.fail(`${what} was allowed`), e => e)
  assert.equal(e.status, status, `${what}: ${e.message}`)
  return e
}

// People and repositories.
assert.equal((await rest.users.getAuthenticated()).data.login, 'ada')
const made = (await rest.repos.createInOrg({ org: 'acme', name: 'app', auto_init: true })).data
assert.equal(made.full_name, 'acme/app')
assert.equal((await refused(rest.repos.createInOrg({ org: 'acme', name: 'app' }), 422, 'the same name again')).response.data.errors[0].message, 'name already exists on this account')
await refused(rest.repos.get({ owner: 'acme', repo: 'none' }), 404, 'a repository that is not there')

// Contents, by file and by git's objects.
const put = (path, text, branch, more) => rest.repos.createOrUpdateFileContents({ ...at, path, message: `Write ${path}`, content: Buffer.from(text).toString('base64'), branch, ...more })
const first = (await put('a/b.txt', 'one\n', 'main')).data
const read = (await rest.repos.getContent({ ...at, path: 'a/b.txt' })).data
assert.equal(Buffer.from(read.content, 'base64').toString(), 'one\n')
await refused(put('a/b.txt', 'two\n', 'main', { sha: first.commit.sha }), 409, 'a write over another version')
await put('a/b.txt', 'two\n', 'main', { sha: read.sha })
const head = (await rest.git.getRef({ ...at, ref: 'heads/main' })).data.object.sha
const tree = (await rest.git.createTree({ ...at, base_tree: head, tree: [{ path: 'c.txt', mode: '100644', type: 'blob', content: 'three\n' }] })).data
const commit = (await rest.git.createCommit({ ...at, message: 'By hand', tree: tree.sha, parents: [head] })).data
await rest.git.createRef({ ...at, ref: 'refs/heads/topic', sha: commit.sha })
await refused(rest.git.createRef({ ...at, ref: 'refs/heads/topic', sha: commit.sha }), 422, 'a branch that is there')
assert.equal((await rest.repos.createFork({ ...at, name: 'copy' })).data.parent.full_name, 'acme/app')
await put('d.txt', 'four\n', 'main', { owner: 'ada', repo: 'copy' })
assert.deepEqual((await rest.repos.compareCommitsWithBasehead({ ...at, basehead: 'main...ada:copy:main' })).data.files.map(f => f.filename), ['d.txt'])
assert.deepEqual((await paginate(rest.repos.listBranches, at)).map(b => b.name).sort(), ['main', 'topic'])
assert.equal((await rest.repos.compareCommitsWithBasehead({ ...at, basehead: 'main...topic' })).data.ahead_by, 1)

// Issues, labels, comments; pages by an iterator.
await rest.issues.createLabel({ ...at, name: 'agent', color: 'ff0000' })
for (let n = 1; n <= 3; n++) await rest.issues.create({ ...at, title: `Number ${n}`, labels: ['agent'] })
const seen = []
for await (const page of paginate.iterator(rest.issues.listForRepo, { ...at, labels: 'agent', per_page: 1, direction: 'asc' })) seen.push(...page.data.map(i => i.title))
assert.deepEqual(seen, ['Number 1', 'Number 2', 'Number 3'])
const issue = (await rest.issues.get({ ...at, issue_number: 1 }))
assert.equal((await refused(request('GET /repos/{owner}/{repo}/issues/1', { ...at, headers: { 'if-none-match': issue.headers.etag } }), 304, 'what did not change')).status, 304)
const comment = (await rest.issues.createComment({ ...at, issue_number: 1, body: 'I am on it.' })).data
await rest.issues.updateComment({ ...at, comment_id: comment.id, body: 'Done.' })
assert.equal((await rest.issues.listComments({ ...at, issue_number: 1 })).data[0].body, 'Done.')
await rest.issues.addLabels({ ...at, issue_number: 1, labels: ['bug'] })
await rest.issues.removeLabel({ ...at, issue_number: 1, name: 'agent' })
assert.equal((await rest.issues.update({ ...at, issue_number: 1, state: 'closed', state_reason: 'not_planned' })).data.state_reason, 'not_planned')
await rest.issues.addAssignees({ ...at, issue_number: 1, assignees: ['ada'] })
const milestone = (await rest.issues.createMilestone({ ...at, title: 'Soon' })).data
assert.equal((await rest.issues.update({ ...at, issue_number: 1, milestone: milestone.number })).data.milestone.title, 'Soon')
await rest.reactions.createForIssue({ ...at, issue_number: 1, content: 'eyes' })
assert.deepEqual((await paginate(rest.issues.listEventsForTimeline, { ...at, issue_number: 1 })).map(e => e.event).filter(e => e === 'assigned' || e === 'milestoned'), ['assigned', 'milestoned'])
assert.equal((await refused(rest.issues.create({ ...at, title: '' }), 422, 'no title')).response.data.errors[0].code, 'missing_field')

// Pull requests.
const pull = (await rest.pulls.create({ ...at, title: 'By hand', head: 'topic', base: 'main', body: 'Closes #2' })).data
assert.equal(pull.number, 4)
assert.equal((await refused(rest.pulls.create({ ...at, title: 'Again', head: 'topic', base: 'main' }), 422, 'the same again')).response.data.errors[0].message, 'A pull request already exists for acme:topic.')
assert.equal((await rest.pulls.get({ ...at, pull_number: 4 })).data.mergeable, true)
assert.deepEqual((await rest.pulls.listFiles({ ...at, pull_number: 4 })).data.map(f => [f.filename, f.status]), [['c.txt', 'added']])
assert.equal((await rest.pulls.listCommits({ ...at, pull_number: 4 })).data[0].sha, commit.sha)
await refused(rest.pulls.checkIfMerged({ ...at, pull_number: 4 }), 404, 'not merged yet')
await rest.repos.createCommitStatus({ ...at, sha: commit.sha, state: 'success', context: 'ci/test' })
assert.equal((await rest.repos.getCombinedStatusForRef({ ...at, ref: 'topic' })).data.state, 'success')
await refused(rest.checks.create({ ...at, name: 'lint', head_sha: commit.sha }), 403, 'a check run of a person')
assert.equal((await rest.pulls.merge({ ...at, pull_number: 4, merge_method: 'squash' })).data.merged, true)
assert.equal((await rest.issues.get({ ...at, issue_number: 2 })).data.state, 'closed')

// The same forge as an app, which hears of events.
const Quiet = Client.defaults({})
const app = new App({ appId: APP_ID, privateKey: PRIVATE_KEY, webhooks: { secret: SECRET }, Octokit: Quiet })
counted(app.octokit)
const heard = new Promise((resolve, reject) => {
  app.webhooks.on('issues.opened', async ({ octokit, payload, id }) => {
    counted(octokit)
    const of = { owner: payload.repository.owner.login, repo: payload.repository.name }
    await octokit.rest.issues.createComment({ ...of, issue_number: payload.issue.number, body: `heard ${payload.action}` })
    const check = (await octokit.rest.checks.create({ ...of, name: 'lint', head_sha: head, status: 'completed', conclusion: 'neutral', output: { title: 'Lint', summary: 'Fine',
      annotations: [{ path: 'a/b.txt', start_line: 1, end_line: 1, annotation_level: 'notice', message: 'short' }] } })).data
    assert.equal(check.app.slug, 'bot')
    assert.equal((await octokit.rest.checks.listAnnotations({ ...of, check_run_id: check.id })).data[0].message, 'short')
    resolve({ id, payload })
  })
  app.webhooks.onError(reject)
})
const server = createServer(async (q, r) => {
  const body = await new Promise(done => { let all = ''; q.on('data', d => { all += d }); q.on('end', () => done(all)) })
  try {
    await app.webhooks.verifyAndReceive({ id: q.headers['x-github-delivery'], name: q.headers['x-github-event'], signature: q.headers['x-hub-signature-256'], payload: body })
    r.writeHead(204).end()
  } catch (e) {
    console.error(e)
    r.writeHead(500).end()
  }
})
await new Promise(done => server.listen(0, '127.0.0.1', done))
// In data, since octokit takes url for the request's own.
await app.octokit.request('PATCH /app/hook/config', { data: { url: `http://127.0.0.1:${server.address().port}/`, content_type: 'json', secret: SECRET } })
const there = (await app.octokit.rest.apps.listInstallations()).data
assert.deepEqual(there.map(i => i.account.login), ['acme'])
const bot = counted(await app.getInstallationOctokit(there[0].id))
assert.deepEqual((await bot.paginate(bot.rest.apps.listReposAccessibleToInstallation)).map(r => r.full_name), ['acme/app'])
await refused(bot.rest.repos.delete(at), 403, 'an app without administration')
const mine = (await rest.issues.create({ ...at, title: 'For the app' })).data
const { payload } = await heard
assert.equal(payload.issue.number, mine.number)
assert.equal(payload.installation.id, there[0].id)
const answer = (await rest.issues.listComments({ ...at, issue_number: mine.number })).data
assert.deepEqual(answer.map(c => [c.user.login, c.user.type, c.body]), [['bot[bot]', 'Bot', 'heard opened']])
server.close()
server.closeAllConnections()
console.log(`octokit: ${calls} requests were answered`)
