// Does with the official client of artifacts what a job can do with them:
//
//	node artifact.mjs NODE_MODULES DIR
//
// GITHUB_TOKEN, FIRST_RUN and FIRST_ID, when they are set, name an artifact of another run.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, dir] = process.argv.slice(2)
const root = join(modules, '@actions/artifact')
const about = JSON.parse(readFileSync(join(root, 'package.json')))
const entry = about.exports?.['.']?.import ?? about.exports?.['.']?.default ?? about.exports?.['.'] ?? about.main
const loaded = await import(pathToFileURL(join(root, typeof entry === 'string' ? entry : entry.default)))
const client = new (loaded.DefaultArtifactClient ?? loaded.default.DefaultArtifactClient)()

const file = (name, content) => (writeFileSync(join(dir, name), content), join(dir, name))
const refused = async (promise, what) => assert.rejects(promise, e => what.test(String(e.message)) || assert.fail(`${e.message} is not ${what}`))
mkdirSync(join(dir, 'sub'), { recursive: true })
const small = file('small.txt', 'hello\n'), deep = file('sub/deep.txt', 'x'.repeat(5000))
const large = file('large.bin', randomBytes(20 << 20)) // three blocks

// Upload, with terms and levels.
const up = await client.uploadArtifact('several', [small, deep], dir, { retentionDays: 1, compressionLevel: 9 })
assert.ok(up.id > 0 && up.size > 0 && /^[0-9a-f]{64}$/.test(up.digest), JSON.stringify(up))
const big = await client.uploadArtifact('large', [large], dir, { compressionLevel: 0 })
assert.ok(big.size > 20 << 20, JSON.stringify(big))

// A name is there once, and not every name is one.
await refused(client.uploadArtifact('several', [small], dir), /already exists/)
for (const name of ['a/b', 'a\\b', 'a:b', 'a"b', 'a<b', 'a>b', 'a|b', 'a*b', 'a?b', ' a\nb']) {
  await refused(client.uploadArtifact(name, [small], dir), /not valid/)
}

// List and get.
const { artifacts } = await client.listArtifacts()
assert.deepEqual(artifacts.map(a => [a.name, a.id, a.size]).sort(), [['large', big.id, big.size], ['several', up.id, up.size]])
const { artifact } = await client.getArtifact('several')
assert.equal(artifact.id, up.id)
assert.equal(artifact.digest, 'sha256:' + up.digest)
assert.ok(Math.abs(artifact.createdAt - Date.now()) < 3600e3)
await refused(client.getArtifact('none'), /not found/i)

// Download, with the digest right and wrong.
const sum = path => createHash('sha256').update(readFileSync(path)).digest('hex')
const got = await client.downloadArtifact(up.id, { path: join(dir, 'got'), expectedHash: artifact.digest })
assert.equal(got.digestMismatch, false)
assert.equal(sum(join(dir, 'got/sub/deep.txt')), sum(deep))
await client.downloadArtifact(big.id, { path: join(dir, 'big') })
assert.equal(sum(join(dir, 'big/large.bin')), sum(large))
const wrong = await client.downloadArtifact(up.id, { path: join(dir, 'wrong'), expectedHash: 'sha256:' + '0'.repeat(64) })
assert.equal(wrong.digestMismatch, true)

// Overwrite is delete and upload.
const gone = await client.deleteArtifact('several')
assert.equal(gone.id, up.id)
await refused(client.getArtifact('several'), /not found/i)
const again = await client.uploadArtifact('several', [deep], dir)
assert.notEqual(again.id, up.id)

// Another run's, by a token.
if (process.env.FIRST_RUN) {
  const [repositoryOwner, repositoryName] = process.env.GITHUB_REPOSITORY.split('/')
  const findBy = { token: process.env.GITHUB_TOKEN, workflowRunId: Number(process.env.FIRST_RUN), repositoryOwner, repositoryName }
  const listed = await client.listArtifacts({ findBy })
  assert.deepEqual(listed.artifacts.map(a => a.name).sort(), ['large', 'several'])
  const other = await client.getArtifact('several', { findBy })
  await client.downloadArtifact(other.artifact.id, { path: join(dir, 'other'), findBy })
  assert.equal(sum(join(dir, 'other/sub/deep.txt')), sum(deep))
  await client.deleteArtifact('large', { findBy })
  await refused(client.getArtifact('large', { findBy }), /not found/i)
}
console.log('all held with', about.version)
