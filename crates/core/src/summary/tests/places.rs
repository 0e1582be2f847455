//! Places of real output: of the project, and of the test.

use crate::summary::{FailureLocations, SourceLocation, failure_locations};

fn source_location(file: &str, line: u32) -> SourceLocation {
    SourceLocation { file: file.to_owned(), line: Some(line), function: None }
}

fn found(text: &str) -> FailureLocations {
    without_functions(failure_locations(text, None, |file| file.strip_prefix("/srv/shop/").unwrap_or(file).to_owned()))
}

/// Most runners name them, each in its own way.
fn without_functions(FailureLocations { own, test, case }: FailureLocations) -> FailureLocations {
    let without = |place: Option<SourceLocation>| place.map(|place| SourceLocation { function: None, ..place });
    FailureLocations { own: without(own), test: without(test), case: without(case) }
}

#[test]
fn the_place_is_in_the_project_and_the_test_beside_it() {
    let both = "TypeError: x\n    at total (/srv/shop/src/cart.js:7:12)\n    at /srv/shop/node_modules/lib/index.js:1:1\n    at TestContext.<anonymous> (/srv/shop/test/cart.test.js:20:3)";
    assert_eq!(
        found(both),
        FailureLocations {
            own: Some(source_location("src/cart.js", 7)),
            test: Some(source_location("test/cart.test.js", 20)),
            case: None,
        }
    );
    let only_test = "Error: x\n    at node:internal/process:1:1\n    at /srv/shop/test/cart.test.js:20:3";
    assert_eq!(
        found(only_test),
        FailureLocations { test: Some(source_location("test/cart.test.js", 20)), ..FailureLocations::default() }
    );
    // Whatever the checkout's own folder is called.
    let named = failure_locations("Error: x\n    at total (/srv/tests/src/cart.js:7:12)", None, |file| {
        file.replace("/srv/tests/", "")
    });
    let function = Some("total".to_owned());
    assert_eq!(named.own, Some(SourceLocation { function, ..source_location("src/cart.js", 7) }));
    let python = "Traceback (most recent call last):\n  File \"/srv/shop/tests/test_cart.py\", line 9, in test_total\n    total()\n  File \"/srv/shop/shop/cart.py\", line 3, in total\n    raise KeyError\nKeyError";
    assert_eq!(
        found(python),
        FailureLocations {
            own: Some(source_location("shop/cart.py", 3)),
            test: Some(source_location("tests/test_cart.py", 9)),
            case: None,
        }
    );
    // A compiler points, and has no stack.
    assert_eq!(
        found("error[E0425]: cannot find value `totl`\n --> src/lib.rs:4:5").own,
        Some(source_location("src/lib.rs", 4))
    );
    // Go's first line comes without what indents the others.
    assert_eq!(found("cart_test.go:12: total = 3, want 4").test, Some(source_location("cart_test.go", 12)));
    assert_eq!(found("something went wrong"), FailureLocations::default());
    // Bats says it in a sentence.
    let bats = "(in test file test/cart.bats, line 5)\n  `[ 3 -eq 4 ]' failed";
    assert_eq!(found(bats).test, Some(source_location("test/cart.bats", 5)));
    // Node, of a module that could not be linked, has it above the source only.
    let link = "file:///srv/shop/test/cart.test.js:2\nimport { total } from '../src/cart.js';\n         ^^^^^\nSyntaxError: The requested module '../src/cart.js' does not provide an export named 'total'\n    at ModuleJob._instantiate (node:internal/modules/esm/module_job:213:21)";
    assert_eq!(found(link).test, Some(source_location("test/cart.test.js", 2)));
    // Of modules Node prints URLs.
    let module = "Error: x\n    at total (file:///srv/mein%20Projekt%20%C3%A4%C3%B6%C3%BC/src/cart.js:7:12)";
    let of_module = failure_locations(module, None, |file| file.replace("/srv/mein Projekt äöü/", ""));
    assert_eq!(without_functions(of_module).own, Some(source_location("src/cart.js", 7)));
    // The file of the case is its test's, however it is named.
    let root = "Error: x\n    at Context.<anonymous> (/srv/shop/sum.js:2:3)";
    let of_case = failure_locations(root, Some("sum.js"), |file| file.replace("/srv/shop/", ""));
    let second = Some(source_location("sum.js", 2));
    assert_eq!(without_functions(of_case), FailureLocations { own: None, test: second.clone(), case: second });
    // A helper beside the test asserts.
    let helper = "Error: x\n    at check (/srv/shop/test/check.js:11:14)\n    at TestContext.<anonymous> (/srv/shop/test/cart.test.js:20:3)";
    let shown = |file: &str| file.replace("/srv/shop/", "");
    let FailureLocations { test, case, .. } =
        without_functions(failure_locations(helper, Some("test/cart.test.js"), shown));
    assert_eq!(test, Some(source_location("test/check.js", 11)));
    assert_eq!(case, Some(source_location("test/cart.test.js", 20)));
}

