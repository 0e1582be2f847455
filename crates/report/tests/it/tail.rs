//! What is kept of the output of commands that write no report. The outputs are shortened from real runs.
#![allow(clippy::format_collect, reason = "test outputs are small")]

use argus_report::tail::salient_tail;

/// The kept text has all of `wanted` and none of `unwanted`.
#[track_caller]
fn check(output: &str, wanted: &[&str], unwanted: &[&str]) {
    let noise: String = (0..200).map(|step| format!("[{step}/200] step {step} done\n")).collect();
    for framed in [output.to_owned(), format!("{noise}\n{output}"), format!("{noise}\n\u{1b}[1m{output}")] {
        let kept = salient_tail(&framed);
        assert!(kept.len() <= 17 * 1024);
        for text in wanted {
            assert!(kept.contains(text), "lost {text:?}:\n{kept}");
        }
        for text in unwanted.iter().chain(&["[7/200]"]) {
            assert!(!kept.contains(text), "kept {text:?}:\n{kept}");
        }
    }
}

#[test]
fn compilers() {
    check(
        "src/cart.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/pay.ts(9,1): error TS2304: Cannot find name 'x'.\n",
        &["TS2322", "TS2304"],
        &[],
    );
    check(
        "   Compiling shop v0.1.0 (/project)\nerror[E0308]: mismatched types\n --> src/lib.rs:2:5\n  |\n2 |     \"a\"\n  |     ^^^ expected `u32`, found `&str`\n\nFor more information about this error, try `rustc --explain E0308`.\nerror: could not compile `shop` (lib) due to 1 previous error\n",
        &["E0308", "expected `u32`", "could not compile"],
        &[],
    );
    check(
        ":compileTestJava\n  (source = /project/src/test/java/CartTest.java)\n/project/src/test/java/CartTest.java:18: error: cannot find symbol\n        cart.total();\n            ^\n  symbol:   method total()\n",
        &["CartTest.java:18: error: cannot find symbol", "method total()"],
        &["(source ="],
    );
    check(
        "# example.com/shop\n./main.go:4:2: undefined: total\n./main.go:9:5: declared and not used: x\n",
        &["undefined: total", "declared and not used"],
        &[],
    );
    check(
        "main.c: In function 'main':\nmain.c:3:5: error: 'x' undeclared (first use in this function)\n    3 |     x = 1;\n      |     ^\nmake: *** [Makefile:2: main.o] Error 1\n",
        &["In function 'main'", "undeclared", "make: ***"],
        &[],
    );
}

#[test]
fn linters_and_package_managers() {
    check(
        "\n/project/src/a.js\n  1:7  error  'x' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)\n",
        &["/project/src/a.js", "no-unused-vars"],
        &[],
    );
    check(
        "npm error code ERESOLVE\nnpm error ERESOLVE could not resolve\nnpm error Found: react@19.0.0\nnpm error A complete log of this run can be found in: /root/.npm/_logs/x.log\n",
        &["could not resolve", "react@19.0.0"],
        &["complete log"],
    );
    check(
        "[ERROR] COMPILATION ERROR : \n[ERROR] /project/src/Cart.java:[3,5] cannot find symbol\n[INFO] BUILD FAILURE\n[ERROR] -> [Help 1]\n[ERROR] Re-run Maven using the -X switch to enable full debug logging.\n",
        &["cannot find symbol"],
        &["Re-run Maven"],
    );
    check(
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests.\n\n* Try:\n> Run with --stacktrace option to get the stack trace.\n",
        &["Execution failed for task ':test'"],
        &["--stacktrace"],
    );
}

