// What the documents say exists: every setting and command that README names, every file that a document links to.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file) => readFileSync(path.join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json'));
const settings = Object.assign({}, ...manifest.contributes.configuration.map(({ properties }) => properties));
const documents = ['README.md', 'CHANGELOG.md', ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)];

/** Settings of README's table with their default as it is written there. `.name` continues the setting before it. */
function tableOfSettings() {
  return read('README.md')
    .split('\n')
    .filter((line) => /^\| `kinetoscope\./.test(line))
    .flatMap((line) => {
      const [names, value] = line.split('|').slice(1, 3);
      let prefix = '';
      return [...names.matchAll(/`([\w.]+)`/g)].map(([, name]) => {
        const full = name.startsWith('.') ? prefix + name : name;
        prefix = full.slice(0, full.lastIndexOf('.'));
        return [full, value.trim().replaceAll('`', '')];
      });
    });
}

test('README lists each setting once, with its default', () => {
  const written = tableOfSettings();
  expect(written.map(([name]) => name).sort()).toEqual(Object.keys(settings).sort());
  const asWritten = (value) => (value === true ? 'on' : value === false ? 'off' : Array.isArray(value) ? value.join(', ') : String(value));
  expect(Object.fromEntries(written)).toEqual(
    Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, asWritten(setting.default)])),
  );
});

test('README names commands as the palette does', () => {
  const named = [...read('README.md').matchAll(/\*\*(Kinetoscope: )?((?:Profile|Open) [\w ]+…?)\*\*/g)].map(([, , title]) => title);
  expect(named).not.toEqual([]);
  const titles = manifest.contributes.commands.map(({ title }) => title);
  expect(named.filter((title) => !titles.includes(title))).toEqual([]);
});

test.each(documents)('every file that %s links to exists', (document) => {
  const links = [...read(document).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link]) => link);
  const missing = links.filter((link) => !existsSync(path.join(root, path.dirname(document), link)));
  expect(missing).toEqual([]);
});
