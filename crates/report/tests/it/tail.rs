//! The part that is kept of the output of commands without a report. The outputs are shortened from real runs.
#![allow(clippy::format_collect, reason = "test outputs are small")]

use argus_report::error_excerpt::extract_error_excerpt;

/// Checks that the kept text has all of `wanted` and none of `unwanted`.
#[track_caller]
fn check(output: &str, wanted: &[impl AsRef<str>], unwanted: &[impl AsRef<str>]) {
    let noise: String = (0..200).map(|step| format!("[{step}/200] step {step} done\n")).collect();
    for framed in [output.to_owned(), format!("{noise}\n{output}"), format!("{noise}\n\u{1b}[1m{output}")] {
        let kept = extract_error_excerpt(&framed);
        assert!(kept.len() <= 17 * 1024);
        for text in wanted.iter().map(AsRef::as_ref) {
            assert!(kept.contains(text), "lost {text:?}:\n{kept}");
        }
        for text in unwanted.iter().map(AsRef::as_ref).chain(["[7/200]"]) {
            assert!(!kept.contains(text), "kept {text:?}:\n{kept}");
        }
    }
}

/// A row of `tests/vectors/tails.jsonl`.
#[derive(serde::Deserialize)]
struct Vector {
    output: String,
    kept: Vec<String>,
    #[serde(default)]
    dropped: Vec<String>,
}

#[test]
fn keeps_and_drops_texts_of_vectors() {
    for line in include_str!("../../../../tests/vectors/tails.jsonl").lines() {
        let Vector { output, kept, dropped } = serde_json::from_str(line).unwrap();
        check(&output, &kept, &dropped);
    }
}

#[test]
fn keeps_failure_before_later_modules() {
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
fn drops_final_message_of_make() {
    let mocha = "  1) sum\n       adds:\n\n      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n2 !== 3\n\n      + expected - actual\n\n      -2\n      +3\n      \n      at Context.<anonymous> (test/a.js:1:75)\n      at process.processImmediate (node:internal/timers:483:21)\n\n\n\n";
    let ends = [
        "make: *** [Makefile:3: check] Error 2\n",
        "make[1]: *** [Makefile:3: check] Error 1\nmake[1]: Leaving directory '/project/js'\nmake: *** [Makefile:9: all] Error 2\n",
    ];
    for end in ends {
        check(&format!("{mocha}{end}"), &["strictly equal", "2 !== 3", "test/a.js:1:75"], &["make"]);
    }
}

#[test]
fn keeps_end_without_telling_line() {
    let output: String = (0..500).map(|line| format!("line {line}\n")).collect();
    let kept = extract_error_excerpt(&output);
    assert!(kept.starts_with("line 460\n") && kept.ends_with("line 499"));
    assert_eq!(extract_error_excerpt(""), "");
    assert_eq!(extract_error_excerpt("\n\n \n"), "");
}

#[test]
fn bounds_endless_output() {
    let line = format!("error: {}", "é".repeat(30 * 1024 * 1024));
    assert!(extract_error_excerpt(&line).len() <= 17 * 1024);
    let many: String =
        (0..100_000).map(|line| format!("src/a.ts({line},1): error TS2304: Cannot find name 'x'.\n")).collect();
    let kept = extract_error_excerpt(&many);
    assert!(kept.len() <= 17 * 1024 && kept.contains("(99999,1)"));
}

#[test]
fn keeps_the_frames_of_a_file_that_could_not_be_imported() {
    let error = "tests/conftest.py:3: in <module>\n    from shop.testing import Client\nsrc/shop/core.py:45: in <module>\n    from .utils import short_help\nE   ImportError: cannot import name 'short_help' from 'shop.utils'";
    let output = format!("ImportError while loading conftest '/srv/shop/tests/conftest.py'.\n{error}\n");
    assert!(extract_error_excerpt(&output).ends_with(error), "{}", extract_error_excerpt(&output));
}
