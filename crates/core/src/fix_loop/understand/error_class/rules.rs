//! The contract's lists of permanent, transient and fixable errors, as patterns for the messages of the tools.

use super::ErrorClass::{self, Fixable, Permanent, Transient};

/// Condition for a line, ignoring case.
pub(super) enum LineMatcher {
    /// The line matches this pattern.
    Line(&'static str),
    /// The line contains this HTTP status.
    Status(u16),
}
use LineMatcher::{Line, Status};

/// A named rule.
pub(super) struct ErrorClassRule {
    pub(super) name: &'static str,
    pub(super) class: ErrorClass,
    pub(super) matcher: LineMatcher,
    /// Pattern of lines that the rule would match by mistake.
    pub(super) unless: Option<&'static str>,
}

const fn rule(name: &'static str, class: ErrorClass, matcher: LineMatcher) -> ErrorClassRule {
    ErrorClassRule { name, class, matcher, unless: None }
}

impl ErrorClassRule {
    const fn unless(self, guard: &'static str) -> Self {
        Self { unless: Some(guard), ..self }
    }
}

/// Joins several patterns as alternatives.
macro_rules! any {
    ($first:literal $(, $more:literal)* $(,)?) => { concat!($first $(, "|", $more)*) };
}

/// A limit that resets after some time. It is transient even if the response is a 403.
const RATE_LIMIT: &str = r"rate[ -]?limit|too many requests|throttl";

pub(super) const RULES: &[ErrorClassRule] = &[
    rule("http-401", Permanent, Status(401)),
    rule(
        "authentication-failed",
        Permanent,
        Line(any!(
            r"\bauth(?:entication|orization)?[ _-](?:has |is )?(?:failed|failure|denied|required|rejected)\b",
            r"\bfailed to (?:authenticate|authorize|log ?in)\b|\bcould not authenticate\b|\bnot authorized to\b",
            r"^\W*(?:gcloud auth|gh auth|az|aws sso) login\b|\bplease run\W+(?:gcloud auth|gh auth|az|aws sso|docker|npm) login\b",
            r"\blog ?in (?:failed|incorrect|denied|required)\b|\b(?:must be|not|aren't) logged in\b",
            r"\b(?:invalid|incorrect|bad|wrong) (?:username or password|user ?name|credentials?|password|login)\b",
            r"\baccess denied for user\b|\bno basic auth credentials\b|\bcould not read (?:username|password) for\b",
            r"\b(?:unable to locate|could not load(?: the)?(?: default)?|no valid|missing) credentials?\b",
            r"(?:^|[:(\[]\s*)unauthori[sz]ed\b|\b401 unauthori[sz]ed\b",
            r"(?-i:\bENEEDAUTH\b|\bE40[13]\b|\bWRONGPASS\b|\bNOAUTH\b|\bUNAUTHENTICATED\b|code = Unauthenticated\b)",
            r"(?-i:\b(?:InvalidClientTokenId|SignatureDoesNotMatch|UnrecognizedClientException|UnauthorizedOperation|InvalidAccessKeyId)\b)",
            r"(?-i:\b(?:NoCredentials|CredentialsProvider|Authentication|NotAuthorized|Unauthorized|BadCredentials)(?:Error|Exception)\b)",
        )),
    ),
    rule("http-403", Permanent, Status(403)).unless(RATE_LIMIT),
    rule(
        "forbidden",
        Permanent,
        Line(any!(
            r"\b403 forbidden\b|\berror from server \(forbidden\)|\bis forbidden: |(?:^|:\s*)forbidden\b",
            r"\baccess(?: is| was)? denied\b|\brequested access to the resource is denied\b",
            r"(?-i:\bAccessDenied(?:Exception)?\b|\bPERMISSION_DENIED\b|code = PermissionDenied\b)",
        )),
    )
    .unless(RATE_LIMIT),
    rule(
        "permission-denied",
        Permanent,
        Line(any!(
            r"(?:^|[:)\]>(*]\s*|\berror\W{1,3}|\bgot )permission(?: was)? denied\b",
            r"\bpermission to \S+ denied\b|\boperation not permitted\b|\binsufficient (?:privileges|permissions?)\b",
            r"^sudo: a (?:password|terminal) is required\b",
            r"(?-i:\bEACCES\b|\bEPERM\b|\[Errno (?:1|13)\]|\bos error 13\b|\bkind: PermissionDenied\b|\bWinError 5\b)",
            r"(?-i:\bPermissionError\b|\bUnauthorizedAccessException\b|\bPermissionDenied(?:Error|Exception)\b)",
        )),
    ),
    rule(
        "invalid-api-key",
        Permanent,
        Line(any!(
            r"\b(?:invalid|incorrect|missing|unknown|expired|revoked)[ _](?:or missing )?api[ _-]?key\b",
            r"\bapi[ _-]?key(?: provided)?(?: is| was| has)?(?: been)? (?:not valid|invalid|incorrect|expired|missing|revoked|disabled)\b",
            r"\b(?:api[_-]key[_-]invalid|invalid[_-]api[_-]key)\b",
        )),
    ),
    rule(
        "token-expired",
        Permanent,
        Line(any!(
            r"\b(?:token|jwt|session|credentials?|certificate for login|license)(?: has| have| is| was)?(?: been)? (?:expired|revoked)\b",
            r"\bexpired (?:access |auth\w* |bearer |refresh |id |security |session )?token\b",
            r"\b(?:access|auth\w*|bearer|refresh|id|api|security|personal access) token(?: included in the request)?(?: is| was)? (?:invalid|not valid)\b",
            r"\binvalid (?:access|auth\w*|bearer|refresh|id|api|personal access|jwt)[ _-]?token\b|\binvalid_token\b|\binvalid_grant\b",
            r"(?-i:\b(?:TokenExpired|ExpiredSignature|ExpiredToken|JsonWebToken|InvalidSignature)(?:Error|Exception)\b|\bExpiredToken\b)",
        )),
    ),
    rule("schema-violation", Permanent, Line(r"\bschema[ _-]?violations?\b|\bviolat(?:es|ed|ing) (?:the |its )?(?:\S+ )?schema\b")),
    rule(
        "constraint-violation",
        Permanent,
        Line(any!(
            r"\bviolates (?:unique|foreign[ -]key|check|not[ -]null|exclusion|primary[ -]key)[ -]constraint\b",
            r"\b(?:unique|foreign key|not null|check|primary key) constraint (?:failed|violat\w+)\b",
            r"\b(?:a )?foreign key constraint fails\b|\bduplicate entry \S+ for key\b",
            r"\bviolation of (?:primary|unique|foreign) key constraint\b|\bconflicted with the \S+(?: \S+){0,3} constraint\b",
            r"\bintegrity constraint\b|(?:^|[:(\]]\s*)constraint violation\b",
            r"\bSQLSTATE\W{0,4}23\d{3}\b|\bORA-(?:00001|01400|0229[0-2])\b",
            r"(?-i:\bSQLITE_CONSTRAINT\w*|\b(?:ConstraintViolation|DataIntegrityViolation|UniqueViolation|ForeignKeyViolation|NotNullViolation)(?:Error|Exception)?\b|\bIntegrityError\b|\b\w*(?:Unique|ForeignKey)ConstraintError\b)",
        )),
    )
    .unless(r"\b(?:version|dependency|peer|type|generic) constraint"),
    rule("http-503", Transient, Status(503)),
    rule("http-429", Transient, Status(429)),
    rule("http-502", Transient, Status(502)),
    rule("http-504", Transient, Status(504)),
    rule(
        "timeout",
        Transient,
        Line(any!(
            r"(?-i:\bE(?:SOCKET)?TIMEDOUT\b|\bERR_(?:CONNECTION_)?TIMED_OUT\b)|\btimed[ -]?out\b|\bi/o timeout\b",
            r"\bdeadline[ _]?exceeded\b|\bgateway time-?out\b|(?-i:\b\w*Timeout(?:Error|Exception|Expired)\b)",
            r"\btime-?out (?:of \d|after\b|waiting\b|while\b|exceeded\b|expired\b|was reached\b|reached\b|occurred\b|error\b|during\b)",
            r"\b(?:connect|connection|read|request|operation|response|socket|lock wait|handshake|statement|query|network|job|step) time-?out(?:\s*[:!.,;)]|\s*$)",
            r"\bexceeded (?:the )?time-?out\b|(?:^|:\s*)time-?out\s*(?:[:!.]|$)",
        )),
    )
    .unless(r"time-?out\s*=|--\w*-?timeout\b"),
    rule(
        "connection-refused",
        Transient,
        Line(any!(
            r"(?-i:\bECONNREFUSED\b|\bERR_CONNECTION_REFUSED\b|\[Errno 111\]|\bWinError 10061\b|\bos error 111\b)",
            r"\bconnection (?:was )?refused\b|\bactively refused\b|\brefused to connect\b",
        )),
    ),
    rule(
        "rate-limit",
        Transient,
        Line(any!(
            r"\btoo ?many ?requests\b|\brate[ -]?limit(?:s|ed|ing)?(?: was| has been)?(?: exceeded| reached| hit)?\b",
            r"(?-i:\bThrottl(?:ed|ing)(?:Error|Exception)?\b|\bRequestLimitExceeded\b|\bSlowDown\b|\bTooManyRequests\w*\b)",
        )),
    )
    .unless(r"\brate[ -]?limit(?:er|ing)? (?:test|spec|middleware|config)|\brate[ -]?limiter\b"),
    rule("service-unavailable", Transient, Line(r"\bservice (?:is )?(?:temporarily )?unavailable\b|\btemporarily unavailable\b|\bdatabase system is (?:starting up|shutting down|in recovery)|\bis loading the dataset\b")),
    rule(
        "network-error",
        Transient,
        Line(any!(
            r"(?-i:\b(?:ECONNRESET|ECONNABORTED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EAI_AGAIN)\b|\bERR_NETWORK\w*|\bERR_INTERNET_DISCONNECTED\b)",
            r"\bnetwork (?:error|request failed|is unreachable|failure)\b|\bsocket hang ?up\b|\bno route to host\b",
            r"\bconnection (?:was |has been )?(?:forcibly )?(?:reset|closed by|aborted|lost)\b|\bremote end closed connection\b",
            r"\btemporary failure in name resolution\b|\bcould not resolve host\b|\bfetch failed\b",
        )),
    )
    .unless(r"certificate|self[- ]signed|\bCERT_|x509"),
    rule("syntax-error", Fixable, Line(r"(?-i:\b\w*SyntaxError\b|\bIndentationError\b|\bParseError\b)|\b(?:syntax|parse) error\b|\bunexpected token\b")),
    rule("type-error", Fixable, Line(r"(?-i:\bTypeError\b|\bTS2\d{3}\b|\berror\[E0308\])|\btype error\b|\btype mismatch\b|\bmismatched types\b")),
    rule(
        "undefined-value",
        Fixable,
        Line(r"\bcannot read propert(?:y|ies)\b|\bundefined is not\b|\bis not a function\b|\bnull is not an object\b|'NoneType' object"),
    ),
    rule(
        "missing-module",
        Fixable,
        Line(any!(
            r"(?-i:\bImportError\b|\bModuleNotFoundError\b|\bMODULE_NOT_FOUND\b|\bERR_MODULE_NOT_FOUND\b|\bNoClassDefFoundError\b|\bClassNotFoundException\b|\bLoadError\b|\berror\[E043[23]\])",
            r"\bcannot find (?:module|package)\b|\bmodule not found\b|\bno module named\b|\bno required module provides\b|\bunresolved import\b",
        )),
    ),
    rule(
        "undefined-name",
        Fixable,
        Line(r"(?-i:\bReferenceError\b|\bNameError\b|\berror\[E0425\])|\bis not defined\b|\bundefined: \w|\bcannot find symbol\b|\bundeclared identifier\b|\bundefined reference to\b|\bundefined (?:local )?(?:variable|method)\b"),
    ),
    rule(
        "null-pointer",
        Fixable,
        Line(r"\bnull pointer\b|(?-i:\bNullPointerException\b|\bNullReferenceException\b)|\bnil pointer dereference\b|\bobject reference not set\b"),
    ),
];
