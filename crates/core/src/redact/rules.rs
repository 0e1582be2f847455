//! The ordered table: which keyword runs which matcher, and the one pass that finds the keywords.
//! Does not: match; each matcher has its own file.

use super::{
    assign, blocks, commands, headers, infix,
    scan::{Scan, Span},
    shapes::{SHAPES, Shape},
    urls,
};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// A matcher; it gets the first byte of the hit.
type Find = fn(&mut Scan<'_>, usize);

/// What a keyword's hit runs.
#[derive(Clone, Copy)]
enum Matcher {
    Shape(&'static Shape),
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

/// Everything that is neither a shape nor a name.
static OTHERS: &[(&str, Find)] = &[
    ("BEGIN ", blocks::begin),
    // After `BEGIN `: only for blocks whose beginning was cut away.
    ("END ", blocks::end),
    ("Private-Lines", blocks::putty),
    ("LS0tLS1CRUdJTi", blocks::encoded),
    ("\"kty\"", blocks::web_key),
    ("\\\"kty\\\"", blocks::web_key),
    ("eyJ", blocks::jwt),
    ("://", urls::userinfo),
    ("sqlplus ", urls::oracle),
    ("oracle:thin:", urls::oracle),
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
    ("identified by", assign::sql),
    ("login ", commands::netrc),
];

/// Links whose path is the secret.
static WEBHOOKS: &[&str] = &[
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "hooks.slack.com/triggers/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
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
    let rows = SHAPES.iter().map(|shape| (shape.head, Matcher::Shape(shape)));
    let rows = rows.chain(OTHERS.iter().map(|&(keyword, find)| (keyword, Matcher::At(find))));
    let rows = rows.chain(TELLING.iter().map(|&(keyword, find)| (keyword, Matcher::Told(find))));
    let rows = rows.chain(WEBHOOKS.iter().map(|&keyword| (keyword, Matcher::Webhook(keyword))));
    let rows = rows.chain(commands::keywords().map(|keyword| (keyword, Matcher::Command(keyword))));
    // Last: a shape says more than the name before it, and the first finder of a place names its kind.
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

/// All places of secrets, unsorted; they may overlap.
pub(super) fn find(text: &[u8]) -> Vec<Span> {
    let table = &*TABLE;
    let mut scan = Scan::new(text);
    for hit in table.keywords.find_overlapping_iter(text) {
        let matcher = table.matchers[hit.pattern().as_usize()];
        let told = matches!(matcher, Matcher::Told(_) | Matcher::Command(_)) && hit.start() < scan.told;
        // `sk-` and `sk-ant-` begin at one place; the longer one comes later and names the kind.
        let again = scan.spans.last().is_some_and(|span| span.start == hit.start());
        if told || (hit.start() < scan.covered && !again) {
            continue;
        }
        match matcher {
            Matcher::Shape(shape) => shape.find(&mut scan, hit.start()),
            Matcher::At(find) | Matcher::Told(find) => find(&mut scan, hit.start()),
            Matcher::Webhook(keyword) => urls::webhook(&mut scan, hit.start(), keyword.len()),
            Matcher::Command(keyword) => commands::find(&mut scan, hit.start(), keyword),
        }
    }
    scan.spans
}
