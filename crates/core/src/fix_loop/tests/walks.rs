//! Loops from the first event to the last.

use super::{begun, command, error, finished, fix, fixable, given_error, started, walk};
use crate::fix_loop::{
    Approach, CircuitState, DecisionType, ErrorClass, EscalationReason, Event, FixError, FixState, RanCases, Start,
    StateProblem, Status, Verdict, WarningKind, Weakening, WeakeningKind, advance, begin, check, command_hash,
};

fn failed(name: &str) -> Vec<Event> {
    vec![started(), finished(1, Some(fixable(name)))]
}

fn refusal(state: &FixState, event: &Event) -> String {
    let advanced = advance(state, event, 0.0);
    assert_eq!(advanced.decision.kind, DecisionType::Refused, "{event:?}");
    assert_eq!(&advanced.state, state);
    advanced.decision.reason
}

#[test]
fn a_new_loop_has_the_defaults_of_the_contract() {
    let state = begun(&command());
    assert_eq!((state.max_attempts, state.timeout_seconds, state.circuit_breaker.threshold), (5, 120, 3));
    assert_eq!((state.backoff_seconds, state.current_attempt, state.status), (1.0, 1, Status::Ready));
    assert_eq!(state.command_hash, command_hash("npm test"));
    assert_eq!(begun(&given_error(Some("npm test"))).max_attempts, 3);
}

#[test]
fn begin_names_missing_and_invalid_options() {
    let rows: [(&str, Start); 13] = [
        ("an error asks nothing", Start { auto: Some(true), ..given_error(None) }),
        ("nothing to fix", Start { command: None, ..command() }),
        ("command is empty", Start { command: Some("  ".into()), ..command() }),
        ("error is empty", Start { error: Some(String::new()), ..given_error(None) }),
        ("desired is empty", Start { desired: "\n".into(), ..command() }),
        ("not both", Start { error: Some("x".into()), ..command() }),
        ("NUL", Start { command: Some("a\0b".into()), ..command() }),
        ("timeout must be from 1", Start { timeout_seconds: Some(-5.0), ..command() }),
        ("whole number", Start { max_attempts: Some(2.5), ..command() }),
        ("from 1 to 100; it is 1000000", Start { max_attempts: Some(1e6), ..command() }),
        ("from 1 to 3; it is 5", Start { max_attempts: Some(5.0), ..given_error(None) }),
        ("backoff must be from 0 to 60", Start { backoff_seconds: Some(f64::NAN), ..command() }),
        ("circuit_breaker", Start { circuit_breaker: Some(0.0), ..command() }),
    ];
    for (part, start) in rows {
        let error = start.error.as_ref().map(|_| fixable("first"));
        let problem = begin(&start, error.as_ref()).expect_err(part).to_string();
        assert!(problem.contains(part), "{problem}");
    }
}

#[test]
fn a_fixable_error_requires_a_fix_and_then_a_wait() {
    let (state, decision) = walk(begun(&command()), &failed("a"));
    assert_eq!(decision.kind, DecisionType::ApplyFix);
    assert_eq!(decision.approach.map(|step| step.name), Some(Approach::Direct));
    assert!(refusal(&state, &started()).contains("Nothing was changed"));
    assert!(refusal(&state, &Event::Waited).contains("Nothing is to be waited for"));
    let (state, decision) = walk(state, &[fix("1")]);
    assert_eq!((decision.kind, decision.delay_seconds), (DecisionType::Wait, 1.0));
    assert!(refusal(&state, &started()).contains("backoff"));
    assert!(refusal(&state, &fix("2")).contains("Run it first"));
    let (state, decision) = walk(state, &[Event::Waited, started(), finished(0, None)]);
    assert_eq!((decision.kind, state.status), (DecisionType::Done, Status::Success));
    let [first, second] = &state.attempts[..] else { panic!("two attempts") };
    assert_eq!((first.fix_applied.as_deref(), first.fix_worked, first.fix_verified), (Some("fix 1"), Some(true), true));
    assert_eq!((second.exit_code, second.fix_applied.as_deref()), (0, None));
    assert_eq!(state.current_attempt, 2);
}

#[test]
fn a_repeated_fix_is_refused() {
    let mut events = failed("a");
    events.extend([fix("1"), Event::Waited]);
    events.extend(failed("b"));
    let (state, _) = walk(begun(&command()), &events);
    assert!(refusal(&state, &fix("1")).contains("tried after attempt 1"));
    let nothing = Event::FixDeclared {
        description: "hm".into(),
        digest: None,
        files: Vec::new(),
        outside: Some("  ".into()),
        approach: None,
    };
    assert!(refusal(&state, &nothing).contains("Nothing changed"));
    let why = state.attempts[0].why_failed.as_deref();
    assert_eq!(why, Some("now fails with TypeError: b"));
}

