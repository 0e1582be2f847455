//! Finds settings that let more tests pass than before: time limits, coverage, retries, and commands that ignore a
//! failure.

use super::{
    Findings,
    numeric_settings::{self, Setting},
    test_commands,
};
use crate::{
    change::{
        diff::{DiffLine, Hunk, LineChange},
        files::SettingsScope,
    },
    fix_loop::WeakeningKind,
};

/// A numeric setting that decides whether tests pass.
pub(super) struct LimitSetting {
    read: fn(&str) -> Option<Setting<'_>>,
    kind: WeakeningKind,
    is_weaker: fn(f64, f64) -> bool,
}

/// The time limit of a test. 0 means no limit.
pub(super) const TIME_LIMIT: LimitSetting = LimitSetting {
    read: numeric_settings::read_timeout,
    kind: WeakeningKind::TimeoutRaised,
    is_weaker: |before, now| now > before || (now == 0.0 && before > 0.0),
};
/// The number of retries of a failed test.
pub(super) const RETRY_LIMIT: LimitSetting = LimitSetting {
    read: numeric_settings::read_retries,
    kind: WeakeningKind::FailureIgnored,
    is_weaker: |before, now| now > before,
};
const COVERAGE_LIMIT: LimitSetting = LimitSetting {
    read: numeric_settings::read_coverage,
    kind: WeakeningKind::ThresholdLowered,
    is_weaker: |before, now| now < before,
};

pub(super) fn find_weakened_settings(found: &mut Findings<'_>, about: SettingsScope, is_whole: bool) {
    let file = found.file;
    let codecov = file.path().contains("codecov");
    // Excludes `"lines": "3.0.0"`, which is a dependency.
    let covers = |text: &str, setting: &Setting<'_>| {
        (codecov || setting.key != "target") && !(about == SettingsScope::Project && text.contains("\": \""))
    };
    // The `timeout-minutes` of a job limits its tests, but the timeout of a proxy or a deployment does not.
    let bounds_tests = |text: &str, setting: &Setting<'_>| {
        matches!(about, SettingsScope::Runner | SettingsScope::Tests)
            || test_commands::runs_tests(text)
            || setting.is_test_setting()
    };
    let retries_tests = |text: &str, _: &Setting<'_>| {
        (about != SettingsScope::Commands || test_commands::runs_tests(text))
            && !test_commands::is_download_command(text)
    };
    for hunk in &file.hunks {
        find_changed_limits(found, hunk, &TIME_LIMIT, &bounds_tests);
        find_changed_limits(found, hunk, &RETRY_LIMIT, &retries_tests);
        find_changed_limits(found, hunk, &COVERAGE_LIMIT, &covers);
        if about == SettingsScope::Runner {
            find_new_limits(found, hunk, &|_| true);
        }
        find_dropped_thresholds(found, hunk);
        find_ignored_failures(found, hunk, about);
        if about == SettingsScope::Runner {
            find_test_selection(found, hunk, is_whole);
        }
    }
}

fn find_ignored_failures(found: &mut Findings<'_>, hunk: &Hunk, about: SettingsScope) {
    let went: Vec<&str> = hunk.lines(LineChange::Removed).map(|line| line.text.trim()).collect();
    for line in hunk.lines(LineChange::Added) {
        let known = went.contains(&line.text.trim());
        let Some(kind) = test_commands::find_ignored_failure(&line.text, about).filter(|_| !known) else { continue };
        let before = hunk
            .lines(LineChange::Removed)
            .any(|old| test_commands::find_ignored_failure(&old.text, about) == Some(kind));
        if !before || kind == WeakeningKind::TestSkipped {
            found.add(kind, line);
        }
    }
}

/// Reports the first new value of a setting that selects tests or that loads replacements for the code under test.
fn find_test_selection(found: &mut Findings<'_>, hunk: &Hunk, is_whole: bool) {
    let bare = |line: &DiffLine| line.text.trim().trim_end_matches(',').to_owned();
    let went: Vec<String> = hunk.lines(LineChange::Removed).map(bare).collect();
    let line = hunk
        .lines(LineChange::Added)
        .find(|line| test_commands::selects_tests(&line.text, is_whole) && !went.contains(&bare(line)));
    if let Some(line) = line {
        found.add(WeakeningKind::TestSkipped, line);
    }
}

/// Finds settings whose new value lets more tests pass than the old value of the same key. `counts` checks whether a
/// line is about tests.
pub(super) fn find_changed_limits(
    found: &mut Findings<'_>,
    hunk: &Hunk,
    limit: &LimitSetting,
    counts: &dyn Fn(&str, &Setting<'_>) -> bool,
) {
    let key = |setting: &Setting<'_>| setting.key.to_lowercase().replace(['-', '_'], "");
    let read = |line| -> Option<(&DiffLine, Setting<'_>)> {
        let line: &DiffLine = line;
        let setting = (limit.read)(&line.text).filter(|setting| counts(&line.text, setting))?;
        Some((line, setting))
    };
    let mut went: Vec<_> = hunk.lines(LineChange::Removed).filter_map(read).collect();
    for (line, now) in hunk.lines(LineChange::Added).filter_map(read) {
        let Some(at) = went.iter().position(|(_, old)| key(old) == key(&now)) else { continue };
        let (_, before) = went.remove(at);
        if (limit.is_weaker)(before.value, now.value) {
            found.add(limit.kind, line);
        }
    }
}

/// Finds a new time limit or a new number of retries. Before the change, the default of the runner applied: a few
/// seconds, and no retry.
pub(super) fn find_new_limits(found: &mut Findings<'_>, hunk: &Hunk, counts: &dyn Fn(&DiffLine) -> bool) {
    const DEFAULT_TIMEOUT_MS: f64 = 5000.0;
    let read = |line: &DiffLine| numeric_settings::read_timeout(&line.text).map(|setting| setting.key.to_lowercase());
    let mut went: Vec<String> = hunk.lines(LineChange::Removed).filter_map(read).collect();
    let retried = hunk.lines(LineChange::Removed).any(|line| numeric_settings::read_retries(&line.text).is_some());
    for line in hunk.lines(LineChange::Added).filter(|line| counts(line)) {
        if !retried && numeric_settings::retries_failed_tests(&line.text) {
            found.add(WeakeningKind::FailureIgnored, line);
        }
        let Some(setting) = numeric_settings::read_timeout(&line.text) else {
            if numeric_settings::allows_slow_test(&line.text) {
                found.add(WeakeningKind::TimeoutRaised, line);
            }
            continue;
        };
        if let Some(at) = went.iter().position(|key| *key == setting.key.to_lowercase()) {
            went.swap_remove(at);
            continue;
        }
        if setting.value > DEFAULT_TIMEOUT_MS || (setting.value == 0.0 && !setting.key.starts_with('}')) {
            found.add(WeakeningKind::TimeoutRaised, line);
        }
    }
}

/// Finds a threshold that was removed without a replacement.
fn find_dropped_thresholds(found: &mut Findings<'_>, hunk: &Hunk) {
    let sure = |text: &str| {
        let text = text.to_lowercase();
        ["coveragethreshold", "fail_under", "fail-under", "minimum_coverage", "check-coverage"]
            .iter()
            .any(|key| text.contains(key))
    };
    let came = hunk.lines(LineChange::Added).any(|line| sure(&line.text));
    if let Some(line) = hunk.lines(LineChange::Removed).find(|line| sure(&line.text)).filter(|_| !came) {
        found.add(WeakeningKind::ThresholdLowered, line);
    }
}
