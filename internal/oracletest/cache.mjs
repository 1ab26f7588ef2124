// Does with the official client of caches what a job can do with it:
//
//	node cache.mjs NODE_MODULES DIR
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, dir] = process.argv.slice(2)
const root = join(modules, '@actions/cache')
const about = JSON.parse(readFileSync(join(root, 'package.json')))
const entry = about.exports?.['.']?.import ?? about.main
const loaded = await import(pathToFileURL(join(root, entry)))
const client = loaded.restoreCache ? loaded : loaded.default
assert.ok(client.isFeatureAvailable())

const first = process.env.GITHUB_RUN_NUMBER === '1'
const paths = [dir]
if (!first) { // what the run before saved
  assert.equal(await client.restoreCache(paths, 'large-1'), 'large-1')
  assert.equal(readFileSync(join(dir, 'sub/deep.txt'), 'utf8'), 'deep')
  console.log('restored from the run before')
  process.exit(0)
}
mkdirSync(join(dir, 'sub'), { recursive: true })
const large = randomBytes(140 << 20) // more than goes in one piece
writeFileSync(join(dir, 'large.bin'), large)
writeFileSync(join(dir, 'sub/deep.txt'), 'deep')

// Nothing is there, then something is, and stays as it is.
assert.equal(await client.restoreCache(paths, 'large-1', ['large-']), undefined)
const id = await client.saveCache(paths, 'large-1')
assert.ok(id > 0, String(id))
assert.equal(await client.saveCache(paths, 'large-1'), -1)

// The very key, the beginning of one, only a look, other paths.
rmSync(dir, { recursive: true })
assert.equal(await client.restoreCache(paths, 'large-2', ['none', 'large-'], { lookupOnly: true }), 'large-1')
assert.ok(!existsSync(dir))
assert.equal(await client.restoreCache(paths, 'large-2', ['none', 'large-']), 'large-1')
assert.ok(readFileSync(join(dir, 'large.bin')).equals(large))
assert.equal(await client.restoreCache([join(dir, 'sub')], 'large-1'), undefined)

// The newest of a beginning.
assert.ok(await client.saveCache(paths, 'large-3') > 0)
assert.equal(await client.restoreCache(paths, 'large', [], { lookupOnly: true }), 'large-3')
for (const key of ['a,b', 'k'.repeat(513)]) await assert.rejects(client.saveCache(paths, key), /Key Validation Error/)
console.log('all held with', about.version)