#[test]
fn builds_of_many_modules() {
    let later: String = (0..60).map(|at| format!("[INFO] step {at} of the module web\n")).collect();
    check(
        &format!(
            "[ERROR] is_wrong(shop.SumTest)  Time elapsed: 0.002 s  <<< FAILURE!\njava.lang.AssertionError: expected:<5> but was:<4>\n\tat shop.SumTest.is_wrong(SumTest.java:16)\n\n[ERROR] Failures: \n[ERROR]   SumTest.is_wrong:16 expected:<5> but was:<4>\n{later}[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.22.3:test (default-test) on project orders: There are test failures.\n[\u{1b}[31mERROR\u{1b}[m] \u{1b}[31m\u{1b}[m\n[ERROR] Please refer to /project/orders/target/surefire-reports for the individual test results.\n[ERROR] Please refer to dump files (if any exist) [date].dump, [date]-jvmRun[N].dump and [date].dumpstream.\n[ERROR] -> [Help 1]\n[ERROR] \n[ERROR] After correcting the problems, you can resume the build with the command\n[ERROR]   mvn <args> -rf :orders\n"
        ),
        &["expected:<5> but was:<4>", "SumTest.java:16"],
        &["step 59 of", "Please refer", "-rf :orders"],
    );
    let tasks: String = (0..60).map(|at| format!("> Task :web:step{at} UP-TO-DATE\n")).collect();
    check(
        &format!(
            "> Task :orders:test FAILED\n\nshop.SumTest > is_wrong FAILED\n    java.lang.AssertionError at SumTest.java:16\n\n3 tests completed, 1 failed\n{tasks}\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':orders:test'.\n> There were failing tests. See the report at: file:///project/orders/build/reports/tests/test/index.html\n\n* Try:\n> Run with --stacktrace option to get the stack trace.\n"
        ),
        &["shop.SumTest > is_wrong FAILED", "java.lang.AssertionError"],
        &["--stacktrace", ":web:step59"],
    );
}

#[test]
fn node_quotes_the_source_below_its_place() {
    check(
        "checking\nfile:///project/test/cart.test.js:2\nimport { total } from '../src/cart.js';\n         ^^^^^\nSyntaxError: The requested module '../src/cart.js' does not provide an export named 'total'\n",
        &["cart.test.js:2", "SyntaxError"],
        &["checking"],
    );
    check(
        "checking\n\n Exception during run: /project/src/cart.cjs:4\n  return text.replace(/a/g, '-';\n                            ^^^\n\nSyntaxError: missing ) after argument list\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n",
        &["/project/src/cart.cjs:4", "SyntaxError"],
        &["checking"],
    );
}

#[test]
fn make_says_at_the_end_that_what_it_ran_failed() {
    let mocha = "  1) sum\n       adds:\n\n      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n2 !== 3\n\n      + expected - actual\n\n      -2\n      +3\n      \n      at Context.<anonymous> (test/a.js:1:75)\n      at process.processImmediate (node:internal/timers:483:21)\n\n\n\n";
    let ends = [
        "make: *** [Makefile:3: check] Error 2\n",
        "make[1]: *** [Makefile:3: check] Error 1\nmake[1]: Leaving directory '/project/js'\nmake: *** [Makefile:9: all] Error 2\n",
    ];
    for end in ends {
        check(&format!("{mocha}{end}"), &["strictly equal", "2 !== 3", "test/a.js:1:75"], &["make"]);
    }
    check("sh check\nmake: *** [Makefile:3: check] Error 2\n", &["[Makefile:3: check] Error 2"], &[]);
    check("make: *** No rule to make target 'chek'.  Stop.\n", &["No rule to make target"], &[]);
}

#[test]
fn bundlers_say_it_before_their_own_stack() {
    check(
        "✘ [ERROR] Expected \")\" but found \";\"\n\n    src/cart.ts:4:37:\n      4 │   return text.replace(/a/g, '-';\n        ╵                                )\n\n1 error\nnode:child_process:930\n    throw err;\n    ^\n\nError: Command failed: /project/node_modules/@esbuild/linux-x64/bin/esbuild src/main.ts --bundle\n    at genericNodeError (node:internal/errors:984:15)\n",
        &["[ERROR] Expected", "src/cart.ts:4:37"],
        &[],
    );
    check(
        "vite v8.3.8 building for production...\n✗ Build failed in 53ms\nerror during build:\nBuild failed with 1 error:\n\n[builtin:vite-transform] Expected `,` or `)` but found `;`\n   ╭─[ src/cart.ts:4:38 ]\n",
        &["Expected `,` or `)` but found `;`", "src/cart.ts:4:38"],
        &["building for production"],
    );
}

