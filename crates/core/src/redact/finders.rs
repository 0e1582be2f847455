//! Contains the ordered table of keywords with their matchers, and finds the keywords in a text.

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
    judge::may_be_generated,
    rules::{CompiledRule, compile_rules},
    scan::{Scan, Span},
};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::{
    collections::BTreeMap,
    ops::RangeInclusive,
    sync::{
        LazyLock, OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};
use token_patterns::{TOKEN_PATTERNS, TokenPattern};

/// A matcher function. Its second argument is the position of the keyword.
type SecretMatcher = fn(&mut Scan<'_>, usize);

/// The matcher of a keyword.
#[derive(Clone, Copy)]
enum Matcher {
    TokenPattern(&'static TokenPattern, &'static str),
    /// Recognizes a secret by its format.
    Format(SecretMatcher),
    /// Recognizes a secret by a word beside it.
    Word(SecretMatcher),
    /// Index of a rule in the table.
    Rule(usize),
}

/// Keywords of names. Longer names contain them: `PGPASSWORD`, `aws_secret_access_key`, `x-auth-token`.
#[rustfmt::skip] // One word per line would fill a page.
static NAME_KEYWORDS: &[&str] = &[
    "pass", "pwd", "kennwort", "passord", "contrasena", "mot_de_passe", "senha", "clave", "wachtwoord", "salasana",
    "heslo", "parola", "lozinka", "adgangskode", "pw=", "pw:", "pw\"", "pw'", "pw ", "pwhash", "ntlm_hash", "nt_hash",
    "psk", "masterauth", "authtok", "secret", "token", "key", "auth", "cookie", "credential", "creds", "jwt",
    "bearer", "sig=", "signature", "csrf", "xsrf", "sessid", "sessionid", "session_id", "session-id", "session=", "session \"",
    "session\"", "session'", "sid=", "sid:", "session:", "code=", "_pat", "laravel_session", "mnemonic", "wallet_seed", "salt", "crumb",
    "verifier", "samlresponse", "appid=", "macaroon", "totp", "honeycomb-team", "psw=", "psw:", "remember_me", "rememberme", "sess=",
];

/// Keywords of secrets with a special format.
static FORMAT_KEYWORDS: &[(&str, SecretMatcher)] = &[
    ("BEGIN ", blocks::redact_from_begin_line),
    // `END ` must come after `BEGIN `, because it only finds blocks whose start was cut off.
    ("END ", blocks::redact_up_to_end_line),
    ("Private-Lines", blocks::redact_putty_key),
    ("LS0tLS1CRUdJTi", blocks::redact_encoded_pem),
    ("MII", blocks::redact_der_key),
    ("MIG", blocks::redact_der_key),
    ("MIH", blocks::redact_der_key),
    ("MHcCAQEE", blocks::redact_der_key),
    ("MHQCAQEE", blocks::redact_der_key),
    ("MC4CAQAw", blocks::redact_der_key),
    ("b3BlbnNzaC1rZXktdjE", blocks::redact_openssh_key),
    ("kind: secret", manifests::redact_yaml_secret),
    ("\"kind\":\"secret\"", manifests::redact_json_secret),
    ("\"kind\": \"secret\"", manifests::redact_json_secret),
    ("\"kty\"", blocks::redact_web_key),
    ("\\\"kty\\\"", blocks::redact_web_key),
    ("eyJ", blocks::redact_jwt),
    ("://", urls::redact_url_password),
];

/// Phrases before a secret.
static PHRASE_KEYWORDS: &[(&str, SecretMatcher)] = &[
    ("mot de passe", sentences::redact_after_mot_de_passe),
    ("kata sandi", sentences::redact_after_kata_sandi),
    ("insert into ", sql::redact_insert),
];

struct KeywordTable {
    keywords: Vec<&'static str>,
    matchers: Vec<Matcher>,
    rules: Vec<CompiledRule>,
    /// Automaton that is built quickly.
    automaton: AhoCorasick,
    /// Automaton that searches quickly.
    dfa: OnceLock<AhoCorasick>,
    searched_bytes: AtomicUsize,
}

/// Number of bytes that are searched before the faster automaton is built, because most processes search less. Building
/// it takes a fifth of the time of a first analysis (CPU profile of `argus inspect --jsonl` with one line, 2026-11-30).
const MIN_BYTES_FOR_DFA: usize = 1024 * 1024;

impl KeywordTable {
    /// Returns the automaton for a text. Both automata find the same keywords.
    fn automaton_for(&self, text: &[u8]) -> &AhoCorasick {
        if self.searched_bytes.fetch_add(text.len(), Relaxed) < MIN_BYTES_FOR_DFA {
            &self.automaton
        } else {
            self.dfa.get_or_init(|| build_automaton(&self.keywords, AhoCorasickKind::DFA))
        }
    }
}

fn build_automaton(keywords: &[&'static str], kind: AhoCorasickKind) -> AhoCorasick {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(kind))
        .build(keywords)
        .expect("a few hundred short keywords build an automaton")
}

static KEYWORD_TABLE: LazyLock<KeywordTable> = LazyLock::new(|| {
    let token_rows = |pattern: &'static TokenPattern| {
        pattern.heads.iter().map(move |&head| (head, Matcher::TokenPattern(pattern, head)))
    };
    let rows = TOKEN_PATTERNS.iter().flat_map(token_rows);
    let rows = rows.chain(FORMAT_KEYWORDS.iter().map(|&(keyword, find)| (keyword, Matcher::Format(find))));
    let rows = rows.chain(PHRASE_KEYWORDS.iter().map(|&(keyword, find)| (keyword, Matcher::Word(find))));
    let rules = compile_rules();
    let rule_rows = rules
        .iter()
        .enumerate()
        .flat_map(|(index, compiled)| compiled.rule.keywords().map(move |keyword| (keyword, Matcher::Rule(index))));
    let rows = rows.chain(rule_rows);
    // Names come last: the first match at a position decides the kind, and the format of a token is more specific than
    // the name before the token.
    let rows = rows.chain(NAME_KEYWORDS.iter().map(|&keyword| (keyword, Matcher::Word(assign::redact_after_name))));
    let (keywords, matchers): (Vec<_>, Vec<_>) = rows.unzip();
    let automaton = build_automaton(&keywords, AhoCorasickKind::ContiguousNFA);
    KeywordTable { keywords, matchers, rules, automaton, dfa: OnceLock::new(), searched_bytes: AtomicUsize::new(0) }
});

/// A separate automaton for rare words outside ASCII, because their bytes would double the size of the other
/// automaton's table.
static FOREIGN_WORD_FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(sentences::FOREIGN_WORDS)
        .expect("a few dozen words build an automaton")
});

