//! Manifests and settings of clusters, containers, provisioning, servers and databases.
//! Does not: know the files of build tools (`config_files`).

use crate::{
    category::Category::ConfigError,
    classify::rule::{
        Rule,
        Shape::{Hint, Regex, Word},
        Trust, rule,
    },
};

pub(super) const RULES: &[Rule] = &[
    rule(
        "config-kubernetes-manifest",
        ConfigError,
        &["error validating", "error parsing", "unknown field", "is invalid: ", "no matches for kind", "strict decoding error", "missing required field", "unable to recognize", "error when creating", "invalid object doesn't have", "unable to decode", "apiversion not set", "kind not set", "field is immutable", "admission webhook", "unsupported value: ", "required value", "could not find expected"],
        Regex(r#"error validating (data|")|unknown field "|\b(The |^)\w+ "[^"]+" is invalid: |: (Invalid|Required|Unsupported|Duplicate|Forbidden) value: |\bRequired value\b|no matches for kind|strict decoding error|missing required field|unable to recognize|apiVersion not set|kind not set|object 'Kind' is missing|field is immutable|unable to decode|admission webhook .+ denied|error parsing .+\.ya?ml"#),
    )
    .trust(Trust::Logs),
    rule("config-kubernetes-reference", ConfigError, &["createcontainerconfigerror", "couldn't find key", "configmap", "secret \"", "secrets \""], Regex(r#"CreateContainerConfigError|couldn't find key \S+ in (ConfigMap|Secret)|\b(configmaps?|secrets?) "[^"]+" not found|references non-existent (config|secret) key"#)).trust(Trust::Logs),
    rule("config-kubeconfig", ConfigError, &["invalid configuration: no configuration", "kubeconfig", "context \"", "no context exists", "current-context", "no configuration has been provided", "error loading config file", "no server found for cluster", "kube_config_path"], Regex(r#"no configuration has been provided|(error loading|invalid|missing|unable to (load|read)|cannot (find|load)|could not (find|load)|\bno) (the |a |valid )?kubeconfig|kubeconfig.*(not found|invalid|missing|does not exist)|context "[^"]+" does not exist|no context exists|current-context is not set|error loading config file|no server found for cluster"#)),
    rule("config-helm", ConfigError, &["values don't meet the specifications", "chart.yaml", "installation failed", "upgrade failed", "values.yaml", "execution error at", "unable to build kubernetes objects", "yaml parse error", "chart metadata", "nil pointer evaluating interface", "error calling include", "parse error at", "error unmarshaling json"], Regex(r"values don't meet the specifications|chart\.yaml (file )?is missing|execution error at \(|unable to build kubernetes objects|YAML parse error on|chart metadata|nil pointer evaluating|error calling (include|required|fail)|parse error at \(\S+\.(tpl|ya?ml):\d+\)|values\.yaml.*(error|invalid|missing)|error unmarshaling JSON")),
    rule("config-kustomize", ConfigError, &["kustomization", "kustomize"], Regex(r"(unable to find one of|missing|invalid|no|accumulating|json: unknown field).*kustomiz(ation|e)|kustomization\.ya?ml.*(invalid|empty|not found|missing|unknown)")),
    rule(
        "config-compose",
        ConfigError,
        &["no configuration file provided", "additional property ",
            "additional properties ", "unsupported config option", "must be a mapping", "must be a list", "must be a string", "invalid compose", "required variable", "services.", "contains an invalid type", "refers to undefined", "depends on undefined service", "top-level object must be", "has neither an image nor a build context", "no such service", "undefined volume", "undefined network", "invalid interpolation format", "the compose file", "variable is not set. defaulting", "declared as external"],
        Regex(r"no configuration file provided|additional propert(y|ies) .*not allowed|unsupported config option|\b(services|volumes|networks)\.[\w.-]+ .*(must be|is not|invalid|contains|undefined|has)|must be a (mapping|list|string) ?(not|or|$)|invalid (compose|interpolation)|required variable \w+ is missing|refers to undefined|depends on undefined service|has neither an image nor a build context|the compose file .+ is invalid|contains an invalid type|no such service: |declared as external, but could not be found|invalid (port|volume) specification"),
    ),
    rule("config-dockerfile", ConfigError, &["dockerfile", "unknown instruction", "invalid reference format", "unknown flag: "], Regex(r"dockerfile parse error|failed to read dockerfile|unknown instruction: |(cannot|unable to) (locate|find|open) .{0,30}Dockerfile|dockerfile.*(cannot be empty|not found|no such file)|invalid reference format")),
    rule("config-daemon-json", ConfigError, &["daemon.json", "unable to configure the docker daemon"], Regex(r"unable to configure the docker daemon|daemon\.json.*(invalid|conflict|error)")),
    rule("config-terraform", ConfigError, &[".tf line "], Regex(r"error: (?s:.*?)\bon \S+\.tf line \d+")).near(),
    rule(
        "config-terraform-words",
        ConfigError,
        &[
            "error: unsupported argument",
            "error: missing required argument",
            "error: unsupported block type",
            "error: no value for required variable",
            "error: reference to undeclared",
            "error: no configuration files",
            "error: backend initialization required",
            "error: backend configuration changed",
            "error: invalid provider configuration",
            "error: module not installed",
            "error: invalid value for variable",
        ],
        Hint,
    ),
    rule("config-ansible", ConfigError, &["undefinederror", "is undefined", "errors were found in", "couldn't resolve module/action", "missing required arguments", "unsupported parameters for", "playbook"], Regex(r"the task includes an option with an undefined variable|error while templating|couldn't resolve module/action|missing required arguments:|unsupported parameters for \(|is not a valid attribute for a (Play|Task|Block)|the playbook: .* could not be found")),
    rule("config-cloudformation", ConfigError, &["template format error", "template error", "template validation error", "invalid template", "unresolved resource dependencies", "parameters: [", "extraneous key", "no stacks match"], Regex(r"template (format|validation)? ?error: |unresolved resource dependencies|parameters: \[.+\] must have values|extraneous key \[|#/\w+.*(required key|extraneous)|invalid template (property|resource)|no stacks match")),
    rule("config-nginx", ConfigError, &["[emerg]", "nginx: configuration file", "ah00526", "invalid command '", "haproxy", "caddyfile", "traefik", "[alert]", "envoy"], Regex(r"\[emerg\].*(unknown directive|invalid|directive|unexpected|duplicate|not allowed|no such file|cannot load|is not (allowed|terminated)|missing|unknown|conflicting|host not found in|no \x22)|nginx: configuration file .* test failed|AH0\d+: syntax error|invalid command '.+', perhaps misspelled|\[ALERT\].*(parsing|config|unknown keyword)|fatal errors found in configuration|caddyfile:\d+|error adapting config|error .*(loading|parsing) (config|bootstrap)")),
    rule("config-systemd", ConfigError, &["unknown lvalue", "unknown key name", "bad unit file setting", "unit not found", "has a bad unit file", "lacks both execstart", "bad message", "failed to parse service type", "assignment outside of section", "executable path is not absolute", "missing '='", "code=exited, status=78", "ex_config", "failed to load environment files"], Regex(r"unknown (lvalue|key name)|bad unit file setting|has a bad unit file|lacks both ExecStart|assignment outside of section|executable path is not absolute|status=78/CONFIG|EX_CONFIG\b|failed to load environment files|neither a valid executable name nor an absolute path")),
    rule("config-databases", ConfigError, &["unrecognized configuration parameter", "invalid value for parameter", "fatal config file error", "unknown variable '", "unknown setting [", "could not open configuration", "pg_hba.conf", "unrecognised option:", "bad directive", "failed to parse config", "[mysqld]", "error: unrecognised", "superuser password is not specified", "database is uninitialized", "config file contains errors", "mongod.conf", "my.cnf", "couldn't load configuration", "error loading config", "mandatory", "invalid syntax near"],
        Regex(r"unrecognized configuration parameter|invalid value for parameter|FATAL CONFIG FILE ERROR|unknown variable '[\w.-]+=|unknown setting \[|could not open configuration|no pg_hba\.conf entry|superuser password is not specified|database is uninitialized and|configuration file .+ contains errors|couldn't load configuration|error loading config|unrecogni[sz]ed option: |(mongod\.conf|my\.cnf|postgresql\.conf|redis\.conf).*(error|invalid|syntax)")),
    rule("config-prometheus", ConfigError, &["error loading config", "parsing yaml file", "not found in type", "invalid scrape", "alertmanager config", "unmarshal errors", "error parsing config", "fluentd", "config error file"], Regex(r"error (loading|parsing|reading) config|parsing YAML file|field \S+ not found in type|unmarshal errors:|config error file=|failed to (load|parse) config")),
    rule("config-elastic", ConfigError, &["bootstrap checks failed", "max virtual memory areas", "failed to load settings", "invalid jvm configuration", "error: could not create the java virtual machine", "unrecognized vm option", "unrecognized option: -"], Regex(r"bootstrap checks? failed|max virtual memory areas|failed to load settings|unrecognized (VM )?option|invalid (initial|maximum) heap size|could not reserve enough space")),
    rule("config-spark-hadoop", ConfigError, &["a master url must be set", "core-site.xml", "no filesystem for scheme", "java_home is not set", "fs.defaultfs", "is not set and could not be found", "incomplete hdfs uri", "hadoop_home"], Regex(r"master URL must be set|(core|hdfs|yarn|hive)-site\.xml.*(invalid|error|not|missing)|no filesystem for scheme|JAVA_HOME is (not set|set to an invalid)|incomplete HDFS URI|HADOOP_HOME.*(unset|not set)|is not set and could not be found")),
    rule("config-serverless", ConfigError, &["serverless.yml", "samconfig", "sam template", "invalid configuration encountered", "handler not found", "wrangler.toml", "fly.toml", "vercel.json", "netlify.toml", "firebase.json", "app.yaml", "skaffold"], Regex(r"invalid configuration encountered|(serverless\.ya?ml|samconfig\.toml|wrangler\.toml|fly\.toml|vercel\.json|netlify\.toml|firebase\.json|app\.yaml|skaffold\.ya?ml)\b.*(invalid|error|not found|missing|unknown|unexpected|does not|could not)|(invalid|error|could not|missing|no|unknown|failed).*(serverless\.ya?ml|samconfig\.toml|wrangler\.toml|fly\.toml|vercel\.json|netlify\.toml|firebase\.json|app\.yaml|skaffold\.ya?ml)")),
    rule("config-exit-code", ConfigError, &["ex_config"], Word),
    rule("config-ssh", ConfigError, &["bad configuration option", "terminating, 1 bad configuration", "sshd_config", "ssh_config"], Regex(r"bad configuration option|bad configuration options|sshd?_config.*(error|bad|line \d+)")),
    rule("config-aws-cli", ConfigError, &["the config profile", "unable to parse config file", "you must specify a region"], Hint),
    rule("config-feature-gate", ConfigError, &["unrecognized feature gate", "unknown flag: --", "unknown command-line flag", "flag provided but not defined", "unknown shorthand flag"], Regex(r"unrecognized feature gate|flag provided but not defined|unknown (shorthand )?flag: .*|unknown command-line flag")),
];
