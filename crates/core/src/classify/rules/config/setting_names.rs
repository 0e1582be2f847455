//! Rules for sentences about settings that have names like environment variables (`QUEUE_URL`), and about files that
//! settings name. The sentences name no tool, so these rules run with those in `sentences`.

use crate::{
    classify::rule::{AcceptedLines, Matcher::Regex, Rule, any, rule},
    failure::category::Category::ConfigError,
};

/// Pattern for an upper-case name that ends like a setting, for example `QUEUE_URL` or `LOG_LEVEL`.
macro_rules! setting {
    () => {
        concat!(
            r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_(URL|URI|DSN|HOSTS?|HOSTNAME|PORT|ADDR|ADDRESS|ENDPOINT|DOMAIN|ORIGINS?|BROKERS|SERVERS?|",
            r"KEY|KEYS|TOKEN|SECRET|PASSWORD|PASSWD|PASS|USER|USERNAME|CREDENTIALS|CERT|LICENSE|WEBHOOK|",
            r"PATH|FILE|DIR|HOME|BUCKET|REGION|PROFILE|PROJECT|ACCOUNT|CLUSTER|NAMESPACE|REGISTRY|DB|DATABASE|DRIVER|BACKEND|SCHEMA|",
            r"ID|ENV|MODE|LEVEL|FORMAT|LOCALE|PREFIX|TTL|TIMEOUT|INTERVAL|SECONDS|MS|MB|SIZE|LIMIT|COUNT|CONNECTIONS|WORKERS|",
            r"ENABLED|DEBUG|EMAIL|FROM|SENDER)\b",
        )
    };
}

/// Names that only look like settings: codes, signals, macros, enumeration members and database tables.
const NON_SETTING_NAMES: &str = concat!(
    r"\b(?-i:ERR|SQL|HTTP|ORA|SIG|WSA|HPE|CERT|SSL|TLS|PGRST|MYSQL|STATUS|E[A-Z]{3,})_|\b(assert|macro|enum|constant|table|column|undeclared|reference|symbol|type)",
    r"|error TS\d|error\[E|expected .*\b(but|got)\b|\bstatus\b",
);

pub(in crate::classify::rules) const RULES: &[Rule] = &[
    rule(
        "config-constant-value",
        ConfigError,
        &[
            "is blank", "is empty", "malformed", "not one of", "not a valid", "has an unsupported", "has an invalid",
            "has an unknown", "has no value", "to null", "is unset", "is invalid", "is not an integer", "is not a number",
            "needs to be", "has to be", "is unusable", "is null", "is unknown", "is unsupported", "is undefined", ": must be set",
        ],
        Regex(concat!(
            r"(^|[\s'\x22\x60(\[$])(?-i:", setting!(), r")['\x22\x60\])]*(:| ?=\S*)? ((looks|is|are|was|has|seems( to be)?|appears( to be)?|needs|resolves)( to be| to)? (set but )?)?(blank|empty|malformed|unset|undefined|null|invalid|unusable|unsupported|unknown|not (one of|an?|valid)|no value|an? (unsupported|invalid|unknown|malformed|absolute|valid|number|integer))\b", "|",
            // A shell prints this for `${NAME:?must be set}`.
            r": (?-i:[A-Z][A-Z0-9]*(_[A-Z0-9]+)*): (must be|is not|not|please) set\b", "|",
            // make
            r"\*\*\* (\[\S+\] )?(?-i:[A-Z][A-Z0-9]*(_[A-Z0-9]+)+) (is|was) (undefined|not (set|defined))",
        )),
    )
    .unless(NON_SETTING_NAMES)
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-constant-missing",
        ConfigError,
        &[
            "without ", "lacks ", "lacking ", "nothing set for", "no value", "bad value for", "invalid value",
            "could not interpret", "could not parse", "cannot parse", "can't parse", "failed to parse", "unable to parse",
            "unable to interpret", "named by", "named in", "given by", "given in", "set by", "the environment", "neither ",
            "either ", ": set ", "; set ", "to set ", "must set ", "should set ", "to define ", "to export ", "to provide ",
            "to configure ", "[env: ", "the default ",
        ],
        Regex(concat!(
            r"\b(cannot|can't|could not|unable to|refus\w+ to|won't|will not) (start|boot|run|continue|connect|begin|proceed|initiali[sz]e|authenticate)\b.{0,40}\b(without|with the default) ['\x22\x60$]*(?-i:", setting!(), r")", "|",
            r"\b(lacks|lacking|nothing set for|no value( was)?( set| given| supplied| provided)?( for)?|(bad|invalid) value( ['\x22\x60]\S+['\x22\x60])? (for|of|in)|(could not|cannot|can't|failed to|unable to) (interpret|parse))( the)?( environment| env| flag/env| setting| variable)* ['\x22\x60$]*(?-i:", setting!(), r")", "|",
            r"\b(named|given|set) (by|in) ['\x22\x60$]*(?-i:", setting!(), r")", "|",
            r"\b(?-i:", setting!(), r").{0,60}\b(in|from) the environment\b", "|",
            r"\b(neither|either) ['\x22\x60$]*(?-i:[A-Z][A-Z0-9]*(_[A-Z0-9]+)+)['\x22\x60]* n?or ['\x22\x60$]*(?-i:[A-Z][A-Z0-9]*(_[A-Z0-9]+)+)['\x22\x60]* (is|was|are|were|must be|has to be|needs to be) (set|given|defined|provided|configured|specified)\b", "|",
            r"([:;.]|\b(need|have|has|forgot|want|must|should)( to)?) (set|define|export|provide|configure)( the)? ['\x22\x60$]*(?-i:", setting!(), r")", "|",
            r"\binvalid value '.*' for '.*\[env: [A-Z]",
        )),
    )
    .unless(NON_SETTING_NAMES)
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-named-file",
        ConfigError,
        &[
            "secrets file", "secret file", "credentials file", "key file", "account json", "account file", "keystore", "truststore", "license file",
            "certificate file", "env file",
        ],
        Regex(any!(
            r"\b(secrets?|credentials?|(api |private |public |signing |account )?key|service account|key ?store|trust ?store|licen[cs]e|certificate|env)( key| json)? file\b.{0,80}\b((could|can) ?not be (opened|read|found|loaded)|(was |is )?not found|is missing|does not exist|unreadable|no such file|ENOENT)\b",
            r"\b(cannot|could not|can't|failed to|unable to) (read|open|load|parse|find|locate)( the| an?)? (secrets?|credentials?|(api |private |public |signing |account )?key|service account( key)?( json)?|key ?store|trust ?store|licen[cs]e|certificate|env) file\b",
            r"\b(key|trust) ?store\b.{0,60}\b(does not exist|not found|no such file|could not be (opened|read|found|loaded))",
        )),
    )
    // Excludes errors of disks, permissions and time limits, because the file then exists. Excludes files in fixtures
    // and `/tmp`, which the test itself wrote.
    .unless(r"permission denied|no space|timed? ?out|fixtures?/|testdata|/tmp/|expected .*\b(but|got)\b")
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-options-exclusive",
        ConfigError,
        &["mutually exclusive", "exclude each other", "exactly one of", "be used together", "be combined", "nor ", "be set together"],
        Regex(any!(
            r"\b(options?|settings?|flags?|keys?|config\w*|properties|section)\b.*\b(are mutually exclusive|exclude each other|(cannot|can't|must not|may not) be (used together|set together|combined))",
            r"\bset exactly one of\b|\bexactly one of .* (must|has to|needs to|should) be (set|configured)\b",
            r"\bneither \S+ nor \S+ (was |were |is |are )?(set|provided|configured|defined in)\b",
        )),
    )
    .unless(r"assert|expected|TypeError|\bargument\b|error TS\d|\bfield\b")
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-path",
        ConfigError,
        &["config.", "configuration.", "config[", "the configured ", " in settings", "in the settings", "from settings",
            "settings validation", "unset variable", "conf file", "malformed ", "unparsable", "unparseable",
            "invalid duration", "invalid cron", "invalid port", "invalid log level", "bad duration", "that was not declared", "required arguments were not provided"],
        Regex(any!(
            r"(^|[\s\[(])\w*config(uration)?((\.\w+)|\[['\x22]?\w+['\x22]?\])+:? .*\b(unrecogni[sz]ed|unknown|invalid|unsupported|must be|is required|is missing)\b",
            r"\bthe configured \w+( \w+)? (has|is|was|does|points|cannot|could|contains|refers)\b",
            r"\b(unknown|unrecogni[sz]ed|invalid|unsupported|missing)( \w+){1,3} ['\x22\x60]\S+['\x22\x60] (in|from) (the )?(settings|config(uration)?)\b",
            r"\bsettings? validation (error|failed|failure)|\bunset variables?\b|\bconf file (attribute|entry|line|value|key)\b.*\bnot (valid|known|allowed)\b",
            r"\b(unpars[ae]ble|malformed|invalid|bad|illegal) (duration|cron( expression)?|port|url|size|log level|time ?zone|interval|boolean|integer|number|host|address|path|glob|pattern) ['\x22\x60].*['\x22\x60] for [a-z][\w-]*(\.[\w-]+)+\W*$",
            r"\boptions? ['\x22\x60(]+[\w.-]+['\x22\x60)]+ (that )?(was|is|were) not (declared|recogni[sz]ed|known)\b|\bfollowing required arguments were not provided",
            r"['\x22\x60]\S+['\x22\x60] (in|from) (the )?settings (is|has|was) (not (an?|a known)|unknown|invalid|unsupported)\b",
        )),
    )
    .unless(r"assert|expected|is not a function|cannot read|undefined is|TypeError|error TS\d|null pointer|cannot invoke|\bat \S+:\d+:\d+")
    .accepted_lines(AcceptedLines::MessagesOnly),
];
