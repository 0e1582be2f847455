//! Classifies a name by how strongly it shows that its value is a secret: `password`, `clientSecret`, `X-Api-Key`,
//! `Cookie`.

/// How strongly a name proves that its value is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::redact) enum Tier {
    /// Nearly every value is a secret.
    Password,
    /// Every plausible value is a secret.
    Secret,
    /// The value must look random.
    Token,
    /// A key of an unknown kind (`..._KEY`): the value must look very random.
    Key,
    /// The value must look random and must not be a UUID, because UUIDs identify sessions in logs.
    Session,
    /// A parameter of a signed link: the name must be in a query, and the value must look random.
    Query,
    /// The value has a scheme and credentials, as in `Bearer x`.
    Authorization,
    /// The value has pairs of names and values.
    Cookie,
}

impl Tier {
    /// Returns the kind that the replacement shows.
    pub(in crate::redact) const fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Secret => "secret",
            Self::Token | Self::Session => "token",
            Self::Key => "api-key",
            Self::Query => "signature",
            Self::Authorization => "authorization",
            Self::Cookie => "cookie",
        }
    }
}

/// Endings of names, in lower case and without separators. The first match decides on the tier.
#[rustfmt::skip] // One word per line would fill a page.
static NAME_ENDINGS: &[(Tier, &[&str])] = &[
    (Tier::Authorization, &[
        "authorization",
    ]),
    (Tier::Cookie, &[
        "cookie", "cookies",
    ]),
    (Tier::Password, &[
        "password", "passwordconfirmation", "passwordconfirm", "passwort", "kennwort", "passwd", "passwords",
        "passord", "motdepasse", "contrasena", "senha", "clave", "wachtwoord", "salasana", "heslo", "parola",
        "lozinka", "adgangskode", "bindpw", "rootpw", "requirepass", "masterauth", "authtok", "securitycredentials",
        "bindcredential", "bindcredentials", "psk", "passphrase", "passcode", "pwd", "keypass", "storepass",
        "pgpass", "passwordvalue", "mnemonic", "psw",
    ]),
    (Tier::Secret, &[
        "secretaccesskey", "secretkeybase", "secretkey", "secretvalue", "secretstring", "secrettext",
        "clientkeydata", "walletseed", "secretstr", "secret", "privatekey", "privatekeypem", "keyprivate", "authtoken", "salt",
    ]),
    (Tier::Token, &[
        "passwordhash", "passwdhash", "passworddigest", "pwhash", "nthash", "lmhash", "secretid", "secrets",
        "credential", "credentials", "creds", "tokenvalue", "token", "tokens", "jwt", "bearer", "csrf", "xsrf",
        "macaroon", "totp", "xhoneycombteam", "crumb", "codeverifier", "oauthverifier", "samlresponse", "dockerauth", "basicauth", "xregistryauth", "phpsessid", "jsessionid", "connectsid", "aspnetsessionid",
        "laravelsession", "sessionkey", "rememberme",
    ]),
    (Tier::Session, &[
        "sessionid", "sess",
    ]),
    (Tier::Key, &[
        "tokenid", "pat", "otp", "session",
    ]),
    (Tier::Query, &[
        "xamzsignature", "xgoogsignature", "xosssignature",
    ]),
];

/// Words before `key` that show that the value is a secret.
#[rustfmt::skip] // One word per line would fill a page.
static SECRET_KEY_PREFIXES: &[&str] = &[
    "access", "account", "admin", "api", "apigw", "app", "application", "auth", "certificate", "client", "consumer", "crypto",
    "decryption", "deploy", "deployer", "developer", "encryption", "functions", "hmac", "ingestion", "integration",
    "jwt", "license", "master", "owner", "private", "record", "recovery", "relayer", "rest", "routing", "secret", "server", "service",
    "session", "shared", "sharedaccess", "signer", "signing", "ssh", "storage", "subscription", "webhook", "wallet",
    "write", "x", "aes", "vapid", "preshared", "psk", "wep", "wpa", "authorization", "instrumentation", "functionapp",
    "passkey", "root", "validation",
];

/// Words before `key` in the names of keys that identify data or are public.
#[rustfmt::skip] // One word per line would fill a page.
static HARMLESS_KEY_PREFIXES: &[&str] = &[
    "cache", "column", "composite", "dedup", "duplicate", "entity", "foreign", "group", "hash", "idempotency",
    "index", "join", "map", "message", "missing", "object", "order", "partition", "primary", "pub", "public",
    "publishable", "query", "range", "react", "input", "redis", "registry", "row", "shard", "sort", "storagecache", "translation",
    "undefined", "unique", "unknown", "verifying",
];

/// Words before `token` in the names of harmless tokens: of pagination, parsers and language models.
#[rustfmt::skip] // One word per line would fill a page.
static HARMLESS_TOKEN_PREFIXES: &[&str] = &[
    "bos", "cancel", "cancellation", "cls", "continuation", "current", "cursor", "end", "eos", "expected", "first",
    "last", "lookahead", "mask", "next", "nextpage", "pad", "page", "peek", "prev", "previous", "sep", "special",
    "publickey", "start", "stop", "sync", "unexpected", "unk", "resume", "nextforward", "nextbackward", "change",
];

