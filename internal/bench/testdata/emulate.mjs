// emulate@0.12.2 as the forge's peer: the same issue, the same answers on stdin as ../server.
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const { createEmulator } = await import(pathToFileURL(process.argv[2] + '/node_modules/emulate/dist/api.js').href)
const github = await createEmulator({
  service: 'github',
  port: 0,
  seed: {
    tokens: { bench: { login: 'ada', scopes: ['repo'] } },
    github: { users: [{ login: 'ada' }], repos: [{ owner: 'ada', name: 'app', auto_init: true }] },
  },
})
const made = await fetch(github.url + '/repos/ada/app/issues', {
  method: 'POST',
  headers: { authorization: 'Bearer bench', 'content-type': 'application/json' },
  body: JSON.stringify({ title: 'The parser drops the last line', body: 'steps to reproduce\n'.repeat(160).slice(0, 3000) }),
})
if (made.status !== 201) throw new Error('create issue: ' + made.status + ' ' + (await made.text()))
const { number } = await made.json()
console.log(JSON.stringify({ url: github.url + '/repos/ada/app/issues/' + number, token: 'bench' }))
for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage()
  console.log(JSON.stringify({ cpu_us: user + system, rss_kb: Math.round(process.memoryUsage().rss / 1024) }))
}
process.exit(0)
