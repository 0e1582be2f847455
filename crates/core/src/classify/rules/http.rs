//! Rules for a 4xx or 5xx response that is reported as the failure. A status needs HTTP context, because ports, line
//! numbers, counts and sizes also have three digits.

use crate::{
    classify::rule::{
        AcceptedLines,
        Matcher::{Literal, Regex},
        Rule, any, rule,
    },
    failure::category::Category::HttpError,
};

/// The statuses in use, each after a blank or a bracket. The patterns check for HTTP context.
#[rustfmt::skip]
const STATUS_LITERALS: &[&str] = &[
    " 400", "(400", "[400", " 401", "(401", "[401", " 402", "(402", "[402", " 403", "(403", "[403", " 404", "(404", "[404", " 405", "(405", "[405",
    " 406", "(406", "[406", " 407", "(407", "[407", " 408", "(408", "[408", " 409", "(409", "[409", " 410", "(410", "[410", " 411", "(411", "[411",
    " 412", "(412", "[412", " 413", "(413", "[413", " 414", "(414", "[414", " 415", "(415", "[415", " 416", "(416", "[416", " 417", "(417", "[417",
    " 418", "(418", "[418", " 421", "(421", "[421", " 422", "(422", "[422", " 423", "(423", "[423", " 424", "(424", "[424", " 425", "(425", "[425",
    " 426", "(426", "[426", " 428", "(428", "[428", " 429", "(429", "[429", " 431", "(431", "[431", " 451", "(451", "[451", " 499", "(499", "[499",
    " 500", "(500", "[500", " 501", "(501", "[501", " 502", "(502", "[502", " 503", "(503", "[503", " 504", "(504", "[504", " 505", "(505", "[505",
    " 507", "(507", "[507", " 508", "(508", "[508", " 511", "(511", "[511", " 520", "(520", "[520", " 521", "(521", "[521", " 522", "(522", "[522",
    " 523", "(523", "[523", " 524", "(524", "[524", " 525", "(525", "[525", " 526", "(526", "[526", " 529", "(529", "[529", " 530", "(530", "[530",
];

