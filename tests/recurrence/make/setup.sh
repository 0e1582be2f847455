#!/bin/bash
# Puts runners and public projects where make.py looks for them. Debian, as root, with Node 20 and 22, Rust, JDK 17, Maven.
set -eu
recur=${RECUR:-${TMPDIR:-/tmp}/recurrence}
mkdir -p "$recur/npm" "$recur/py" "$recur/pub"
apt-get install -y ruby-rspec ruby-minitest ruby-minitest-global-expectations phpunit php-xml php-mbstring \
  libsurefire-java junit5 libmaven-compiler-plugin-java libmaven-resources-plugin-java
# Maven works offline from Debian's own repository of artifacts.
cp -rL /usr/share/maven-repo "$recur/m2repo"

install() {
  mkdir -p "$recur/npm/$1"
  (cd "$recur/npm/$1" && echo '{"private":true}' >package.json && shift && npm install --silent "$@")
}
install vitest-2 vitest@2.1
install vitest-3 vitest@3
for version in 7.4 8.3; do
  python3 -m venv "$recur/py/pytest-${version%.*}"
  "$recur/py/pytest-${version%.*}/bin/pip" -q install "pytest==$version.*" freezegun
done

# Clones of the repositories that README.md names go to $recur/pub/<name>, at the commits that it names.
cd "$recur/pub"
echo '{}' >cookie/tsconfig.json # it extends a package that is not needed to run a test
(cd semver && rm -rf benches && sed -i "/dev-dependencies\]/,/^harness/d" Cargo.toml && echo '[workspace]' >>Cargo.toml)
for version in 10 11; do
  mkdir -p "$recur/npm/express-$version"
  node -p "const p = require('./express/package.json'), d = p.devDependencies; JSON.stringify({ private: true,
    dependencies: { ...p.dependencies, supertest: d.supertest, after: d.after, 'cookie-parser': d['cookie-parser'],
      'express-session': d['express-session'], 'cookie-session': d['cookie-session'],
      'method-override': d['method-override'], ejs: d.ejs, hbs: d.hbs, mocha: '^$version' } })" \
    >"$recur/npm/express-$version/package.json"
  (cd "$recur/npm/express-$version" && npm install --silent)
done
