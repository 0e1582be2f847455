//! Rules for secrets whose format is more than a prefix: check values, password hashes, links. Tokens with a prefix and
//! a body are in `token_patterns`.

use super::{Rule, rule, value};

/// Accepts the random secret of a webhook, but not a hexadecimal ID, which names an object.
fn accept_hook_secret(text: &[u8]) -> bool {
    value::is_random(text) && !value::is_hex(text.rsplit(|&byte| byte == b'/').next().unwrap_or_default())
}

pub(super) static RULES: &[Rule] = &[
    rule("terraform-token", &[".atlasv1."], r"[A-Za-z0-9]{10,32}\.atlasv1\.[\w-]{31,}").around(32),
    rule("azure-client-secret", &["Q~"], r"[\w~.-]{3}[0-9]Q~[\w~.-]{31,40}").around(4),
    rule(
        "azure-key",
        &["+ASt", "+ASb", "+AEh", "+ABa", "+AMC", "+ARm", "+ACR", "ACDb", "AIoT", "APIM", "AzCa", "AzFu", "AzSe"],
        concat!(
            r"(?:^|[^A-Za-z0-9+/])([A-Za-z0-9+/]{28,76}(?:\+A(?:S[tb]|Eh|Ba|MC|Rm|CR)|ACDb|AIoT|APIM|Az(?:Ca|Fu|Se))",
            r"[A-Za-z0-9+/]{2,12}={0,2})(?:$|[^A-Za-z0-9+/=])",
        ),
    )
    .around(77)
    .only(value::is_random),
    // The cluster certificate's digest, a role and a password: a token of k3s and RKE2.
    rule("k3s-token", &["::server:", "::node:"], r"K10[0-9a-f]{64}::\w+:[\w.-]{8,}").around(80),
    // Seeds of NATS accounts, users and operators.
    rule("nats-seed", &["SUA", "SAA", "SOA"], r"S[UAO]A[A-Z2-7]{55}\b").word(),
    rule("mailchimp-key", &["-us"], r"\b[0-9a-f]{32}-us[0-9]{1,2}\b").around(33),
    rule("telegram-token", &[":AA"], r"(?:^|[^0-9])([0-9]{7,11}:AA[\w-]{31,38})(?:$|[^\w-])").around(12),
    rule("rapidapi-key", &["jsn"], r"[a-z0-9]{8,12}msh[a-z0-9]{18,28}jsn[a-z0-9]{8,14}").around(44),
    rule("newrelic-key", &["NRAL"], r"\b[a-z0-9]{30,47}NRAL\b").around(48),
    rule("firebase-key", &[":APA91b"], r"[\w-]{7,32}:APA91b[\w-]{53,}").around(32),
    rule("salesforce-token", &["00D"], r"00D[A-Za-z0-9]{9,15}![\w.!]{40,}").word(),
    rule("azure-devops-token", &["AZDO"], r"[A-Za-z0-9]{64,80}AZDO[A-Za-z0-9]{4,12}").around(81),
    rule("discord-token", &["discord", "Bot "], r"[\w-]{23,30}\.[\w-]{5,8}\.[\w-]{27,80}").near(200, 256),
    rule("deepl-key", &[":fx"], r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}:fx\b").around(37),
    // Base64 of `apiVersion: v1` and `kind: Config` or `clusters:`.
    rule(
        "kubeconfig",
        &["YXBpVmVyc2lvbjogdjEK"],
        r"YXBpVmVyc2lvbjogdjEK(?:a2luZDogQ29uZmln|Y2x1c3RlcnM6)[A-Za-z0-9+/]*={0,2}",
    ),
    // A secret next to the ID of its key.
    rule(
        "aws-secret-key",
        &["AKIA", "ASIA"],
        r#"A[KS]IA[A-Z0-9]{16}[:,;|/ \t"']{1,5}([A-Za-z0-9+/]{40})(?:$|[^A-Za-z0-9+/=])"#,
    )
    .word()
    .only(value::is_random),
    // Password hashes, by the scheme in their prefix. Digests of files and commits have no such prefix.
    rule(
        "password-hash",
        &["$2a$", "$2b$", "$2y$", "$argon2", "$1$", "$5$", "$6$", "$7$", "$y$", "$apr1$", "$p$", "$h$"],
        r"\$(?:2[aby]|argon2\w*|[1567y]|apr1|[PpHh])\$(?:[A-Za-z0-9./=,+_-]*\$)*[A-Za-z0-9./=,+_-]{16,}",
    )
    .only(value::is_random),
    rule(
        "password-hash",
        &["{SSHA", "{SHA", "{SMD5}", "{CRYPT}", "{PBKDF2"],
        r"\{(?i:SSHA|SHA|SMD5|CRYPT|PBKDF2)[\w-]{0,12}\}[A-Za-z0-9./$=,+_-]{20,}",
    ),
    // Base64 of `{SSHA`, as in LDIF.
    rule("password-hash", &["e1NTSE"], r"e1NTSE[A-Za-z0-9+/]{18,}={0,2}").word(),
    rule(
        "password-hash",
        &["pbkdf2", "scrypt:", "SCRAM-SHA-"],
        r"(?i:pbkdf2|scrypt:|scram-sha-)[A-Za-z0-9./=,+_:-]*\$[A-Za-z0-9./$=,+_:-]{24,}",
    )
    .only(value::is_random),
    // Links whose path is the secret are redacted as a whole.
    rule(
        "webhook-url",
        &[
            "hooks.slack.com/",
            "discord.com/api/",
            "discordapp.com/api/",
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
        ],
        concat!(
            r#"(?:https?://[^\s"'`<>\\|]*?)?(?:hooks\.slack\.com/(?:services|workflows|triggers)/"#,
            r"|discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/|\.webhook\.office\.com/|next_step\.office\.com/webhook/",
            r"|hooks\.zapier\.com/hooks/|maker\.ifttt\.com/trigger/|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/",
            r"|events\.pagerduty\.com/integration/|chat\.googleapis\.com/v1/spaces/|qyapi\.weixin\.qq\.com/cgi-bin/webhook/",
            r"|oapi\.dingtalk\.com/robot/|api\.opsgenie\.com/v1/json/|make\.com/hooks/)",
            r#"[^\s"'`<>\\|\x80-\xff]{15,}[^\s"'`<>\\|\x80-\xff,.;:)\]}]"#,
        ),
    )
    .around(128)
    .only(value::is_random),
    // The address of a node ends in the project's key.
    rule(
        "rpc-key",
        &["infura.io/", "alchemy.com/", "quiknode.pro/", "ankr.com/", "blastapi.io/"],
        r"\w+\.(?:io|com|pro)/(?:[a-z]+/|v[0-9]/)?([\w-]{32,64})",
    )
    .only(value::is_random),
    rule(
        "webhook-url",
        &["/hooks/", "/webhooks/", "/webhook/"],
        concat!(
            r#"(?:https?://[^\s"'`<>\\|]*?)?/(?:services/)?(?:hooks|webhooks?)/"#,
            r#"[^\s"'`<>\\|\x80-\xff]{15,}[^\s"'`<>\\|\x80-\xff,.;:)\]}]"#,
        ),
    )
    .around(128)
    .only(accept_hook_secret),
];