/// Returns the tier of a name, or `None` if the name has no meaning. `query`: the name follows `?`, `&` or `;`.
pub(in crate::redact) fn classify_name(name: &[u8], query: bool) -> Option<Tier> {
    let flat = fold_name(name);
    let flat = flat.trim_end_matches(|last: char| last.is_ascii_digit());
    if query && matches!(flat, "sig" | "signature" | "key" | "code" | "auth" | "sid" | "hmac" | "appid") {
        return Some(Tier::Query);
    }
    if flat.strip_suffix("token").is_some_and(is_harmless_token) {
        return None;
    }
    if let Some((tier, _)) = NAME_ENDINGS.iter().find(|(_, ends)| ends.iter().any(|end| flat.ends_with(end))) {
        // In a connection string, `PWD` is a password and not a folder.
        return (fits_tier(*tier, name, flat) || (query && *tier == Tier::Password)).then_some(*tier);
    }
    if ends_with_pass(name, flat) || ends_with_pw(name) {
        return Some(Tier::Password);
    }
    // A header such as `X-Api-Auth`.
    if flat.len() > 5 && name.to_ascii_lowercase().ends_with(b"-auth") {
        return Some(Tier::Token);
    }
    // A field such as `connectAuth`.
    let is_camel = name.len() > 4 && name.ends_with(b"Auth") && name[name.len() - 5].is_ascii_lowercase();
    if is_camel || flat == "auth" || flat == "sid" || (flat.ends_with("auth") && name.starts_with(b"_")) {
        return Some(Tier::Key);
    }
    key_tier(flat)
}

fn is_harmless_token(owner: &str) -> bool {
    HARMLESS_TOKEN_PREFIXES.contains(&owner) || owner.ends_with("continuation") || owner.ends_with("nextpage")
}

fn fits_tier(tier: Tier, name: &[u8], flat: &str) -> bool {
    match tier {
        // Excludes `PWD`, the working directory of a shell, and `enclave`, which ends in `clave`.
        Tier::Password => {
            !matches!(name, b"PWD" | b"OLDPWD")
                && (!flat.ends_with("clave") || flat == "clave" || is_last_word(name, 5))
        }
        // `pat` and `otp` must be whole words, because of names such as `compat`.
        Tier::Key => !(flat.ends_with("pat") || flat.ends_with("otp")) || flat.len() == 3 || is_last_word(name, 3),
        // Excludes `salt` alone, because such a salt is usually printed beside its hash.
        _ => flat != "salt",
    }
}

/// Checks whether the last letters are a separate word: `github_pat`, `MI_CLAVE`.
fn is_last_word(name: &[u8], letters: usize) -> bool {
    let before = name.len().checked_sub(letters + 1).and_then(|at| name.get(at));
    matches!(before, Some(b'_' | b'-' | b'.'))
}

/// Checks for a word of another language, which English sentences do not contain by chance.
pub(super) fn is_foreign_word(name: &[u8]) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const WORDS: &[&str] = &[
        "passwort", "kennwort", "passord", "contrasena", "senha", "wachtwoord", "salasana", "heslo", "parola",
        "lozinka", "adgangskode", "clave",
    ];
    let flat = fold_name(name);
    !name.is_ascii() || name.contains(&b' ') || WORDS.iter().any(|word| flat.ends_with(word))
}

/// Checks for `pw`, `db_pw`, `-pw`.
fn ends_with_pw(name: &[u8]) -> bool {
    let Some(start) = name.len().checked_sub(2) else { return false };
    name[start..].eq_ignore_ascii_case(b"pw")
        && (start == 0
            || matches!(name[start - 1], b'_' | b'-' | b'.')
            || name[start..] == *b"PW" && name[start - 1].is_ascii_lowercase())
}

/// Checks for `pass`, `db_pass`, `remotepass`, but not `bypass`, `compass`.
fn ends_with_pass(name: &[u8], flat: &str) -> bool {
    const WORDS: &[&str] =
        &["askpass", "bypass", "compass", "encompass", "overpass", "surpass", "trespass", "underpass"];
    let Some(start) = name.len().checked_sub(4) else { return false };
    let begins_word = start == 0
        || matches!(name[start - 1], b'_' | b'-' | b'.')
        || (name[start] == b'P' && name[start - 1].is_ascii_lowercase());
    let is_compound = !name[..start].iter().any(|byte| matches!(byte, b'.' | b'/'));
    flat.ends_with("pass") && (begins_word || (is_compound && !WORDS.iter().any(|word| flat.ends_with(word))))
}

fn key_tier(flat: &str) -> Option<Tier> {
    let owner = flat.strip_suffix("key").or_else(|| flat.strip_suffix("keys"))?;
    if HARMLESS_KEY_PREFIXES.iter().any(|plain| owner.ends_with(plain)) {
        return None;
    }
    let known = SECRET_KEY_PREFIXES.iter().any(|known| owner.ends_with(known));
    Some(if known { Tier::Token } else { Tier::Key })
}

/// Keeps letters and digits, in lower case.
fn fold_name(name: &[u8]) -> String {
    name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}
