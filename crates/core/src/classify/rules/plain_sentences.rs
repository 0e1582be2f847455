//! Rules for sentences about lost connections, time limits and HTTP statuses. The sentences name no tool, so these
//! rules run only after the rules for specific tools and for failed expectations.

use crate::{
    classify::rule::{AcceptedLines, Matcher::Regex, Rule, any, rule},
    failure::category::Category::{HttpError, NetworkError, Timeout},
};

pub(super) const RULES: &[Rule] = &[
    rule(
        "network-closed-by-peer",
        NetworkError,
        &[
            "closed", "disconnected", "dropped", "terminated", "hung up", "went away", "was cut", "been cut", "collapsed",
            "severed", "torn down", "broke off", "interrupted", "lost the connection", "lost connection", "lost our connection", "been lost", "was lost",
        ],
        Regex(any!(
            r"\b(connection|socket|tunnel|transport)\b( \S+){0,4} (was |has been |is |got )?(unexpectedly |abruptly |prematurely )?(closed|disconnected|dropped|terminated|hung up|went away)\b( (by|before|while|during|in the middle|without|unexpectedly|abruptly|prematurely)\b|\W*$)",
            r"\b(server|peer|remote|client|host|broker|backend|upstream|other (side|end|party)|node|network|database|proxy)( (party|side|end|host|process))? (has |was )?(unexpectedly |abruptly |prematurely )?(closed|dropped|disconnected|terminated|hung up)( (the|our|this|its))?( \w+)? (connection|socket|stream|channel|session)\b",
            r"\b(peer|server|remote|remote host|upstream|other side) (unexpectedly |abruptly )?(hung up|went away)\b",
            r"\b(connection|socket|tunnel|transport|uplink)\b( \S+){0,4} ((was|been|got|is) (cut( off)?|severed|torn down|interrupted)|collapsed|broke (off|down))\b",
            r"\b(server|peer|broker|host|node|upstream|proxy|gateway)\S*( \w+)? (dropped|disconnected|hung up on|cut off) us\b",
            r"\blost (the |our |its )?connection (to|with)\b|\bconnection to \S+ (has been|was|is) lost\b",
        )),
    )
    // Excludes the use of a connection after it was closed normally, which is an error of the program.
    .unless(r"already (been )?closed|is closed|\bon (a )?closed|after (it|the) |cannot |can't |can not |closed (database|file|loop|session)")
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "network-name-lookup",
        NetworkError,
        &[
            "name lookup", "dns lookup", "dns query", "dns resol", "name resolution", "hostname", "host name",
            "address for host", "address found for", "be looked up", "no usable network", "no network interface", "no dns ", "dns server", "network down",
            "network link", "network connection", "is down", "went down", "reach ", "find the server at ",
        ],
        Regex(any!(
            r"\b(name|dns|host ?name) (lookup|query|request|resolution|resolver)\b.{0,60}\b(fail(ed|s|ure)?|no (records?|answers?|address(es)?)|did not (succeed|resolve|return)|could not|cannot|SERVFAIL|NXDOMAIN|REFUSED)\b",
            r"\b(host ?name|host|domain)\b.{0,60}\b(is unknown to|(could|can) ?not be (resolved|looked up)|(does|did) not resolve|has no (ip )?address)\b",
            r"\bno (ip )?address(es)? (was |were )?found for\b|\b(could not|cannot|unable to) (find|get|determine)( an?| the)? (ip )?address(es)? (for|of) (the )?(host|name|domain)\b",
            r"\bno dns (server|answer|record|response)s?\b|\bdns servers?\b.{0,40}\b(did not|never|no) (answer|respon)",
            r"\bnetwork( (link|connection|interface))?( to \S+)? (is |was |went |has gone |seems )?(down|unavailable|unreachable)\b|\bunable to find the server at\b",
            r"\b(could not|cannot|can't|unable to|failed to) reach (the )?(server|host|broker|registry|node)?( at)? ?[\w-]+(\.[\w-]+)+(:\d+)?\W*$",
            r"\bno (usable |working |active )*network( interface)?s?\b( (is|was|could|available|found)|\W*$)",
        )),
    )
    .unless(r"timed? ?out|expected|assert|\bmodules?\b|\bimports?\b")
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "network-certificate",
        NetworkError,
        &["certificate", "ssl error", "tls error", "tls required", "starttls", "tls is required", "ssl is required", "handshake error", "tls negotiation", "ssl negotiation", "common cipher", "shared cipher", "tls session", "secure channel"],
        Regex(any!(
            r"\b(server|peer|client|remote|host|issuer|root|intermediate|leaf|tls|ssl|https|x\.?509|ca)('s)?( tls| ssl| x509)? certificate\b.{0,80}\b(expired|revoked|not (yet |longer )?valid|is invalid|untrusted|not trusted|(could|can) ?not be (verified|validated|trusted)|(verification|validation) failed|rejected|(does|did) ?(not|n't) match|issued (for|to) (another|a different|the wrong))\b",
            r"\bcertificate( chain)? (presented|offered|sent|served|returned|for (this|the) server|of \S+\.\S+)\b.{0,80}\b(expired|revoked|invalid|untrusted|not trusted|rejected|(does|did) ?(not|n't) match|issued (for|to) (another|a different|the wrong))\b",
            r"\b(presented|sent|offered|supplied) (no|an? (invalid|expired|untrusted|revoked|self-signed|unknown)) certificate\b",
            r"\bcertificate (for|of) [\w-]+(\.[\w-]+)+ (is not|was not|isn't|is no longer|has (expired|lapsed)|ran out|expired)\b|\bcertificate (validation|verification|pinning|revocation|chain|fingerprint)( check)? (fail(ed|ure|s)?|differs|error)\b",
            r"\bcertificate\b.{0,40}\b(not signed by|ran out|has lapsed)\b|\b(ssl|tls|starttls|handshake) (error|failure|is required|required)\b",
            r"\bcertificate (was|is|has been) revoked\b|\bno (common|shared) cipher|\boffered no common\b",
            r"\b(tls|ssl) (negotiation|session|channel)\b.{0,60}\b(fail(ed|ure)?|did not complete|could not be (established|set up)|aborted|rejected)\b|\b(could not|cannot|failed to|unable to) (establish|set up|open)( an?)? secure channel\b",
        )),
    )
    // Excludes certificates that a test creates or that a setting should name.
    .unless(r"expect(ed|s)?\b|assert|config|no such file|error TS\d|timed? ?out")
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "timeout-timed-out",
        Timeout,
        &["timed out", "timed-out", "time limit", "deadline", "time allowance", "maximum time"],
        Regex(any!(
            r"(^|[\s*\[(:,;>|=])timed[ -]out([\s*!?)\],;:.|]|$)",
            r"\b(time limit|deadline|time allowance)\b.*\b(exceeded|reached|expired|passed|hit|missed|elapsed)\b",
            r"\b(exceed(s|ed|ing)?|reached|hit|missed|past|over|due to|longer than)( \w+){0,3} (time[ -]?(limit|out|allowance)|maximum time|deadline)\b",
        )),
    )
    // Excludes timeouts that a test expected, elements that a test searched on a page, and the status of a gateway.
    .unless(any!(
        r"should (have )?(timed?[ -]?out|raised?|thrown?|failed?)|did not raise|not raised|to raise|was not thrown|to throw|expected .*\b(got|but|to)\b|\b(504|408)\b|with the text",
    ))
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "timeout-after-duration",
        Timeout,
        &[
            "gave up", "giving up", "given up", "abort", "killed", "cancelled", "canceled", "terminated", "waited", "waiting",
            "still not", "never ", "did not ", "didn't ", "not ready", "in time", "max wait", "expired before", "maximum wait", "failed to connect",
            "too long", "exceeded ", "heartbeat", "received in", "no response", "no answer", "no reply",
        ],
        Regex(any!(
            r"\b(gave up|giving up|given up|aborted|aborting|killed|cancell?ed|terminated|never \w+( \w+)?|still( \w+)? not( \w+){0,3}|not \w+( \w+){0,3}|no \w+( \w+){0,2}|waited|waiting)\b.*\b(after|for)( (more than|over|at least|about|the last))? \d[\d.,]* ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b",
            r"\bno \w+( \w+)? (received|seen|arrived) (in|within|for|since)( the last)? \d|\bexceeded (the )?\d[\d.]* ?(ms|s|m|min|seconds|minutes)\b.*\b(budget|limit|waiting)\b",
            r"\bfailed to connect\b.* in \d+ ?m?s\b|\b(ran|running|run|took|taking) (for )?too long\b",
            r"\bwaited (more than |over )?\d[\d.,]* ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\b",
            r"\b(did not|didn't|does not|could not|never|failed to)( \w+){1,4} in time\b",
            r"\b(max(imum)? wait( time)?( of)? .*(reached|exceeded)|expired before (completion|it |the ))",
        )),
    )
    // Excludes pauses between attempts, and the duration of a run.
    .unless(r"\bretry(ing)?\b|\bretries\b|slept|sleep(ing)?\b|passed|code [1-9]")
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "timeout-reported",
        Timeout,
        &["timeout", "time out", "time-out"],
        Regex(r"(^|[\s*\[(:,;>|=])time[ -]?out([\s*!?)\],;|]|[.:]?(\s|$)|$)"),
    )
    // Excludes a time limit that is only named, set or rejected (`timeout must be`, `unknown option timeout`, `timeout
    // = 3`), and the word on a page.
    .unless(any!(
        r"\b(invalid|unknown|unexpected|unrecognized|unsupported|undefined|missing|undeclared|unresolved|incompatible) .*time-?out",
        r"time-?out\b.*\b(is not|must|should|is undefined|has no|not (recognized|found|defined|supported)|expected|cannot)\b",
        r"should (have )?timed?[ -]?out|did not raise|not raised|to raise|was not thrown|to throw|cannot (import|find)|command not found|no module",
        r"\btime-?out\W{0,3}[=:] ?[\w'\x22]+[,;)}]|\b(504|408)\b|expected .*\b(got|but|to)\b|set(ting)? the time-?out|no time-?out",
        r"negotiated|time ?out:? \d{3,}( for| to| on|$)|property '|attribute '|increase |error TS\d|\b(unused|deprecated|assigned|class|symbol|method|function|variable)\b|with the text",
    ))
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "http-error-arguments",
        HttpError,
        &["error(4", "error(5", "exception(4", "exception(5", "status: 4", "status: 5", "statuscode: 4", "statuscode: 5", "httpexception", "responseexception", "unacceptablestatuscode", "exception: 4", "exception: 5", "error: 4", "error: 5", "code: 4", "code: 5", "exception: (4", "exception: (5", "failed: 4", "failed: 5"],
        Regex(any!(
            // Python's repr of an HTTP client's exception.
            r"\b\w*(Error|Exception)\([45]\d\d, ['\x22]",
            // A printed client exception: its class, then the status and the server's message.
            r"\b(?-i:[A-Z]\w*(Exception|Api\w*Error|HTTP\w*Error|Http\w*Error|ClientError|ServerError))(\.\w+)?: \(?[45]\d\d( \{|: | [A-Z]|\)| -)",
            r"\b(NotFound|AccessDenied|MethodNotAllowed|BadRequest|Unauthorized|TooManyRequests|ServiceUnavailable|Conflict|Gone|UnprocessableEntity)HttpException\b",
            r"\b(HttpClient|HttpServer|Http)ResponseException: [A-Z]|\bunacceptableStatusCode\b",
            r"\b(api|http|server|service|request|response) (error|failed|failure)\b.*[:(] ?[45]\d\d\b",
            r"\bURL: (GET|PUT|POST|DELETE|LIST|PATCH) \S+\s+Code: [45]\d\d",
            // An inspected JavaScript error, with one property per line or all properties in braces.
            r"(^\s*|[{,] ?)status(Code)?: [45]\d\d\s*(,|\}|$)",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesOnly),
];
