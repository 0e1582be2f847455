//! Rules for missing or invalid environment variables, application settings and schemas. Build tool files are in
//! `files`, infrastructure files in `infra`.

use crate::{
    classify::rule::{
        Matcher::{Literal, Regex, Word},
        Rule, any, rule,
    },
    failure::category::Category::ConfigError,
};

pub(in crate::classify::rules) const RULES: &[Rule] = &[
    rule(
        "config-env-variable",
        ConfigError,
        &[
            "environment variable", "env variable", "env var", "environment vars", "envvar", "missing env",
            "required env", "environment: ", "environment value", "env: parse error",
        ],
        Regex(any!(
            r"\b(missing|required|undefined|unset|invalid|empty|no|not set|undeclared|unknown|need|please set|must set|requires?)\b.*\b(env(ironment)?[ -]?var(iable)?s?|env(ironment)?)\b",
            r"\benv(ironment)?[ -]?var(iable)?s?\b.*\b(missing|required|(is |are )?not (set|found|defined|present|configured|specified|provided|exist)|undefined|unset|invalid|empty|must be|should be|needs? to be|does not exist|isn't set|is null|was not)\b",
            r"\benv: parse error on field\b",
        )),
    ),
    rule(
        "config-env-lookup",
        ConfigError,
        &["keyerror", "notpresent", "key not found: \"", "noenvvar"],
        Regex(any!(
            r"(os\.environ|environ\[|ENV\.fetch|ENV\[|getenv|in __getitem__\n.*from None)(?s:.*?)KeyError: ['\x22:]?\w+",
            r#"Err(or)?\W.*\bNotPresent\b|: NotPresent\b|KeyError(?s:.*?)key not found: "[A-Z][A-Z0-9_]+"|key not found: "(?-i:[A-Z][A-Z0-9]*(_[A-Z0-9]+)+)" \(KeyError\)"#,
            r"getenv(?s:.*?)NotPresent",
        )),
    )
    .match_nearby_lines()
    // The text must mention the environment, because most KeyErrors come from ordinary dictionaries.
    .required_literals(&["environ", "env.fetch", "env[", "getenv", "__getitem__", "notpresent", "key not found: \""]),
    rule(
        "config-env-key",
        ConfigError,
        &["keyerror: ", "undefinedvalueerror"],
        Regex(r"KeyError: ['\x22](?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)['\x22]|\bUndefinedValueError\b"),
    ),
    rule(
        "config-shell-variable",
        ConfigError,
        &["unbound variable", "parameter null or not set", "variable is not set", "parameter not set"],
        Regex(any!(
            r"\b[A-Z][A-Z0-9_]+: (unbound variable|parameter (null or )?not set)",
            r"\x22?[A-Z_]{3,}\x22? variable is not set",
        )),
    ),
    rule(
        "config-env-constant",
        ConfigError,
        &[
            "must be set", "is not set", "is required", "is missing", "not configured", "must be defined",
            "is not defined in", "must be provided", "not set in", "missing value", "not found in environment",
            "isn't set",
        ],
        Regex(any!(
            r#"(^|[\s"'\x60(:])[A-Z][A-Z0-9]*(_[A-Z0-9]+)+["'\x60]?( (environment )?variable| setting)?( must (be (set|defined|provided)|not be empty)| (is|are) (not set|required|missing|not configured|not defined|undefined)| not (set|configured|found in environment)|: missing value| isn't set)"#,
            r"required key \w+ missing value",
        )),
    )
    .unless(r"\bnull pointer|ReferenceError"),
    rule(
        "config-word-missing",
        ConfigError,
        &[
            "configuration", "config ", "config:", "config.", "config'", "config\"", "setting", "settings",
            "configured",
        ],
        Regex(any!(
            r#"\b(missing|invalid|unknown|unrecogni[sz]ed|bad|malformed|incomplete|required|unsupported|unexpected|undefined|no such|duplicate|conflicting|illegal|deprecated|incorrect)( \w+){0,3} ["'\x60]?(config(uration)?|settings?|config(uration)? (file|key|option|value|property|setting|section|parameter|field|entry))\b"#,
            r"\bconfig(uration)?( (file|object|key|option|value|property|setting|section|parameter|entry|variable))?( \W?[\w./:-]+\W?)?( (is|was|has|are|did|does))? ?(not (valid|found|loaded|set|provided|match|exist|specified|readable|defined)|(is |are )?(missing|invalid|malformed|incorrect|incomplete|required|empty)|errors?\b|must be|contains (an )?(unknown|invalid|error)|validation (failed|error)|could not|cannot be|has (invalid|unknown|unexpected|errors|no ))",
            r#"\b(fail(ed|ure|s)?|error|unable|could not|couldn't|cannot|can't)( to| while| when|:)* ?(load(ing)?|read(ing)?|pars(e|ing)|validat(e|ing)|find(ing)?|open(ing)?|process(ing)?|initiali[sz](e|ing)|resolv(e|ing)|in|decod(e|ing)|unmarshal(l?ing)?|appl(y|ying))( the| your| from| user| app(lication)?| project| global| default| server| test| base)* ["'\x60]?([\w./@-]+ )?config(uration)?s?\b"#,
            r"\bsettings?\b.*\b(is|are) (missing|invalid|required|not (set|configured|defined|valid))\b",
            r"\bimproperly configured\b|\b(is |are )not (properly |correctly )?configured\b|\bmisconfigur",
            r"\bconfig(uration)? error\b|\berror in .*config\b",
            r"\bNo config(uration)? (file )?(was )?(found|for|provided|specified)",
        )),
    )
    .unless(any!(
        r"module named|cannot find module|no such module|configure: error: (no acceptable|library)",
        r"timed? ?out|ENOSPC|permission denied|unknown column",
        // Gradle's remark about a test process that ended.
        r"might be caused by incorrect test process configuration",
    )),
    rule(
        "config-exception",
        ConfigError,
        &[
            "improperlyconfigured", "configexception", "configurationexception", "configerror",
            "configurationerror", "optionsvalidationexception", "beandefinitionstoreexception",
            "configurationpropertiesbindexception", "invalidconfigurationpropertyvalueexception",
            "bindexception", "configvalidationerror", "validationerror", "invalidconfigexception",
            "invalidconfigerror", "missingconfig", "noconfig", "configurationmissing", "missingenv",
            "envnotfound", "invalidconfigurationexception", "adapternotspecified",
            "missingconfigurationexception", "noptionserror", "missingsectionheadererror",
            "duplicateoptionerror", "nosectionerror", "nooptionerror", "interpolationmissingoptionerror",
            "parsingerror", "settingserror", "missingsettings", "invalidenv", "invalidproperties",
            "configfilenotfound", "jsonschema", "missingmandatory", "missingrequired",
        ],
        Regex(
            r"(^|[\s:.(\[\x22'>\\])(ImproperlyConfigured|\w*Config(uration)?(Exception|Error)\w*|OptionsValidationException|ConfigurationPropertiesBindException|\w*BindValidationException|org\.springframework\.boot\.context\.properties\.bind\.BindException|\w*ConfigValidationError|\w*InvalidConfig\w*|\w*MissingConfig\w*|\w*NoConfig\w*|\w*MissingEnv\w*|EnvNotFound\w*|AdapterNotSpecified|MissingSectionHeaderError|DuplicateOptionError|NoSectionError|NoOptionError|InterpolationMissingOptionError|SettingsError|jsonschema\.exceptions\.(ValidationError|SchemaError)|InvalidEnv\w*|MissingMandatory\w*|ConfigFileNotFound\w*|Config(uration)?::\w*Error)\b",
        ),
    ),
    rule(
        "config-spring",
        ConfigError,
        &[
            "could not resolve placeholder", "failed to bind properties", "failed to configure a datasource",
            "invalid config data", "configdatalocationnotfound", "configdataresourcenotfound",
            "config data location", "config data resource", "no active profile", "circular placeholder",
            "unable to find a single main class", "factory method 'datasource'", "binding to target",
            "elements were left unbound", "failed to load driver class",
            "unable to find a @springbootconfiguration", "property: ", "error resolving property value", "as strategy [",
        ],
        Regex(any!(
            r"could not resolve placeholder|failed to bind properties|failed to configure a datasource",
            r"ConfigData(Location|Resource)NotFound|config data (location|resource) '|circular placeholder",
            r"binding to target .*failed|elements .* were left unbound",
            r"error resolving property value \[|unable to resolve name \[.*\] as strategy \[",
            r"unable to find a @SpringBootConfiguration|failed to load driver class",
        )),
    ),
    rule(
        "config-quarkus-smallrye",
        ConfigError,
        &[
            "srcfg0", "no value for configuration", "no configuration setting found for key",
            "missing required configuration", "missing required option",
        ],
        Literal,
    ),
    rule(
        "config-schema",
        ConfigError,
        &[
            "must have required property", "must not have additional propert",
            "additional properties are not allowed", "additional property ",
            "is not valid under any of the given schemas", "does not match the schema", "schema validation",
            "does not conform to schema", "failed schema", "is a required property",
            "does not validate against", "schemaerror", "json schema", "against schema", "against the schema",
            "api schema", "cvc-", "is not allowed by schema", "required property", "schema violation",
        ],
        Regex(any!(
            r"must (not )?have (required|additional) propert",
            r"additional propert(y|ies) .*(is|are|were|was) not allowed",
            r"is not valid under any of the given schemas",
            r"(does not|doesn't|don't|not) (match|conform to|satisfy|validate against|meet) (the )?(\w+ )?(\w+ )?schema",
            r"schema (validation|violation)( (failed|error))?|failed schema|is a required property",
            r"does not validate against|\bSchemaError\b|against (the )?(json |xml )?schema|\bcvc-[\w.-]+: ",
            r"required property .*(missing|not found)|not allowed by schema|missing required property",
        )),
    ),
    rule(
        "config-zod",
        ConfigError,
        &["zoderror", "invalid_type", "invalid environment", "envalid", "prettyprint: env", "invalid env"],
        Regex(any!(
            r#"\bZodError\b|"code": "invalid_type"|invalid environment variables|invalid env\b"#,
            r"missing environment",
        )),
    ),
    rule(
        "config-pydantic",
        ConfigError,
        &[
            "validation error for", "validation errors for", "pydantic_core", "pydantic.error_wrappers",
            "field required",
        ],
        Regex(r"\b\d+ validation errors? for \w+|pydantic\S*ValidationError"),
    ),
    rule(
        "config-serde",
        ConfigError,
        &["missing field `", "unknown field `", "unknown variant `", "duplicate field `", "invalid type: "],
        Regex(any!(
            r"\b(missing|duplicate|unknown) (field|variant) `",
            r"invalid type: (string|integer|boolean|floating|map|sequence|null|unit)\b.*expected ",
        )),
    ),
    rule(
        "config-toml",
        ConfigError,
        &[
            "tomlerror", "toml parse error", "tomldecodeerror", "toml: ", "error parsing toml", "invalid toml",
        ],
        Regex(any!(
            r"\bTomlError\b|TOML parse error|TOMLDecodeError|\btoml: |error parsing TOML|invalid toml",
            r"TomlDecodeError",
        )),
    ),
    rule(
        "config-yaml",
        ConfigError,
        &[
            "yaml: line", "yaml: unmarshal errors", "mapping values are not allowed", "yamlexception",
            "error converting yaml to json", "yaml.scanner", "yaml.parser", "could not find expected ':'", "yaml\\exception", "nor yaml", "a yaml file cannot",
            "did not find expected", "found character that cannot start any token", "yamlparseexception",
            "psych::syntaxerror", "yamlsyntaxerror", "invalid yaml", "yaml syntax error", "error parsing yaml",
            "snakeyaml",
        ],
        Regex(any!(
            r"yaml: (line \d+|unmarshal errors)|mapping values are not allowed",
            r"YAML(Parse|Syntax)?(Exception|Error)\b|error converting YAML to JSON|yaml\.(scanner|parser)\.",
            r"could not find expected ':'|did not find expected|cannot start any token|Psych::SyntaxError|Yaml\\+Exception|(neither|either) .*JSON n?or (as )?YAML|a YAML file cannot",
            r"invalid yaml|error parsing yaml|snakeyaml\.",
        )),
    ),
    rule(
        "config-key",
        ConfigError,
        &[
            "config key", "configuration key", "config option", "configuration option", "unknown option",
            "unknown key", "invalid option", "unrecognized option", "unknown property", "unrecognized key",
            "unknown configuration", "invalid value for", "invalid options object", "unexpected key",
            "unrecognized configuration",
        ],
        Regex(any!(
            r"\b(unknown|unrecogni[sz]ed|invalid|unexpected|unsupported|missing|deprecated) (config(uration)? )?(options?|keys?|propert(y|ies)|parameter|setting)s?\b.*\b(in|under|for|at|of|config|found)\b.*(config|rc\b|\.json|\.ya?ml|\.toml|\.ini|\.js\b|\.ts\b|settings|section|option)",
            r"invalid options object|could not load config key|unknown configuration",
            r"unrecogni[sz]ed configuration",
        )),
    ),
    rule(
        "config-credentials-missing",
        ConfigError,
        &[
            "default credentials were not found", "partial credentials", "defaultcredentialserror",
            "unable to locate credentials", "nocredentialserror", "could not load credentials",
            "could not find default credentials", "credentials are not configured", "missing credentials",
            "no credentials found", "region is missing", "missing region", "must specify a region",
            "unable to load credentials", "no region", "could not load the default credentials",
            "api key is missing", "api_key", "apikey", "api key", "no such profile", "config profile",
        ],
        Regex(any!(
            r"unable to (locate|load) credentials|NoCredentialsError",
            r"could not (load|find) (the )?(default )?credentials( from any)?|missing credentials",
            r"partial credentials found|default credentials were not found|DefaultCredentialsError",
            r"no credentials found|region is missing|missing region|must specify a region",
            r"unable to load (aws )?(credentials|region)|\bNoRegionError",
            r"\b(api[_ ]?key|access[_ ]?key|secret[_ ]?key|token)\b.*\b(is missing|must be set|not (set|configured|provided)|is required|option must be)",
            r"the config profile \(.+\) could not be found",
        )),
    )
    .unless(r"\b(401|403)\b"),
    rule(
        "config-connection-string",
        ConfigError,
        &[
            "connection string", "connectionstring", "datasource", "jdbc url", "database_url",
            "database configuration", "secret_key_base", "encryption key", "invalid url", "invalid dsn",
            "malformed url", "no suitable driver", "sqlalchemy url", "sqlalchemy.dialects", "invalid scheme",
            "missingkeyerror", "encrypted_configuration", "mongoparseerror", "could not find driver", "dsn parse error",
            "connection string parse error",
        ],
        Regex(any!(
            r"(connection ?string|jdbc url|data ?source|dsn|database_url|base ?url)\b.*\b((is |was |has )?(not (been )?(initialized|found|set|configured|specified|valid|supplied)|missing|invalid|empty|required|malformed|null))",
            r"database configuration (does not|is|has)|missing .?secret_key_base|no application encryption key",
            r"(missing|invalid|malformed|no) (connection ?string|dsn|jdbc url|database url|datasource)",
            r"no suitable driver|could not parse SQLAlchemy URL|can't load plugin: sqlalchemy\.dialects",
            r"\bMongoParseError\b|invalid scheme, expected connection string|EncryptedFile::MissingKeyError",
            r"\b(dsn|connection string) parse error|\bPDOException\b.*could not find driver|^\s*could not find driver\b",
            r"missing encryption key|encrypted_configuration\.rb|\(Parameter 'connectionString'\)",
        )),
    ),
    rule(
        "config-env-plain",
        ConfigError,
        &["environment variable not found", "dotenv", ".env file", ".env not found"],
        Regex(any!(
            r"environment variable not found|\.env (file )?(is |was )?(missing|not found|could not)",
            r"(missing|no|cannot find|could not find|unable to read) (the |a )?\.env\b",
            r"dotenv\S* .*(missing|not found|fail)",
        )),
    ),
    rule(
        "config-node-config",
        ConfigError,
        &["configuration property ", "config property"],
        Regex(r"config(uration)? property .+ is not defined"),
    ),
    // Type errors of settings decoders: mapstructure, and version 6 of Go's jsonschema.
    rule(
        "config-decoder",
        ConfigError,
        &["got unconvertible type", "at '/", "unable to configure "],
        Regex(any!(
            r"expected type '[\w.\[\]]+', got unconvertible type|\bat '(/[^'\s]*)+': (got \w+, want \w+|missing propert(y|ies)|additional propert(y|ies)|value must be)",
            r"\bunable to configure ((root )?logger|handler|formatter|filter)\b",
        )),
    ),
    rule(
        "config-kafka",
        ConfigError,
        &["has no default value", "for configuration "],
        Regex(r"missing required configuration .* no default value|invalid value .+ for configuration \S+"),
    ),
    rule(
        "config-token",
        ConfigError,
        &["token contains invalid", "invalid credentials file", "no token found", "no registry token"],
        Word,
    ),
];
