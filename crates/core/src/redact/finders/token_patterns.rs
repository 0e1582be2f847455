//! Secrets with a fixed format: an issuer's prefix and a body with a known alphabet and length. `assign` reads names;
//! tokens with a mark elsewhere are in `rules`.

use crate::redact::{
    judge::value,
    scan::{ALNUM, BASE64, DOTTED, HEX, HEX_ANY, LOOSE, LOWER_ALNUM, Scan, Set, UPPER_ALNUM, WORD},
};

/// The token format of an issuer.
#[derive(Debug)]
pub(in crate::redact) struct TokenPattern {
    pub(in crate::redact) kind: &'static str,
    pub(in crate::redact) heads: &'static [&'static str],
    body: &'static Set,
    min: usize,
    max: usize,
    /// No alphanumeric character may precede the head, because the head also occurs inside words.
    strict: bool,
    /// The body must look random, so that names such as `sk-folding-cube-animation` and `test_` stay.
    random: bool,
}

impl TokenPattern {
    const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    const fn random(mut self) -> Self {
        self.strict = true;
        self.random = true;
        self
    }

    /// Checks the text after a hit of one of the heads.
    pub(super) fn find(&self, scan: &mut Scan<'_>, start: usize, head: &str) {
        let body = start + head.len();
        if !scan.starts_with(start, head.as_bytes()) || (self.strict && !scan.starts_token(start)) {
            return;
        }
        // Base64url contains a short head by chance.
        if self.strict && head.len() <= 3 && matches!(scan.before(start), b'-' | b'_') {
            return;
        }
        let end = scan.run(body, self.body, self.max);
        let cut = end - body == MAX_TOKEN_BYTES;
        if end - body < self.min || !(cut || scan.ends_token(end)) {
            return;
        }
        let found = scan.slice(body, end);
        if value::is_dummy(found) || (self.random && !value::is_random(found)) {
            return;
        }
        // A long run of base64 contains a head by chance.
        if self.strict && start - scan.run_back(start, &BASE64_BODY, 48) >= 40 {
            return;
        }
        scan.add_by_format(self.kind, start, end);
    }
}

/// A body of `min` to `max` bytes.
const fn token(
    kind: &'static str,
    heads: &'static [&'static str],
    body: &'static Set,
    min: usize,
    max: usize,
) -> TokenPattern {
    TokenPattern { kind, heads, body, min, max, strict: false, random: false }
}

