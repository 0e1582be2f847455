//! Passwords on command lines whose flags are single letters: `curl -u user:x`, `mysql -px`, `sshpass -p x`.
//! Does not: look at long flags; `assign` does.

use super::{
    assign::{self, Value},
    scan::{BLANK, Scan, Set},
    value,
};

/// One flag of one command.
struct Flag {
    name: &'static [u8],
    /// The value follows without a blank: `-psecret`.
    glued: bool,
    /// The value is `user:password`; only what follows the colon goes.
    pair: bool,
}

const fn flag(name: &'static [u8]) -> Flag {
    Flag { name, glued: false, pair: false }
}

static CURL: &[Flag] = &[
    Flag { name: b"-u", glued: false, pair: true },
    Flag { name: b"--user", glued: false, pair: true },
    Flag { name: b"-U", glued: false, pair: true },
    Flag { name: b"--proxy-user", glued: false, pair: true },
];
static GLUED: &[Flag] = &[Flag { name: b"-p", glued: true, pair: false }];
static SPACED: &[Flag] = &[flag(b"-p")];
static SSH_KEYGEN: &[Flag] = &[flag(b"-P"), flag(b"-N")];
static SQLCMD: &[Flag] = &[flag(b"-P")];
static LDAP: &[Flag] = &[flag(b"-w")];
static REDIS: &[Flag] = &[flag(b"-a"), flag(b"--pass")];
static OPENSSL: &[Flag] = &[flag(b"-passin"), flag(b"-passout"), flag(b"-pass"), flag(b"-k")];

/// The flags a command is known to take.
static COMMANDS: &[(&str, &[Flag])] = &[
    ("curl ", CURL),
    ("mysql ", GLUED),
    ("mysqldump ", GLUED),
    ("mysqladmin ", GLUED),
    ("mariadb ", GLUED),
    ("sshpass ", GLUED),
    ("sshpass -p ", SPACED),
    ("docker login ", SPACED),
    ("podman login ", SPACED),
    ("helm registry login ", SPACED),
    ("az login ", SPACED),
    ("oc login ", SPACED),
    ("mongosh ", SPACED),
    ("mongo ", SPACED),
    ("rabbitmqadmin ", SPACED),
    ("mongodump ", SPACED),
    ("ssh-keygen ", SSH_KEYGEN),
    ("sqlcmd ", SQLCMD),
    ("bcp ", SQLCMD),
    ("ldapsearch ", LDAP),
    ("ldapadd ", LDAP),
    ("ldapmodify ", LDAP),
    ("redis-cli ", REDIS),
    ("openssl ", OPENSSL),
];

/// What selects this matcher.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, _)| *name)
}

/// Looks through the rest of the command's line.
pub(super) fn find(scan: &mut Scan<'_>, hit: usize, keyword: &str) {
    let Some((_, flags)) = COMMANDS.iter().find(|(name, _)| *name == keyword) else { return };
    if !scan.starts_token(hit) {
        return;
    }
    // `sshpass -p x`: the flag is part of the keyword, so start before it.
    let from = hit + keyword.find(' ').unwrap_or(keyword.len());
    let line = scan.slice(from, from + 512);
    let end = from + line.iter().position(|&byte| byte == b'\n').unwrap_or(line.len());
    let mut at = from;
    while at < end {
        let word = scan.run(at, &BLANK, 64);
        let word_end = (word..end).find(|&index| BLANK.has(scan.text[index])).unwrap_or(end);
        for known in *flags {
            look_at_flag(scan, known, word, word_end);
        }
        at = word_end.max(at + 1);
    }
}

fn look_at_flag(scan: &mut Scan<'_>, known: &Flag, word: usize, word_end: usize) {
    let rest = word + known.name.len();
    if !scan.starts_with(word, known.name) || (known.glued != (rest < word_end)) {
        return;
    }
    let start = if known.glued { rest } else { scan.run(rest, &BLANK, 8) };
    let Some(found) = assign::value_at(scan, start) else { return };
    let Some(found) = (if known.pair { after_colon(scan, found) } else { Some(after_source(scan, found)) }) else {
        return;
    };
    let text = scan.slice(found.start, found.end);
    let numeric = text.iter().all(u8::is_ascii_digit);
    if !text.is_empty() && text[0] != b'-' && !numeric && !value::is_placeholder(text) {
        scan.told("password", found.start, found.end);
    }
}

fn after_colon(scan: &Scan<'_>, found: Value) -> Option<Value> {
    let colon = scan.slice(found.start, found.end).iter().position(|&byte| byte == b':')?;
    Some(Value { start: found.start + colon + 1, ..found })
}

/// `pass:x` of openssl.
fn after_source(scan: &Scan<'_>, found: Value) -> Value {
    let source = if scan.starts_with(found.start, b"pass:") { "pass:".len() } else { 0 };
    Value { start: found.start + source, ..found }
}

/// `login x password y` of a `.netrc`.
pub(super) fn netrc(scan: &mut Scan<'_>, hit: usize) {
    let window_end = scan.text.len().min(hit + 256);
    let Some(at) = memchr::memmem::find(scan.slice(hit, window_end), b"password") else { return };
    let after = hit + at + "password".len();
    let start = scan.run(after, &NETRC_BREAK, 8);
    let Some(found) = assign::value_at(scan, start).filter(|_| start > after) else { return };
    let between = scan.slice(hit + "login".len(), hit + at);
    let words = between.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    let text = scan.slice(found.start, found.end);
    // `login failed password incorrect` is a sentence; a file names its machine, or the value cannot be a word.
    let machine = memchr::memmem::find(scan.slice(hit.saturating_sub(128), hit), b"machine ").is_some();
    if words == 1
        && (machine || value::is_random(text))
        && text.len() >= 4
        && !value::is_placeholder(text)
        && !value::is_prose(text)
    {
        scan.told("password", found.start, found.end);
    }
}

static NETRC_BREAK: Set = Set::new(" \t\r\n");