#[test]
fn an_outside_change_is_accepted_once_with_a_warning() {
    let outside = |what: &str| Event::FixDeclared {
        description: "started postgres".into(),
        digest: None,
        files: Vec::new(),
        outside: Some(what.into()),
        approach: None,
    };
    let (state, _) = walk(begun(&command()), &failed("a"));
    let advanced = advance(&state, &outside("service postgresql start"), 0.0);
    assert_eq!(advanced.decision.kind, DecisionType::Wait);
    assert_eq!(advanced.warnings[0].kind, WarningKind::ChangeNotSeen);
    assert!(!advanced.state.attempts[0].fix_verified);
    let mut events = vec![Event::Waited];
    events.extend(failed("b"));
    let (state, _) = walk(advanced.state, &events);
    assert!(refusal(&state, &outside("Service PostgreSQL start")).contains("tried after attempt 1"));
}

#[test]
fn three_equal_errors_open_the_circuit_until_it_is_reset() {
    let mut events = failed("a");
    for number in 1..3 {
        events.extend([fix(&number.to_string()), Event::Waited]);
        events.extend(failed("a"));
    }
    let (state, decision) = walk(begun(&command()), &events);
    assert_eq!(decision.escalation, Some(EscalationReason::CircuitBreakerOpened));
    assert_eq!(state.circuit_breaker.state, CircuitState::Open);
    for event in [started(), fix("9"), Event::Resumed, Event::Cancelled, Event::Waited] {
        assert!(refusal(&state, &event).contains("circuit is open"));
    }
    let (state, decision) = walk(state, &[Event::CircuitReset]);
    assert_eq!((decision.kind, state.circuit_breaker.error_hashes.len()), (DecisionType::ApplyFix, 0));
    let mut events = vec![fix("9"), Event::Waited];
    events.extend(failed("a"));
    let (_, decision) = walk(state, &events);
    assert_eq!(decision.kind, DecisionType::ApplyFix, "counted anew since the reset");
}

#[test]
fn full_jitter_draws_from_zero_to_the_full_delay() {
    let state = begun(&Start { jitter: Some(true), backoff_seconds: Some(8.0), ..command() });
    let (state, _) = walk(state, &[started()]);
    let end = finished(1, Some(error("x", ErrorClass::Transient)));
    for (random, wanted) in [(0.0, 0.0), (0.25, 2.0), (0.999, 7.992)] {
        let delay = advance(&state, &end, random).decision.delay_seconds;
        assert!((delay - wanted).abs() < 1e-9, "{delay}");
    }
}

#[test]
fn a_permanent_error_escalates_immediately() {
    let denied = error("x", ErrorClass::Permanent);
    let (state, decision) = walk(begun(&command()), &[started(), finished(1, Some(denied.clone()))]);
    assert_eq!(decision.escalation, Some(EscalationReason::PermanentError));
    assert!(refusal(&state, &started()).contains("A human has to decide"));
    let go_on = Event::HumanDecided { verdict: Verdict::Continue, note: Some("rotated".into()), timestamp: None };
    let (_, decision) = walk(state, &[go_on]);
    assert_eq!(decision.kind, DecisionType::ApplyFix);
    let state = begin(&given_error(None), Some(&denied)).expect("a valid start");
    assert_eq!(state.escalation, Some(EscalationReason::PermanentError));
}

#[test]
fn a_fix_without_a_verification_escalates() {
    let (state, decision) = walk(begun(&given_error(None)), &[fix("1")]);
    assert_eq!((decision.kind, state.status), (DecisionType::Escalate, Status::Unverified));
    let verdict = |verdict| Event::HumanDecided { verdict, note: None, timestamp: Some("2026-01-02".into()) };
    let (accepted, decision) = walk(state.clone(), &[verdict(Verdict::Accept)]);
    assert_eq!((decision.kind, accepted.attempts[0].fix_worked), (DecisionType::Done, Some(true)));
    let (_, decision) = walk(state, &[verdict(Verdict::Reject)]);
    assert_eq!(decision.approach.map(|step| step.name), Some(Approach::Defensive));
}