pub(super) const RULES: &[Rule] = &[
    rule(
        "http-request-failed",
        HttpError,
        &["request failed with status"],
        Regex(r"request failed with status( code)?:? \W?[45]\d\d\b"),
    ),
    rule(
        "http-client-error",
        HttpError,
        &[" client error", " server error", "client error '", "server error '"],
        Regex(any!(
            r"\b[45]\d\d (client|server) error\b|\b(client|server) error '[45]\d\d\b",
            r"http status (client|server) error \([45]\d\d",
        )),
    ),
    rule(
        "http-error-number",
        HttpError,
        &["http error ", "httperror"],
        Regex(r"\bhttp error:? [45]\d\d\b|\bhttperror\b.*\b[45]\d\d\b"),
    ),
    rule(
        "http-exception",
        HttpError,
        &[
            "httpclienterrorexception", "httpservererrorexception", "webclientresponseexception",
            "httpresponseexception", "feignexception", "httpstatuserror", "httpstatusexception",
            "clientresponseerror", "responsestatusexception", "httpexception", "httprequestexception",
            "badresponsestatusexception", "apiexception", "responseerror", "httpresponseerror", "requesterror",
            "statuscodeerror", "apistatuserror", "resourceaccessexception", "awsbadrequestexception",
        ],
        Regex(any!(
            r"\b\w*(Http(Client|Server)ErrorException|WebClientResponseException|HttpResponse(Exception|Error)|FeignException|HTTPStatus(Error|Exception)|ClientResponseError|ResponseStatusException|HttpException|HttpRequestException|ApiException|ResponseError|RequestError|StatusCodeError|APIStatusError)\b.*?(^|[\s:(\[\x22'=])[45]\d\d\b",
            r"\bHttp(Client|Server)ErrorException\$\w+|\bFeignException\$\w+|\bWebClientResponseException\$\w+",
            r"\bAWSBadRequestException\b",
        )),
    )
    .unless(r"timed? ?out"),
    rule(
        "http-status-code",
        HttpError,
        &[
            "status code", "statuscode", "status_code", "status-code", "http code", "response code",
            "http_code", "error code", "return code", "responsecode", "code:",
        ],
        Regex(any!(
            r#"\b(status|http|response)[ _-]?(status[ _-]?)?code\\?["']?\)?\s*(was|is|of|:|=|=>|->|returned|received)*\s*\\?["'<(\[]?[45]\d\d\b"#,
            r"\bstatuscode \{? ?[45]\d\d",
            r#"\b(http|server|api|upstream|gateway|registry|request).*\b(error|return) code\\?["']?\s*(was|is|of|:|=)?\s*["'<(\[]?[45]\d\d\b"#,
            r"\breturn code is: [45]\d\d|\b\w+Error: Error code: [45]\d\d\b|indicate success: (\w+ \()?[45]\d\d",
        )),
    ),
    rule(
        "http-status-line",
        HttpError,
        &[
            "http/1.0 4", "http/1.0 5", "http/1.1 4", "http/1.1 5", "http/2 4", "http/2 5", "http/2.0 4",
            "http/2.0 5", "http/3 4", "http/3 5",
        ],
        Regex(r#"(^|[\s:*<"'\[(])HTTP/[123](\.\d)?\s+[45]\d\d\b"#),
    ),
    rule(
        "http-number",
        HttpError,
        &[
            "http 4", "http 5", "http: 4", "http: 5", "http-4", "http-5", "http status", "http error",
            "http response", "http_status", "httpstatus", "http(4", "http(5", "http (",
        ],
        Regex(
            r#"\bhttp[ _-]?(status|error|response|code|result)?( (code|status))?\)?\\?["']?\s*[:=(\[-]*\s*\\?["']?[45]\d\d\b"#,
        ),
    ),
    rule(
        "http-response",
        HttpError,
        STATUS_LITERALS,
        Regex(any!(
            r"^(RESPONSE|response)( status)?:? [45]\d\d\b",
            r"\b(unexpected|bad|invalid|error|non-2xx|non-200|unsuccessful|failed)( http)?( response| status| answer| reply)+( code)?( from .+?)?\W{1,3}([45]\d\d)\b",
            r#"\b(server|api|endpoint|gateway|upstream|backend|service|registry|request|webhook|call|fetch|GET|POST|PUT|PATCH|DELETE|https?://\S+|/[\w/.-]+)\b.*\b(returned|responded( with)?|answered( with)?|replied( with)?|failed with|response was|gave|got|received)( an?| the| back| unexpected| http| status| code| error| response)*\s*[:=]?\s*["'(]?[45]\d\d\b"#,
            r"\bstatus of [45]\d\d\b|\bresponse( status)?( code)?\s*[:=]\s*[45]\d\d\b",
        )),
    )
    .unless(r"\b[45]\d\d (bytes|rows|items|records|results|ms|milliseconds|lines|files|messages|elements|events|entries|users|seconds|times|tests|columns|values|characters|objects|documents)\b"),
    rule(
        "http-status-word",
        HttpError,
        &["status: ", "status=", "status:", "status ", "\"status\"", "status\""],
        Regex(any!(
            r#"\b(https?://|request|response|http|fetch|GET|POST|PUT|PATCH|DELETE|api|url|server|service:|unexpected|endpoint|upload|download|webhook)\b.*\bstatus\\?["']?\s*(was|is|:|=|=>)?\s*\\?["'(\[]?[45]\d\d\b"#,
            r"^\s*(\w*Error: |E\s+)?status:? [45]\d\d\b",
            r#"\bstatus\\?["']?\s*[:=]\s*[45]\d\d,?\s*\\?["']?(statusText|title|error|message|detail|type|reason|path|body)"#,
            r"\bunexpected( http)? status\W{1,3}[45]\d\d\b|\bstatus: [45]\d\d [A-Z][a-z]+",
        )),
    )
    // Excludes the exit status of a process.
    .unless(r"exit(ed)?( with)?( non-zero)? status"),
    rule(
        "http-reason-phrase",
        HttpError,
        &[
            "internal server error", "bad gateway", "service unavailable", "gateway time", "too many requests",
            "unprocessable", "forbidden", "unauthorized", "not found", "bad request", "method not allowed",
            "conflict", "not acceptable", "payload too large", "entity too large", "unsupported media type",
            "precondition failed", "proxy authentication required", "payment required", "not implemented",
            "insufficient storage", "request timeout", "request time-out", "client closed request", "gone",
            "content too large", "rate limit",
        ],
        Regex(any!(
            r"(^|: )404:? not found\b",
            r#"\b[45]\d\d\b["']?[\s:,\-='"(\[{/|]{1,5}(reason[ =:]+)?["']?(internal[ _]?server[ _]?error|bad[ _]?gateway|(temporarily )?service[ _]?(temporarily )?unavailable|gateway time-?\s?out|too[ _]?many[ _]?requests|unprocessable|forbidden|unauthorized|(?-i:Not[ _]?Found|NOT[_ ]FOUND)|bad[ _]?request|method[ _]?not[ _]?allowed|(?-i:C(onflict|ONFLICT))|not[ _]?acceptable|(payload|request entity|entity|content) too large|unsupported[ _]?media|precondition failed|proxy authentication|payment required|not implemented|insufficient storage|request time-?out|client closed|(?-i:Gone\b)|rate limit)"#,
            r#"\b(internal ?server ?error|bad ?gateway|service ?unavailable|gateway time-?out|too ?many ?requests|unprocessable( entity| content)?|forbidden|unauthorized|(?-i:Not ?Found|NOT[_ ]FOUND)|bad ?request|method not allowed)["']?[\s:,=\-('"\[]{1,4}(http |status |code |error )*[45]\d\d\b"#,
        )),
    )
    // Excludes text that a test searched on a page.
    .unless(r"unable to find (an? |the )?(\w+ )?(element|role|text|label)|with the text"),
    rule(
        "http-parenthesised",
        HttpError,
        &[
            "httperror", "requesterror", "fetcherror", "apierror", "octokit", "github", "graphql",
            "serviceexception", "clientexception", "restclient", "an error occurred (", "(status 4", "(status 5",
        ],
        Regex(any!(
            r"\b(HttpError|Http\w*Exception|RequestError|FetchError|ApiError|APIError|Octokit\w*|GitHub|GraphQL|\w*ServiceException|\w*ClientException|RestClient\w*)\b.*\((http |status |code )*[45]\d\d\)",
            r"\ban error occurred \([45]\d\d\) when calling|\(status [45]\d\d\)",
        )),
    ),
    rule(
        "http-aws",
        HttpError,
        &[
            "status code: 4", "status code: 5", "statuscode: 4", "statuscode: 5", "$metadata",
            "an error occurred (",
        ],
        Regex(any!(
            r"\(service: .+status code: [45]\d\d|httpStatusCode\W{1,3}[45]\d\d|StatusCode: [45]\d\d, RequestID",
            // Any error code counts, because AWS clients raise this error only for statuses of 400 or more.
            r"an error occurred \([\w.]+\) when calling the \w+ operation",
        )),
    ),
    rule(
        "http-google",
        HttpError,
        &["googleapi: error", "googleapiclient", "google.api_core.exceptions"],
        Regex(any!(
            r"googleapi: (error|got http response code) [45]\d\d|HttpError [45]\d\d",
            r"google\.api_core\.exceptions\.\w+: [45]\d\d",
        )),
    ),
    rule(
        "http-error-class",
        HttpError,
        &[
            "net::http", "restclient::", "faraday::", "httparty", "guzzlehttp", "openuri::httperror",
            "httpserverexception", "mechanize::", "excon::error", "elasticsearch::", "clientexception",
            "openqa", "notfounderror: 404",
        ],
        Regex(any!(
            r"Net::HTTP(Server|Client|Fatal|Retriable)(Error|Exception)|Net::HTTP\w+Exception",
            r"RestClient::\w+: [45]\d\d",
            r"RestClient::(NotFound|BadRequest|Unauthorized|Forbidden|InternalServerError|UnprocessableEntity|Exception)",
            r"Faraday::(ServerError|ClientError|ResourceNotFound|UnauthorizedError|ForbiddenError|BadRequestError|ConflictError|UnprocessableEntityError|TooManyRequestsError)",
            r"GuzzleHttp\\Exception\\(Client|Server|BadResponse)Exception|OpenURI::HTTPError|Excon::Error::\w+",
            r"resulted in a .?[45]\d\d",
        )),
    ),
    rule(
        "http-curl",
        HttpError,
        &["requested url returned error", "curl: (22)"],
        Regex(r"requested url returned error:? [45]\d\d|curl: \(22\)"),
    ),
    rule(
        "http-wget",
        HttpError,
        &["error 4", "error 5", "error: 4", "error: 5", "error [4", "error [5"],
        Regex(any!(
            r"^.*\berror:? \[?[45]\d\d:? ?(-|:|\]|\w+ ?\w*\.?$)|server returned (http )?error:? [45]\d\d",
        )),
    )
    .unless(r"\berror:? [45]\d\d (\(?(HY|0)\w+|--- \[)|errno|exit|line [45]\d\d"),
    rule(
        "http-npm",
        HttpError,
        &["code e4", "code e5", "err_pnpm_fetch_"],
        Regex(r"npm (err!|error) code E[45]\d\d\b|ERR_PNPM_FETCH_[45]\d\d"),
    ),
    rule("http-reqwest", HttpError, &["kind: status("], Regex(r"\bkind: Status\([45]\d\d")),
    rule(
        "http-registry",
        HttpError,
        &[
            "toomanyrequests:", "unexpected http status", "unauthorized: authentication required",
            "denied: requested access",
        ],
        Literal,
    ),
    rule(
        "http-probe",
        HttpError,
        &["probe failed with statuscode"],
        Regex(r"http probe failed with statuscode: [45]\d\d"),
    ),
    rule(
        "http-kubernetes",
        HttpError,
        &[
            "error from server (", "the server responded with the status code",
            "you must be logged in to the server",
        ],
        Regex(any!(
            r"error from server \((forbidden|notfound|internalerror|conflict|alreadyexists|serviceunavailable|toomanyrequests|unauthorized|gatewaytimeout|serverTimeout|methodnotallowed|gone|expired)\)",
            r"you must be logged in to the server",
            r"the server (was unable to return a response|is currently unable to handle the request)",
        )),
    ),
    rule(
        "http-graphql",
        HttpError,
        &["received status code", "response not successful"],
        Regex(r"received status code [45]\d\d"),
    ),
    rule(
        "http-websocket",
        HttpError,
        &["unexpected server response", "websocket handshake", "bad handshake"],
        Regex(any!(
            r"unexpected server response:? \(?[45]\d\d|websocket (connection|handshake).*[45]\d\d",
            r"rejected websocket connection: HTTP [45]\d\d",
        )),
    ),
    rule(
        "http-fetch-not-ok",
        HttpError,
        STATUS_LITERALS,
        Regex(
            r"\b(failed to (fetch|load|download|get|post|upload|retrieve|request|pull|push|call)|(download|upload|request|fetch|call|GET|POST|PUT|PATCH|DELETE)( \S+)? failed|unable to fetch|could not fetch)\b.*(: | -| \(|\[| with|->|=>)\s*(error |http |status |code )*[45]\d\d\b",
        ),
    ),
    // Requires a separator between address and status, because a number inside a path, an ID or a port is not a status.
    rule(
        "http-method-line",
        HttpError,
        STATUS_LITERALS,
        Regex(
            r#"\b(GET|POST|PUT|PATCH|DELETE|HEAD) ["']?(https?://|/)\S*(\s+(->|=>|→|:|-|returned|responded|failed)*:?)*(\s|\()(HTTP )?(status )?(code )?[45]\d\d\b"#,
        ),
    ),
    // An access log lists every response, so it counts only if no other line matches.
    rule(
        "http-access-log",
        HttpError,
        &[
            " http/1.1\" 4", " http/1.1\" 5", " http/1.0\" 5", " http/1.0\" 4", " http/2.0\" 4",
            " http/2.0\" 5",
        ],
        Regex(r#"HTTP/[12]\.\d" [45]\d\d\b"#),
    )
    .accepted_lines(AcceptedLines::LastResort),
];