/// A body without a practical upper limit.
const fn open(kind: &'static str, heads: &'static [&'static str], body: &'static Set, min: usize) -> TokenPattern {
    token(kind, heads, body, min, MAX_TOKEN_BYTES)
}

/// Longer than any issuer's token.
const MAX_TOKEN_BYTES: usize = 2048;

/// Grouped by what the secret opens. Minimum lengths are slightly below the issuers' own, because issuers change them.
pub(in crate::redact) static TOKEN_PATTERNS: &[TokenPattern] = &[
    // Clouds.
    token("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], &UPPER_ALNUM, 16, 16).strict(),
    token("aws-access-key", &["A3T"], &UPPER_ALNUM, 17, 17).strict(),
    open("aws-model-key", &["ABSK"], &BASE64, 100).strict(),
    open("aws-model-key", &["bedrock-api-key-"], &LOOSE, 20),
    open("aws-mws-token", &["amzn.mws."], &WORD, 32),
    // Base64 of `origin_ec` and of the older form.
    open("aws-session-token", &["IQoJb3JpZ2lu", "FwoGZXIvYXdz"], &BASE64, 60).strict(),
    token("aws-appsync-key", &["da2-"], &LOWER_ALNUM, 26, 26).strict(),
    open("aws-cognito-token", &["amzn1.oa2-cs.v1."], &HEX, 32),
    token("gcp-api-key", &["AIza"], &WORD, 33, 40).strict(),
    open("gcp-api-key", &["AQ.Ab8"], &WORD, 30).strict(),
    open("gcp-access-token", &["ya29."], &DOTTED, 20).strict(),
    open("gcp-client-secret", &["GOCSPX-"], &WORD, 20),
    open("gcp-refresh-token", &["1//0"], &WORD, 30).strict(),
    token("gcp-hmac-key", &["GOOG1E"], &UPPER_ALNUM, 50, 60).strict(),
    token("alibaba-access-key", &["LTAI"], &ALNUM, 12, 26).random(),
    token("tencent-secret-id", &["AKID"], &ALNUM, 28, 40).random(),
    open("yandex-key", &["AQVN"], &WORD, 35).strict(),
    token("yandex-key", &["YCAJE"], &WORD, 18, 40).strict(),
    token("yandex-key", &["YCM"], &WORD, 30, 40).random(),
    token("yandex-token", &["y0_"], &WORD, 40, 80).strict(),
    token("scaleway-key", &["SCW"], &UPPER_ALNUM, 17, 17).random(),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], &HEX, 64, 64),
    open("heroku-key", &["HRKU-"], &WORD, 30),
    open("fly-token", &["fo1_"], &WORD, 40).strict(),
    open("fly-token", &["fm1r_", "fm1a_"], &BASE64, 40).strict(),
    open("fly-token", &["fm2_"], &LOOSE, 40).strict(),
    token("render-key", &["rnd_"], &ALNUM, 28, 40).random(),
    token("netlify-token", &["nfp_", "nfc_", "nfo_"], &ALNUM, 36, 48).strict(),
    token("vercel-token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], &ALNUM, 24, 80).random(),
    open("vercel-blob-token", &["vercel_blob_rw_"], &WORD, 20),
    open("cloudflare-origin-key", &["v1.0-"], &WORD, 150).strict(),
    token("cloudflare-token", &["cfut_", "cfat_"], &WORD, 40, 64).strict(),
    open("akamai-token", &["akab-"], &WORD, 32).strict(),
    // Data platforms.
    token("supabase-token", &["sbp_"], &ALNUM, 40, 48).strict(),
    open("supabase-secret", &["sb_secret_"], &WORD, 20),
    open("planetscale-token", &["pscale_tkn_", "pscale_oauth_"], &DOTTED, 30),
    open("planetscale-password", &["pscale_pw_"], &DOTTED, 30),
    open("neon-key", &["napi_"], &LOWER_ALNUM, 40).strict(),
    token("neon-password", &["npg_"], &ALNUM, 12, 32).strict(),
    open("xata-key", &["xau_"], &ALNUM, 28).strict(),
    token("databricks-token", &["dapi"], &HEX, 32, 32).strict(),
    token("databricks-token", &["dose", "dkea"], &HEX, 32, 36).strict(),
    open("dbt-token", &["dbtc_", "dbtu_"], &WORD, 30).strict(),
    token("prefect-key", &["pnu_", "pnb_"], &ALNUM, 36, 36).strict(),
    open("confluent-key", &["cflt"], &BASE64, 56).strict(),
    open("influx-token", &["apiv3_"], &WORD, 60).strict(),
    // Code hosts.
    open("github-token", &["ghp_", "gho_", "ghu_", "ghr_"], &ALNUM, 30),
    open("github-token", &["ghs_"], &DOTTED, 30),
    open("github-token", &["github_pat_"], &WORD, 22),
    open(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-",
            "glsoat-", "glffct-", "glwt-",
        ],
        &DOTTED,
        20,
    ),
    open("gitlab-token", &["GR1348941"], &WORD, 20),
    open("bitbucket-token", &["ATBB"], &ALNUM, 28).random(),
    open("bitbucket-token", &["BBDC-"], &BASE64, 40).strict(),
    open("atlassian-token", &["ATATT3", "ATCTT3", "ATSTT3"], &LOOSE, 40).strict(),
    open("sourcegraph-token", &["sgp_"], &WORD, 40).strict(),
    // Base64 of `{"payload":"`.
    open("aws-ecr-password", &["eyJwYXlsb2FkIjoi"], &BASE64, 100).strict(),
    open("munge-credential", &["MUNGE:"], &BASE64, 60),
    token("backblaze-key", &["K00"], &BASE64, 28, 28).random(),
    open("sourcegraph-token", &["slk_"], &HEX, 60).strict(),
    open("gitea-token", &["gitea_"], &HEX, 40),
    open("azure-devops-token", &["azdo_"], &ALNUM, 40).strict(),
    open("matrix-token", &["syt_"], &WORD, 24).strict(),
    // Package registries.
    open("npm-token", &["npm_"], &ALNUM, 30).random(),
    open("pypi-token", &["pypi-AgE"], &WORD, 40),
    open("pypi-token", &["pypi-"], &WORD, 70),
    open("ruby-key", &["rubygems_"], &HEX, 40),
    token("crates-token", &["cio"], &ALNUM, 32, 32).random(),
    token("nuget-key", &["oy2"], &LOWER_ALNUM, 43, 43).strict(),
    open("clojars-token", &["CLOJARS_"], &ALNUM, 50),
    open("composer-token", &["packagist_"], &ALNUM, 40),
    open("docker-token", &["dckr_pat_", "dckr_oat_"], &WORD, 20),
    open("artifactory-key", &["AKCp"], &ALNUM, 60).strict(),
    open("artifactory-token", &["cmVmdGtu"], &ALNUM, 50).strict(),
    open("jsr-token", &["jsrp_", "jsrd_"], &ALNUM, 30).strict(),
    // Build, quality and deployment.
    open("circleci-token", &["CCIPAT_", "CCIPRJ_"], &WORD, 20),
    open("buildkite-token", &["bkua_", "bkct_"], &ALNUM, 32).strict(),
    token("airtable-token", &["pat"], &Set::new("A-Za-z0-9."), 76, 90).random(),
    open("harness-token", &["pat.", "sat."], &DOTTED, 60).random(),
    token("octopus-key", &["API-"], &UPPER_ALNUM, 24, 36).random(),
    token("pulumi-token", &["pul-"], &HEX, 40, 40).strict(),
    token("sonar-token", &["squ_", "sqp_", "sqa_"], &HEX, 40, 40).strict(),
    open("sentry-token", &["sntrys_"], &LOOSE, 40),
    open("sentry-token", &["sntryu_", "sntrya_"], &HEX, 60),
    open("chromatic-token", &["chpt_"], &ALNUM, 12).random(),
    open("expo-token", &["ExponentPushToken["], &WORD, 16),
    open("nx-token", &["nx_cloud_"], &ALNUM, 30).random(),
    // Secret stores and access.
    open("vault-token", &["hvs.", "hvb.", "hvr."], &WORD, 24).strict(),
    open("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], &DOTTED, 40).strict(),
    open("infisical-token", &["st."], &DOTTED, 80).random(),
    open("onepassword-token", &["ops_eyJ"], &LOOSE, 60),
    token("onepassword-secret-key", &["A3-"], &Set::new("A-Z0-9-"), 30, 40).strict(),
    open("age-secret-key", &["AGE-SECRET-KEY-", "AGE-PLUGIN-"], &Set::new("A-Z0-9-"), 40),
    open("docker-swarm-token", &["SWMTKN-1-"], &WORD, 40),
    open("tailscale-key", &["tskey-"], &WORD, 16),
    open("teleport-token", &["tp_secret_"], &WORD, 20),
    // Monitoring.
    token("newrelic-key", &["NRAK-"], &UPPER_ALNUM, 24, 32),
    open("newrelic-key", &["NRII-", "NRIQ-", "NRRA-", "NRSP-"], &LOOSE, 24),
    open("newrelic-key", &["NRJS-"], &HEX, 16),
    open("grafana-token", &["glsa_"], &WORD, 32),
    open("grafana-token", &["glc_"], &BASE64, 28).strict(),
    open("grafana-key", &["eyJrIjoi"], &BASE64, 40).strict(),
    open("dynatrace-token", &["dt0c01.", "dt0s01.", "dt0s02.", "dt0s16."], &DOTTED, 40),
    open("honeycomb-key", &["hcaik_", "hcamk_"], &ALNUM, 40),
    open("posthog-key", &["phx_"], &ALNUM, 30).random(),
    open("segment-token", &["sgp_"], &ALNUM, 60).strict(),
    open("betterstack-token", &["btst_"], &ALNUM, 20).random(),
    open("launchdarkly-key", &["sdk-", "api-"], &HEX_DASH, 36).random(),
    open("feature-flag-key", &["configcat-sdk-1/"], &LOOSE, 40),
    open("statsig-key", &["secret-"], &ALNUM, 40).random(),
    // Chat and mail.
    open(
        "slack-token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe."],
        &LOOSE,
        10,
    ),
    open("slack-token", &["xapp-", "xwfp-"], &WORD, 20),
    open("twilio-key", &["SK"], &HEX_ANY, 32).strict(),
    open("sendgrid-key", &["SG."], &DOTTED, 40).strict(),
    token("mailgun-key", &["key-"], &HEX, 32, 32).strict(),
    open("brevo-key", &["xkeysib-", "xsmtpsib-"], &WORD, 60),
    token("mandrill-key", &["md-"], &WORD, 22, 22).random(),
    open("resend-key", &["re_"], &WORD, 28).random(),
    open("discord-token", &["mfa."], &WORD, 80).strict(),
    open("twitch-token", &["oauth:"], &LOWER_ALNUM, 28).strict(),
    open("intercom-token", &["dG9rO"], &BASE64, 40).strict(),
    open("novu-key", &["novu_"], &ALNUM, 30).random(),
    // Payment and shops.
    open("stripe-key", &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"], &ALNUM, 10),
    open("webhook-secret", &["whsec_"], &BASE64, 20),
    open("square-token", &["sq0atp-"], &WORD, 20),
    open("square-secret", &["sq0csp-"], &WORD, 40),
    open("square-token", &["EAAA"], &WORD, 60).strict(),
    open("braintree-token", &["access_token$"], &Set::new("a-z0-9$"), 40),
    open("plaid-token", &["access-sandbox-", "access-development-", "access-production-"], &HEX_DASH, 36),
    open("razorpay-key", &["rzp_live_", "rzp_test_"], &ALNUM, 14),
    open("flutterwave-key", &["FLWSECK_TEST-"], &WORD, 12),
    open("flutterwave-key", &["FLWSECK-"], &WORD, 20),
    open("shippo-token", &["shippo_live_", "shippo_test_"], &HEX, 40),
    open("easypost-key", &["EZAK", "EZTK"], &ALNUM, 50).strict(),
    open("duffel-token", &["duffel_live_", "duffel_test_"], &WORD, 40),
    open("gocardless-token", &["live_"], &WORD, 30).random(),
    open("lob-key", &["test_"], &HEX, 35).random(),
    open("paystack-key", &["sk_"], &HEX, 40).random(),
    open("shopify-token", &["shpat_", "shpca_", "shppa_", "shpua_", "shptka_"], &HEX_ANY, 32),
    open("shopify-secret", &["shpss_"], &HEX_ANY, 32),
    open("shopify-token", &["shprt_"], &ALNUM, 32),
    // Models.
    open("llm-proxy-key", &["sk-helicone-"], &WORD, 20),
    open("langfuse-key", &["sk-lf-"], &HEX_DASH, 36).strict(),
    open("anthropic-key", &["sk-ant-"], &WORD, 20),
    open("openai-key", &["sk-"], &WORD, 20).random(),
    open("openai-key", &["sess-"], &ALNUM, 36).random(),
    open("huggingface-token", &["hf_", "api_org_"], &ALNUM, 30).random(),
    open("replicate-token", &["r8_"], &ALNUM, 30).random(),
    open("groq-key", &["gsk_"], &ALNUM, 40).random(),
    open("xai-key", &["xai-"], &ALNUM, 60).strict(),
    open("perplexity-key", &["pplx-"], &ALNUM, 40).strict(),
    open("together-key", &["tgp_v1_"], &WORD, 30),
    open("fireworks-key", &["fw_"], &ALNUM, 22).random(),
    open("langsmith-key", &["lsv2_"], &WORD, 40),
    open("langsmith-key", &["ls__"], &HEX, 32),
    open("pinecone-key", &["pcsk_"], &WORD, 40),
    open("nvidia-key", &["nvapi-"], &WORD, 40),
    open("cerebras-key", &["csk-"], &ALNUM, 40).random(),
    open("elevenlabs-key", &["sk_"], &HEX, 48).strict(),
    open("tavily-key", &["tvly-"], &WORD, 20),
    open("voyage-key", &["pa-"], &WORD, 40).random(),
    open("e2b-key", &["e2b_"], &HEX, 40),
    open("firecrawl-key", &["fc-"], &HEX, 32).strict(),
    open("wandb-key", &["wandb_v1_"], &WORD, 30),
    open("kaggle-token", &["KGAT_"], &ALNUM, 30),
    open("deepgram-key", &["dg_"], &HEX, 40).strict(),
    open("apify-token", &["apify_api_"], &ALNUM, 30),
    open("brave-key", &["BSA"], &WORD, 27).random(),
    open("browserbase-key", &["bb_live_"], &WORD, 20),
    open("daytona-key", &["dtn_"], &HEX, 60).strict(),
    open("jina-key", &["jina_"], &WORD, 40).random(),
    open("runpod-key", &["rpa_"], &ALNUM, 36).random(),
    token("modal-token", &["ak-", "as-"], &ALNUM, 22, 22).random(),
    open("anyscale-key", &["esecret_"], &ALNUM, 20).random(),
    // Other services.
    open("axiom-token", &["xaat-", "xapt-"], &HEX_DASH, 36).strict(),
    open("atlas-secret", &["mdb_sa_sk_"], &WORD, 30),
    open("cockroach-key", &["CCDB1_"], &WORD, 40).strict(),
    open("deno-token", &["ddp_", "ddw_"], &ALNUM, 36).random(),
    open("inngest-key", &["signkey-prod-", "signkey-test-"], &HEX, 32),
    open("paddle-key", &["pdl_live_apikey_", "pdl_sdbx_apikey_"], &WORD, 40),
    open("polar-token", &["polar_oat_", "polar_pat_"], &WORD, 30),
    open("socket-key", &["sktsec_"], &WORD, 30),
    open("stytch-secret", &["secret-live-", "secret-test-"], &WORD, 36).random(),
    open("telnyx-key", &["KEY01"], &WORD, 40).random(),
    open("trigger-key", &["tr_prod_", "tr_dev_", "tr_stg_"], &ALNUM, 20),
    open("valtown-token", &["vtwn_"], &ALNUM, 24).strict(),
    open("adafruit-key", &["aio_"], &ALNUM, 26).random(),
    token("infracost-key", &["ico-"], &ALNUM, 32, 32).random(),
    open("scalingo-token", &["tk-us-"], &WORD, 40).random(),
    open("linear-key", &["lin_api_"], &ALNUM, 30),
    open("linear-token", &["lin_oauth_"], &HEX, 60),
    open("linear-secret", &["lin_wh_"], &ALNUM, 30),
    open("notion-token", &["ntn_"], &ALNUM, 40).strict(),
    open("notion-token", &["secret_"], &ALNUM, 40).random(),
    open("figma-token", &["figd_", "figo_", "figu_"], &WORD, 30),
    open("postman-key", &["PMAK-"], &WORD, 50),
    open("postman-token", &["PMAT-"], &ALNUM, 24),
    token("clickup-token", &["pk_"], &Set::new("A-Z0-9_"), 36, 50).random(),
    open("trello-token", &["ATTA"], &LOWER_ALNUM, 60).strict(),
    open("typeform-token", &["tfp_"], &DOTTED, 40),
    open("contentful-token", &["CFPAT-"], &WORD, 40),
    open("readme-key", &["rdme_"], &LOWER_ALNUM, 60),
    open("frameio-token", &["fio-u-"], &WORD, 60),
    open("dropbox-token", &["sl."], &WORD, 100).strict(),
    open("hubspot-token", &["pat-na", "pat-eu"], &WORD, 36).strict(),
    open("mapbox-token", &["sk.eyJ", "tk.eyJ"], &DOTTED, 60).strict(),
    open("facebook-token", &["EAA"], &ALNUM, 90).strict(),
    open("twitter-token", &["AAAAAAAAAAAAAAAAAAAAA"], &LOOSE, 50).strict(),
    open("instagram-token", &["IGQ"], &WORD, 90).strict(),
    open("linkedin-secret", &["WPL_AP1."], &LOOSE, 16),
    open("ubidots-token", &["BBFF-"], &ALNUM, 30).strict(),
    open("beamer-token", &["b_"], &WORD, 44).random(),
    open("defined-networking-token", &["dnkey-"], &WORD, 40),
    open("onfido-token", &["api_live.", "api_sandbox."], &DOTTED, 30),
    open("persona-key", &["persona_production_", "persona_sandbox_"], &WORD, 20),
    open("clerk-key", &["ak_live_"], &ALNUM, 20),
    open("workos-key", &["sk_workos_"], &WORD, 20),
    open("aiven-token", &["aivenv1-"], &WORD, 40),
    open("algolia-key", &["alg_"], &HEX, 32).strict(),
    open("hashicorp-token", &["hcp."], &DOTTED, 60).strict(),
    open("phrase-token", &["phrase_"], &HEX, 60),
    open("settlemint-token", &["sm_pat_", "sm_aat_", "sm_sat_"], &ALNUM, 16),
    open("maxmind-key", &["mmk_"], &WORD, 20).random(),
    open("looker-secret", &["LKR-"], &ALNUM, 24).random(),
];

static HEX_DASH: Set = Set::new("a-f0-9-");
static BASE64_BODY: Set = Set::new("A-Za-z0-9+/");