#[test]
fn a_green_run_with_weaker_tests_is_suspicious() {
    let (state, _) = walk(begun(&command()), &[failed("a"), vec![fix("1"), Event::Waited, started()]].concat());
    let weakened =
        vec![Weakening { file: "a.test.ts".into(), line: 3, kind: WeakeningKind::TestSkipped, text: "it.skip".into() }];
    let green = Event::AttemptFinished {
        exit_code: 0,
        timed_out: false,
        duration_seconds: 1.0,
        error: None,
        timestamp: None,
        weakened,
        ran: None,
    };
    let (state, decision) = walk(state, &[green]);
    assert_eq!((decision.kind, state.status), (DecisionType::Escalate, Status::Suspicious));
    let verdict = |verdict| Event::HumanDecided { verdict, note: None, timestamp: None };
    assert_eq!(walk(state.clone(), &[verdict(Verdict::Accept)]).0.status, Status::Success);
    let (rejected, decision) = walk(state, &[verdict(Verdict::Reject)]);
    assert_eq!(decision.kind, DecisionType::ApplyFix);
    assert_eq!(rejected.attempts[0].fix_worked, Some(false));
    assert_eq!(rejected.current_attempt, 3);
}

/// Events of an attempt with these results of its cases.
fn ran(exit_code: i32, passed: &[&str], failed: &[&str], weakened: &[WeakeningKind]) -> Vec<Event> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let weakening =
        |kind: &WeakeningKind| Weakening { file: "a.test.ts".into(), line: 3, kind: *kind, text: "x".into() };
    let error = (exit_code != 0).then(|| Box::new(fixable("a")));
    let end = Event::AttemptFinished {
        exit_code,
        timed_out: false,
        duration_seconds: 1.0,
        error,
        timestamp: None,
        weakened: weakened.iter().map(weakening).collect(),
        ran: Some(RanCases { passed: names(passed), failed: names(failed), ..RanCases::default() }),
    };
    vec![started(), end]
}

#[test]
fn success_requires_that_failed_cases_pass() {
    let red = || ran(1, &["b"], &["a.py > a"], &[]);
    let green =
        |passed: &[&str], failed: &[&str]| [vec![fix("1"), Event::Waited], ran(0, passed, failed, &[])].concat();
    let rows: [(&str, Vec<Event>, Status); 6] = [
        ("passed", green(&["a.py > a", "b"], &[]), Status::Success),
        ("in another file", green(&["c.py > a"], &[]), Status::Success),
        ("did not run", green(&["b"], &[]), Status::Suspicious),
        ("nothing ran", green(&[], &[]), Status::Suspicious),
        ("failed with exit code 0", green(&["b"], &["a.py > a"]), Status::Suspicious),
        ("another failed with exit code 0", green(&["a.py > a"], &["b"]), Status::Suspicious),
    ];
    for (name, events, status) in rows {
        let (state, decision) = walk(begun(&command()), &[red(), events].concat());
        assert_eq!(state.status, status, "{name}");
        assert_eq!(decision.kind == DecisionType::Done, status == Status::Success, "{name}");
    }
    let suite = || ran(1, &[], &["a.py > (suite)"], &[]);
    for (passed, status) in [("a.py > a", Status::Success), ("b.py > a", Status::Suspicious)] {
        let (state, _) = walk(begun(&command()), &[suite(), green(&[passed], &[])].concat());
        assert_eq!(state.status, status, "a.py is loaded when {passed} passed");
    }
    let mut printed = red();
    let Some(Event::AttemptFinished { ran: Some(ran_before), .. }) = printed.last_mut() else {
        panic!("it ends a run")
    };
    ran_before.omits_passed = true;
    let (state, _) = walk(begun(&command()), &[printed, green(&[], &[])].concat());
    assert_eq!(state.status, Status::Success, "passed cases have no names");
    for (file, status) in [("a.py", Status::Success), ("b.py", Status::Suspicious)] {
        let mut events = green(&[], &[]);
        let Some(Event::AttemptFinished { ran: Some(ran), .. }) = events.last_mut() else { panic!("it ends a run") };
        ran.passed_files.push(file.to_owned());
        let (state, _) = walk(begun(&command()), &[red(), events].concat());
        assert_eq!(state.status, status, "all tests of {file} passed");
    }
    let (state, _) = walk(begun(&command()), &ran(0, &[], &["a"], &[]));
    assert_eq!(state.status, Status::Suspicious, "in the first run too");
    let (state, _) =
        walk(begun(&command()), &[red(), vec![fix("1"), Event::Waited, started(), finished(0, None)]].concat());
    assert_eq!(state.status, Status::Success, "nobody listened");
}

