//! Rules for host names that cannot be resolved, unreachable hosts, lost connections and TLS errors. Refused
//! connections are in `connection_refused`, time limits in `timeout`.

pub(super) mod clients;

use crate::{
    classify::rule::{
        Matcher::{Literal, Regex, Word},
        Rule, any, rule,
    },
    failure::category::Category::NetworkError,
};

pub(super) const RULES: &[Rule] = &[
    // Name resolution
    rule(
        "dns-code",
        NetworkError,
        &[
            "enotfound", "eai_again", "eai_noname", "eai_fail", "eai_nodata", "err_name_not_resolved",
            "err_name_resolution_failed", "ns_error_unknown_host", "wsahost_not_found", "unknownhostexception",
            "nxdomain", "notsslrecordexception", "disconnectexception", "» unknownhost", "» noroutetohost", "» sslhandshake", "servfail", "gaierror", "nameresolutionerror", "unresolvedaddressexception",
        ],
        Word,
    )
    // Excludes npm, which reports a missing package with this code.
    .unless(r"ENOTFOUND_PACKAGE"),
    rule(
        "dns-words",
        NetworkError,
        &[
            "name or service not known", "temporary failure in name resolution",
            "nodename nor servname provided", "no such host", "name does not resolve",
            "failed to lookup address", "failed to resolve address", "getaddrinfo failed", "getaddrinfo: ",
            "name resolution failure", "name resolution failed", "no address associated with hostname",
            "could not resolve host", "couldn't resolve host", "unable to resolve host",
            "could not resolve hostname", "hostname could not be resolved", "host not found in upstream",
            "could not translate host name", "server misbehaving", "dns error", "dns lookup failed",
            "dns resolution failed", "unknown mysql server host", "no such host is known",
            "remote name could not be resolved", "failed to resolve host", "dns request timed out",
            "unknown host", "could not be resolved (", "php_network_getaddresses", "failure when resolving",
            "domain not found", "temporary failure resolving", "non-existing domain",
            "server with the specified hostname could not be found",
            "could not resolve the connect identifier", "dns lookup error", "failed host lookup",
            "bad address '", "dns query name does not exist", "nameservers failed to answer", "misconfigured dns",
            "could not reach host",
        ],
        Literal,
    ),
    rule(
        "dns-failed-to-resolve",
        NetworkError,
        &[
            "failed to resolve '", "failed to resolve \"", "cannot resolve host", "unable to resolve ",
            "unable to look up", "lookup ",
        ],
        Regex(any!(
            r#"failed to resolve ['"][\w-]+(\.[\w-]+)+['"]|cannot resolve host"#,
            r"unable to resolve (host|service|domain|the host|dns|server)|unable to look up \S+",
            r"\blookup \S+ on \S+:53\b|\blookup [\w.-]+: ",
        )),
    )
    // Excludes names that a program resolves without a network, for example modules; .NET prints `service for type` for
    // an object that it cannot create.
    .unless(r"service for type|module|import|plugin|loader|dependency|package|placeholder|path|alias|symbol"),
    // Unreachable hosts
    rule(
        "unreachable-code",
        NetworkError,
        &[
            "ehostunreach", "enetunreach", "ehostdown", "enetdown", "enetreset", "eaddrnotavail",
            "err_internet_disconnected", "err_address_unreachable", "err_network_changed",
            "noroutetohostexception", "hostunreachable", "networkunreachable",
        ],
        Word,
    ),
    rule(
        "unreachable-words",
        NetworkError,
        &[
            "no route to host", "network is unreachable", "host is unreachable", "network unreachable", "host is down",
            "host unreachable", "unreachable network", "unreachable host", "network is down",
            "destination unreachable", "no internet connection", "are you connected to the internet",
            "os error 113", "os error 101", "errno 113", "errno 101",
        ],
        Word,
    ),
    // Lost connections
    rule(
        "reset-code",
        NetworkError,
        &[
            "econnreset", "epipe", "econnaborted", "und_err_socket", "err_connection_reset",
            "err_connection_closed", "err_connection_aborted", "err_empty_response",
            "err_socket_not_connected", "err_stream_premature_close", "err_http2_protocol_error",
            "err_http2_stream_error", "err_network_io_suspended", "err_tunnel_connection_failed",
            "err_proxy_connection_failed", "err_quic_protocol_error", "ns_error_net_reset",
            "ns_error_net_interrupt", "wsaeconnreset", "wsaeconnaborted", "connectionreseterror",
            "connectionabortederror", "brokenpipeerror", "connectionreset", "connectionaborted", "brokenpipe",
            "clientconnectionreseterror", "serverdisconnectederror", "err_incomplete_chunked_encoding",
            "err_content_length_mismatch",
        ],
        Word,
    )
    // Excludes axios, which uses ECONNABORTED for its time limit.
    .unless(r"ECONNABORTED.*timeout|timeout of \d+ ?ms exceeded"),
    rule(
        "reset-words",
        NetworkError,
        &[
            "connection reset", "reset by peer", "broken pipe", "socket hang up", "other side closed",
            "connection aborted", "software caused connection abort", "connection was aborted",
            "connection closed before message completed", "connection closed before receiving a handshake",
            "connection was forcibly closed", "forcibly closed by the remote host",
            "remote end closed connection", "connection prematurely closed", "connection closed prematurely",
            "upstream prematurely closed", "server disconnected", "unexpected end of stream",
            "empty reply from server", "failed to respond", "premature close", "premature end of chunk",
            "premature eof", "the underlying connection was closed", "response ended prematurely",
            "server closed the connection unexpectedly", "server has gone away",
            "lost connection to mysql server", "communications link failure",
            "remote end hung up unexpectedly", "connection closed by remote host",
            "connection unexpectedly closed", "connection was closed unexpectedly",
            "unable to read data from the transport connection",
            "unable to write data to the transport connection", "incomplete read",
            "connection terminated unexpectedly", "connection closed unexpectedly",
            "terminating connection due to", "peer closed connection without sending",
            "closed the connection without response", "disconnected without sending a response",
            "connection lost", "early eof", "connection was reset", "connection closed abruptly",
            "server unexpectedly dropped the connection", "socket closed unexpectedly", "stream was reset",
            "rst_stream", "use of closed network connection",
            "socket disconnected before secure tls", "disconnect/reset before headers",
            "end-of-file on communication channel", "network connection was lost", "ssl syscall error",
            "ssl peer shut down", "driver: bad connection", "abnormal closure", "close with status code 1006", "sent goaway",
            "error occurred while sending to the backend", "network-related or instance-specific error",
            "transport-level error", "{tls_alert", "{:tls_alert", "reading ssh protocol banner", "no close frame received",
            "transfer closed with", "client connection lost", "without closing handshake", "received goaway",
            "without completing the close handshake", "unexpected eof or 0 bytes", "unexpected end of file from server",
            "unexpected disconnect while reading sideband", "unexpected eof from the server", "1006 (abnormal",
            "closed before the connection is established", "got socket error", "connection broken: ", "run out of available brokers", "closed; transfer aborted",
        ],
        Literal,
    )
    // Excludes a local session that does not answer a prompt. Other errors of local streams have other exception types.
    .unless(any!(
        r"session (has )?failed to respond to prompt",
        // The HTTP response of a proxy quotes the reason why the upstream server failed.
        r"\b50[234]\b.{1,40}upstream connect error",
    )),
    rule(
        "reset-python",
        NetworkError,
        &[
            "remotedisconnected", "incompleteread", "incompletemessage", "remoteprotocolerror",
            "nohttpresponseexception", "clientpayloaderror", "chunkedencodingerror",
            "connectionclosedexception", "closedchannelexception", "incompletereaderror", "prematurecloseexception",
            "connectionterminated",
        ],
        Word,
    ),
    rule(
        "reset-go-eof",
        NetworkError,
        &[": eof", ": unexpected eof"],
        Regex(any!(
            r#"\b(Get|Post|Put|Patch|Delete|Head|Options) "?https?://[^"\s]+"?: (\w[\w ]*: )*(unexpected )?EOF\b"#,
            r"\b(read|write) tcp .*: EOF\b|\brpc error: .*(error reading from server: )?EOF\b",
        )),
    ),
    // Ruby raises EOFError for any stream, so the frame below must belong to network code.
    rule(
        "reset-ruby-eof",
        NetworkError,
        &["end of file reached"],
        Regex(r"(EOFError|end of file reached)(?s:.*?)(net/(protocol|http|smtp|imap|ftp)|openssl/buffering|socket)"),
    )
    .match_nearby_lines(),
    rule("reset-apple", NetworkError, &["nsurlerrordomain"], Regex(r"NSURLErrorDomain.*[Cc]ode=-(1003|1005|1006|1009|1018|1200|1201|1202|1203|1204|1205|1206)\b")),
    // Excludes Npgsql's time limit, which has the same message.
    rule("reset-npgsql", NetworkError, &["exception while reading from stream"], Literal).match_nearby_lines().unless(r"timed? ?out"),
    rule("reset-oracle", NetworkError, &["ora-031", "ora-125", "ora-121", "ora-290", "ora-288"], Regex(r"\bORA-(290(24|02|03|19)|28860|28862|28865|03113|03114|03135|12154|12537|12545|12547|12560)\b")),
    rule(
        "reset-curl",
        NetworkError,
        &["curl: (", "curl error "],
        Regex(r"curl(:| error:?) \(?(5|6|16|18|35|51|52|53|55|56|58|59|60|77|80|83|90|91|92|95|96|97)\b"),
    ),
    // TLS
    rule(
        "tls-code",
        NetworkError,
        &[
            "certificate_verify_failed", "cert_has_expired", "depth_zero_self_signed_cert",
            "self_signed_cert_in_chain", "unable_to_verify_leaf_signature",
            "unable_to_get_issuer_cert_locally", "unable_to_get_issuer_cert", "err_tls_cert_altname_invalid",
            "cert_untrusted", "cert_not_yet_valid", "hostname_mismatch", "sslhandshakeexception",
            "sslpeerunverifiedexception", "sslprotocolexception", "sslkeyexception",
            "sslcertverificationerror", "sslerror", "sslexception", "sslzeroreturnerror", "ssleoferror",
            "certpathvalidatorexception", "certpathbuilderexception", "certificateexception",
            "certificateexpiredexception", "ssl_error_syscall", "wrong_version_number",
            "err_ssl_wrong_version_number", "err_ssl_protocol_error", "err_ssl_version_or_cipher_mismatch",
            "err_cert_authority_invalid", "err_cert_common_name_invalid", "err_cert_date_invalid",
            "err_bad_ssl_client_auth_cert", "eproto", "ssl_error_bad_cert_domain", "sec_error_unknown_issuer",
            "tlsv1_alert_protocol_version", "tlsv1_alert_unknown_ca", "sslv3_alert_handshake_failure",
            "sslv3_alert_certificate_unknown", "unexpected_eof_while_reading", "ssl_error_ssl",
            "unknownissuer", "notvalidforname",
        ],
        Word,
    ),
    rule(
        "tls-words",
        NetworkError,
        &[
            "certificate verify failed", "certificate signed by unknown authority", "certificate has expired",
            "certificate is not trusted", "certificate is not valid", "self signed certificate",
            "self-signed certificate", "unable to verify the first certificate",
            "unable to get local issuer certificate", "certificate problem", "certificate is valid for",
            "certificate is not yet valid", "certificate relies on legacy common name",
            "hostname/ip does not match certificate", "pkix path building failed",
            "pkix path validation failed", "unable to find valid certification path", "no subject alternative",
            "ssl handshake", "tls handshake", "handshake failure", "handshake_failure", "handshake failed",
            "remote error: tls", "first record does not look like a tls handshake",
            "unsupported or unrecognized ssl message", "server gave http response to https client",
            "client sent an http request to an https server", "ssl routines",
            "the ssl connection could not be established", "remote certificate is invalid",
            "remote certificate was rejected", "ssl connection error", "tlsv1 alert", "wrong version number",
            "invalid peer certificate", "gnutls_handshake() failed",
            "tls connection was non-properly terminated", "ssl: unexpected eof",
            "unable to establish ssl connection", "cannot verify", "ssl3_get_record", "tls: ", "x509: ",
            "ssl_do_handshake() failed", "bad record mac", "bad certificate", "ssl connect error", "certificateerror: ", "doesn't match either of",
        ],
        Regex(any!(
            r"certificate|pkix|ssl|tls|x509|handshake|subject alternative|issuer|wrong version number",
            r"bad record mac|doesn't match either of|response to HTTPS client|request to an HTTPS server",
        )),
    )
    // Excludes handshakes of other protocols, for example WebSocket.
    .unless(any!(
        r"handshake timed out|handshake timeout|handshake.*(status|code):? [45]\d\d",
        r"websocket handshake.*[45]\d\d|unexpected server response",
    )),
    // Other client errors about the network
    rule(
        "network-fetch",
        NetworkError,
        &[
            "networkerror when attempting to fetch", "failed to fetch", "network request failed",
            "network error", "err_network", "err_failed", "err_network_access_denied", "load failed",
            "net::err_",
        ],
        Regex(any!(
            r"TypeError: (failed to fetch|network request failed|load failed)$|\bTypeError: failed to fetch\b",
            r"networkerror when attempting to fetch|(Axios)?Error: network error\b|\bnetwork request failed\b",
            r"\bERR_NETWORK\b",
            r"\bnet::ERR_(FAILED|NETWORK\w*|INVALID_RESPONSE|HTTP2\w*|CERT\w*|SSL\w*|SOCKET\w*|PROXY\w*|TUNNEL\w*|ADDRESS\w*|UNSAFE_PORT|INTERNET\w*|EMPTY\w*|CONNECTION_(CLOSED|RESET|ABORTED|FAILED))\b",
            r"^\s*network error\b",
        )),
    )
    .unless(r"failed to fetch (dynamically|manifest|asset|source|some)"),
    rule(
        "network-git",
        NetworkError,
        &[
            "kex_exchange_identification", "could not read from remote repository", "connection closed by ",
            "unable to access 'http", "rpc failed; curl",
        ],
        Regex(any!(
            r"kex_exchange_identification|could not read from remote repository|connection closed by \d+\.\d+",
            r"unable to access '.*(could not resolve|failed to connect|ssl|gnutls|certificate|empty reply|(recv|send) failure|transfer closed|http/2 (stream|framing))",
            r"RPC failed; curl (5|6|16|18|35|52|55|56|58|60|92)\b",
        )),
    )
    .match_nearby_lines()
    // Excludes a failed read because of a denied permission or a time limit, which is then the cause.
    .unless(r"permission denied \(|timed? ?out"),
    rule(
        "network-npm",
        NetworkError,
        &["npm err! network", "npm error network", "this is a problem related to network connectivity"],
        Literal,
    )
    .match_nearby_lines()
    // Excludes npm's time limits, which have the same message.
    .unless(r"ETIMEDOUT|timeout"),
    rule(
        "network-grpc",
        NetworkError,
        &[
            "statuscode.unavailable", "code = unavailable", "status{code=unavailable",
            "unavailable: io exception", "14 unavailable", "failed to connect to all addresses",
        ],
        Literal,
    ),
    rule(
        "network-exception",
        NetworkError,
        &[
            "socketexception", "urlerror", "ioexception: connection", "clientoserror", "clientconnectorerror",
            "httpx.connecterror", "httpx.readerror", "httpx.writeerror", "newconnectionerror",
            "httpcore.connecterror", "apiconnectionerror", "ewouldblock", "enotconn",
        ],
        Regex(any!(
            r"\bSocketException\b|<urlopen error|\bIOException: connection (closed|was|is)",
            r"\bClient(OS|Connector)Error\b|\bhttp(x|core)\.(Connect|Read|Write)Error\b|NewConnectionError",
            r"\bAPIConnectionError\b|\bENOTCONN\b",
        )),
    )
    // Excludes other causes of these errors, such as a time limit.
    .unless(any!(
        r"timed? ?out|too many open files|permission denied|address already in use|EADDRINUSE",
        // Excludes the class of an object if no exception of that class was thrown.
        r"unknown url type|no host given|cannot be cast|ClassCastException",
    )),
];
