//! Headlines and messages of real output.

mod places;

use super::Summary;

/// What was printed, and the line a person would call the error.
const HEADLINES: &[(&str, &str)] = &[
    // Package managers.
    ("> test\n> vitest run\n\nTypeError: cart.totl is not a function", "TypeError: cart.totl is not a function"),
    (
        "> shop@1.0.0 build\n> tsc\n\nsrc/cart.ts(7,3): error TS2322: Type 'string' is not assignable to type 'number'.",
        "src/cart.ts(7,3): error TS2322: Type 'string' is not assignable to type 'number'.",
    ),
    ("$ tsc --noEmit\nsh: 1: tsc: not found", "sh: 1: tsc: not found"),
    (
        "Exception during run: /srv/shop/src/slug.cjs:4\n  return text.replace(/a/g, '-';\n                            ^^^\n\nSyntaxError: missing ) after argument list\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)",
        "SyntaxError: missing ) after argument list",
    ),
    ("1 error\nnode:child_process:930\n    throw err;\n    ^\n\nError: it failed", "Error: it failed"),
    (
        "test/slug_test.rb:2:in `require_relative': lib/slug.rb:6: syntax error, unexpected `end' (SyntaxError)\n  end\n  ^~~\n\tfrom test/slug_test.rb:2:in `<main>'",
        "lib/slug.rb:6: syntax error, unexpected `end' (SyntaxError)",
    ),
    // Ruby warns of the same file before it says what it cannot read.
    (
        "/srv/shop/lib/slug.rb:9: warning: mismatched indentations at 'end' with 'def' at 4\n/usr/lib/bundler/runtime.rb:60:in `require': /srv/shop/lib/slug.rb:5: syntax error, unexpected ',' (SyntaxError)\n  slug(**, &)\n         ^",
        "/srv/shop/lib/slug.rb:5: syntax error, unexpected ',' (SyntaxError)",
    ),
    ("AssertionError: Value is not truthy:\n\n0\n", "AssertionError: Value is not truthy: 0"),
    // And all options of a program that was given a wrong one.
    (
        "Usage of /tmp/go-build/shop.test:\n  -b, --bool           a switch\n      --level string   how much\ninvalid argument \"yes\" for \"-b, --bool\" flag: must be true or false\nFAIL\texample.org/shop\t0.01s",
        "invalid argument \"yes\" for \"-b, --bool\" flag: must be true or false",
    ),
    // Go says first which package its compiler refused.
    (
        "# example.org/shop [example.org/shop.test]\n./shop_test.go:6:5: undefined: Totl\nFAIL\texample.org/shop [build failed]\nFAIL",
        "undefined: Totl",
    ),
    // Frameworks of C++, what they checked with its values.
    (
        "/srv/shop/cart_test.cpp:5: Failure\nExpected equality of these values:\n  total\n    Which is: 5\n  4\n[  FAILED  ] Cart.adds (0 ms)",
        "Expected equality of these values: total Which is: 5 4",
    ),
    (
        "/srv/shop/cart_test.cpp:9: Failure\nExpected equality of these values:\n  4\n  total\n    Which is: 5",
        "Expected equality of these values: 4 total Which is: 5",
    ),
    (
        "/srv/shop/cart_test.cpp:6: Failure\nExpected equality of these values:\n  total\n    Which is: 5\n  sum\n    Which is: 4\nof both",
        "Expected equality of these values: total Which is: 5 sum Which is: 4",
    ),
    (
        "/srv/shop/cart_test.cpp:7: Failure\nValue of: total < 3\n  Actual: false\nExpected: true\n[  FAILED  ] Cart.adds (0 ms)",
        "Value of: total < 3 Actual: false Expected: true",
    ),
    (
        "/srv/shop/cart_test.cpp:8: Failure\nExpected: (total) < (2), actual: 3 vs 2",
        "Expected: (total) < (2), actual: 3 vs 2",
    ),
    (
        "unknown file: Failure\nC++ exception with description \"boom\" thrown in the test body.",
        "C++ exception with description \"boom\" thrown in the test body.",
    ),
    (
        "/srv/shop/cart_test.cpp:6: FAILED:\n  CHECK( total==2 )\nwith expansion:\n  3 == 2",
        "CHECK( total==2 ) with expansion: 3 == 2",
    ),
    (
        "/srv/shop/cart_test.cpp:6: FAILED:\n  REQUIRE( name == slug )\nwith expansion:\n  \"a long name\" == \"another\"\nwith message:\n  second",
        "REQUIRE( name == slug ) with expansion: \"a long name\" == \"another\"",
    ),
    (
        "/srv/shop/cart_test.cpp:7: FAILED:\ndue to unexpected exception with message:\n  boom",
        "due to unexpected exception with message: boom",
    ),
    (
        "/srv/shop/cart_test.cpp:6: ERROR: CHECK( add(1,1)==2 ) is NOT correct!\n  values: CHECK( 3 == 2 )",
        "/srv/shop/cart_test.cpp:6: ERROR: CHECK( add(1,1)==2 ) is NOT correct! values: CHECK( 3 == 2 )",
    ),
    (
        "yarn run v1.22.22\n$ jst\n/bin/sh: jst: not found\nerror Command failed with exit code 127.",
        "/bin/sh: jst: not found",
    ),
    (
        "npm error Lifecycle script `test` failed with error:\nnpm error code 1\nnpm error path /srv/shop\nError: the shop is closed",
        "Error: the shop is closed",
    ),
    (
        "npm error code ENOENT\nnpm error syscall open\nnpm error path /srv/shop/sub/package.json\nnpm error enoent Could not read package.json",
        "npm error enoent Could not read package.json",
    ),
    // A diff below a legend, and what is only doubted before what is wrong.
    (
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n+ actual - expected\n\n+ 'red-shoes'\n- 'red--shoes'",
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: + 'red-shoes' - 'red--shoes'",
    ),
    (
        "Expected values to be strictly deep-equal:\n+ actual - expected\n\n  [\n    1,\n+   3\n-   2\n  ]",
        "Expected values to be strictly deep-equal: + 3 - 2",
    ),
    (
        "AssertionError: Expected values to be strictly deep-equal:\n+ actual - expected ... Lines skipped\n\n  {\n    sku: 'red',\n-   size: 4,\n-   tags: [],\n+   size: 5,\n    of: 'shop'\n  }",
        "AssertionError: Expected values to be strictly deep-equal: - size: 4, + size: 5,",
    ),
    (
        "TypeError: fetch failed\n    at node:internal/deps/undici/undici:13510:13\n    at async load (/srv/shop/src/load.js:3:9) {\n  [cause]: Error: connect ECONNREFUSED 127.0.0.1:2\n      at TCPConnectWrap.afterConnect (node:net:1611:16) {\n    errno: -111\n  }\n}",
        "TypeError: fetch failed: Error: connect ECONNREFUSED 127.0.0.1:2",
    ),
    ("warning: old file\nconfig.yml: line 3: port is missing", "config.yml: line 3: port is missing"),
    // Compilers and build tools.
    (
        "   Compiling shop v0.1.0 (/srv/shop)\nerror[E0425]: cannot find value `totl` in this scope\n --> src/lib.rs:4:5\nerror: could not compile `shop` (lib) due to 1 previous error",
        "error[E0425]: cannot find value `totl` in this scope",
    ),
    (
        "[INFO] Scanning for projects...\n[INFO] Building shop 1.0\n[ERROR] /srv/shop/src/main/java/shop/Cart.java:[7,12] cannot find symbol",
        "[ERROR] /srv/shop/src/main/java/shop/Cart.java:[7,12] cannot find symbol",
    ),
    (
        "[INFO] Scanning for projects...\n[ERROR] [ERROR] Some problems were encountered while processing the POMs:\n[FATAL] Non-resolvable parent POM for com.acme:shop:1.0: Could not find artifact com.acme:parent:pom:4 @ line 19, column 11\n @ \n[ERROR] The build could not read 1 project -> [Help 1]\n[ERROR]   \n[ERROR]   The project com.acme:shop:1.0 (/srv/shop/pom.xml) has 1 error\n",
        "[FATAL] Non-resolvable parent POM for com.acme:shop:1.0: Could not find artifact com.acme:parent:pom:4 @ line 19, column 11",
    ),
    // All tests passed, and less was covered than was asked for.
    (
        "TAP version 14\n1..2\n----------|---------|----------|\nFile      | % Stmts | % Branch |\n----------|---------|----------|\nAll files |   85.81 |    93.95 |\n# { total: 2, pass: 2 }\n# time=3384.334ms",
        "failed without an error text; 85.81 % of the statements are covered",
    ),
    (
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':compileJava'.\n> Could not find com.acme:shop:1.0.",
        "Could not find com.acme:shop:1.0.",
    ),
    (
        "> Task :compileJava FAILED\n/srv/shop/src/main/java/shop/Cart.java:7: error: cannot find symbol\n        return totl();\n               ^\n  symbol:   method totl()\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':compileJava'.\n> Compilation failed; see the compiler output below.\n",
        "/srv/shop/src/main/java/shop/Cart.java:7: error: cannot find symbol",
    ),
    (
        "* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests. See the report at: file:///srv/shop/build/reports/tests/test/index.html\n\nSumTest > adds() FAILED\n    org.opentest4j.AssertionFailedError: expected: <5> but was: <4>\n",
        "org.opentest4j.AssertionFailedError: expected: <5> but was: <4>",
    ),
    ("* What went wrong:\nExecution failed for task ':test'.\n", "Execution failed for task ':test'."),
    // Scripts say what they do.
    ("checking\n0\ntotal is 3, expected 4", "total is 3, expected 4"),
    ("Running the tests ...\n./check.sh: line 4: foo: command not found", "./check.sh: line 4: foo: command not found"),
    ("+ make -C shop\nchecking\nerror: expected 3, got 4", "error: expected 3, got 4"),
    ("Waiting for the database ...", "Waiting for the database ..."),
    ("3", "3"),
    ("Missing script: \"test\"", "Missing script: \"test\""),
    // TAP.
    ("TAP version 13\n1..0\nthe shop is closed", "the shop is closed"),
    (
        "> shop@1.0.0 test\n> node --test\n\nTAP version 13\n# tests 0\n# pass 0\nthe shop is closed",
        "the shop is closed",
    ),
    ("TAP version 13\n# Subtest: adds\n# TypeError: the shop is closed\n1..1", "TypeError: the shop is closed"),
    ("TAP version 13\n1..0\n# tests 0\n# duration_ms 3.1", "failed without an error text"),
    ("> shop@1.0.0 test\n> node --test\n\nTAP version 13\n1..0", "failed without an error text"),
    (
        "<anonymous_script>:1\n{\"total\": 3}\n^\n\n[SyntaxError: Unexpected token '', \"{\"total\": 3}\" is not valid JSON]",
        "[SyntaxError: Unexpected token '', \"{\"total\": 3}\" is not valid JSON]",
    ),
    ("./cart_test.go:7:2: undefined: totl", "undefined: totl"),
    (
        "example_test.go:6:2: cannot find package \"github.com/acme/shop\" in any of:",
        "cannot find package \"github.com/acme/shop\" in any of:",
    ),
    // AVA.
    (
        "AssertionError: Difference (- actual, + expected):\n\n- 2\n+ 3\n",
        "AssertionError: Difference (- actual, + expected): - 2 + 3",
    ),
    (
        "AssertionError: Difference (- actual, + expected):\n\n  {\n    a: 1,\n    b: [\n      1,\n-     2,\n+     3,\n    ],\n  }\n",
        "AssertionError: Difference (- actual, + expected): - 2, + 3,",
    ),
    // The type on one line, the message on the next.
    (
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n24 !== 7\n",
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 24 !== 7",
    ),
    (
        "java.lang.IllegalStateException:\n  the shop is closed\n\tat shop.Cart.total(Cart.java:7)",
        "java.lang.IllegalStateException: the shop is closed",
    ),
    ("AssertionError\nthe shop is closed", "AssertionError: the shop is closed"),
    // A linter, after the name of the file.
    (
        "/srv/shop/src/cart.js\n  3:7  error  'x' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)",
        "'x' is assigned a value but never used no-unused-vars",
    ),
    (
        "  source/index.js:208:7\n  ✖  208:7  chalk is never used.  no-unused-vars\n  ✖  229:1  Too many blank lines.\n\n  2 errors",
        "chalk is never used. no-unused-vars",
    ),
    // Rake, of a file that could not be loaded.
    (
        "/usr/bin/ruby3.1 -w -I\"lib:test\" /gems/rake_test_loader.rb \"test/spec_a.rb\"\n<internal:/usr/lib/ruby/kernel_require.rb>:85:in `require': cannot load such file -- minitest/autorun (LoadError)\n\tfrom /srv/shop/test/helper.rb:26:in `<top (required)>'\nrake aborted!\nCommand failed with status (1): [ruby -w]\n\nTasks: TOP => test\n(See full trace by running task with --trace)",
        "cannot load such file -- minitest/autorun (LoadError)",
    ),
    // A printed object.
    (
        "{\n  failureType: 'testCodeFailure',\n  cause: 'x',\n  code: 'ERR_TEST_FAILURE'\n}\nError: the shop is closed",
        "Error: the shop is closed",
    ),
    ("failureType: 'testCodeFailure'\nthe shop is closed", "the shop is closed"),
    // A coverage table.
    (
        "----------|---------|----------|---------|---------|-------------------\nFile      | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s\nAll files |   71.42 |       50 |     100 |   71.42 |\n cart.js  |   71.42 |       50 |     100 |   71.42 | 7-8\nERROR: Coverage for lines (71.42%) does not meet global threshold (80%)",
        "ERROR: Coverage for lines (71.42%) does not meet global threshold (80%)",
    ),
    (
        ".F                        [100%]\n---------- coverage: platform linux, python 3.11.7-final-0 -----------\nName         Stmts   Miss  Cover   Missing\n------------------------------------------\nshop/cart.py     7      2    71%   7-8\n------------------------------------------\nTOTAL            7      2    71%\nFAIL Required test coverage of 90% not reached. Total coverage: 71.43%",
        "FAIL Required test coverage of 90% not reached. Total coverage: 71.43%",
    ),
    (
        " % Coverage report from v8\n----------|---------|\nFile      | % Stmts |\nAll files |   71.42 |\n=============================== Coverage summary ===============================\nStatements   : 71.42% ( 5/7 )\nJest: \"global\" coverage threshold for statements (90%) not met: 71.42%",
        "Jest: \"global\" coverage threshold for statements (90%) not met: 71.42%",
    ),
    ("{ [TypeError: boom] message: 'boom' }\nTypeError: boom", "TypeError: boom"),
    // RSpec.
    ("expected: 4\n     got: 3\n\n(compared using ==)", "expected: 4, got: 3"),
    (
        "ArgumentError:\n  the shop is closed\n./spec/cart_spec.rb:9:in `block (3 levels)'",
        "ArgumentError: the shop is closed",
    ),
    // Bats says first where it was.
    (
        "(in test file cart.bats, line 4)\n`run_nothing' failed with status 127\ncart.bats: line 4: run_nothing: command not found",
        "`run_nothing' failed with status 127",
    ),
    // Node, of a module that could not be linked: no empty line ends the source.
    (
        "file:///srv/shop/test/cart.test.js:1\nimport { total } from '../src/cart.js';\n         ^\nSyntaxError: The requested module '../src/cart.js' does not provide an export named 'total'\n    at ModuleJob._instantiate (node:internal/modules/esm/module_job:213:21)",
        "SyntaxError: The requested module '../src/cart.js' does not provide an export named 'total'",
    ),
    // A heading is all there is.
    ("FAIL\texample.com/shop/broken [build failed]", "FAIL example.com/shop/broken [build failed]"),
    // What is no wrapping stays.
    ("Error: connect ECONNREFUSED 127.0.0.1:5432", "Error: connect ECONNREFUSED 127.0.0.1:5432"),
    ("expected 24 to be 7", "expected 24 to be 7"),
    ("KeyError: 'total'", "KeyError: 'total'"),
    ("Killed", "Killed"),
];

