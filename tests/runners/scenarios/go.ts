/**
 * Scenarios of Go: Argus creates the usual output of `go test` from its events, and keeps the compiler's message about
 * a package.
 */

import { expect } from 'vitest';
import type { Scenario } from '../scenario.ts';

const GO_FILES = {
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

const GO_COMMANDS = [
  { recording: 'all', command: 'go test -count=1 -p=1 ./...' },
  { recording: 'all-verbose', command: 'go test -count=1 -p=1 -v ./...' },
  { recording: 'cover', command: 'go test -count=1 -cover ./good' },
  { recording: 'unbuilt', command: 'go test ./unbuilt' },
  { recording: 'good', command: 'go test -count=1', at: 'good' },
  { recording: 'bad', command: 'go test -count=1', at: 'bad' },
  { recording: 'run', command: 'go test -count=1 -v -run TestDeep', at: 'bad' },
  { recording: 'unbuilt-here', command: 'go test', at: 'unbuilt' },
];

const COMPILER_FAILURE = {
  caseName: 'example.com/shop/unbuilt > (suite)',
  headline: 'undefined: absent',
  testPlace: 'unbuilt/unbuilt_test.go:5',
};

export const GO_SCENARIOS: Scenario[] = GO_COMMANDS.map(({ recording, command, at }) => ({
  name: `${command} in ${at ?? 'the module'} prints what it prints alone, and tells what the compiler tells`,
  recording: `go-${recording}`,
  programs: ['go'],
  files: GO_FILES,
  ...(at === undefined ? {} : { at }),
  async play(stage) {
    const run = await stage.run({ command });
    stage.expectShownAsAlone(command);
    if (!recording.startsWith('all') && recording !== 'unbuilt') return;
    expect(run).toMatchObject({ status: 'failed', notes: [] });
    expect(run.failures).toContainEqual(expect.objectContaining(COMPILER_FAILURE));
    expect(JSON.stringify(run.causes)).not.toContain('setting up');
  },
}));
