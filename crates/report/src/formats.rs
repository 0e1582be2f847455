//! One file for each report format.
//!
//! How the order of execution is derived, by the writer of the report:
//!
//! | report | order |
//! |---|---|
//! | JSON of Jest and Vitest | by the start time of each file, and in Jest 30 of each case, because files run in parallel and are listed as they ended (Jest) or as they were found (Vitest). If files overlap, only the order inside each file is known |
//! | JSON of Playwright | by the start time of the first attempt, because the report is grouped by file |
//! | CTRF | by `start` if every test has it; otherwise as reported, but only for runners that run one test after another (Mocha, uvu, busted, `RSpec`, minitest, unittest) |
//! | `go test -json` | by the time of the event `run` inside each package, because packages run in parallel |
//! | TAP | as reported. node:test runs files in parallel and reports them as they were named, so only a report with a single file has an order |
//! | JUnit of pytest, Mocha, `RSpec`, PHPUnit, Bun, Deno | as reported, unless the cases took longer in total than the run, because they ran in parallel then (pytest-xdist) |
//! | JUnit of Jest, Surefire, Gradle | suites by their `timestamp`, cases inside as reported. Surefire before 3 writes no timestamp, so only a report with a single class has an order |
//! | JUnit of cargo-nextest | by the `timestamp` of each case |
//! | JUnit of Vitest and node:test | as reported, if there is only one file |
//! | TRX | by the start time of each case |
//! | JSON of `RSpec`, Dart and `GoogleTest`, Cucumber, Robot Framework, Catch2 | as reported |
//! | xUnit.net, `NUnit`, `CTest`, Mocha's JSON, libtest, Allure, Bazel, xcresult | unknown, because cases run in parallel or are grouped by status |
//! | JUnit of Playwright, gotestsum and unknown tools | unknown, for example because gotestsum lists failed tests first |
//!
//! A failed case may be emitted later than its position in the report, because a retry may follow. `ReportCase::place`
//! keeps the position.

pub(super) mod allure;
pub(super) mod bazel;
pub(super) mod catch2;
pub(super) mod ctest;
pub(super) mod ctrf;
pub(super) mod cucumber;
pub(super) mod cucumber_messages;
pub(super) mod dart;
mod go_frame;
pub(super) mod go_test;
pub(super) mod googletest;
pub(super) mod jest;
pub(super) mod junit;
pub(super) mod libtest;
pub(super) mod mocha;
pub(super) mod nunit;
pub(super) mod playwright;
pub(super) mod robot;
pub(super) mod rspec;
pub(super) mod tap;
pub(super) mod trx;
pub(super) mod xcresult;
pub(super) mod xunit;