#[test]
fn crashes() {
    check(
        "Traceback (most recent call last):\n  File \"/project/a.py\", line 3, in <module>\n    main()\nKeyError: 'id'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"/project/a.py\", line 5, in <module>\n    raise ValueError('bad')\nValueError: bad\n",
        &["KeyError: 'id'", "ValueError: bad", "line 3, in <module>"],
        &[],
    );
    check(
        "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t/project/main.go:5 +0x1d\nexit status 2\n",
        &["index out of range", "/project/main.go:5"],
        &[],
    );
    check("/bin/sh: 1: vitset: command not found\n", &["vitset: command not found"], &[]);
    check(
        "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module './missing'\nRequire stack:\n- /project/a.js\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20.20.2\n",
        &["Cannot find module './missing'", "/project/a.js"],
        &[],
    );
}

#[test]
fn without_any_sign_the_end_is_kept() {
    let output: String = (0..500).map(|line| format!("line {line}\n")).collect();
    let kept = salient_tail(&output);
    assert!(kept.starts_with("line 460\n") && kept.ends_with("line 499"));
    assert_eq!(salient_tail(""), "");
    assert_eq!(salient_tail("\n\n \n"), "");
}

#[test]
fn endless_output_is_bounded() {
    let line = format!("error: {}", "é".repeat(30 * 1024 * 1024));
    assert!(salient_tail(&line).len() <= 17 * 1024);
    let many: String =
        (0..100_000).map(|line| format!("src/a.ts({line},1): error TS2304: Cannot find name 'x'.\n")).collect();
    let kept = salient_tail(&many);
    assert!(kept.len() <= 17 * 1024 && kept.contains("(99999,1)"));
}

#[test]
fn keeps_the_frames_of_a_file_that_could_not_be_imported() {
    let error = "tests/conftest.py:3: in <module>\n    from shop.testing import Client\nsrc/shop/core.py:45: in <module>\n    from .utils import short_help\nE   ImportError: cannot import name 'short_help' from 'shop.utils'";
    let output = format!("ImportError while loading conftest '/srv/shop/tests/conftest.py'.\n{error}\n");
    assert!(salient_tail(&output).ends_with(error), "{}", salient_tail(&output));
}

#[test]
fn test_programs_of_cpp() {
    check(
        "c is a Catch v2.13.10 host application.\nRun with -? for options\n\n-----\nadds\n-----\n/project/c.cpp:6\n.....\n\n/project/c.cpp:6: FAILED:\n  CHECK( name == slug )\nwith expansion:\n  \"a long name\"\n  ==\n  \"another\"\n\n=====\ntest cases: 4 | 1 passed | 3 failed\nmake: *** [Makefile:3: check] Error 1\n",
        &["/project/c.cpp:6: FAILED:", "CHECK( name == slug )", "\"a long name\" == \"another\""],
        &["host application", "test cases:", "make: ***"],
    );
    check(
        "Note: Google Test filter = Cart.*\n[ RUN      ] Cart.adds\nlog of the shop\n/project/g.cpp:5: Failure\nExpected equality of these values:\n  t\n    Which is: 5\n  4\n[  FAILED  ] Cart.adds (0 ms)\n[ RUN      ] Cart.names\n[       OK ] Cart.names (0 ms)\n 1 FAILED TEST\n",
        &["/project/g.cpp:5: Failure", "Which is: 5", "[  FAILED  ] Cart.adds"],
        &["Google Test filter", "log of the shop", "Cart.names"],
    );
    // Nothing that failed was said: then it is what the program said last.
    check(
        "[doctest] run with \"--help\" for options\nSegmentation fault (core dumped)\n",
        &["Segmentation fault"],
        &[],
    );
}