#[test]
fn the_place_of_a_file_that_cannot_be_read_is_in_it() {
    let rows: [(&str, &str, u32); 13] = [
        // pytest while it collects, and in a test that imports.
        (
            "tests/test_slug.py:1: in <module>\n    from src.slug import slug\nE     File \"/srv/shop/src/slug.py\", line 7\nE       return re.sub(\"[^a-z]+\", \"-\", text\nE                    ^\nE   SyntaxError: '(' was never closed",
            "src/slug.py",
            7,
        ),
        (
            "    def test_slug():\n>       from src.slug import slug\nE         File \"/srv/shop/src/slug.py\", line 3\nE           return 1\nE           ^^^^^^\nE       IndentationError: expected an indented block after 'if' statement on line 2\n\ntests/test_slug.py:2: IndentationError",
            "src/slug.py",
            3,
        ),
        (
            "Traceback (most recent call last):\n  File \"/srv/shop/tests/test_tab.py\", line 1, in <module>\n    from src.tab import tab\n  File \"/srv/shop/src/tab.py\", line 4\n    \treturn b\n    ^\nTabError: inconsistent use of tabs and spaces in indentation",
            "src/tab.py",
            4,
        ),
        // Node, by itself, in Mocha and in Jest; its module loader; a JSON file; Babel.
        (
            "/srv/shop/src/slug.cjs:4\n  return text.replace(/a/g, '-';\n                            ^^^\n\nSyntaxError: missing ) after argument list\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n    at Object.<anonymous> (/srv/shop/test/slug.test.cjs:2:18)",
            "src/slug.cjs",
            4,
        ),
        (
            "Exception during run: /srv/shop/src/slug.cjs:4\n  return text.replace(/a/g, '-';\n                            ^^^\n\nSyntaxError: missing ) after argument list\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n    at Object.<anonymous> (/srv/shop/test/slug.test.cjs:2:18)",
            "src/slug.cjs",
            4,
        ),
        (
            "    Details:\n\n    /srv/shop/src/slug.js:4\n      return text.replace(/a/g, '-';\n                                ^^^\n\n    SyntaxError: missing ) after argument list\n\n    > 1 | const { slug } = require('../src/slug.js');\n\n      at Object.<anonymous> (test/slug.test.js:1:18)",
            "src/slug.js",
            4,
        ),
        (
            "file:///srv/shop/src/slug.js:4\n  return text.replace(/a/g, '-';\n                            ^^^\nSyntaxError: missing ) after argument list\n    at ModuleLoader.loadAndTranslate (node:internal/modules/esm/loader:544:27)",
            "src/slug.js",
            4,
        ),
        (
            "SyntaxError: /srv/shop/src/slug.js: Unexpected token, expected \",\" (4:37)\n\n    > 4 |   return text.replace(/a/g, '-';\n\n      at constructor (node_modules/@babel/parser/src/parse-error.ts:96:45)\n      at Object.require (test/slug.test.js:1:18)",
            "src/slug.js",
            4,
        ),
        // TypeScript that a loader compiles.
        (
            "Error: Transform failed with 1 error:\n/srv/shop/src/slug.ts:4:37: ERROR: Expected \")\" but found \";\"\n    at failureErrorWithLog (/srv/shop/node_modules/esbuild/lib/main.js:1752:15)\n    at Object.<anonymous> (/srv/shop/test/slug.test.ts:2:18)",
            "src/slug.ts",
            4,
        ),
        (
            "TSError: ⨯ Unable to compile TypeScript:\nsrc/slug.ts(4,38): error TS1005: ')' expected.\n\n    at createTSError (/srv/shop/node_modules/ts-node/src/index.ts:859:12)\n    at Object.<anonymous> (/srv/shop/test/slug.test.ts:2:18)",
            "src/slug.ts",
            4,
        ),
        // Ruby by itself and in RSpec; Lua.
        (
            "test/slug_test.rb:2:in `require_relative': /srv/shop/lib/slug.rb:6: syntax error, unexpected `end', expecting ')' (SyntaxError)\n  end\n  ^~~\n\tfrom test/slug_test.rb:2:in `<main>'",
            "lib/slug.rb",
            6,
        ),
        (
            "Failure/Error: require_relative '../lib/slug'\n\nSyntaxError:\n  /srv/shop/lib/slug.rb:6: syntax error, unexpected `end', expecting ')'\n    end\n    ^~~\n# ./spec/slug_spec.rb:1:in `require_relative'\n# ./spec/slug_spec.rb:1:in `<top (required)>'",
            "lib/slug.rb",
            6,
        ),
        (
            "spec/slug_spec.lua:1: error loading module 'slug' from file '/srv/shop/slug.lua':\n\t/srv/shop/slug.lua:4: ')' expected (to close '(' at line 3) near 'end'",
            "slug.lua",
            4,
        ),
    ];
    for (text, file, line) in rows {
        assert_eq!(found(text).own, Some(source_location(file, line)), "{text}");
    }
    let json = "SyntaxError: /srv/shop/src/data.json: Unexpected token '}', \"{\"a\": 1,\n    at parse (<anonymous>)\n    at Object.<anonymous> (/srv/shop/test/json.test.cjs:1:11)";
    assert_eq!(found(json).own, Some(SourceLocation { line: None, ..source_location("src/data.json", 1) }));
    // Of a long stack of the parser's the test's frame stays.
    let parser = "      at parse (node_modules/@babel/parser/src/parser.ts:1:1)\n".repeat(40);
    let long = format!(
        "SyntaxError: /srv/shop/src/slug.js: Unexpected token (4:37)\n\n{parser}      at Object.require (test/slug.test.js:1:18)"
    );
    assert_eq!(found(&long).test, Some(source_location("test/slug.test.js", 1)));
    // The test's own, though another file is named below.
    let test = "E     File \"/srv/shop/tests/test_slug.py\", line 4\nE       def test_slug(\nE                    ^\nE   SyntaxError: '(' was never closed";
    let test_line = source_location("tests/test_slug.py", 4);
    assert_eq!(found(test), FailureLocations { test: Some(test_line), ..FailureLocations::default() });
    // What a program prints of an error that was another's is not where a test failed before it.
    let later = "AssertionError: 1 != 2\n    at total (/srv/shop/src/cart.js:7:12)\n\nstderr:\nSyntaxError: /srv/shop/src/other.js: Unexpected token (4:37)\n    at parse (<anonymous>)";
    assert_eq!(found(later).own, Some(source_location("src/cart.js", 7)));
}

