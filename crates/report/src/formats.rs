//! One file for each report format: what it holds becomes the cases of a run.
//!
//! In which order cases ran, by what wrote the report:
//!
//! | report | order |
//! |---|---|
//! | JSON of Jest and Vitest | files stand as they ended (Jest) or as they were found (Vitest), and ran beside one another: by the start that each file has, and in Jest 30 each case; where files overlap, only inside each |
//! | JSON of Playwright | grouped by file, whatever the workers did: by the start of the first attempt |
//! | CTRF | by `start`, where each test has one; without it as reported of those that run one test after another (Mocha, uvu, busted, `RSpec`, minitest, unittest) |
//! | `go test -json` | packages run beside one another: inside each by the time of the event `run` |
//! | TAP | as reported; node:test reports files as they were named and runs them beside one another, so that only one file alone has an order |
//! | JUnit of pytest, Mocha, `RSpec`, PHPUnit, Bun, Deno | as reported, unless the cases took longer together than the run: then they ran beside one another (pytest-xdist) |
//! | JUnit of Jest, Surefire, Gradle | suites by their `timestamp`, cases inside as reported; Surefire before 3 writes none, so that only one class alone has an order |
//! | JUnit of cargo-nextest | by the `timestamp` of each case |
//! | JUnit of Vitest and node:test | one file alone as reported |
//! | JUnit of Playwright, gotestsum and of tools not known | unknown: gotestsum puts failed tests first |
//!
//! A failed case may be handed out later than it stands, for a retry may follow: `ReportCase::place` says where it stands.

pub(super) mod ctrf;
pub(super) mod go_test;
mod go_text;
pub(super) mod jest;
pub(super) mod junit;
pub(super) mod playwright;
pub(super) mod tap;
