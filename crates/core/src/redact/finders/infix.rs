//! Secrets known by something in their middle or at their end: an issuer's mark, a check value.
//! Those with a prefix are in `token_patterns`; those with a name are found by `assign`.

use crate::redact::{
    judge::value,
    scan::{ALNUM, BASE64, DIGIT, HEX, LOWER_ALNUM, Scan, Set, WORD},
};

static AZURE: Set = Set::new("A-Za-z0-9_~.-");
static SALESFORCE: Set = Set::new("A-Za-z0-9._!");

/// `xxxxxxxxxxxxxx.atlasv1.xxxx` of Terraform Cloud.
pub(super) fn terraform(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_back(hit, &ALNUM, 32);
    let end = scan.run(hit + ".atlasv1.".len(), &WORD, 256);
    found_if(scan, "terraform-token", start, end, hit - start >= 10 && end - hit >= 40);
}

/// `abc8Q~...` of Microsoft Entra client secrets.
pub(super) fn azure_client(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_back(hit, &AZURE, 4);
    let end = scan.run(hit + 2, &AZURE, 64);
    let marked = hit - start == 4 && scan.before(hit).is_ascii_digit() && scan.starts_with(hit, b"Q~");
    found_if(scan, "azure-client-secret", start, end, marked && (31..=40).contains(&(end - hit - 2)));
}

/// Keys of Azure services with their fixed mark and 84 to 88 letters of base64.
pub(super) fn azure_key(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_back(hit, &BASE64, 100);
    let end = scan.run(hit, &BASE64, 100);
    let sized = matches!(end - start, 44 | 52 | 84 | 86 | 88) && end - hit <= 16;
    found_if(scan, "azure-key", start, end, sized && value::is_random(scan.slice(start, end)));
}

/// 32 hexadecimal digits and `-us12` of Mailchimp.
pub(super) fn mailchimp(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_back(hit, &HEX, 40);
    let end = scan.run(hit + 3, &DIGIT, 2);
    found_if(scan, "mailchimp-key", start, end, hit - start == 32 && end > hit + 3 && scan.ends_token(end));
}

/// `123456789:AA...` of Telegram bots, after `bot` in their URLs too.
pub(super) fn telegram(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_back(hit, &DIGIT, 12);
    let end = scan.run(hit + 1, &WORD, 64);
    found_if(
        scan,
        "telegram-token",
        start,
        end,
        (7..=11).contains(&(hit - start)) && (33..=40).contains(&(end - hit - 1)),
    );
}

/// `...msh...jsn...` of `RapidAPI`.
pub(super) fn rapid_api(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_back(hit, &LOWER_ALNUM, 60);
    let end = scan.run(hit, &LOWER_ALNUM, 40);
    let marked = memchr::memmem::find(scan.slice(start, hit), b"msh").is_some();
    found_if(scan, "rapidapi-key", start, end, marked && end - start == 50);
}

/// License keys of New Relic end in `NRAL`.
pub(super) fn newrelic(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_back(hit, &LOWER_ALNUM, 48);
    let end = hit + "NRAL".len();
    found_if(
        scan,
        "newrelic-key",
        start,
        end,
        hit - start >= 30 && scan.starts_with(hit, b"NRAL") && scan.ends_token(end),
    );
}

/// `project:APA91b...` of Firebase messaging.
pub(super) fn firebase(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_back(hit, &WORD, 32);
    let end = scan.run(hit + 1, &WORD, 256);
    found_if(scan, "firebase-key", start, end, hit - start >= 7 && end - hit >= 60);
}

/// `00D...!AQ...` of Salesforce sessions.
pub(super) fn salesforce(scan: &mut Scan<'_>, hit: usize) {
    let end = scan.run(hit, &SALESFORCE, 256);
    let marked =
        scan.starts_with(hit, b"00D") && scan.starts_token(hit) && scan.slice(hit + 12, hit + 20).contains(&b'!');
    found_if(scan, "salesforce-token", hit, end, marked && end - hit >= 60);
}

/// `patXXXXXXXXXXXXXX.` and 64 hexadecimal digits of Airtable.
pub(super) fn airtable(scan: &mut Scan<'_>, hit: usize) {
    let dot = scan.run(hit, &ALNUM, 24);
    let end = scan.run(dot + 1, &HEX, 80);
    let marked = dot - hit == 17 && scan.at(dot) == b'.' && scan.starts_with(hit, b"pat") && scan.starts_token(hit);
    found_if(scan, "airtable-token", hit, end, marked && end - dot > 60);
}

/// A personal access token of Azure DevOps: 84 letters with `AZDO` near the end.
pub(super) fn azure_devops(scan: &mut Scan<'_>, hit: usize) {
    let start = scan.run_back(hit, &ALNUM, 90);
    let end = scan.run(hit, &ALNUM, 16);
    found_if(
        scan,
        "azure-devops-token",
        start,
        end,
        (76..=88).contains(&(end - start)) && scan.starts_with(hit, b"AZDO"),
    );
}

/// Three parts with dots in a text that speaks of Discord: a bot's token.
pub(super) fn discord(scan: &mut Scan<'_>, hit: usize) {
    let limit = scan.text.len().min(hit + 256);
    let mut at = hit.saturating_sub(200);
    while at < limit {
        let first = scan.run(at, &WORD, 80);
        let second = scan.run(first + 1, &WORD, 16);
        let third = scan.run(second + 1, &WORD, 80);
        let dots = scan.at(first) == b'.' && scan.at(second) == b'.';
        if dots && (23..=30).contains(&(first - at)) && (5..=8).contains(&(second - first - 1)) && third - second > 26 {
            return scan.add_by_format("discord-token", at, third);
        }
        at = first.max(at) + 1;
    }
}

/// The 40 letters beside an AWS access key id are its secret: `AKIA...:secret`, `AKIA... / secret`.
pub(super) fn aws_pair(scan: &mut Scan<'_>, hit: usize) {
    let id = scan.run(hit, &ALNUM, 21);
    if id - hit != 20 || !scan.starts_token(hit) {
        return;
    }
    let start = scan.run(id, &PAIR_BREAK, 5);
    let end = scan.run(start, &AWS_SECRET, 41);
    found_if(
        scan,
        "aws-secret-key",
        start,
        end,
        start > id && end - start == 40 && value::is_random(scan.slice(start, end)),
    );
}

static PAIR_BREAK: Set = Set::new(":,;|/ \t\"'");
static AWS_SECRET: Set = Set::new("A-Za-z0-9+/");

fn found_if(scan: &mut Scan<'_>, kind: &'static str, start: usize, end: usize, condition: bool) {
    if condition && !value::is_dummy(scan.slice(start, end)) {
        scan.add_by_format(kind, start, end);
    }
}
