/** argus_run with `go test`: what it prints, and packages that do not build. */

import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { BUNDLE, environment, project } from '../harness.ts';
import { has, PATH } from './installed.ts';
import { agent, opened } from './runners-agent.ts';

const FILES = {
  'go.mod': 'module example.com/shop\n\ngo 1.19\n',
  'none/none.go': 'package none\n',
  'good/good_test.go': `package good

import ("fmt"; "testing")

func TestGood(t *testing.T) { t.Log("a log of no interest"); fmt.Println("printed by a good test") }
`,
  'bad/bad_test.go': `package bad

import ("fmt"; "os"; "testing")

func TestMain(m *testing.M) { fmt.Println("setting up"); code := m.Run(); fmt.Println("clearing up"); os.Exit(code) }
func TestFine(t *testing.T) { fmt.Println("printed by a fine test") }
func TestSkipped(t *testing.T) { t.Skip("later") }
func TestQuiet(t *testing.T) { t.Fail() }
func TestDeep(t *testing.T) {
	fmt.Println("printed by a bad test")
	t.Run("one", func(t *testing.T) {
		t.Log("before")
		t.Run("two/three", func(t *testing.T) { t.Fatal("too deep\\nby far") })
		t.Log("after")
	})
	t.Run("fine", func(t *testing.T) { t.Log("not shown") })
	t.Log("at the end")
}
func TestParallel(t *testing.T) {
	t.Run("waits", func(t *testing.T) { t.Parallel(); t.Error("one\\n\\nand two") })
	t.Log("all are started")
}
`,
  'panics/panics_test.go': `package panics

import "testing"

func TestPanics(t *testing.T) { t.Log("so far"); var stock map[string]int; stock["a"] = 1 }
`,
  'unbuilt/unbuilt_test.go': `package unbuilt

import "testing"

func TestUnbuilt(t *testing.T) { absent() }
`,
};

/** Without times and addresses. */
const settled = (text: string) => text.replaceAll(/0x[0-9a-f]+\??|goroutine \d+|\d+\.\d+s/gu, 'N');

describe.skipIf(!has('go', ['version']))('go test', () => {
  test.each([
    ['go test -count=1 -p=1 ./...', '.'],
    ['go test -count=1 -p=1 -v ./...', '.'],
    ['go test -count=1 -cover ./good', '.'],
    ['go test ./unbuilt', '.'],
    ['go test -count=1', 'good'],
    ['go test -count=1', 'bad'],
    ['go test -count=1 -v -run TestDeep', 'bad'],
    ['go test', 'unbuilt'],
  ])('prints by %s in %s what it prints alone', (command, folder) => {
    const options = {
      cwd: `${project(FILES)}/${folder}`,
      encoding: 'utf8',
      env: environment({ PATH }),
    } as const;
    const bare = spawnSync(command, { ...options, shell: true });
    const run = spawnSync(process.execPath, [BUNDLE, 'run', '--', ...command.split(' ')], options);
    expect(settled(run.stdout.slice(0, run.stdout.search(/^run-/mu)))).toBe(settled(bare.stdout));
    expect(settled(run.stderr)).toBe(settled(bare.stderr));
  });

  test.each([['go test ./unbuilt'], ['go test ./...']])('tells by %s what the compiler says', async (command) => {
    const { root } = await opened(project(FILES));
    const run = await agent.data('argus_run', { projectPath: root, command });
    expect(run).toMatchObject({ status: 'failed', notes: [] });
    expect(run.failures).toContainEqual(
      expect.objectContaining({
        caseName: 'example.com/shop/unbuilt > (suite)',
        headline: 'undefined: absent',
        testPlace: 'unbuilt/unbuilt_test.go:5',
      }),
    );
    expect(JSON.stringify(run.causes)).not.toContain('setting up');
  });
});
