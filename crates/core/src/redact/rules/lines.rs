//! Rules for secrets that are recognized by the form of a line, a call or a sentence: `.pgpass`, `.netrc`,
//! `Client("x")`, `admin / x`. `assign` reads names with a separator after them.

use super::{Rule, rule, value};
use crate::redact::{
    finders::blocks::decode_base64,
    judge::{may_be_generated, prose::mixes_letters_with_digits_or_marks},
};

/// Accepts a password beside a user name in a sentence, where an ordinary word is possible.
fn accept_password(text: &[u8]) -> bool {
    text.len() >= 6 && mixes_letters_with_digits_or_marks(text) && !text.contains(&b'/')
}

/// Accepts only long passwords. Used for calls with three text arguments, because the third argument is often a name.
fn accept_long_password(text: &[u8]) -> bool {
    text.len() >= 10 && accept_password(text)
}

/// Accepts text with a mark, a digit and letters, because two words with a slash between them are common.
fn accept_text_with_mark_and_digit(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    let marked = has(|byte| b"!#$@%^&*".contains(byte)) && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    text.len() >= 8 && marked && accept_password(text) && text[0] != b'@'
}

fn accept_text(text: &[u8]) -> bool {
    text.len() >= 3 && !value::is_prose(text)
}

fn accept_field(text: &[u8]) -> bool {
    text.len() >= 4 && !value::is_prose(text) && !text.iter().all(u8::is_ascii_digit)
}

/// Accepts base64 of SASL credentials. `PLAIN` without an identity starts with a zero byte (RFC 4616).
fn accept_sasl_login(text: &[u8]) -> bool {
    if decode_base64(text).first() == Some(&0) {
        return true;
    }
    text.len().is_multiple_of(4) && decode_base64(text).iter().all(|byte| byte.is_ascii_graphic() || *byte == 0)
}

/// Accepts a generated argument of a call, but not an ID, a path or an address.
fn accept_key(text: &[u8]) -> bool {
    let is_address = text.windows(3).any(|three| three == b"://");
    text.len() >= 16 && !value::is_uuid(text) && !value::is_hex(text) && !is_address && may_be_generated(text)
}

/// Checks for letters of both cases and digits that alternate as only in keys.
fn accept_mixed_key(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    accept_key(text) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit)
}

/// Accepts a key, or only digits, for calls whose only argument is a key.
fn accept_key_or_digits(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    accept_key(text) || (digits.len() >= 32 && value::is_hex(digits))
}

fn accept_bearer_token(text: &[u8]) -> bool {
    (value::is_random(text) || text.len() >= 32) && !value::is_code(text)
}

/// Accepts base64 of `user:password`.
fn accept_encoded_login(text: &[u8]) -> bool {
    let decoded = decode_base64(text);
    let is_printable = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ' || *byte >= 0x80;
    text.len() >= 8 && decoded.contains(&b':') && decoded.iter().all(is_printable)
}

fn accept_phrase(text: &[u8]) -> bool {
    text.split(|&byte| byte == b' ').count() >= 6 && !value::is_prose(text)
}