#[test]
fn restored_tests_or_a_reason_resolve_a_suspicious_run() {
    let words = |text: &str| Event::FixDeclared {
        description: text.to_owned(),
        digest: None,
        files: Vec::new(),
        outside: None,
        approach: None,
    };
    let cheated = |kind: WeakeningKind| {
        let events = [failed("a"), vec![fix("1"), Event::Waited], ran(0, &[], &[], &[kind])].concat();
        walk(begun(&command()), &events).0
    };
    let state = cheated(WeakeningKind::TestChanged);
    assert!(refusal(&state, &words("")).contains("Restore the tests"));
    let restored = [vec![fix("2"), Event::Waited], ran(0, &[], &[], &[])].concat();
    let (done, _) = walk(state.clone(), &restored);
    assert_eq!((done.status, done.attempts.len(), done.attempts[0].fix_worked), (Status::Success, 3, Some(false)));
    let explained = |kind| [vec![words("3 % are due now"), Event::Waited], ran(0, &[], &[], &[kind])].concat();
    let (done, _) = walk(state, &explained(WeakeningKind::TestChanged));
    assert_eq!((done.status, done.stated_reason.as_deref()), (Status::Success, Some("3 % are due now")));
    for kind in
        [WeakeningKind::TestSkipped, WeakeningKind::TestDeleted, WeakeningKind::HookChanged, WeakeningKind::Mocked]
    {
        let (still, _) = walk(cheated(kind), &explained(kind));
        assert_eq!(still.status, Status::Suspicious, "{kind:?} needs a person");
    }
    let (state, _) = walk(cheated(WeakeningKind::TestChanged), &[words("a reason"), Event::Waited, started()]);
    let (state, _) = walk(state, &[finished(1, Some(fixable("b"))), fix("3"), Event::Waited]);
    assert_eq!(state.stated_reason, None, "a reason is for what was there");
}

#[test]
fn a_description_verifies_a_fix_without_a_command() {
    let (state, _) = walk(begun(&given_error(None)), &[fix("1")]);
    let verified = |how: &str, weakened| Event::FixVerified { how: how.to_owned(), timestamp: None, weakened };
    assert!(refusal(&state, &verified(" ", Vec::new())).contains("not said how"));
    let (done, decision) = walk(state.clone(), &[verified("Opened the page", Vec::new())]);
    assert_eq!((decision.kind, done.verified_by.as_deref()), (DecisionType::Done, Some("Opened the page")));
    let weakened = vec![Weakening { file: "a".into(), line: 1, kind: WeakeningKind::TestDeleted, text: "x".into() }];
    assert_eq!(walk(state, &[verified("Looked", weakened)]).0.status, Status::Suspicious);
    assert!(refusal(&begun(&command()), &verified("Looked", Vec::new())).contains("No fix waits"));
}

#[test]
fn a_loop_without_changes_escalates_and_can_resume() {
    let (state, _) = walk(begun(&command()), &failed("a"));
    let (idle, decision) = walk(state.clone(), &[Event::NoChangeMade]);
    assert_eq!((decision.kind, idle.escalation), (DecisionType::Escalate, Some(EscalationReason::NoChangeMade)));
    assert_eq!(walk(idle, &[Event::Resumed]).0, state);
    assert!(refusal(&begun(&command()), &Event::NoChangeMade).contains("No change is due"));
}

#[test]
fn a_prompt_requires_new_inputs() {
    let asks = FixError { waiting_for_input: true, ..error("prompt", ErrorClass::Transient) };
    let provide = |digest: &str| Event::InputsProvided { digest: Some(digest.into()), inputs: Some("a.yaml".into()) };
    let (state, decision) = walk(begun(&command()), &[started(), finished(124, Some(asks.clone()))]);
    assert_eq!(decision.kind, DecisionType::ProvideInputs);
    assert!(refusal(&state, &started()).contains("inputs"));
    let again = [provide("1"), Event::Waited, started(), finished(124, Some(asks))];
    let (state, decision) = walk(state, &again);
    assert_eq!((decision.kind, state.inputs.as_deref()), (DecisionType::ProvideInputs, Some("a.yaml")));
    assert!(refusal(&state, &provide("1")).contains("Provide others"));
}

#[test]
fn oscillation_warns_and_ends_a_strict_loop() {
    let events: Vec<Event> = ["a", "b", "a", "b"]
        .iter()
        .enumerate()
        .flat_map(|(number, name)| {
            let fix = (number > 0).then(|| [fix(&number.to_string()), Event::Waited]);
            fix.into_iter().flatten().chain(failed(name))
        })
        .collect();
    let (state, decision) = walk(begun(&command()), &events);
    assert_eq!(decision.kind, DecisionType::ApplyFix);
    let warnings = crate::fix_loop::outlook(&state).warnings;
    assert_eq!(warnings.iter().map(|warning| warning.kind).collect::<Vec<_>>(), [WarningKind::Oscillation]);
    let (state, decision) = walk(begun(&Start { strict_progress: Some(true), ..command() }), &events);
    assert_eq!(decision.escalation, Some(EscalationReason::CircuitBreakerOpened));
    assert!(decision.reason.contains("in turns"), "{}", decision.reason);
    assert_eq!(state.circuit_breaker.state, CircuitState::Open);
}

