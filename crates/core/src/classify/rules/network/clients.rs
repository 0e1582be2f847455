//! Rules for network errors of specific clients: proxies, TLS libraries, ssh, package managers. Codes and sentences
//! that clients share are in `network`.

use crate::{
    classify::rule::{
        Matcher::{Literal, Regex},
        Rule, any, rule,
    },
    failure::category::Category::NetworkError,
};

pub(in crate::classify::rules) const RULES: &[Rule] = &[
    rule(
        "network-proxy",
        NetworkError,
        &[
            "tunneling socket could not", "tunnel connection failed", "unsuccessful tunnel", "proxy tunnel",
            "resolve proxy", "tunnel through proxy", "socks", "proxyconnect tcp", "from proxy", "to proxy",
            "from the proxy", "to the proxy", "proxy authentication required", "proxyerror", "proxy handshake", "proxy connect aborted", "proxy server",
        ],
        Regex(any!(
            r"\btunnel(l?ing)? (socket|connection) (could not|failed)|\bunsuccessful tunnel\b|\bproxy tunnel( request)?\b.*\bfailed\b|unable to tunnel through proxy",
            r"\bcould(n't| not) resolve proxy\b|\bproxyconnect tcp: |\bproxy CONNECT aborted|\bProxyError\b",
            r"\bSOCKS[45]?a?\b.*\b(fail(ed|ure)?|reject(ed|s)?|unreachable|could not|can't|unable|error)\b",
            r"\x22: proxy authentication required|\bHTTP code \d{3} from proxy|\bEOF from (the )?proxy\b|\b(unable|failed|cannot|could not)( to)? (connect|reach|speak|talk) to (the |a )?proxy\b",
            r"\bproxy (handshake|negotiation)\b.*\bfail|\bproxy server\b.*\b(not respond|unreachable|(could|can) ?not be (reached|resolved|found)|is down)",
        )),
    )
    // Excludes a time limit, a refused connection or an invalid address as the cause of these errors.
    .unless(r"timed? ?out|timeout|refus|unknown scheme|invalid (proxy|url)|proxy url"),
    rule(
        "dns-c-ares",
        NetworkError,
        &["eservfail", "enodata", "eformerr", "ebadresp", "ebadname", "enotimp"],
        Regex(r"\bquery\w* E(SERVFAIL|NODATA|REFUSED|FORMERR|BADRESP|BADNAME|NOTIMP)\b|\bESERVFAIL\b"),
    ),
    rule(
        "tls-stack",
        NetworkError,
        &[
            // rustls, Schannel, SecureTransport, Java
            "received fatal alert: ", "received corrupt message", "peer is incompatible:", "peer misbehaved:",
            "ssl/tls secure channel", "certificate chain was issued by an authority", "establish trust relationship",
            "ssl error has occurred", "trust anchor for certification path", "could not convert socket to tls",
            "tls protocol versions", "no cipher suites in common", "remote party sent a tls alert",
            // OpenSSL and GnuTLS, as programs that use them report their errors
            "ssl_connect returned", "ssl_accept returned", "certificate verification failed", "tls error caused",
            "certificate verification: not trusted", "tls error from peer", "a tls error occurred",
            "encountered an ssl error", "server certificate not trusted", "confirming the ssl certificate",
            "generated client alert", "generated server alert", "tls/ssl error", "peer certificate cn=",
            // Databases without the TLS that the client requires
            "server does not support ssl", "ssl is not enabled on the server", "ssl send: closed",
        ],
        Literal,
    )
    .unless(r"handshake timed out|timeout"),
    rule(
        "network-ssh",
        NetworkError,
        &[
            "host key verification failed", "remote host identification has changed", "no matching host key",
            "no matching key exchange", "no matching cipher found", "no matching mac found", "knownhosts: key",
            "ssh: handshake failed: eof", "send disconnect: broken pipe",
        ],
        Literal,
    ),
    rule(
        "network-malformed-http",
        NetworkError,
        &[
            "malformed http response", "transport connection broken", "expected http/", "http 000 connection failed",
            "received http/0.9 when not allowed", "valid http response",
        ],
        Regex(any!(
            r"malformed HTTP response|transport connection broken|parse error: expected HTTP/|HTTP 000 connection failed",
            r"received HTTP/0\.9 when not allowed|did not receive a valid HTTP response",
        )),
    )
    .unless(r"timed? ?out|timeout"),
    // Package managers warn about every failed attempt and end with the package that they could not get.
    rule(
        "network-package-manager",
        NetworkError,
        &[
            "no matching distribution found", "could not find a version that satisfies", "unable to select packages",
            "unable to fetch some archives", "index files failed to download", "unsatisfiable constraints",
            "failed to get `", "failed to download",
        ],
        Regex(any!(
            r"after connection broken by '(?s:.*)(no matching distribution|could not find a version)",
            r"(fetching|ignoring) https?://\S+: (DNS lookup|(temporary|network|I/O) error|TLS|.*\b(certificate|SSL)\b)",
            r"spurious network error \(?(?s:.*)failed to (get|download)",
            r"could not resolve '[\w-]+(\.[\w-]+)*'",
        )),
    )
    .match_nearby_lines()
    .unless(r"timed? ?out|timeout|refused"),
    rule(
        "network-drivers",
        NetworkError,
        &[
            "mongosocketreadexception", "mongosocketwriteexception", "mongonetworkerror", "endpointconnectionerror",
            "got minus one from a read call", "no more data to read from socket", "socketfailure on", "socketclosed on",
            "error while reading line from the server", "reader at end of file", "prematurely reached end of stream",
            "brokerunreachableexception", "disconnected from node", "= connectionloss", "exceptions.connectionloss",
            "broker transport failure", "can't contact ldap server", "excon::error::socket", "keyserver receive failed",
        ],
        Literal,
    )
    .match_nearby_lines()
    // Excludes other causes of these errors.
    .unless(r"timed? ?out|timeout|refused"),
];
