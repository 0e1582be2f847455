use super::normalize;

#[test]
fn the_contract_examples() {
    for (input, wanted) in [
        ("ECONNREFUSED 10.0.0.1:5432", "ECONNREFUSED <IP>:<PORT>"),
        ("POST /api/123 returned 503", "POST /api/<ID> returned 5xx"),
        ("unexpected error 9f86d081884c7d65", "unexpected error <HASH>"),
    ] {
        assert_eq!(normalize(input).text, wanted);
    }
}

#[test]
fn every_placeholder_has_a_name() {
    let entries = super::table::BY_DIGIT.iter().chain(&super::table::BY_NAME).chain(&super::table::BY_WORD);
    assert!(entries.map(|entry| entry.name).all(|name| !name.is_empty()));
}
