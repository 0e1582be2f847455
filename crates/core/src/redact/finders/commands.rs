//! Passwords on command lines whose flags are single letters: `curl -u user:x`, `mysql -px`, `sshpass -p x`,
//! or words in a known place: `htpasswd -b file user x`.
//! Long flags are read by `assign`.

use crate::redact::{
    assign::assignment::{ValueSpan, value_at},
    judge::{told, value},
    scan::{BLANK, Scan},
};

/// Where one command has a password.
enum Argument {
    /// `-p x`.
    Flag(&'static str),
    /// `-px`.
    Glued(&'static str),
    /// `-u user:x`, with what parts the two; only what follows it goes.
    Pair(&'static str, u8),
    /// The so-manieth word that is no flag.
    Word(usize),
    /// The word behind this one.
    After(&'static str),
    /// `echo x | command` has it before the command.
    Piped,
}

use Argument::{After, Flag, Glued, Pair, Piped, Word};

static CURL: &[Argument] = &[
    Pair("-u", b':'),
    Pair("--user", b':'),
    Pair("-U", b':'),
    Pair("--proxy-user", b':'),
    Pair("-su", b':'),
    Pair("-sSu", b':'),
    Pair("-ku", b':'),
    Pair("-sku", b':'),
    Pair("-vu", b':'),
    Pair("-isu", b':'),
];
static GLUED: &[Argument] = &[Glued("-p")];
static SPACED: &[Argument] = &[Flag("-p")];
static CAPITAL: &[Argument] = &[Flag("-P")];
static LDAP: &[Argument] = &[Flag("-w"), Flag("-s")];
static SAMBA: &[Argument] = &[Pair("-U", b'%'), Pair("--user", b'%')];
static REGISTRY: &[Argument] =
    &[Pair("--creds", b':'), Pair("--src-creds", b':'), Pair("--dest-creds", b':'), Flag("-p")];

/// What commands are known to take.
static COMMANDS: &[(&str, &[Argument])] = &[
    ("curl ", CURL),
    ("http ", &[Pair("-a", b':'), Pair("--auth", b':')]),
    ("mysql ", GLUED),
    ("mysqldump ", GLUED),
    ("mysqladmin ", &[Glued("-p"), After("password")]),
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
    ("rdesktop ", SPACED),
    ("cqlsh ", SPACED),
    ("crackmapexec ", SPACED),
    ("evil-winrm ", SPACED),
    ("ssh-keygen ", &[Flag("-P"), Flag("-N")]),
    ("sqlcmd ", CAPITAL),
    ("bcp ", CAPITAL),
    ("unzip ", CAPITAL),
    ("zip ", CAPITAL),
    ("ipmitool ", CAPITAL),
    ("ldapsearch ", LDAP),
    ("ldapadd ", LDAP),
    ("ldapmodify ", LDAP),
    ("ldappasswd ", LDAP),
    ("redis-cli ", &[Flag("-a"), Flag("--pass"), After("AUTH")]),
    ("openssl ", &[Flag("-passin"), Flag("-passout"), Flag("-pass"), Flag("-k")]),
    ("openssl passwd ", &[Word(1)]),
    ("xfreerdp ", &[Glued("/p:")]),
    ("7z ", GLUED),
    ("rar ", &[Glued("-hp"), Glued("-p")]),
    ("unrar ", GLUED),
    ("smbclient ", SAMBA),
    ("rpcclient ", SAMBA),
    ("winexe ", SAMBA),
    ("smbget ", SAMBA),
    ("lftp ", &[Pair("-u", b',')]),
    ("skopeo ", REGISTRY),
    ("buildah ", REGISTRY),
    ("snmpwalk ", &[Flag("-c"), Flag("-A"), Flag("-X")]),
    ("snmpget ", &[Flag("-c"), Flag("-A"), Flag("-X")]),
    ("snmp-server community ", &[Word(1)]),
    ("rocommunity ", &[Word(1)]),
    ("rwcommunity ", &[Word(1)]),
    ("vault login ", &[Word(1)]),
    ("htpasswd -b", &[Word(3)]),
    ("htpasswd -nb", &[Word(2)]),
    ("net use ", &[After("\\\\")]),
    ("net user ", &[Word(2)]),
    ("rabbitmqctl add_user ", &[Word(2)]),
    ("rabbitmqctl change_password ", &[Word(2)]),
    ("wpa_passphrase ", &[Word(2)]),
    ("config http-basic.", &[Word(2)]),
    ("nmcli ", &[After("password")]),
    ("secret set ", &[Flag("--body"), Flag("-b")]),
    ("secret generic ", &[Pair("--from-literal", b'=')]),
    ("enable secret ", &[Word(1)]),
    ("stats auth ", &[Pair("", b':')]),
    ("--password-stdin", &[Piped]),
    ("--passphrase-fd 0", &[Piped]),
    ("passwd --stdin", &[Piped]),
    ("sudo -s", &[Piped]),
    ("chpasswd", &[Piped]),
];

/// What selects this matcher.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, _)| *name)
}

/// Looks through the rest of the command's line.
pub(super) fn find(scan: &mut Scan<'_>, hit: usize, keyword: &str) {
    let Some((_, arguments)) = COMMANDS.iter().find(|(name, _)| *name == keyword) else { return };
    if !scan.starts_token(hit) {
        return;
    }
    // `sshpass -p x`: the flag is part of the keyword, so start before it.
    let from =
        if keyword == "sshpass -p " { hit + "sshpass".len() } else { word_end(scan, hit + keyword.trim_end().len()) };
    let line = scan.slice(from, from + 512);
    let end = from + line.iter().position(|&byte| byte == b'\n').unwrap_or(line.len());
    let mut cursor = CommandCursor { words: 0, previous: (from, from) };
    let mut at = from;
    while at < end {
        let word = scan.run(at, &BLANK, 64);
        let word_end = (word..end).find(|&index| BLANK.has(scan.text[index])).unwrap_or(end);
        cursor.words += usize::from(word < word_end && scan.text[word] != b'-');
        for argument in *arguments {
            look_at(scan, argument, &cursor, word, word_end);
        }
        cursor.previous = (word, word_end);
        at = word_end.max(at + 1);
    }
    if arguments.iter().any(|argument| matches!(argument, Piped)) {
        piped(scan, hit, keyword == "chpasswd");
    }
}

/// `htpasswd -bB`: the keyword may end inside a word.
fn word_end(scan: &Scan<'_>, at: usize) -> usize {
    (at..scan.text.len()).find(|&index| scan.text[index].is_ascii_whitespace()).unwrap_or(scan.text.len())
}

/// How far a command line is read.
struct CommandCursor {
    words: usize,
    previous: (usize, usize),
}

fn look_at(scan: &mut Scan<'_>, argument: &Argument, cursor: &CommandCursor, word: usize, end: usize) {
    let text = scan.slice(word, end);
    let start = match *argument {
        Flag(name) if text == name.as_bytes() => scan.run(end, &BLANK, 8),
        Glued(name) if text.len() > name.len() && text.starts_with(name.as_bytes()) => word + name.len(),
        Pair(name, _) if text == name.as_bytes() && !name.is_empty() => scan.run(end, &BLANK, 8),
        Pair(name, _) if text.len() > name.len() && text.starts_with(name.as_bytes()) && may_be_glued(name, text) => {
            word + name.len()
        }
        Word(count) if cursor.words == count && text.first() != Some(&b'-') => word,
        After(name) if is_after(scan.slice(cursor.previous.0, cursor.previous.1), name) => word,
        _ => return,
    };
    let Some(found) = value_at(scan, start) else { return };
    let found = match *argument {
        Pair(_, mark) => after_mark(scan, found, mark),
        _ => Some(after_source(scan, found)),
    };
    if let Some(found) = found.filter(|found| is_password(scan, argument, *found)) {
        scan.add_by_name("password", found.start, found.end);
    }
}

/// `-ubob:x`, `--from-literal=name=x`; not `--user-agent`.
fn may_be_glued(name: &str, text: &[u8]) -> bool {
    let next = text[name.len()];
    if name.len() > 2 { next == b'=' } else { next.is_ascii_alphanumeric() || name.is_empty() }
}

fn is_after(previous: &[u8], name: &str) -> bool {
    if name == "\\\\" { previous.starts_with(b"\\\\") } else { previous == name.as_bytes() }
}

fn is_password(scan: &Scan<'_>, argument: &Argument, found: ValueSpan) -> bool {
    let text = scan.slice(found.start, found.end);
    let Some(&first) = text.first() else { return false };
    // What stands alone must not be a word of the sentence that a command's name is part of.
    let telling = match argument {
        Word(_) | After(_) => found.quoted || told::is_mixed(text) || (text.len() >= 8 && ends_command(scan, found)),
        _ => true,
    };
    let numeric = text.iter().all(u8::is_ascii_digit) && !found.quoted;
    telling
        && !matches!(first, b'-' | b'|' | b'>' | b'(')
        && (first != b'/' || !value::is_path(text))
        && !numeric
        && !value::is_placeholder(text)
        && !value::is_telling(text)
}

fn ends_command(scan: &Scan<'_>, found: ValueSpan) -> bool {
    let end = scan.run(found.end, &BLANK, 16);
    let text = scan.slice(found.start, found.end);
    let plain = text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_');
    matches!(scan.at(end), 0 | b'\n' | b'\r' | b'R' | b'1'..=b'9') && !(plain && text.ends_with(b"ed"))
}

fn after_mark(scan: &Scan<'_>, found: ValueSpan, mark: u8) -> Option<ValueSpan> {
    let start = found.start + usize::from(mark == b'=' && scan.at(found.start) == b'=');
    let text = scan.slice(start, found.end);
    // `password=x` after a flag that takes names is `assign`'s.
    let at = text.iter().position(|&byte| byte == mark)?;
    Some(ValueSpan { start: start + at + 1, ..found })
}

/// `pass:x` of openssl.
fn after_source(scan: &Scan<'_>, found: ValueSpan) -> ValueSpan {
    let source = if scan.starts_with(found.start, b"pass:") { "pass:".len() } else { 0 };
    ValueSpan { start: found.start + source, ..found }
}

/// `echo x | sudo -S`; of `chpasswd` only what follows the colon.
fn piped(scan: &mut Scan<'_>, hit: usize, pair: bool) {
    let from = hit.saturating_sub(160);
    let before = scan.slice(from, hit);
    let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let before = &before[line..];
    let Some(pipe) = before.iter().rposition(|&byte| byte == b'|') else { return };
    let echo = |word: &&[u8]| memchr::memmem::rfind(&before[..pipe], word).map(|at| at + word.len());
    let Some(at) = ECHOES.iter().filter_map(echo).max() else { return };
    let Some(found) = value_at(scan, from + line + at) else { return };
    let found = if pair { after_mark(scan, found, b':') } else { Some(found) };
    if let Some(found) = found.filter(|found| is_password(scan, &Piped, *found)) {
        scan.add_by_name("password", found.start, found.end);
    }
}

static ECHOES: &[&[u8]] = &[b"echo ", b"printf ", b"echo -n "];
