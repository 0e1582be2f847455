//! The ordered table of keywords with their matchers, and the pass over the text that finds the keywords.

pub(super) mod blocks;
mod encoded;
pub(super) mod headers;
mod manifests;
pub(super) mod sentences;
mod sql;
pub(super) mod token_patterns;
mod urls;

use super::{
    assign,
    rules::{CompiledRule, rules},
    scan::{Scan, Span},
};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;
use token_patterns::{TOKEN_PATTERNS, TokenPattern};

/// A matcher function; its argument is the start of the hit.
type Find = fn(&mut Scan<'_>, usize);

/// The matcher of a keyword.
#[derive(Clone, Copy)]
enum Matcher {
    TokenPattern(&'static TokenPattern, &'static str),
    /// Recognizes a secret by its own format.
    At(Find),
    /// Recognizes a secret by a word beside it.
    Told(Find),
    /// Index of a rule in the table.
    Rule(usize),
}

/// Keywords of names. Longer names contain them: `PGPASSWORD`, `aws_secret_access_key`, `x-auth-token`.
#[rustfmt::skip] // One word per line would fill a page.
static NAMES: &[&str] = &[
    "pass", "pwd", "kennwort", "passord", "contrasena", "mot_de_passe", "senha", "clave", "wachtwoord", "salasana",
    "heslo", "parola", "lozinka", "adgangskode", "pw=", "pw:", "pw\"", "pw'", "pw ", "pwhash", "ntlm_hash", "nt_hash",
    "psk", "masterauth", "authtok", "secret", "token", "key", "auth", "cookie", "credential", "creds", "jwt",
    "bearer", "sig=", "signature", "csrf", "xsrf", "sessid", "sessionid", "session_id", "session-id", "session=", "session \"",
    "session\"", "session'", "sid=", "sid:", "session:", "code=", "_pat", "laravel_session", "mnemonic", "wallet_seed", "salt", "crumb",
    "verifier", "samlresponse", "appid=", "macaroon", "totp", "honeycomb-team",
];

/// Keywords that are neither token prefixes nor names.
static OTHERS: &[(&str, Find)] = &[
    ("BEGIN ", blocks::private_key_begin),
    // After `BEGIN `, because it is only for blocks whose start was cut off.
    ("END ", blocks::private_key_end),
    ("Private-Lines", blocks::putty),
    ("LS0tLS1CRUdJTi", blocks::encoded),
    ("MII", blocks::der),
    ("MIG", blocks::der),
    ("MIH", blocks::der),
    ("MHcCAQEE", blocks::der),
    ("MHQCAQEE", blocks::der),
    ("MC4CAQAw", blocks::der),
    ("b3BlbnNzaC1rZXktdjE", blocks::openssh),
    ("kind: secret", manifests::secret_manifest),
    ("\"kind\":\"secret\"", manifests::secret_json),
    ("\"kind\": \"secret\"", manifests::secret_json),
    ("\"kty\"", blocks::web_key),
    ("\\\"kty\\\"", blocks::web_key),
    ("eyJ", blocks::jwt),
    ("://", urls::userinfo),
];

/// Words that introduce a secret.
static TELLING: &[(&str, Find)] =
    &[("mot de passe", sentences::mot_de_passe), ("kata sandi", sentences::kata_sandi), ("insert into ", sql::insert)];

struct Table {
    keywords: AhoCorasick,
    matchers: Vec<Matcher>,
    rules: Vec<CompiledRule>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let token_rows = |pattern: &'static TokenPattern| {
        pattern.heads.iter().map(move |&head| (head, Matcher::TokenPattern(pattern, head)))
    };
    let rows = TOKEN_PATTERNS.iter().flat_map(token_rows);
    let rows = rows.chain(OTHERS.iter().map(|&(keyword, find)| (keyword, Matcher::At(find))));
    let rows = rows.chain(TELLING.iter().map(|&(keyword, find)| (keyword, Matcher::Told(find))));
    let rules = rules();
    let rule_rows = rules.iter().enumerate().flat_map(|(index, compiled)| {
        compiled.rule.keywords.iter().map(move |&keyword| (keyword, Matcher::Rule(index)))
    });
    let rows = rows.chain(rule_rows);
    // Last, because a token's format is more specific than the name before it, and the first match at a position
    // decides the kind.
    let rows = rows.chain(NAMES.iter().map(|&keyword| (keyword, Matcher::Told(assign::find))));
    let (words, matchers): (Vec<_>, Vec<_>) = rows.unzip();
    let keywords = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .expect("a few hundred short keywords build an automaton");
    Table { keywords, matchers, rules }
});

/// A separate automaton, because these bytes would double the width of the other automaton's table and are rare.
static FOREIGN: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(sentences::FOREIGN)
        .expect("a few dozen words build an automaton")
});

fn find_foreign(scan: &mut Scan<'_>) {
    for hit in FOREIGN.find_iter(scan.text) {
        if hit.start() >= scan.told {
            sentences::foreign(scan, hit.start(), hit.len());
        }
    }
}

/// Returns the spans of all secrets, unsorted and possibly overlapping.
pub(super) fn find(text: &[u8]) -> Vec<Span> {
    let table = &*TABLE;
    let mut scan = Scan::new(text);
    // First, because a name or a header for the same text is more specific.
    encoded::runs(&mut scan);
    for at in memchr::memchr_iter(b'@', text) {
        urls::bare_login(&mut scan, at);
    }
    if !text.is_ascii() {
        find_foreign(&mut scan);
    }
    scan.forget_places();
    for hit in table.keywords.find_overlapping_iter(text) {
        let matcher = table.matchers[hit.pattern().as_usize()];
        let by_name = match matcher {
            Matcher::Told(_) => true,
            Matcher::Rule(index) => table.rules[index].rule.is_told(),
            _ => false,
        };
        let told = by_name && hit.start() < scan.told;
        // `sk-` and `sk-ant-` start at the same position; the longer keyword comes later and decides the kind.
        let again = scan.spans.last().is_some_and(|span| span.start == hit.start());
        if told || (hit.start() < scan.covered && !again) {
            continue;
        }
        match matcher {
            Matcher::TokenPattern(pattern, head) => pattern.find(&mut scan, hit.start(), head),
            Matcher::At(find) | Matcher::Told(find) => find(&mut scan, hit.start()),
            Matcher::Rule(index) => table.rules[index].find(&mut scan, hit.start()),
        }
    }
    scan.spans
}