#[test]
fn tests_that_keep_failing_give_a_warning() {
    let red = |name: &str, tests: &[&str]| {
        let failing_tests = tests.iter().map(|&test| test.to_owned()).collect();
        finished(1, Some(FixError { failing_tests, ..fixable(name) }))
    };
    let run = |last: &[&str]| {
        let events = [
            started(),
            red("1", &["a", "b"]),
            fix("1"),
            Event::Waited,
            started(),
            red("2", &["a", "c"]),
            fix("2"),
            Event::Waited,
            started(),
            red("3", last),
        ];
        crate::fix_loop::outlook(&walk(begun(&command()), &events).0).warnings
    };
    let stuck = run(&["a", "b", "c"]);
    assert_eq!(stuck[0].kind, WarningKind::NoProgress);
    assert_eq!(stuck[0].text, "No progress: at least 2 tests failed in each of the last 3 attempts.");
    assert_eq!(run(&["a"]), []);
}

#[test]
fn a_killed_loop_resumes_a_limited_number_of_times() {
    let (mut state, _) = walk(begun(&command()), &[started()]);
    assert!(refusal(&state, &started()).contains("runs already"));
    for _ in 0..2 {
        let (next, decision) = walk(state, &[Event::Resumed]);
        assert_eq!((decision.kind, decision.attempt), (DecisionType::Run, 1));
        state = walk(next, &[started()]).0;
    }
    let warnings = advance(&state, &Event::Resumed, 0.0).warnings;
    assert_eq!(warnings[0].text, "Attempt 1 was cut off before it ended.");
    let (state, decision) = walk(state, &[Event::Resumed]);
    assert_eq!(decision.escalation, Some(EscalationReason::InterruptedTooOften));
    let go_on = Event::HumanDecided { verdict: Verdict::Continue, note: None, timestamp: None };
    assert_eq!(walk(state, &[go_on]).1.kind, DecisionType::Run);
}

#[test]
fn a_cancelled_loop_resumes_in_its_old_state() {
    let (state, _) = walk(begun(&command()), &failed("a"));
    let (cancelled, _) = walk(state.clone(), &[Event::Cancelled]);
    assert_eq!(cancelled.status, Status::Cancelled);
    assert!(refusal(&cancelled, &started()).contains("Resume it first"));
    assert_eq!(walk(cancelled, &[Event::Resumed]).0, state);
}

#[test]
fn inconsistent_states_are_refused() {
    let (good, _) = walk(begun(&command()), &failed("a"));
    assert_eq!(check(&good), Ok(()));
    let edits: [fn(&mut FixState); 16] = [
        |state| state.version = 0,
        |state| state.max_attempts = 4_000_000,
        |state| state.status = Status::Ready,
        |state| state.attempts[0].number = 7,
        |state| state.current_attempt = 9,
        |state| state.current_attempt = 1,
        |state| state.backoff_seconds = f64::INFINITY,
        |state| state.circuit_breaker.error_hashes = vec!["a".into(); 3],
        |state| state.circuit_breaker.error_hashes = vec!["b".into()],
        |state| state.escalation = Some(EscalationReason::CircuitBreakerOpened),
        |state| {
            state.status = Status::Escalated;
            state.escalation = Some(EscalationReason::CircuitBreakerOpened);
        },
        |state| state.circuit_breaker.state = CircuitState::Open,
        |state| state.status = Status::NeedsInputs,
        |state| state.escalation = Some(EscalationReason::StoppedByHuman),
        |state| {
            state.status = Status::Escalated;
            state.escalation = Some(EscalationReason::InterruptedTooOften);
        },
        |state| state.attempts[0].error_hash = None,
    ];
    for (number, edit) in edits.iter().enumerate() {
        let mut state = good.clone();
        edit(&mut state);
        assert!(matches!(check(&state), Err(StateProblem::Damaged(_))), "edit {number}");
    }
    assert_eq!(check(&FixState { version: 2, ..good.clone() }), Err(StateProblem::Newer(2)));
    let other = FixState { command: Some("rm -rf build".into()), ..good };
    assert_eq!(check(&other), Err(StateProblem::Another("rm -rf build".into())));
}