fn find_after_foreign_words(scan: &mut Scan<'_>) {
    for hit in FOREIGN_WORD_FINDER.find_iter(scan.text) {
        if hit.start() >= scan.name_end {
            sentences::redact_after_foreign_word(scan, hit.start(), hit.len());
        }
    }
}

/// Returns the spans of all secrets, unsorted and possibly overlapping.
pub(super) fn find_secrets(text: &[u8]) -> Vec<Span> {
    let table = &*KEYWORD_TABLE;
    let mut scan = Scan::new(text);
    // Search base64 first, because a name or a header that is found later for the same text is more specific.
    encoded::redact_base64(&mut scan);
    for at in memchr::memchr_iter(b'@', text) {
        urls::redact_login_without_scheme(&mut scan, at);
    }
    if !text.is_ascii() {
        find_after_foreign_words(&mut scan);
    }
    scan.reset_skipping();
    for hit in table.automaton_for(text).find_overlapping_iter(text) {
        let matcher = table.matchers[hit.pattern().as_usize()];
        let by_name = match matcher {
            Matcher::Word(_) => true,
            Matcher::Rule(index) => table.rules[index].rule.is_identified_by_word(),
            _ => false,
        };
        let told = by_name && hit.start() < scan.name_end;
        // `sk-` and `sk-ant-` start at the same position. The longer keyword comes later and must decide the kind.
        let again = scan.spans.last().is_some_and(|span| span.start == hit.start());
        if told || (hit.start() < scan.format_end && !again) {
            continue;
        }
        match matcher {
            Matcher::TokenPattern(pattern, head) => pattern.redact_token(&mut scan, hit.start(), head),
            Matcher::Format(find) | Matcher::Word(find) => find(&mut scan, hit.start()),
            Matcher::Rule(index) => table.rules[index].redact_match(&mut scan, hit.start()),
        }
    }
    redact_repetitions(&mut scan);
    scan.spans
}

/// Lengths of the values whose repetitions are searched. Shorter values can be words that occur without being secret.
const REPEATED_BYTES: RangeInclusive<usize> = 16..=256;
/// Maximum number of secrets whose repetitions are searched, so that hostile texts take linear time.
const MAX_REPEATED: usize = 32;

/// Redacts further occurrences of a generated value that has a name at one place only. For example, a runner prints the
/// compared value of an assertion again without its name.
fn redact_repetitions(scan: &mut Scan<'_>) {
    let is_repeatable = |span: &&Span| !span.is_found_by_format && REPEATED_BYTES.contains(&(span.end - span.start));
    let named = scan.spans.iter().filter(is_repeatable).map(|span| (scan.slice(span.start, span.end), span.kind));
    let named: BTreeMap<&[u8], &'static str> =
        named.filter(|(text, _)| may_be_generated(text)).take(MAX_REPEATED).collect();
    for (secret, kind) in named {
        for start in memchr::memmem::find_iter(scan.text, secret) {
            let end = start + secret.len();
            if scan.starts_token(start) && scan.ends_token(end) {
                scan.spans.push(Span { start, end, kind, is_found_by_format: false });
            }
        }
    }
}