pub(super) static RULES: &[Rule] = &[
    // Files and protocols.
    rule(
        "password",
        &[":*:", ":5432:", ":5433:", ":6432:"],
        r#"(?:^|[\s"'])[\w.*/@-]+:(?:[0-9]+|\*):(?:[\w.*/@-]*[A-Za-z*][\w.*/@-]*:){2}([^\s:]+)[ \t]*\r?$"#,
    )
    .around(128)
    .only(accept_field),
    rule("password", &["machine "], r"machine\s+\S+\s+login\s+\S+\s+password\s+{word}").word().only(accept_field),
    rule("password", &["default login "], r"default\s+login\s+\S+\s+password\s+{word}").word().only(accept_field),
    rule("password", &["login "], r"login\s+\S+\s+password\s+{word}").word().only(value::is_random),
    rule("password", &["machine "], r"^[ \t]+password[ \t]+([!-~]{4,})[ \t]*\r?\n[ \t]*machine ")
        .around(256)
        .only(accept_field),
    rule("password", &["pass "], r"^USER \S+\r?\nPASS ([!-~]{4,})[ \t]*\r?$").around(128),
    rule("password", &[" login "], r#"[0-9] LOGIN \S+ (?:"([^"\n]{4,})"|([!-~]{4,}))[ \t]*\r?$"#).around(1),
    rule(
        "password",
        &["password 0 ", "password 5 ", "password 7 ", "secret 0 ", "secret 5 "],
        r"\w+ [057] ([!-~]{4,})[ \t]*\r?$",
    ),
    rule("password", &["identify "], r"nickserv\s+identify ([!-~]{4,})").around(16),
    rule("password", &["dc="], r"dc=[\w-]+(?::([!-~&&[^=]]{4,})(?:\s|$)| password ([!-~]{4,}))").only(accept_field),
    rule("password", &[" on >"], r"user \S+(?: \S+)* on >([!-~]{3,})").around(80),
    // Commands at the prompt of `redis-cli`.
    rule("password", &["> auth "], r"[0-9](?:\[[0-9]+\])?> auth (?:\w+ )?([!-~]{6,})[ \t]*\r?$").around(8),
    rule(
        "authorization",
        &["auth plain ", "auth login "],
        r"auth (?:plain|login) ([A-Za-z0-9+/]{6,}={0,2})(?:$|[^\w+/=])",
    )
    .only(accept_sasl_login),
    // Logins of databases.
    rule("url-password", &["@tcp(", "@unix("], r#"[^\s"'`<>\\|:]*:([^\s"'`<>\\|/][^\s"'`<>\\|]*)@(?:tcp|unix)\("#)
        .around(256),
    rule(
        "url-password",
        &["sqlplus ", "oracle:thin:"],
        r#"(?:sqlplus (?:-\S+ )*|oracle:thin:)[\w.%+~-]+/(?:([^\s"'@]+)@|([\w#$!]{4,64})(?:\s|$))"#,
    ),
    rule(
        "url-password",
        &["%3A%2F%2F"],
        concat!(r"%3A%2F%2F[\w.~-]{1,}%3A", r"((?:[\w.~!*'()$+,-]|%(?:[0135-9a-f][0-9a-f]|2[0-9a-e]|4[1-9a-f]))+)%40",),
    ),
    // Headers and forms.
    rule("authorization", &["Bearer"], r#"bearer[ :="']{1,4}([\w+/=%.~-]{12,})"#)
        .within(8192)
        .only(accept_bearer_token),
    rule("authorization", &["Basic "], r"basic[ \t]{1,4}([A-Za-z0-9+/]{6,}={0,2})").only(accept_encoded_login),
    rule("password", &["type=\"password\""], r#"type="password"[^>\n]{0,200}?value="([^"\n]+)""#).only(accept_text),
    // Input of CI systems and of machine setup tools.
    rule("secret", &["::add-mask::"], r"::add-mask::{word}").only(accept_text),
    rule("password", &["bundle_"], r#"(?-i:BUNDLE_[A-Z0-9_]+__[A-Z0-9_]+)(?:: |=)["']?[\w.@-]+:([^\s"']{6,})"#),
    rule("password", &["chpasswd:"], r"^[ \t]+[a-z_][\w-]*:([!-~]{6,})[ \t]*\r?$")
        .near(0, 512)
        .only(mixes_letters_with_digits_or_marks),
    rule(
        "password",
        &["send \"", "send -- \""],
        r#"pass(?:word|phrase)[^\n]*\n\s*send (?:-- )?"([^"\n]+?)(?:\\[rn])+""#,
    )
    .around(80),
    rule("password-hash", &["\"md5"], r#"^"[^"\n]+" "(md5[0-9a-f]{32})""#).around(80),
    rule(
        "private-key",
        &["keypair", "network_key", "secretkey", "secret_key", "privatekey", "private_key"],
        r#"\w+["']?\s*[:=]\s*\[((?:\s*[0-9]{1,3}\s*,){15,}\s*[0-9]{1,3}\s*)\]"#,
    ),
    // The keypair file of Solana: 64 bytes after the name of the file.
    rule(
        "private-key",
        &["keypair", "id.json"],
        r"[\w.]+[^\[\n]{0,40}\n?\s*\[((?:\s*[0-9]{1,3}\s*,){63}\s*[0-9]{1,3}\s*)\]",
    ),
    // `openssl rsa -text` and `openssl ec -text`.
    rule(
        "private-key",
        &["priv:", "privateexponent:", "prime1:", "prime2:", "exponent1:", "exponent2:", "coefficient:"],
        r"\w+:[ \t]*\r?\n[ \t]+((?:[0-9a-f]{2}:?)+(?:\r?\n[ \t]+(?:[0-9a-f]{2}:?)+)*)",
    )
    .word()
    .within(8192),
    // The channel of a private conda server.
    rule("token", &["/t/"], r"conda[\w.-]*(?:/[\w.-]+)*/t/([\w-]{8,})").around(64),
    // The second prompt of `AUTH LOGIN` is base64 of `Password:`.
    rule("authorization", &["334 UGFzc3dvcmQ6"], r"334 UGFzc3dvcmQ6\s+(?:[A-Z]: ?)?([A-Za-z0-9+/]{4,}={0,2})"),
    // A key of Cisco IOS in its reversible format, and secrets of strongSwan.
    rule("password", &["key 7 "], r"key 7 ([0-9A-F]{6,})[ \t]*\r?$").word(),
    rule("password", &[": eap ", ": xauth ", ": ntlm "], r": \w+ {str}"),
    // A Postfix map from servers to logins.
    rule("password", &["]:587 ", "]:465 ", "]:25 "], r"\]:[0-9]+[ \t]+[\w.@+-]+:([!-~]{4,})"),
    rule(
        "azure-key",
        &["account.key."],
        r"account\.key\.[\w.-]+(?:</name>\s*<value>|\s*[=:]\s*)([A-Za-z0-9+/]{40,}={0,2})",
    ),
    // A parameter that Hibernate binds, a Harbor account, Kaggle's credentials file.
    rule("password", &["] for pass"], r"\[([^\]\n]{4,})\] for pass(?:word|wd|phrase)").around(80).only(accept_text),
    rule("token", &["robot$"], r"robot\$[\w+-]+[: ]([A-Za-z0-9]{24,})").only(accept_key),
    rule("token", &["\"username\""], r#""username"\s*:\s*"[^"\n]*"\s*,\s*"key"\s*:\s*"([0-9a-f]{32})""#),
    // Sentences.
    rule("password", &["log in as ", "login as ", "logged in as "], r"\w+ ?(?:in )?as \S+ with {word}")
        .only(accept_password),
    rule(
        "password",
        &["credentials", "login with "],
        r#"(?:credentials|login with)(?: are)?[ :('"]{1,4}[\w.@\\-]+(?: / |[:/]){word}"#,
    )
    .only(accept_password),
    rule("password", &["as the password", "as password", "as a password"], r"{word} as (?:the |a )?password\b")
        .around(80)
        .only(accept_password),
    rule("password", &["in as "], r"in as [\w.@-]+:{word}").only(accept_password),
    rule("secret", &["license "], r"licen[cs]e ([A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){3,})\b"),
    rule("token", &["recovery code"], r"recovery codes?(?: is)?:?\s+([A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8})+)\b"),
    rule("password", &["password's "], r"password's {word}").only(accept_password),
    rule("password", &["changed from "], r"passw(?:or)?d (?:was )?changed from {word}")
        .around(20)
        .only(accept_password),
    rule("password", &["changed from "], r"passw(?:or)?d (?:was )?changed from \S+ to {word}")
        .around(20)
        .only(accept_password),
    // Hardhat's list of private keys.
    rule("secret", &["accounts"], r#"accounts["']?\s*[:=]\s*\[\s*["']?(0x[0-9a-f]{64})\b"#),
    rule("secret", &["unseal key "], r"unseal key [0-9]+: ([A-Za-z0-9+/]{40,}={0,2})"),
    rule("password", &[" / "], r"(?:login|user|account)[: ]+[\w.@\\-]+ / {word}").around(64).only(accept_password),
    rule("password", &[" / "], r"[\w.@\\-] / {word}").around(1).only(accept_text_with_mark_and_digit),
    rule("token", &["pin: ", "pin=", "pin is "], r"(?-i:PIN)(?:[:=] ?| is )([0-9]{4,8})(?:$|[^\w.])").word(),
    rule(
        "token",
        &["code: ", "code is "],
        r"(?:otp|pin|time|verification|security|2fa|mfa|login|pairing)[ -]code(?:: ?| is )([0-9]{4,8})(?:$|[^\w.])",
    )
    .around(16),
    rule("password", &["seed phrase", "recovery phrase"], r#"\w+ phrase[: ="']{1,4}([a-z]+(?: [a-z]+){5,23})"#)
        .only(accept_phrase),
    rule("password", &["phrase", "mnemonic"], r"\w+[^\n]{0,120}:\s*\n\s*((?:[a-z]{3,8} ){11,23}[a-z]{3,8})[ \t]*\r?$")
        .only(accept_phrase),
    rule("token", &["recovery codes", "backup codes"], r"^[ \t]*([A-Za-z0-9]{4,8}-[A-Za-z0-9]{4,8})[ \t]*\r?$")
        .near(0, 512)
        .only(mixes_letters_with_digits_or_marks),
    rule("token", &["key from ", "token from ", "secret from "], r"\w+ from {word}").only(accept_key),
    rule("token", &["key from ", "token from ", "secret from "], r"\w+ from \S+ to {word}").only(accept_key),
    rule("password", &["creds", "credentials"], r"\w+[^\n:]{0,40}: ?[\w.@-]+ / {word}").word().only(accept_password),
    rule("token", &["sess:"], r"sess:([\w-]{24,})").word().only(accept_mixed_key),
    rule(
        "password",
        &["walletprovider(", "frommnemonic(", "fromphrase(", "mnemonictoseed("],
        r#"\w+\(\s*["']([a-z]+(?: [a-z]+){11,23})["']"#,
    )
    .only(accept_phrase),
    rule("token", &["session id"], r#"session id[:=]? ["']?([\w-]{20,})"#).only(accept_mixed_key),
    rule("token", &["session cookie "], r"session cookie {word}").only(may_be_generated),
    // Netscape's cookie file.
    rule("cookie", &["\tTRUE\t", "\tFALSE\t"], r"\t(?:TRUE|FALSE)\t[0-9]+\t[^\t\n]+\t([!-~]{6,})")
        .only(may_be_generated),
    // Comparisons.
    rule("password", &["' == ", "\" == "], r"{str} == [\w.\[\]'\x22]*(?:password|passwd|passphrase|pwd)\b")
        .around(200)
        .only(accept_text),
    rule("token", &["' == ", "\" == "], r"{str} == [\w.\[\]'\x22]*(?:token|secret|api_?key)\b")
        .around(200)
        .only(may_be_generated),
    // Calls, by their arguments.
    rule(
        "password",
        &["auth=(", "basicauth(", "pscredential(", "login(", "credentials(", "credential(", ".auth("],
        r"\.?\w+=?\(\s*{lit}\s*,\s*{str}(?:\s*,\s*{lit})?\s*\)",
    )
    .only(accept_text),
    rule("password", &["bind("], r"bind\w*\((?:[$\w]+\s*,\s*)?{lit}\s*,\s*{str}\s*\)").only(accept_password),
    rule("cookie", &["setcookie"], r#"set[Cc]ookie[(\t "']{1,3}[\w.-]+["']?,\s*{word}"#).only(may_be_generated),
    // A value of the Windows registry.
    rule("password", &["reg_sz", "reg_expand_sz"], r"(?:password|passwd|pwd|passphrase)\s+reg_(?:expand_)?sz\s+{word}")
        .around(64)
        .only(accept_field),
    rule("token", &["reg_sz", "reg_expand_sz"], r"(?:secret|token|key)\s+reg_(?:expand_)?sz\s+{word}")
        .around(64)
        .only(may_be_generated),
    // The login of a private source of Bundler: two underscores stand for a dot of the host.
    rule("password", &["bundle_"], r"bundle_\w+__\w+(?:=|: )[\x22']?(?:[\w.@-]+:)?{word}")
        .word()
        .only(may_be_generated),
    // `bundle config` prints the login of a private source.
    rule("password", &[".bundle/config"], r#"\.bundle/config\)?: "[\w.@-]+:([^"\s]{6,})""#),
    rule("password", &["connect(", "database("], r"\w+\(\s*{lit}\s*,\s*{lit}\s*,\s*{str}").only(accept_long_password),
    rule(
        "password",
        &["pdo(", "mysqli(", "mysqli_connect(", "pdo->__construct(", "mysqli->__construct("],
        r"\w+(?:->\w+)?\(\s*{lit}\s*,\s*{lit}\s*,\s*{str}",
    )
    .only(accept_text),
    // A Pydantic field and the rejected value.
    rule("token", &["input_value="], r"(?:token|secret|password|passwd|api_?key)\w*\r?\n[^\n]*input_value={str}")
        .around(200)
        .only(accept_field),
    rule("password", &["getconnection(", "sequelize("], r"\w+\((?:\w+|{lit})\s*,\s*{lit}\s*,\s*{str}\s*[,)]")
        .only(accept_text),
    rule("secret", &["provider :"], r"provider :\w+\s*,\s*{lit}\s*,\s*{str}").only(accept_key_or_digits),
    // State of Terraform, and the key that a page shows beside a QR code.
    rule("password", &["\"random_password\""], r#""result":\s*{str}"#).near(0, 512).only(accept_text),
    rule(
        "secret",
        &["setup key", "manual entry key"],
        r"(?:setup|manual entry) key[^:\n]{0,40}:\s*([A-Z2-7]{16,64})\b",
    ),
    rule("password", &["to-securestring "], r"to-securestring (?:-String )?{str}").only(accept_text),
    rule(
        "password",
        &[".fill(", ".type(", ".send_keys(", ".sendkeys("],
        r#"\.\w+\((?:"[^"\n]*pass(?:word|wd|phrase)[^"\n]*"|'[^'\n]*pass(?:word|wd|phrase)[^'\n]*')\s*,\s*{str}"#,
    )
    .only(accept_text),
    rule(
        "password",
        &[".fill(", ".type(", ".send_keys(", ".sendkeys("],
        r#"["'`][^"'`\n;]*pass(?:word|wd|phrase)[^"'`\n;]*["'`]\]?["'`]?\)+\.\w+\(\s*{str}"#,
    )
    .around(80)
    .only(accept_text),
    rule("password", &["password("], r"(?-i:Password|PASSWORD)\({str}\)").word().only(accept_text),
    rule(
        "password",
        &["assertequals(", "assertequal(", "assert_eq!(", "assert_equal "],
        r"\w+!?[( ]{str},\s*[\w.$-]*(?:password|passwd|passphrase|pwd)\b",
    )
    .only(accept_text),
    rule("password", &["identified "], r"(?-i:IDENTIFIED)\s+(?:with\s+\S+\s+)?by\s+{word}"),
    // A sentence may contain `identified by` too, but has backticks around the value.
    rule(
        "password",
        &["identified "],
        r#"\b(?:user|to)\s[^;\n]*?\bidentified\s+(?:with\s+\S+\s+)?by\s+(?:'([^'\n]+)'|"([^"\n]+)")"#,
    )
    .around(120),
    rule("password", &["set password "], r"set password for \S+ ?(?:=|to) ?(?:password\()?{str}"),
    rule(
        "secret",
        &[
            "client(",
            "wallet(",
            "fernet(",
            "createclient(",
            "sdk(",
            "api(",
            "provider(",
            "service(",
            "bot(",
            "credential(",
            ".login(",
            ".auth(",
        ],
        r"\.?\w+\((?:[^()\n]{0,160}[,=:]\s*)?{str}",
    )
    .only(accept_key),
    rule("secret", &["wallet(", "fernet(", "github(", "signer("], r"\w+\(\s*{str}").only(accept_key_or_digits),
    rule("secret", &["(\"AC", "('AC"], r#"\(["']AC[0-9a-f]{32}["']\s*,\s*["']([0-9a-f]{32})["']"#),
    rule("secret", &["client("], r#"\w+\(\s*["']((?-i:[0-9a-f]{32,64}))["']\s*\)"#),
    rule("secret", &["account(", "keypair(", "provider("], r#"\w+\(\s*\[?\s*["'](0x[0-9a-f]{64})["']"#),
    // A constructor that takes a key.
    rule(
        "secret",
        &["(\"", "('"],
        r#"\b(?-i:[A-Z])\w*(?:(?:::|\.)\w+)*\((?:[^()\n]{0,160}?[\s,(])??["']([\w+/=-]{24,})["']"#,
    )
    .around(64)
    .only(accept_mixed_key)
    .unless(&["Error", "Exception", "Id(", "ID(", "Hash", "Digest", "Buffer", "Cursor", "Equal", "From", "Blob"]),
    rule("secret", &["algoliasearch(", "searchclient("], r"\w+\(\s*{lit}\s*,\s*{str}").only(accept_key_or_digits),
    rule(
        "secret",
        &["createhmac(", "createcipheriv(", "sign(", "verify(", "jwt.encode(", "jwt.decode("],
        r"[\w.]+\([^\n]{0,120}?,\s*{str}",
    )
    .only(may_be_generated),
    rule(
        "secret",
        &["jwt.encode(", "jwt.decode(", "jwt.sign(", "jwt.verify(", "jws.sign(", "jws.verify("],
        r"[\w.]+\([^\n]{0,160}?\b(?:key|secret)\s*[=:]\s*{str}",
    )
    .only(accept_text),
    rule("secret", &["hmac.new("], r"hmac\.new\(\s*{str}").only(may_be_generated),
];
