//! The ordered table: which keyword runs which matcher, and the one pass that finds the keywords.

pub(super) mod blocks;
mod calls;
mod commands;
mod encoded;
mod hashes;
pub(super) mod headers;
mod infix;
mod password_lines;
pub(super) mod sentences;
pub(super) mod token_patterns;
mod urls;

use super::{
    assign::{self, nested},
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
    TokenPattern(&'static TokenPattern),
    /// Looks at the text around the hit.
    At(Find),
    /// The same for what a word beside it tells, not its own look.
    Told(Find),
    /// The link the keyword belongs to, all of it.
    Webhook(&'static str),
    Command(&'static str),
}

/// Keywords of names. Longer names contain them: `PGPASSWORD`, `aws_secret_access_key`, `x-auth-token`.
static NAMES: &[&str] = &[
    "pass",
    "pwd",
    "kennwort",
    "passord",
    "contrasena",
    "mot_de_passe",
    "senha",
    "clave",
    "wachtwoord",
    "salasana",
    "heslo",
    "parola",
    "lozinka",
    "adgangskode",
    "pw=",
    "pw:",
    "pw\"",
    "pw'",
    "pw ",
    "pwhash",
    "ntlm_hash",
    "nt_hash",
    "psk",
    "masterauth",
    "authtok",
    "secret",
    "token",
    "key",
    "auth",
    "cookie",
    "credential",
    "creds",
    "jwt",
    "bearer",
    "sig=",
    "signature",
    "csrf",
    "xsrf",
    "sessid",
    "sessionid=",
    "sid=",
    "code=",
    "_pat",
    "laravel_session",
    "mnemonic",
];

/// Everything that is neither a token nor a name.
static OTHERS: &[(&str, Find)] = &[
    ("BEGIN ", blocks::private_key_begin),
    // After `BEGIN `: only for blocks whose beginning was cut away.
    ("END ", blocks::private_key_end),
    ("Private-Lines", blocks::putty),
    ("LS0tLS1CRUdJTi", blocks::encoded),
    ("kind: secret", password_lines::secret_manifest),
    ("\"kind\":\"secret\"", password_lines::secret_json),
    ("\"kind\": \"secret\"", password_lines::secret_json),
    ("$2a$", hashes::crypt),
    ("$2b$", hashes::crypt),
    ("$2y$", hashes::crypt),
    ("$argon2", hashes::crypt),
    ("$1$", hashes::crypt),
    ("$5$", hashes::crypt),
    ("$6$", hashes::crypt),
    ("$7$", hashes::crypt),
    ("$y$", hashes::crypt),
    ("$apr1$", hashes::crypt),
    ("$p$", hashes::crypt),
    ("$h$", hashes::crypt),
    ("{SSHA", hashes::braced),
    ("{SHA", hashes::braced),
    ("{SMD5}", hashes::braced),
    ("{CRYPT}", hashes::braced),
    ("{PBKDF2", hashes::braced),
    ("e1NTSE", hashes::encoded),
    ("pbkdf2", hashes::named_hash),
    ("scrypt:", hashes::named_hash),
    ("SCRAM-SHA-", hashes::named_hash),
    ("\"kty\"", blocks::web_key),
    ("\\\"kty\\\"", blocks::web_key),
    ("eyJ", blocks::jwt),
    ("://", urls::userinfo),
    ("sqlplus ", urls::oracle_login),
    ("oracle:thin:", urls::oracle_login),
    ("@tcp(", urls::go_dsn),
    ("@unix(", urls::go_dsn),
    (".atlasv1.", infix::terraform),
    ("Q~", infix::azure_client),
    ("+ASt", infix::azure_key),
    ("+ASb", infix::azure_key),
    ("+AEh", infix::azure_key),
    ("+ABa", infix::azure_key),
    ("+AMC", infix::azure_key),
    ("+ARm", infix::azure_key),
    ("+ACR", infix::azure_key),
    ("ACDb", infix::azure_key),
    ("AIoT", infix::azure_key),
    ("APIM", infix::azure_key),
    ("AzCa", infix::azure_key),
    ("AzFu", infix::azure_key),
    ("AzSe", infix::azure_key),
    ("-us", infix::mailchimp),
    (":AA", infix::telegram),
    ("jsn", infix::rapid_api),
    ("NRAL", infix::newrelic),
    (":APA91b", infix::firebase),
    ("00D", infix::salesforce),
    ("pat", infix::airtable),
    ("AZDO", infix::azure_devops),
    ("discord", infix::discord),
    ("Bot ", infix::discord),
    ("AKIA", infix::aws_pair),
    ("ASIA", infix::aws_pair),
];

/// Words that tell of a secret behind them.
static TELLING: &[(&str, Find)] = &[
    ("Bearer", headers::bearer),
    ("Basic ", headers::basic),
    ("identified ", calls::identified),
    ("login ", password_lines::netrc),
    ("machine ", password_lines::netrc_machine),
    ("credentials", sentences::credentials),
    ("login with ", sentences::login),
    (" / ", sentences::slashed),
    ("pin: ", sentences::digits),
    ("pin=", sentences::digits),
    ("pin is ", sentences::digits),
    ("code: ", sentences::digits),
    ("code is ", sentences::digits),
    ("mot de passe", sentences::mot_de_passe),
    ("kata sandi", sentences::kata_sandi),
    ("seed phrase", sentences::seed),
    ("recovery phrase", sentences::seed),
    ("type=\"password\"", nested::input),
    ("auth=(", calls::last_string_argument),
    ("basicauth(", calls::last_string_argument),
    ("pscredential(", calls::last_string_argument),
    ("login(", calls::last_string_argument),
    ("getconnection(", calls::last_string_argument),
    ("to-securestring ", calls::secure_string),
    (".fill(", calls::typed_into_field),
    (".type(", calls::typed_into_field),
    (".send_keys(", calls::typed_into_field),
    (".sendkeys(", calls::typed_into_field),
    ("password(", calls::password_function),
    ("assertequals(", calls::equals),
    ("assertequal(", calls::equals),
    ("assert_eq!(", calls::equals),
    ("assert_equal ", calls::equals),
    ("insert into ", calls::insert),
    ("pass ", password_lines::pop),
    (" login ", password_lines::imap),
    ("identify ", password_lines::nickserv),
    (":*:", password_lines::pgpass),
    (":5432:", password_lines::pgpass),
    (":5433:", password_lines::pgpass),
    (":6432:", password_lines::pgpass),
    ("dc=", password_lines::ldap_login),
    (" on >", password_lines::acl),
    ("password 0 ", password_lines::leveled),
    ("password 5 ", password_lines::leveled),
    ("password 7 ", password_lines::leveled),
    ("secret 0 ", password_lines::leveled),
    ("secret 5 ", password_lines::leveled),
    ("auth plain ", encoded::sasl),
    ("auth login ", encoded::sasl),
    ("%3A%2F%2F", encoded::userinfo),
];

/// Links whose path is the secret.
static WEBHOOKS: &[&str] = &[
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "hooks.slack.com/triggers/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "discord.com/api/v10/webhooks/",
    "discord.com/api/v9/webhooks/",
    "discord.com/api/v8/webhooks/",
    "/hooks/",
    "/webhooks/",
    "/webhook/",
    "/services/hooks/",
    ".webhook.office.com/",
    "outlook.office.com/webhook/",
    "hooks.zapier.com/hooks/",
    "maker.ifttt.com/trigger/",
    "open.feishu.cn/open-apis/bot/",
    "open.larksuite.com/open-apis/bot/",
    "events.pagerduty.com/integration/",
    "chat.googleapis.com/v1/spaces/",
    "qyapi.weixin.qq.com/cgi-bin/webhook/",
    "oapi.dingtalk.com/robot/",
    "api.opsgenie.com/v1/json/",
    "make.com/hooks/",
];

struct Table {
    keywords: AhoCorasick,
    matchers: Vec<Matcher>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let rows = TOKEN_PATTERNS.iter().map(|pattern| (pattern.head, Matcher::TokenPattern(pattern)));
    let rows = rows.chain(OTHERS.iter().map(|&(keyword, find)| (keyword, Matcher::At(find))));
    let rows = rows.chain(TELLING.iter().map(|&(keyword, find)| (keyword, Matcher::Told(find))));
    let rows = rows.chain(WEBHOOKS.iter().map(|&keyword| (keyword, Matcher::Webhook(keyword))));
    let rows = rows.chain(commands::keywords().map(|keyword| (keyword, Matcher::Command(keyword))));
    // Last: a token says more than the name before it, and the first finder of a place names its kind.
    let rows = rows.chain(NAMES.iter().map(|&keyword| (keyword, Matcher::Told(assign::find))));
    let (words, matchers): (Vec<_>, Vec<_>) = rows.unzip();
    let keywords = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .expect("a few hundred short keywords build an automaton");
    Table { keywords, matchers }
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
        let told = matches!(matcher, Matcher::Told(_) | Matcher::Command(_)) && hit.start() < scan.told;
        // `sk-` and `sk-ant-` begin at one place; the longer one comes later and names the kind.
        let again = scan.spans.last().is_some_and(|span| span.start == hit.start());
        if told || (hit.start() < scan.covered && !again) {
            continue;
        }
        match matcher {
            Matcher::TokenPattern(pattern) => pattern.find(&mut scan, hit.start()),
            Matcher::At(find) | Matcher::Told(find) => find(&mut scan, hit.start()),
            Matcher::Webhook(keyword) => urls::webhook(&mut scan, hit.start(), keyword.len()),
            Matcher::Command(keyword) => commands::find(&mut scan, hit.start(), keyword),
        }
    }
    scan.spans
}