#[test]
fn the_headline_is_the_error() {
    let wrong: Vec<_> = HEADLINES
        .iter()
        .map(|(text, wanted)| (Summary::read(text).headline(), *wanted))
        .filter(|(found, wanted)| found != wanted)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_message_has_the_values_that_were_compared() {
    let rows: &[(&str, &[&str])] = &[
        (
            "expect(received).toBe(expected) // Object.is equality\n\nExpected: 200\nReceived: 500\n\n    at Object.toBe (/srv/shop/test/a.test.js:3:4)",
            &["Expected: 200", "Received: 500"],
        ),
        (
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n24 !== 7\n\n    at TestContext.<anonymous> (file:///srv/shop/test/a.test.mjs:6:10)",
            &["24 !== 7"],
        ),
        (
            "thread 'tests::adds' panicked at src/lib.rs:14:9:\nassertion `left == right` failed\n  left: 24\n right: 7",
            &["left: 24", "right: 7"],
        ),
        (
            "    def test_total():\n>       assert total([3, 4]) == 7\nE       assert 24 == 7\nE        +  where 24 = total([3, 4])\n\ntests/test_price.py:6: AssertionError",
            &["assert 24 == 7", "where 24 = total([3, 4])"],
        ),
        (
            "expect(received).toEqual(expected) // deep equality\n\n- Expected  - 1\n+ Received  + 1\n\n  Object {\n    \"name\": \"cart\",\n-   \"total\": 24,\n+   \"total\": 7,\n  }",
            &["- \"total\": 24,", "+ \"total\": 7,"],
        ),
        (
            "thread 'lists' panicked at tests/list.rs:25:9:\nassertion failed: `(left == right)`\n\nDiff < left / right > :\n [\n     1,\n     2,\n     3,\n<    4,\n>    7,\n     5,\n ]\n",
            &["< 4,\n> 7,"],
        ),
        ("got:\n3\nwant:\n4", &["got:\n3\nwant:\n4"]),
        ("Failure/Error: expect(total).to eq(7)\n\n  expected: 7\n       got: 24\n", &["expected: 7", "got: 24"]),
        (
            "org.opentest4j.AssertionFailedError: expected: <7> but was: <24>\n\tat shop.SumTest.adds(SumTest.java:9)",
            &["expected: <7> but was: <24>"],
        ),
    ];
    for (text, values) in rows {
        let message = Summary::read(text).message(400);
        for value in *values {
            assert!(message.contains(value), "{value:?} is not in {message:?}");
        }
    }
}

#[test]
fn a_message_has_nothing_of_the_tool_around_it() {
    let cargo = "error[E0425]: cannot find function `totl` in this scope\n --> src/lib.rs:1:25\n\nFor more information about this error, try `rustc --explain E0425`.\nerror: could not compile `shop` (lib test) due to 1 previous error\nwarning: build failed, waiting for other jobs to finish...\n";
    assert_eq!(Summary::read(cargo).message(400), "error[E0425]: cannot find function `totl` in this scope");
    let go = "# shop [shop.test]\n./shop_test.go:6:5: undefined: Totl\nFAIL\tshop [build failed]";
    assert_eq!(Summary::read(go).message(400), "undefined: Totl");
    let node = "Error: listen EADDRINUSE: address already in use :::4567\n    at Server.<anonymous> (file:///srv/shop/test/b.test.js:3:160) {\n  code: 'EADDRINUSE',\n  errno: -98\n}";
    assert_eq!(Summary::read(node).message(400), "Error: listen EADDRINUSE: address already in use :::4567");
    let diff = "AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:\n+ actual - expected ... Lines skipped\n\n  {\n    end: {\n+     column: 4,\n-     column: 1,\n    }\n  }";
    let message =
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:\n+ column: 4,\n- column: 1,";
    assert_eq!(Summary::read(diff).message(400), message);
}

#[test]
fn of_a_long_diff_both_sides_are_told() {
    let side = |mark: char, tag: &str| {
        let line = |number| format!("{mark}<p><{tag}>line {number} of the page</{tag}></p>\\n\n");
        (0..9).map(line).collect::<Vec<_>>().concat()
    };
    let page = [
        "Failed asserting that two strings are equal.\n--- Expected\n+++ Actual\n@@ @@\n '<div>\n",
        &side('-', "em"),
        &side('+', "i"),
    ];
    let message = Summary::read(&page.concat()).message(160);
    let wanted =
        "--- Expected\n+++ Actual\n-<p><em>line 0 of the page</em></p>\\n\n+<p><i>line 0 of the page</i></p>\\n\n";
    assert!(message.contains(wanted), "{message}");
    // Node's older diffs have what came first.
    let node = format!("Expected values to be strictly deep-equal:\n{}{}", side('+', "em"), side('-', "i"));
    let message = Summary::read(&node).message(400);
    assert!(message.contains("+<p><em>line 1 of the page</em></p>\\n\n-<p><i>line 1 of the page</i></p>"), "{message}");
    // More lines on one side, and what has no other side.
    let uneven = Summary::read("lists differ:\n- 1,\n- 2,\n+ 3,\n  ]\n+ 4,").message(400);
    assert_eq!(uneven, "lists differ:\n- 1,\n+ 3,\n- 2,\n+ 4,");
}

#[test]
fn of_long_lines_that_differ_the_difference_is_told() {
    let line = |mark: char, word: &str| {
        let words = "a red shoe, ".repeat(30);
        format!("{mark}'{words}{word}, {words}'")
    };
    let diff = format!("strings are equal\n--- Expected\n+++ Actual\n{}\n{}", line('-', "größer"), line('+', "größe"));
    let message = Summary::read(&diff).message(200);
    assert!(message.contains("-… shoe, a red shoe, größer, a red shoe, a red shoe…\n"), "{message}");
    assert!(message.contains("+… shoe, a red shoe, größe, a red shoe, a red shoe…"), "{message}");
    // Named, one above the other or both in one line.
    let value = |word: &str| format!("\"{}{word}\"", "a red shoe, ".repeat(30));
    let rust = format!("assertion `left == right` failed\n  left: {}\n right: {}", value("sold"), value("gold"));
    let message = Summary::read(&rust).message(400);
    let wanted = "left: …a red shoe, a red shoe, sold\"\nright: …a red shoe, a red shoe, gold\"";
    assert!(message.contains(wanted), "{message}");
    let junit = format!("AssertionFailedError: expected: <{}> but was: <{}>", value("sold"), value("gold"));
    let message = Summary::read(&junit).message(400);
    assert!(message.contains("sold\"> but was: <…a red shoe, a red shoe, gold\">"), "{message}");
    // One is the beginning of the other.
    let long = "x".repeat(90);
    let message = Summary::read(&format!("differ:\n-{long}\n+{long}yz")).message(400);
    assert!(message.ends_with(&format!("+…{}yz", "x".repeat(24))), "{message}");
}

#[test]
fn a_message_is_bounded_and_keeps_its_values() {
    let noise: Vec<_> = (0..40).map(|number| format!("note {number} of the shop, which says little")).collect();
    let noise = noise.join("\n");
    let text = format!("Error: the totals differ\n{noise}\nExpected: 200\nReceived: 500\n");
    let message = Summary::read(&text).message(160);
    assert!(message.chars().count() <= 160, "{message}");
    assert!(message.starts_with("Error: the totals differ\n") && message.ends_with('…'), "{message}");
    let dumped = format!("Expected #<Response {}> to match /Not Found/.", "@status=200 ".repeat(80));
    let message = Summary::read(&dumped).message(600);
    assert!(message.starts_with("Expected #<Response") && message.ends_with("to match /Not Found/."), "{message}");
    assert!(Summary::read(&"x".repeat(100_000)).message(100).chars().count() <= 100);
    assert_eq!(Summary::read("").message(100), "");
}
