//! Rules for passwords on command lines, after one-letter flags or at a fixed position: `curl -u user:x`, `mysql -px`.
//! `assign` reads long flags with a name.

use super::{Rule, rule, value};
use crate::redact::judge::prose::mixes_letters_with_digits_or_marks;

/// Accepts the argument of a flag.
fn accept_argument(text: &[u8]) -> bool {
    !value::is_path(text) && !text.iter().all(u8::is_ascii_digit) && !value::is_function_word(text)
}

/// Accepts a word at a position where a sentence about the command may have ordinary words.
fn accept_word(text: &[u8]) -> bool {
    let plain = text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_');
    accept_argument(text)
        && (mixes_letters_with_digits_or_marks(text) || (text.len() >= 8 && !(plain && text.ends_with(b"ed"))))
}

/// Accepts an argument that is neither an ordinary word nor an option.
fn accept_mixed_word(text: &[u8]) -> bool {
    accept_argument(text) && text.len() >= 6 && mixes_letters_with_digits_or_marks(text)
}

const fn command(keywords: &'static [&'static str], pattern: &'static str) -> Rule {
    rule("password", keywords, pattern).on_line().only(accept_argument)
}

pub(super) static RULES: &[Rule] = &[
    command(&["curl ", "etcdctl "], r"\s(?:--(?:proxy-)?user|-[a-zA-Z]{0,5}[uU])[ =]*{user:}"),
    command(&["http "], r"\s(?:-a|--auth)[ =]*{user:}"),
    command(&["mysql ", "mysqldump ", "mysqladmin ", "mariadb ", "sshpass ", "7z ", "rar ", "unrar "], r"\s-h?p{word}"),
    command(
        &[
            "sshpass ",
            "docker login ",
            "podman login ",
            "helm registry login ",
            "az login ",
            "oc login ",
            "mongosh ",
            "mongo ",
            "mongodump ",
            "rabbitmqadmin ",
            "rdesktop ",
            "cqlsh ",
            "crackmapexec ",
            "evil-winrm ",
            "skopeo ",
            "buildah ",
            "twine ",
        ],
        r"\s-p\s+{word}",
    ),
    command(&["sqlcmd ", "bcp ", "unzip ", "zip ", "ipmitool ", "mosquitto_pub ", "mosquitto_sub "], r"\s-P\s*{word}")
        .unless(&["-Password"]),
    command(&["schtasks "], r"\s/(?:rp|p)\s+{word}"),
    command(&["codecov ", "codecovcli ", "k3s ", "rke2 "], r"\s-t\s+{word}").only(accept_mixed_word),
    command(&["mc alias set "], r"set \S+ \S+ \S+ {word}"),
    // Any program with a flag for the user and a flag for the password.
    rule(
        "password",
        &["-u ", "-user ", "-username ", "login -i "],
        r"(?:-u|-user|-username|login -i) \S+ (?:\S+ )*?-(?:p|w|pw|pass)[ =]{word}",
    )
    .word()
    .only(accept_mixed_word),
    command(&["unlock-keychain ", "create-keychain "], r"\s-p\s+{word}"),
    command(&["signtool "], r"\s/p\s+{word}"),
    command(&["curl "], r#"\s-u\s*(?:"[^"\n]+":"([^"\n]+)"|'[^'\n]+':'([^'\n]+)')"#),
    command(&["radtest "], r"radtest \S+ {word}"),
    command(&["radtest "], r"radtest \S+ \S+ \S+ [0-9]+ {word}"),
    command(&[".logon "], r"\.logon \S+/\S+,{word}"),
    rule("password", &["user "], r"user \S+ using {word}").word().only(accept_mixed_word),
    // Unity prints each argument on a separate line.
    rule("secret", &["-serial"], r"-serial\s+([A-Z0-9]{2,5}(?:-[A-Z0-9]{4,5}){4,5})").word(),
    command(&["ssh-keygen "], r"\s-[PN]\s+{word}"),
    command(
        &[
            "ldapsearch ",
            "ldapadd ",
            "ldapmodify ",
            "ldappasswd ",
            "ldapwhoami ",
            "ldapdelete ",
            "ldapmodrdn ",
            "ldapcompare ",
            "ldapexop ",
            "ldapvc ",
            "dsconf ",
            "dsidm ",
        ],
        r"\s-w\s*{word}",
    ),
    command(&["ldappasswd "], r"\s-[sa]\s+{word}"),
    command(&["redis-cli "], r"\s(?:-a|--pass)\s+{word}"),
    command(&["redis-cli "], r"\sAUTH\s+{word}").only(accept_word),
    command(&["openssl "], r"\s-(?:passin|passout|pass|k)\s+(?:pass:)?{word}"),
    command(&["openssl "], r"\s-K\s+{word}"),
    command(&["xfreerdp "], r"\s/p:{word}"),
    command(&["smbclient ", "rpcclient ", "winexe ", "smbget "], r"\s(?:-U|--user)[ =]*{user%}"),
    command(&["lftp "], r"\s-u\s*{user,}"),
    command(&["skopeo ", "buildah "], r"\s--(?:src-|dest-)?creds[ =]{user:}"),
    command(&["snmpwalk ", "snmpget "], r"\s-[cAX]\s+{word}"),
    command(&["secret set "], r"\s(?:--body|-b)[ =]+{word}"),
    command(&["secret generic "], r"\s--from-literal[ =]{user=}"),
    command(&["stats auth ", "stats-auth "], r"auth {user:}"),
    command(&["+login "], r"login \S+ {word}").only(accept_argument),
    command(&["security import "], r"\s-P\s+{word}"),
    // Words at a fixed position.
    command(&["openssl passwd "], r"passwd (?:-\S+ )*{word}").only(accept_word),
    command(
        &["snmp-server community ", "rocommunity ", "rwcommunity ", "vault login ", "enable secret "],
        r"\A\S+(?: community| login| secret)? {word}",
    )
    .only(accept_word),
    command(&["htpasswd -b"], r"-b\S* (?:-\S+ )*\S+ \S+ {word}").only(accept_word),
    command(&["htpasswd -nb"], r"-nb\S* (?:-\S+ )*\S+ {word}").only(accept_word),
    command(&["net use "], r"\s\\\\\S+(?: /\S+)* {word}").only(accept_word),
    command(&["net user "], r"\Anet user \S+ {word}").only(accept_word),
    command(&["add_user ", "change_password ", "wpa_passphrase "], r"\A\w+ \S+ {word}").only(accept_word),
    command(&["config http-basic."], r"http-basic\.\S+ \S+ {word}").only(accept_word),
    command(&["nmcli ", "mysqladmin "], r"\spassword {word}").only(accept_word),
    // `echo x | command`.
    rule(
        "password",
        &["--password-stdin", "--passphrase-fd 0", "passwd --stdin", "sudo -s", "secret put ", "kinit "],
        concat!(
            r"(?:echo|printf)\s+(?:-n\s+)?{word}\s*\|[^\n|]*",
            r"(?:--password-stdin|--passphrase-fd 0|passwd --stdin|sudo -s|secret put |kinit )",
        ),
    )
    .around(160)
    .only(accept_argument),
    rule("password", &["<(echo "], r"pass\S* ?<\(echo {word}").around(24).only(accept_argument),
    rule("password", &["password-command"], r#"password-command[ =]["']?(?:echo|printf) {word}"#).only(accept_argument),
    rule("password", &["chpasswd"], r"(?:echo|printf)\s+(?:-n\s+)?{user:}\s*\|[^\n|]*chpasswd")
        .around(160)
        .only(accept_argument),
];
