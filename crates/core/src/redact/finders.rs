//! The ordered table: which keyword runs which matcher, and the one pass that finds the keywords.

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

/// A matcher; it gets the first byte of the hit.
type Find = fn(&mut Scan<'_>, usize);

/// What a keyword's hit runs.
#[derive(Clone, Copy)]
enum Matcher {
    TokenPattern(&'static TokenPattern, &'static str),
    /// Looks at the text around the hit.
    At(Find),
    /// The same for what a word beside it tells, not its own look.
    Told(Find),
    /// The place of a rule in the table.
    Rule(usize),
}

/// Keywords of names. Longer names contain them: `PGPASSWORD`, `aws_secret_access_key`, `x-auth-token`.
#[rustfmt::skip] // One word a line would be a page.
static NAMES: &[&str] = &[
    "pass", "pwd", "kennwort", "passord", "contrasena", "mot_de_passe", "senha", "clave", "wachtwoord", "salasana",
    "heslo", "parola", "lozinka", "adgangskode", "pw=", "pw:", "pw\"", "pw'", "pw ", "pwhash", "ntlm_hash", "nt_hash",
    "psk", "masterauth", "authtok", "secret", "token", "key", "auth", "cookie", "credential", "creds", "jwt",
    "bearer", "sig=", "signature", "csrf", "xsrf", "sessid", "sessionid", "session_id", "session-id", "session=", "session \"",
    "session\"", "session'", "sid=", "sid:", "session:", "code=", "_pat", "laravel_session", "mnemonic", "wallet_seed", "salt", "crumb",
    "verifier", "samlresponse", "appid=", "macaroon", "totp", "honeycomb-team",
];

/// Everything that is neither a token nor a name.
static OTHERS: &[(&str, Find)] = &[
    ("BEGIN ", blocks::private_key_begin),
    // After `BEGIN `: only for blocks whose beginning was cut away.
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

/// Words that tell of a secret behind them.
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
    // Last: a token says more than the name before it, and the first finder of a place names its kind.
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

/// Their bytes would double the width of the other table, and few texts have any of them.
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

/// All places of secrets, unsorted; they may overlap.
pub(super) fn find(text: &[u8]) -> Vec<Span> {
    let table = &*TABLE;
    let mut scan = Scan::new(text);
    // First, for what a name or a header tells of the same place says more.
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
        // `sk-` and `sk-ant-` begin at one place; the longer one comes later and names the kind.
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
