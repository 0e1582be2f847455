use super::{Environment, EnvironmentFact, environment_similarity};
use proptest::prelude::*;

fn bucket_of(facts: &[(&str, &str)]) -> String {
    Environment::from_facts(facts.iter().map(|(key, value)| (*key, EnvironmentFact::Text(value)))).to_string()
}

#[test]
fn buckets_are_canonical() {
    let check = |facts: &[(&str, &str)], want: &str| {
        assert_eq!(bucket_of(facts), want, "{facts:?}");
        let reversed: Vec<_> = facts.iter().rev().copied().collect();
        assert_eq!(bucket_of(&reversed), want, "{facts:?} reversed");
        assert_eq!(Environment::parse(want).to_string(), want);
    };
    check(&[], "");
    check(
        &[("os", "Darwin"), ("lang", "py"), ("python", "3.11.4")],
        "os_family=macos;language=python;language_major=3",
    );
    check(
        &[("osFamily", "win32"), ("Language-Version", "v20"), ("language", "nodejs")],
        "os_family=windows;language=node;language_major=20",
    );
    check(
        &[("platform", "Ubuntu 22.04"), ("language", "C#"), ("framework", "ASP.NET 8")],
        "os_family=linux;language=csharp;framework=aspnet;framework_major=8",
    );
    check(
        &[("node", ">=18 <21"), ("language", "ts"), ("react", "^18.2.0")],
        "language=typescript;framework=react;framework_major=18;runtime=node-18",
    );
    check(&[("python_version", ">=3.11,<4"), ("cuda", "12.1")], "language=python;language_major=3;cuda_major=12");
    check(&[("java", "1.8.0_292")], "language=java;language_major=8");
    check(&[("language", "C++17"), ("os", "unknown")], "language=c++;language_major=17");
    check(&[("language", "golang 1.22"), ("runtime", "Docker")], "language=go;language_major=1;runtime=docker");
    check(&[("language_major", "3"), ("framework", "x;y=z"), ("nested", "no")], "framework=x-y-z");
    check(&[("language", "Python 3.12"), ("languageMajor", "<4")], "language=python;language_major=3");
}

#[test]
fn numbers_are_versions() {
    let facts = [
        ("python", EnvironmentFact::Number(3.11)),
        ("cuda", EnvironmentFact::Number(f64::NAN)),
        ("node", EnvironmentFact::Number(-1.0)),
    ];
    assert_eq!(Environment::from_facts(facts).to_string(), "language=python;language_major=3;runtime=node");
}

#[test]
fn match_decreases_with_distance() {
    let of = Environment::parse;
    let here = of("os=linux;language=python;language_major=3;framework=django;framework_major=5");
    let order = [
        "os=linux;language=python;language_major=3;framework=django;framework_major=5",
        "os=linux;language=python;language_major=3;framework=django",
        "os=linux;language=python;language_major=3;framework=django;framework_major=4",
        "os=linux;language=python;language_major=3;framework=django;framework_major=2",
        "os=windows;language=python;language_major=3;framework=django;framework_major=2",
        "os=windows;language=go",
    ];
    let scores: Vec<f64> = order.iter().map(|bucket| environment_similarity(&here, &of(bucket))).collect();
    assert!(scores.windows(2).all(|pair| pair[0] > pair[1]), "{scores:?}");
    assert!((environment_similarity(&of(""), &of("")) - 1.0).abs() < f64::EPSILON);
}

fn any_environment() -> impl Strategy<Value = Environment> {
    let name = |names: &'static [&'static str]| proptest::option::of(proptest::sample::select(names));
    let major = || proptest::option::of(0_u32..6);
    (
        name(&["linux", "macos"]),
        name(&["python", "go"]),
        major(),
        name(&["django", "react", "x"]),
        major(),
        name(&["node-20", "node", "node-18", "docker"]),
        major(),
    )
        .prop_map(|(os, language, language_major, framework, framework_major, runtime, cuda_major)| Environment {
            os_family: os.map(str::to_owned),
            language: language.map(str::to_owned),
            language_major: language_major.filter(|_| language.is_some()),
            framework: framework.map(str::to_owned),
            framework_major: framework_major.filter(|_| framework.is_some()),
            runtime: runtime.map(str::to_owned),
            cuda_major,
        })
}

/// Returns `a` with a field of `b`.
fn with_field(a: &Environment, b: &Environment, field: usize) -> Environment {
    let mut a = a.clone();
    match field {
        0 => a.os_family.clone_from(&b.os_family),
        1 => a.language.clone_from(&b.language),
        2 => a.language_major = b.language_major,
        3 => a.framework.clone_from(&b.framework),
        4 => a.framework_major = b.framework_major,
        5 => a.runtime.clone_from(&b.runtime),
        _ => a.cuda_major = b.cuda_major,
    }
    a
}

proptest! {
    #[test]
    fn buckets_round_trip(environment in any_environment()) {
        prop_assert_eq!(Environment::parse(&environment.to_string()), environment);
    }

    #[test]
    fn any_facts_give_a_canonical_bucket(facts in proptest::collection::vec((
        prop_oneof![Just("os"), Just("language"), Just("framework"), Just("runtime"), Just("languageVersion"), Just("cuda"), Just("node")],
        any::<String>(),
    ), 0..6)) {
        let environment = Environment::from_facts(facts.iter().map(|(key, value)| (*key, EnvironmentFact::Text(value))));
        let bucket = environment.to_string();
        prop_assert_eq!(Environment::parse(&bucket).to_string(), bucket);
    }

    #[test]
    fn match_is_symmetric_and_bounded(a in any_environment(), b in any_environment()) {
        let value = environment_similarity(&a, &b);
        prop_assert!((0.0..=1.0).contains(&value));
        prop_assert_eq!(value.to_bits(), environment_similarity(&b, &a).to_bits());
        prop_assert!((environment_similarity(&a, &a) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn equal_field_never_lowers_the_match(a in any_environment(), b in any_environment(), field in 0_usize..7) {
        prop_assert!(environment_similarity(&with_field(&a, &b, field), &b) >= environment_similarity(&a, &b) - 1e-12);
    }

    #[test]
    fn unknown_costs_less_than_different(a in any_environment(), b in any_environment()) {
        if a.os_family.is_some() && b.os_family.is_some() && a.os_family != b.os_family {
            let unknown = Environment { os_family: None, ..b.clone() };
            prop_assert!(environment_similarity(&a, &unknown) > environment_similarity(&a, &b));
        }
        if a.framework == b.framework && a.framework_major.is_some() && b.framework_major.is_some()
            && a.framework_major != b.framework_major {
            let unknown = Environment { framework_major: None, ..b.clone() };
            prop_assert!(environment_similarity(&a, &unknown) > environment_similarity(&a, &b));
        }
    }
}
