//! Redacts tokens with a fixed format: a prefix of the issuer (the head), then a body with a known alphabet and length.
//! `assign` reads names, and `rules` contains formats that are more than a prefix and a body.

use crate::redact::{
    judge::value,
    scan::{
        ALPHANUMERIC, ANY_CASE_HEX, BASE64, BASE64URL, BASE64URL_OR_DOT, ByteSet, ENCODED_TEXT, LOWER_ALPHANUMERIC,
        LOWER_HEX, Scan, UPPER_ALPHANUMERIC,
    },
};

/// The format of an issuer's tokens.
#[derive(Debug)]
pub(in crate::redact) struct TokenPattern {
    pub(in crate::redact) kind: &'static str,
    pub(in crate::redact) heads: &'static [&'static str],
    body: &'static ByteSet,
    min: usize,
    max: usize,
    /// No alphanumeric character may precede the head, because the head also occurs inside words.
    needs_word_boundary: bool,
    /// The body must look random, so that names such as `sk-folding-cube-animation` and `test_` stay.
    random: bool,
}

impl TokenPattern {
    const fn with_word_boundary(mut self) -> Self {
        self.needs_word_boundary = true;
        self
    }

    const fn with_random_body(mut self) -> Self {
        self.needs_word_boundary = true;
        self.random = true;
        self
    }

    /// Redacts the token that starts with `head` at `start`.
    pub(super) fn redact_token(&self, scan: &mut Scan<'_>, start: usize, head: &str) {
        let body = start + head.len();
        if !scan.starts_with(start, head.as_bytes()) || (self.needs_word_boundary && !scan.starts_token(start)) {
            return;
        }
        // Base64url text may contain a short head by chance.
        if self.needs_word_boundary && head.len() <= 3 && matches!(scan.byte_before(start), b'-' | b'_') {
            return;
        }
        let end = scan.run_end(body, self.body, self.max);
        let cut = end - body == MAX_TOKEN_BYTES;
        if end - body < self.min || !(cut || scan.ends_token(end)) {
            return;
        }
        let found = scan.slice(body, end);
        if value::is_dummy_token(found) || (self.random && !value::is_random(found)) {
            return;
        }
        // A long run of base64 may contain a head by chance.
        if self.needs_word_boundary && start - scan.run_start(start, &BASE64_BODY, 48) >= 40 {
            return;
        }
        scan.add_by_format(self.kind, start, end);
    }
}

/// Creates a pattern with a body of `min` to `max` bytes.
const fn token(
    kind: &'static str,
    heads: &'static [&'static str],
    body: &'static ByteSet,
    min: usize,
    max: usize,
) -> TokenPattern {
    TokenPattern { kind, heads, body, min, max, needs_word_boundary: false, random: false }
}

/// Creates a pattern with a body without a practical upper limit.
const fn unlimited_token(
    kind: &'static str,
    heads: &'static [&'static str],
    body: &'static ByteSet,
    min: usize,
) -> TokenPattern {
    token(kind, heads, body, min, MAX_TOKEN_BYTES)
}

/// Maximum length of a body, which is longer than any issuer's token.
const MAX_TOKEN_BYTES: usize = 2048;

