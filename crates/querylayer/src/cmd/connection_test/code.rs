//! The stable names of what can be wrong.

macro_rules! codes {
    ($($variant:ident $name:literal $meaning:literal,)*) => {
        /// What is wrong, for programs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// Every code, in the order in which they are looked for.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its stable name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it means, as the documents say it.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

codes! {
    AddressUnreadable "address_unreadable" "the address can't be read",
    InTheClear "in_the_clear" "the token would travel unencrypted; it wasn't sent",
    TokenAbsent "token_absent" "the variable is unset or empty",
    TokenMalformed "token_malformed" "it isn't a token: quotes, a line break, a missing piece, a wrong checksum",
    TokenOfMember "token_of_member" "it's a member's personal token, which opens the HTTP API",
    HostUnknown "host_unknown" "the name has no address",
    NothingListens "nothing_listens" "no program listens at that address and port",
    Unreachable "unreachable" "the network doesn't lead there",
    NoAnswer "no_answer" "nothing came within the time",
    CertificateExpired "certificate_expired" "the certificate is too old",
    CertificateNotYetValid "certificate_not_yet_valid" "the certificate isn't valid yet, or this machine's clock is wrong",
    CertificateName "certificate_name" "the certificate is for another name",
    CertificateUntrusted "certificate_untrusted" "nobody that this machine trusts signed the certificate",
    NoTls "no_tls" "the port doesn't speak TLS",
    TlsFailed "tls_failed" "TLS couldn't be agreed on",
    NotHttp "not_http" "what answers isn't HTTP",
    NeedsTls "needs_tls" "the port speaks TLS, and the address says http",
    Redirected "redirected" "the address leads to another one",
    NotFound "not_found" "nothing is at that path",
    NotTheEndpoint "not_the_endpoint" "something else than an MCP endpoint answers",
    OtherServer "other_server" "another MCP server answers",
    HostNotServed "host_not_served" "the server isn't configured for that host name",
    ForbiddenBefore "forbidden_before" "something before the server forbids it",
    AnotherLogin "another_login" "something before the server wants a login of its own",
    TokenLost "token_lost" "the token was sent and didn't arrive",
    ProxyFailed "proxy_failed" "the proxy doesn't reach the server",
    RateLimited "rate_limited" "too many requests; the wait is named",
    ServerFailed "server_failed" "the server failed, or can't reach its database",
    Unexpected "unexpected" "an answer that this test doesn't know",
    OauthFound "oauth_found" "something answers the search for an OAuth server, and clients then leave the token aside",
    TokenRefused "token_refused" "the token opens nothing; seen from outside it isn't told why",
    TokenRevoked "token_revoked" "its connection was ended or replaced (told beside the data folder)",
    TokenExpired "token_expired" "its connection ran out (told beside the data folder)",
    TokenUnknown "token_unknown" "the data folder has no such connection",
    OtherFolder "other_folder" "the data folder knows the token as good, so the server at that address works on another one",
    ScopeMissing "scope_missing" "no scope that holds now lists the tool",
    ToolUnknown "tool_unknown" "there is no such tool",
}