#[test]
fn a_project_may_be_in_a_package_that_is_named_as_that_of_a_library() {
    let places = |text: &str, class: &str| {
        let FailureLocations { own, test, .. } = failure_locations(text, Some(class), str::to_owned);
        (own.map(|place| place.shown()), test.map(|place| place.shown()))
    };
    let text = "org.junit.ComparisonFailure: expected:<[a]> but was:<[b]>\n\tat org.junit.Assert.assertEquals(Assert.java:117)\n\tat org.apache.commons.cli.HelpFormatter.print(HelpFormatter.java:91)\n\tat org.apache.commons.cli.bug.BugTest.prints(BugTest.java:38)\n\tat org.apache.maven.surefire.booter.ForkedBooter.main(ForkedBooter.java:418)";
    assert_eq!(
        places(text, "org.apache.commons.cli.bug.BugTest"),
        (
            Some("org/apache/commons/cli/HelpFormatter.java:91".to_owned()),
            Some("org/apache/commons/cli/bug/BugTest.java:38".to_owned())
        )
    );
    assert_eq!(places(text, "com.acme.CartTest"), (None, None));
    let inner = "java.lang.AssertionError: x\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat org.hamcrest.AbstractMatcherTest.rejects(AbstractMatcherTest.java:28)\n\tat org.hamcrest.io.FilesTest.reads(FilesTest.java:50)";
    assert_eq!(
        places(inner, "org.hamcrest.io.FilesTest").1,
        Some("org/hamcrest/AbstractMatcherTest.java:28".to_owned())
    );
    let guava = "java.lang.IllegalStateException\n\tat com.google.common.base.Preconditions.checkState(Preconditions.java:5)\n\tat com.google.gson.Gson.toJson(Gson.java:7)\n\tat com.google.gson.internal.GsonTest.writes(GsonTest.java:9)";
    assert_eq!(places(guava, "com.google.gson.internal.GsonTest").0, Some("com/google/gson/Gson.java:7".to_owned()));
}

#[test]
fn frames_outside_the_project_count_where_there_are_no_others() {
    let outside = "TypeError: x\n    at total (/app/src/cart.js:7:12)";
    assert_eq!(found(outside).own, Some(source_location("/app/src/cart.js", 7)));
    let mixed = "TypeError: x\n    at total (/usr/share/nodejs/x.js:7:12)\n    at main (/srv/shop/src/main.js:3:1)";
    assert_eq!(found(mixed).own, Some(source_location("src/main.js", 3)));
}