/// The token formats, grouped by kind of service. Minimum lengths are slightly below those of the issuers, because
/// issuers change them.
pub(in crate::redact) static TOKEN_PATTERNS: &[TokenPattern] = &[
    // Clouds.
    token("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], &UPPER_ALPHANUMERIC, 16, 16).with_word_boundary(),
    token("aws-access-key", &["A3T"], &UPPER_ALPHANUMERIC, 17, 17).with_word_boundary(),
    unlimited_token("aws-model-key", &["ABSK"], &BASE64, 100).with_word_boundary(),
    unlimited_token("aws-model-key", &["bedrock-api-key-"], &ENCODED_TEXT, 20),
    unlimited_token("aws-mws-token", &["amzn.mws."], &BASE64URL, 32),
    // Base64 of `origin_ec` and of the older form.
    unlimited_token("aws-session-token", &["IQoJb3JpZ2lu", "FwoGZXIvYXdz"], &BASE64, 60).with_word_boundary(),
    token("aws-appsync-key", &["da2-"], &LOWER_ALPHANUMERIC, 26, 26).with_word_boundary(),
    unlimited_token("aws-cognito-token", &["amzn1.oa2-cs.v1."], &LOWER_HEX, 32),
    token("gcp-api-key", &["AIza"], &BASE64URL, 33, 40).with_word_boundary(),
    unlimited_token("gcp-api-key", &["AQ.Ab8"], &BASE64URL, 30).with_word_boundary(),
    unlimited_token("gcp-access-token", &["ya29."], &BASE64URL_OR_DOT, 20).with_word_boundary(),
    unlimited_token("gcp-client-secret", &["GOCSPX-"], &BASE64URL, 20),
    unlimited_token("gcp-refresh-token", &["1//0"], &BASE64URL, 30).with_word_boundary(),
    token("gcp-hmac-key", &["GOOG1E"], &UPPER_ALPHANUMERIC, 50, 60).with_word_boundary(),
    token("alibaba-access-key", &["LTAI"], &ALPHANUMERIC, 12, 26).with_random_body(),
    token("tencent-secret-id", &["AKID"], &ALPHANUMERIC, 28, 40).with_random_body(),
    unlimited_token("yandex-key", &["AQVN"], &BASE64URL, 35).with_word_boundary(),
    token("yandex-key", &["YCAJE"], &BASE64URL, 18, 40).with_word_boundary(),
    token("yandex-key", &["YCM"], &BASE64URL, 30, 40).with_random_body(),
    token("yandex-token", &["y0_"], &BASE64URL, 40, 80).with_word_boundary(),
    token("scaleway-key", &["SCW"], &UPPER_ALPHANUMERIC, 17, 17).with_random_body(),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], &LOWER_HEX, 64, 64),
    unlimited_token("heroku-key", &["HRKU-"], &BASE64URL, 30),
    unlimited_token("fly-token", &["fo1_"], &BASE64URL, 40).with_word_boundary(),
    unlimited_token("fly-token", &["fm1r_", "fm1a_"], &BASE64, 40).with_word_boundary(),
    unlimited_token("fly-token", &["fm2_"], &ENCODED_TEXT, 40).with_word_boundary(),
    token("render-key", &["rnd_"], &ALPHANUMERIC, 28, 40).with_random_body(),
    token("netlify-token", &["nfp_", "nfc_", "nfo_"], &ALPHANUMERIC, 36, 48).with_word_boundary(),
    token("vercel-token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], &ALPHANUMERIC, 24, 80).with_random_body(),
    unlimited_token("vercel-blob-token", &["vercel_blob_rw_"], &BASE64URL, 20),
    unlimited_token("cloudflare-origin-key", &["v1.0-"], &BASE64URL, 150).with_word_boundary(),
    token("cloudflare-token", &["cfut_", "cfat_"], &BASE64URL, 40, 64).with_word_boundary(),
    unlimited_token("akamai-token", &["akab-"], &BASE64URL, 32).with_word_boundary(),
    // Data platforms.
    token("supabase-token", &["sbp_"], &ALPHANUMERIC, 40, 48).with_word_boundary(),
    unlimited_token("supabase-secret", &["sb_secret_"], &BASE64URL, 20),
    unlimited_token("planetscale-token", &["pscale_tkn_", "pscale_oauth_"], &BASE64URL_OR_DOT, 30),
    unlimited_token("planetscale-password", &["pscale_pw_"], &BASE64URL_OR_DOT, 30),
    unlimited_token("neon-key", &["napi_"], &LOWER_ALPHANUMERIC, 40).with_word_boundary(),
    token("neon-password", &["npg_"], &ALPHANUMERIC, 12, 32).with_word_boundary(),
    unlimited_token("xata-key", &["xau_"], &ALPHANUMERIC, 28).with_word_boundary(),
    token("databricks-token", &["dapi"], &LOWER_HEX, 32, 32).with_word_boundary(),
    token("databricks-token", &["dose", "dkea"], &LOWER_HEX, 32, 36).with_word_boundary(),
    unlimited_token("dbt-token", &["dbtc_", "dbtu_"], &BASE64URL, 30).with_word_boundary(),
    token("prefect-key", &["pnu_", "pnb_"], &ALPHANUMERIC, 36, 36).with_word_boundary(),
    unlimited_token("confluent-key", &["cflt"], &BASE64, 56).with_word_boundary(),
    unlimited_token("influx-token", &["apiv3_"], &BASE64URL, 60).with_word_boundary(),
    // Code hosts.
    unlimited_token("github-token", &["ghp_", "gho_", "ghu_", "ghr_"], &ALPHANUMERIC, 30),
    unlimited_token("github-token", &["ghs_"], &BASE64URL_OR_DOT, 30),
    unlimited_token("github-token", &["github_pat_"], &BASE64URL, 22),
    unlimited_token(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-",
            "glsoat-", "glffct-", "glwt-",
        ],
        &BASE64URL_OR_DOT,
        20,
    ),
    unlimited_token("gitlab-token", &["GR1348941"], &BASE64URL, 20),
    unlimited_token("bitbucket-token", &["ATBB"], &ALPHANUMERIC, 28).with_random_body(),
    unlimited_token("bitbucket-token", &["BBDC-"], &BASE64, 40).with_word_boundary(),
    unlimited_token("atlassian-token", &["ATATT3", "ATCTT3", "ATSTT3"], &ENCODED_TEXT, 40).with_word_boundary(),
    unlimited_token("sourcegraph-token", &["sgp_"], &BASE64URL, 40).with_word_boundary(),
    // Base64 of `{"payload":"`.
    unlimited_token("aws-ecr-password", &["eyJwYXlsb2FkIjoi"], &BASE64, 100).with_word_boundary(),
    unlimited_token("munge-credential", &["MUNGE:"], &BASE64, 60),
    token("backblaze-key", &["K00"], &BASE64, 28, 28).with_random_body(),
    unlimited_token("sourcegraph-token", &["slk_"], &LOWER_HEX, 60).with_word_boundary(),
    unlimited_token("gitea-token", &["gitea_"], &LOWER_HEX, 40),
    unlimited_token("azure-devops-token", &["azdo_"], &ALPHANUMERIC, 40).with_word_boundary(),
    unlimited_token("matrix-token", &["syt_"], &BASE64URL, 24).with_word_boundary(),
    // Package registries.
    unlimited_token("npm-token", &["npm_"], &ALPHANUMERIC, 30).with_random_body(),
    unlimited_token("pypi-token", &["pypi-AgE"], &BASE64URL, 40),
    unlimited_token("pypi-token", &["pypi-"], &BASE64URL, 70),
    unlimited_token("ruby-key", &["rubygems_"], &LOWER_HEX, 40),
    token("crates-token", &["cio"], &ALPHANUMERIC, 32, 32).with_random_body(),
    token("nuget-key", &["oy2"], &LOWER_ALPHANUMERIC, 43, 43).with_word_boundary(),
    unlimited_token("clojars-token", &["CLOJARS_"], &ALPHANUMERIC, 50),
    unlimited_token("composer-token", &["packagist_"], &ALPHANUMERIC, 40),
    unlimited_token("docker-token", &["dckr_pat_", "dckr_oat_"], &BASE64URL, 20),
    unlimited_token("artifactory-key", &["AKCp"], &ALPHANUMERIC, 60).with_word_boundary(),
    unlimited_token("artifactory-token", &["cmVmdGtu"], &ALPHANUMERIC, 50).with_word_boundary(),
    unlimited_token("jsr-token", &["jsrp_", "jsrd_"], &ALPHANUMERIC, 30).with_word_boundary(),
    // Build, quality and deployment.
    unlimited_token("circleci-token", &["CCIPAT_", "CCIPRJ_"], &BASE64URL, 20),
    unlimited_token("buildkite-token", &["bkua_", "bkct_"], &ALPHANUMERIC, 32).with_word_boundary(),
    token("airtable-token", &["pat"], &ByteSet::new("A-Za-z0-9."), 76, 90).with_random_body(),
    unlimited_token("harness-token", &["pat.", "sat."], &BASE64URL_OR_DOT, 60).with_random_body(),
    token("octopus-key", &["API-"], &UPPER_ALPHANUMERIC, 24, 36).with_random_body(),
    token("pulumi-token", &["pul-"], &LOWER_HEX, 40, 40).with_word_boundary(),
    token("sonar-token", &["squ_", "sqp_", "sqa_"], &LOWER_HEX, 40, 40).with_word_boundary(),
    unlimited_token("sentry-token", &["sntrys_"], &ENCODED_TEXT, 40),
    unlimited_token("sentry-token", &["sntryu_", "sntrya_"], &LOWER_HEX, 60),
    unlimited_token("chromatic-token", &["chpt_"], &ALPHANUMERIC, 12).with_random_body(),
    unlimited_token("expo-token", &["ExponentPushToken["], &BASE64URL, 16),
    unlimited_token("nx-token", &["nx_cloud_"], &ALPHANUMERIC, 30).with_random_body(),
    // Secret stores and access.
    unlimited_token("vault-token", &["hvs.", "hvb.", "hvr."], &BASE64URL, 24).with_word_boundary(),
    unlimited_token(
        "doppler-token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        &BASE64URL_OR_DOT,
        40,
    )
    .with_word_boundary(),
    unlimited_token("infisical-token", &["st."], &BASE64URL_OR_DOT, 80).with_random_body(),
    unlimited_token("onepassword-token", &["ops_eyJ"], &ENCODED_TEXT, 60),
    token("onepassword-secret-key", &["A3-"], &ByteSet::new("A-Z0-9-"), 30, 40).with_word_boundary(),
    unlimited_token("age-secret-key", &["AGE-SECRET-KEY-", "AGE-PLUGIN-"], &ByteSet::new("A-Z0-9-"), 40),
    unlimited_token("docker-swarm-token", &["SWMTKN-1-"], &BASE64URL, 40),
    unlimited_token("tailscale-key", &["tskey-"], &BASE64URL, 16),
    unlimited_token("teleport-token", &["tp_secret_"], &BASE64URL, 20),
    // Monitoring.
    token("newrelic-key", &["NRAK-"], &UPPER_ALPHANUMERIC, 24, 32),
    unlimited_token("newrelic-key", &["NRII-", "NRIQ-", "NRRA-", "NRSP-"], &ENCODED_TEXT, 24),
    unlimited_token("newrelic-key", &["NRJS-"], &LOWER_HEX, 16),
    unlimited_token("grafana-token", &["glsa_"], &BASE64URL, 32),
    // Passwords that Aiven and DigitalOcean generate for databases.
    unlimited_token("database-password", &["AVNS_"], &BASE64URL, 16),
    unlimited_token("grafana-token", &["glc_"], &BASE64, 28).with_word_boundary(),
    unlimited_token("grafana-key", &["eyJrIjoi"], &BASE64, 40).with_word_boundary(),
    unlimited_token("dynatrace-token", &["dt0c01.", "dt0s01.", "dt0s02.", "dt0s16."], &BASE64URL_OR_DOT, 40),
    unlimited_token("honeycomb-key", &["hcaik_", "hcamk_"], &ALPHANUMERIC, 40),
    unlimited_token("posthog-key", &["phx_"], &ALPHANUMERIC, 30).with_random_body(),
    unlimited_token("segment-token", &["sgp_"], &ALPHANUMERIC, 60).with_word_boundary(),
    unlimited_token("betterstack-token", &["btst_"], &ALPHANUMERIC, 20).with_random_body(),
    unlimited_token("launchdarkly-key", &["sdk-", "api-"], &HEX_DASH, 36).with_random_body(),
    unlimited_token("feature-flag-key", &["configcat-sdk-1/"], &ENCODED_TEXT, 40),
    unlimited_token("statsig-key", &["secret-"], &ALPHANUMERIC, 40).with_random_body(),
    // Chat and mail.
    unlimited_token(
        "slack-token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe."],
        &ENCODED_TEXT,
        10,
    ),
    unlimited_token("slack-token", &["xapp-", "xwfp-"], &BASE64URL, 20),
    unlimited_token("twilio-key", &["SK"], &ANY_CASE_HEX, 32).with_word_boundary(),
    unlimited_token("sendgrid-key", &["SG."], &BASE64URL_OR_DOT, 40).with_word_boundary(),
    token("mailgun-key", &["key-"], &LOWER_HEX, 32, 32).with_word_boundary(),
    unlimited_token("brevo-key", &["xkeysib-", "xsmtpsib-"], &BASE64URL, 60),
    token("mandrill-key", &["md-"], &BASE64URL, 22, 22).with_random_body(),
    unlimited_token("resend-key", &["re_"], &BASE64URL, 28).with_random_body(),
    unlimited_token("discord-token", &["mfa."], &BASE64URL, 80).with_word_boundary(),
    unlimited_token("twitch-token", &["oauth:"], &LOWER_ALPHANUMERIC, 28).with_word_boundary(),
    unlimited_token("intercom-token", &["dG9rO"], &BASE64, 40).with_word_boundary(),
    unlimited_token("novu-key", &["novu_"], &ALPHANUMERIC, 30).with_random_body(),
    // Payment and shops.
    unlimited_token(
        "stripe-key",
        &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
        &ALPHANUMERIC,
        10,
    ),
    unlimited_token("webhook-secret", &["whsec_"], &BASE64, 20),
    unlimited_token("square-token", &["sq0atp-"], &BASE64URL, 20),
    unlimited_token("square-secret", &["sq0csp-"], &BASE64URL, 40),
    unlimited_token("square-token", &["EAAA"], &BASE64URL, 60).with_word_boundary(),
    unlimited_token("braintree-token", &["access_token$"], &ByteSet::new("a-z0-9$"), 40),
    unlimited_token("plaid-token", &["access-sandbox-", "access-development-", "access-production-"], &HEX_DASH, 36),
    unlimited_token("razorpay-key", &["rzp_live_", "rzp_test_"], &ALPHANUMERIC, 14),
    unlimited_token("flutterwave-key", &["FLWSECK_TEST-"], &BASE64URL, 12),
    unlimited_token("flutterwave-key", &["FLWSECK-"], &BASE64URL, 20),
    unlimited_token("shippo-token", &["shippo_live_", "shippo_test_"], &LOWER_HEX, 40),
    unlimited_token("easypost-key", &["EZAK", "EZTK"], &ALPHANUMERIC, 50).with_word_boundary(),
    unlimited_token("duffel-token", &["duffel_live_", "duffel_test_"], &BASE64URL, 40),
    unlimited_token("gocardless-token", &["live_"], &BASE64URL, 30).with_random_body(),
    unlimited_token("lob-key", &["test_"], &LOWER_HEX, 35).with_random_body(),
    unlimited_token("paystack-key", &["sk_"], &LOWER_HEX, 40).with_random_body(),
    unlimited_token("shopify-token", &["shpat_", "shpca_", "shppa_", "shpua_", "shptka_"], &ANY_CASE_HEX, 32),
    unlimited_token("shopify-secret", &["shpss_"], &ANY_CASE_HEX, 32),
    unlimited_token("shopify-token", &["shprt_"], &ALPHANUMERIC, 32),
    // Models.
    unlimited_token("llm-proxy-key", &["sk-helicone-"], &BASE64URL, 20),
    unlimited_token("langfuse-key", &["sk-lf-"], &HEX_DASH, 36).with_word_boundary(),
    unlimited_token("anthropic-key", &["sk-ant-"], &BASE64URL, 20),
    unlimited_token("openai-key", &["sk-"], &BASE64URL, 20).with_random_body(),
    unlimited_token("openai-key", &["sess-"], &ALPHANUMERIC, 36).with_random_body(),
    unlimited_token("huggingface-token", &["hf_", "api_org_"], &ALPHANUMERIC, 30).with_random_body(),
    unlimited_token("replicate-token", &["r8_"], &ALPHANUMERIC, 30).with_random_body(),
    unlimited_token("groq-key", &["gsk_"], &ALPHANUMERIC, 40).with_random_body(),
    unlimited_token("xai-key", &["xai-"], &ALPHANUMERIC, 60).with_word_boundary(),
    unlimited_token("perplexity-key", &["pplx-"], &ALPHANUMERIC, 40).with_word_boundary(),
    unlimited_token("together-key", &["tgp_v1_"], &BASE64URL, 30),
    unlimited_token("fireworks-key", &["fw_"], &ALPHANUMERIC, 22).with_random_body(),
    unlimited_token("langsmith-key", &["lsv2_"], &BASE64URL, 40),
    unlimited_token("langsmith-key", &["ls__"], &LOWER_HEX, 32),
    unlimited_token("pinecone-key", &["pcsk_"], &BASE64URL, 40),
    unlimited_token("nvidia-key", &["nvapi-"], &BASE64URL, 40),
    unlimited_token("cerebras-key", &["csk-"], &ALPHANUMERIC, 40).with_random_body(),
    unlimited_token("elevenlabs-key", &["sk_"], &LOWER_HEX, 48).with_word_boundary(),
    unlimited_token("tavily-key", &["tvly-"], &BASE64URL, 20),
    unlimited_token("voyage-key", &["pa-"], &BASE64URL, 40).with_random_body(),
    unlimited_token("e2b-key", &["e2b_"], &LOWER_HEX, 40),
    unlimited_token("firecrawl-key", &["fc-"], &LOWER_HEX, 32).with_word_boundary(),
    unlimited_token("wandb-key", &["wandb_v1_"], &BASE64URL, 30),
    unlimited_token("kaggle-token", &["KGAT_"], &ALPHANUMERIC, 30),
    unlimited_token("deepgram-key", &["dg_"], &LOWER_HEX, 40).with_word_boundary(),
    unlimited_token("apify-token", &["apify_api_"], &ALPHANUMERIC, 30),
    unlimited_token("brave-key", &["BSA"], &BASE64URL, 27).with_random_body(),
    unlimited_token("browserbase-key", &["bb_live_"], &BASE64URL, 20),
    unlimited_token("daytona-key", &["dtn_"], &LOWER_HEX, 60).with_word_boundary(),
    unlimited_token("jina-key", &["jina_"], &BASE64URL, 40).with_random_body(),
    unlimited_token("runpod-key", &["rpa_"], &ALPHANUMERIC, 36).with_random_body(),
    token("modal-token", &["ak-", "as-"], &ALPHANUMERIC, 22, 22).with_random_body(),
    unlimited_token("anyscale-key", &["esecret_"], &ALPHANUMERIC, 20).with_random_body(),
    // Other services.
    unlimited_token("axiom-token", &["xaat-", "xapt-"], &HEX_DASH, 36).with_word_boundary(),
    unlimited_token("atlas-secret", &["mdb_sa_sk_"], &BASE64URL, 30),
    unlimited_token("cockroach-key", &["CCDB1_"], &BASE64URL, 40).with_word_boundary(),
    unlimited_token("deno-token", &["ddp_", "ddw_"], &ALPHANUMERIC, 36).with_random_body(),
    unlimited_token("inngest-key", &["signkey-prod-", "signkey-test-"], &LOWER_HEX, 32),
    unlimited_token("paddle-key", &["pdl_live_apikey_", "pdl_sdbx_apikey_"], &BASE64URL, 40),
    unlimited_token("polar-token", &["polar_oat_", "polar_pat_"], &BASE64URL, 30),
    unlimited_token("socket-key", &["sktsec_"], &BASE64URL, 30),
    unlimited_token("stytch-secret", &["secret-live-", "secret-test-"], &BASE64URL, 36).with_random_body(),
    unlimited_token("telnyx-key", &["KEY01"], &BASE64URL, 40).with_random_body(),
    unlimited_token("trigger-key", &["tr_prod_", "tr_dev_", "tr_stg_"], &ALPHANUMERIC, 20),
    unlimited_token("valtown-token", &["vtwn_"], &ALPHANUMERIC, 24).with_word_boundary(),
    unlimited_token("adafruit-key", &["aio_"], &ALPHANUMERIC, 26).with_random_body(),
    token("infracost-key", &["ico-"], &ALPHANUMERIC, 32, 32).with_random_body(),
    unlimited_token("scalingo-token", &["tk-us-"], &BASE64URL, 40).with_random_body(),
    unlimited_token("linear-key", &["lin_api_"], &ALPHANUMERIC, 30),
    unlimited_token("linear-token", &["lin_oauth_"], &LOWER_HEX, 60),
    unlimited_token("linear-secret", &["lin_wh_"], &ALPHANUMERIC, 30),
    unlimited_token("notion-token", &["ntn_"], &ALPHANUMERIC, 40).with_word_boundary(),
    unlimited_token("notion-token", &["secret_"], &ALPHANUMERIC, 40).with_random_body(),
    unlimited_token("figma-token", &["figd_", "figo_", "figu_"], &BASE64URL, 30),
    unlimited_token("postman-key", &["PMAK-"], &BASE64URL, 50),
    unlimited_token("postman-token", &["PMAT-"], &ALPHANUMERIC, 24),
    token("clickup-token", &["pk_"], &ByteSet::new("A-Z0-9_"), 36, 50).with_random_body(),
    unlimited_token("trello-token", &["ATTA"], &LOWER_ALPHANUMERIC, 60).with_word_boundary(),
    unlimited_token("typeform-token", &["tfp_"], &BASE64URL_OR_DOT, 40),
    unlimited_token("contentful-token", &["CFPAT-"], &BASE64URL, 40),
    unlimited_token("readme-key", &["rdme_"], &LOWER_ALPHANUMERIC, 60),
    unlimited_token("frameio-token", &["fio-u-"], &BASE64URL, 60),
    unlimited_token("dropbox-token", &["sl."], &BASE64URL, 100).with_word_boundary(),
    unlimited_token("hubspot-token", &["pat-na", "pat-eu"], &BASE64URL, 36).with_word_boundary(),
    unlimited_token("mapbox-token", &["sk.eyJ", "tk.eyJ"], &BASE64URL_OR_DOT, 60).with_word_boundary(),
    unlimited_token("facebook-token", &["EAA"], &ALPHANUMERIC, 90).with_word_boundary(),
    unlimited_token("twitter-token", &["AAAAAAAAAAAAAAAAAAAAA"], &ENCODED_TEXT, 50).with_word_boundary(),
    unlimited_token("instagram-token", &["IGQ"], &BASE64URL, 90).with_word_boundary(),
    unlimited_token("linkedin-secret", &["WPL_AP1."], &ENCODED_TEXT, 16),
    unlimited_token("ubidots-token", &["BBFF-"], &ALPHANUMERIC, 30).with_word_boundary(),
    unlimited_token("beamer-token", &["b_"], &BASE64URL, 44).with_random_body(),
    unlimited_token("defined-networking-token", &["dnkey-"], &BASE64URL, 40),
    unlimited_token("onfido-token", &["api_live.", "api_sandbox."], &BASE64URL_OR_DOT, 30),
    unlimited_token("persona-key", &["persona_production_", "persona_sandbox_"], &BASE64URL, 20),
    unlimited_token("clerk-key", &["ak_live_"], &ALPHANUMERIC, 20),
    unlimited_token("workos-key", &["sk_workos_"], &BASE64URL, 20),
    unlimited_token("aiven-token", &["aivenv1-"], &BASE64URL, 40),
    unlimited_token("algolia-key", &["alg_"], &LOWER_HEX, 32).with_word_boundary(),
    unlimited_token("hashicorp-token", &["hcp."], &BASE64URL_OR_DOT, 60).with_word_boundary(),
    unlimited_token("phrase-token", &["phrase_"], &LOWER_HEX, 60),
    unlimited_token("settlemint-token", &["sm_pat_", "sm_aat_", "sm_sat_"], &ALPHANUMERIC, 16),
    unlimited_token("maxmind-key", &["mmk_"], &BASE64URL, 20).with_random_body(),
    unlimited_token("looker-secret", &["LKR-"], &ALPHANUMERIC, 24).with_random_body(),
];

static HEX_DASH: ByteSet = ByteSet::new("a-f0-9-");
static BASE64_BODY: ByteSet = ByteSet::new("A-Za-z0-9+/");
